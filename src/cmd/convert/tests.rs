//! Conversions, line by line, and reports.

use super::*;

fn toml(name: &str, text: &str) -> (toml::Table, Vec<String>) {
    let draft = draft(name, text, None).unwrap_or_else(|error| panic!("{error:#}"));
    let losses = draft.losses.iter().map(|l| format!("{}: {}: {}", l.line, l.text, l.why));
    let losses = losses.collect();
    let text = draft.to_toml("dyno convert");
    (text.parse().unwrap_or_else(|error| panic!("{error}: {text}")), losses)
}

fn stream(table: &toml::Table, step: usize) -> String {
    table["step"][step]["stream"][0].to_string()
}

#[test]
fn a_fio_mix_with_sizes_of_its_own_for_reads_and_writes_is_one_stream() {
    let job = "[global]\nioengine=libaio ; comment\ndirect=1\nruntime=30\nramp_time=5\nsize=1g\n\
               [mix]\nrw=randrw\nrwmixread=60\nbssplit=4k/50:16k/50,4k/100\niodepth=8\nnumjobs=2\n";
    let (table, losses) = toml("a.fio", job);
    assert_eq!(losses, [""; 0]);
    let found = stream(&table, 0);
    for part in [
        "read = 60",
        "[[\"4096B\", 70], [\"16384B\", 30]]",
        "read_by_size = [[\"4096B\", 42.857142857], [\"16384B\", 100]]",
        "depth = 8",
        "threads = 2",
        "direct = true",
    ] {
        assert!(found.contains(part), "{part} in {found}");
    }
    let size = table["dataset"]["mix"]["size"].as_str();
    assert_eq!(size, Some("2147483648B"), "a file for each job");
    assert_eq!(table["step"][0]["warmup"].as_str(), Some("5000ms"));
}

#[test]
fn jobs_run_together_until_a_stonewall_and_rates_are_of_all_jobs() {
    let job = "[global]\nfilename=f\nsize=64m\nruntime=1m\n[a]\nrw=read\nrate_iops=100\nnumjobs=3\n\
               [b]\nrw=randwrite\nrate=1m\nrate_process=poisson\n\
               [c]\nstonewall\nrw=write\nsync=1\n";
    let (table, losses) = toml("b.fio", job);
    assert_eq!(table["step"].as_array().map(Vec::len), Some(2));
    assert_eq!(table["dataset"].as_table().map(|d| d.len()), Some(1), "one file for all");
    assert!(stream(&table, 0).contains("rate = \"300/s\""), "{}", stream(&table, 0));
    let b = table["step"][0]["stream"][1].to_string();
    assert!(b.contains("rate = \"1048576B/s\"") && b.contains("poisson"), "{b}");
    assert!(losses.len() == 1 && losses[0].starts_with("16: sync=1"), "{losses:?}");
}

#[test]
fn what_fio_has_and_dyno_has_not_is_said_with_its_line() {
    let job = "[a]\nrw=randread\nsize=10m\nruntime=1\nthinktime=100\nverify=crc32c\nflow=2\n\
               random_distribution=normal:10\nloops=3\nsize=${SIZE}\n";
    let (_, losses) = toml("c.fio", job);
    for part in [
        "5: thinktime=100",
        "6: verify",
        "7: flow=2",
        "8: random_distribution",
        "9: loops",
        "10: size=${SIZE}",
    ] {
        assert!(losses.iter().any(|l| l.starts_with(part)), "{part}: {losses:?}");
    }
    let error = draft("d.fio", "[a]\nioengine=net\nrw=read\n", None).err().expect("nothing left");
    assert!(error.to_string().contains("no equivalent of fio's engine net"), "{error}");
}

#[test]
fn offsets_of_fio_have_their_distribution() {
    let job = |d: &str| format!("[a]\nrw=randread\nsize=1m\nruntime=1\nrandom_distribution={d}\n");
    for (written, found) in [
        ("zipf:1.2", "theta = 1.2"),
        ("pareto:0.3", "pareto = 0.3"),
        ("zoned:80/20:20/80", "hot_range = 20"),
    ] {
        let (table, losses) = toml("e.fio", &job(written));
        assert!(stream(&table, 0).contains(found) && losses.is_empty(), "{written}: {losses:?}");
    }
}

#[test]
fn a_vdbench_curve_over_workloads_with_skew_is_one_stream_with_shares_by_size() {
    let file = "* Oracle, after VdbenchAutomation\n\
        sd=sd1,lun=/dev/x,size=10g,openflags=o_direct,threads=24\n\
        wd=default,sd=sd1\n\
        wd=o1,rdpct=80,xfersize=8k,seekpct=100,skew=99\n\
        wd=o2,rdpct=1,xfersize=64k,seekpct=0.1,skew=1\n\
        rd=oracle,wd=(o1,o2),iorate=curve,curve=(10-120,10),warmup=30,elapsed=30,interval=5\n";
    let (table, losses) = toml("oracle.vdb", file);
    assert_eq!(losses, [""; 0]);
    let step = table["step"][0].to_string();
    for part in
        ["threads = 24", "[\"8192B\", 99]", "[\"65536B\", 1]", "random_by_size", "io.load", "120"]
    {
        assert!(step.contains(part), "{part} in {step}");
    }
}

#[test]
fn rates_threads_and_ranges_of_vdbench_are_swept_or_said() {
    let file = "sd=s,lun=/tmp/f,size=1g\nwd=w,sd=s,xfersize=(4k,60,64k,40),rdpct=70,range=(0,25)\n\
        rd=a,wd=w,iorate=(100,200),elapsed=10\nrd=b,wd=w,iorate=max,forthreads=(1,2,4)\n\
        rd=c,wd=w,iorate=500,forxfersize=(4k)\nwd=q,sd=s,seekpct=seq,xfersize=64k\nrd=d,wd=q\n";
    let (table, losses) = toml("r.vdb", file);
    let sweep = |i: usize| table["step"][i]["sweep"].to_string();
    assert!(sweep(0).contains("io.rate") && sweep(1).contains("io.threads"), "{}", sweep(0));
    assert!(stream(&table, 0).contains("span = 25"), "{}", stream(&table, 0));
    assert!(stream(&table, 3).contains("sequential"), "{}", stream(&table, 3));
    assert!(losses.len() == 1 && losses[0].contains("forxfersize"), "{losses:?}");
}
