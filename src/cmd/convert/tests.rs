//! Conversions, option by option, and the fates of options.

use std::path::Path;

use super::fate::fio_options;
use super::*;

fn converted(name: &str, text: &str) -> ProtocolDraft {
    let environment = |name: &str| (name == "DEPTH").then(|| "32".to_string());
    let draft = from_text(name, text, (Path::new("."), &environment), None);
    draft.unwrap_or_else(|error| panic!("{error:#}"))
}

fn toml(name: &str, text: &str) -> (toml::Table, Vec<String>) {
    let draft = converted(name, text);
    let losses = draft.of(Fate::Lost).map(|l| format!("{}: {}: {}", l.place, l.text, l.why));
    let losses = losses.collect();
    let text = draft.to_toml("dyno convert");
    (text.parse().unwrap_or_else(|error| panic!("{error}: {text}")), losses)
}

fn stream(table: &toml::Table, step: usize) -> String {
    table["step"][step]["stream"][0].to_string()
}

fn fates(draft: &ProtocolDraft, text: &str) -> (Fate, String) {
    let found = draft.settled.iter().find(|s| s.text == text);
    let found = found.unwrap_or_else(|| panic!("{text}: {:?}", draft.settled));
    (found.fate, found.why.clone())
}

fn contains_all(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn a_fio_mix_with_sizes_of_its_own_for_reads_and_writes_is_one_stream() {
    let job = "[global]\nioengine=libaio ; comment\ndirect=1\nruntime=30\nramp_time=5\nsize=1g\n\
               [mix]\nrw=randrw\nrwmixread=60\nbssplit=4k/50:16k/50,4k/100\niodepth=8\nnumjobs=2\n";
    let (table, losses) = toml("a.fio", job);
    assert_eq!(losses, [""; 0]);
    let parts = [
        "read = 60",
        "[[\"4KiB\", 70], [\"16KiB\", 30]]",
        "read_by_size = [[\"4KiB\", 42.857142857], [\"16KiB\", 100]]",
        "depth = 8",
        "threads = 2",
        "direct = true",
    ];
    contains_all(&stream(&table, 0), &parts);
    let size = table["dataset"]["mix"]["size"].as_str();
    assert_eq!(size, Some("2GiB"), "a file for each job");
    assert_eq!(table["step"][0]["warmup"].as_str(), Some("5s"));
}

#[test]
fn jobs_run_together_until_a_stonewall_and_rates_are_of_all_jobs() {
    let job = "[global]\nfilename=f\nsize=64m\nruntime=1m\n[a]\nrw=randread\nrate_iops=100\n\
               numjobs=3\n[b]\nrw=randwrite\nrate=1m\nrate_process=poisson\n\
               [c]\nstonewall\nrw=write\nsync=1\n";
    let (table, losses) = toml("b.fio", job);
    assert_eq!(table["step"].as_array().map(Vec::len), Some(2));
    assert_eq!(table["dataset"].as_table().map(|d| d.len()), Some(1), "one file for all");
    assert!(stream(&table, 0).contains("rate = \"300/s\""), "{}", stream(&table, 0));
    let b = table["step"][0]["stream"][1].to_string();
    assert!(b.contains("rate = \"1MiB/s\"") && b.contains("poisson"), "{b}");
    assert!(losses.len() == 1 && losses[0].starts_with("b.fio:16: sync=1"), "{losses:?}");
}

#[test]
fn what_fio_has_and_dyno_has_not_is_named_with_its_line() {
    let job = "[a]\nrw=randread\nsize=10m\nruntime=1\nthinktime=100\nverify=crc32c\nflow=2\n\
               random_distribution=normal:10\nloops=3\nsiez=3\nbs=4k ; comment\n";
    let draft = converted("c.fio", job);
    for (text, fate) in [
        ("thinktime=100", Fate::Lost),
        ("verify=crc32c", Fate::Lost),
        ("flow=2", Fate::Lost),
        ("random_distribution=normal:10", Fate::Lost),
        ("loops=3", Fate::Fixed),
        ("siez=3", Fate::Lost),
        ("bs=4k", Fate::Carried),
    ] {
        assert_eq!(fates(&draft, text).0, fate, "{text}");
    }
    assert_eq!(
        draft.counts(),
        "10 options: 4 carried over, 1 fixed by Dyno, 0 irrelevant to the load, 5 not carried over"
    );
    let left_out = |text: &str| {
        let none = |_: &str| None;
        let error = from_text("d.fio", text, (Path::new("."), &none), None).err();
        format!("{:#}", error.expect("nothing left"))
    };
    let error = left_out("[a]\nioengine=net\nrw=read\n");
    assert!(error.contains("d.fio:2: ioengine=net"), "{error}");
    assert!(error.contains("no equivalent of fio's engine net"), "{error}");
    let error = left_out("[global]\nbs=4x\n[a]\nrw=read\n");
    assert!(error.contains("d.fio:2: bs=4x"), "the option's own line: {error}");
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

/// For each option that is carried over: lines of a job before it, and a setting that changes the
/// protocol.
const CARRIED: &[(&str, &str)] = &[
    ("", "name=other"),
    ("", "filename=f"),
    ("", "rw=write"),
    ("", "ioengine=libaio"),
    ("ioengine=libaio", "iodepth=8"),
    ("ioengine=io_uring\niodepth=64", "iodepth_batch_complete_min=16"),
    ("", "size=2m"),
    ("", "filesize=2m"),
    ("filename=f", "offset=512k"),
    ("filename=f\nsize=256k\nnumjobs=2", "offset_increment=256k"),
    ("", "bs=8k"),
    ("rw=randread", "ba=8k"),
    ("rw=randread", "bsrange=4k-8k"),
    ("rw=randread", "bssplit=4k/50:8k/50"),
    ("rw=randread\nbs=64k,4k", "bs_is_seq_rand=1"),
    ("rw=randread", "random_distribution=zipf:1.1"),
    ("rw=randread", "percentage_random=50"),
    ("rw=write", "fsync=8"),
    ("rw=write", "fdatasync=8"),
    ("", "direct=1"),
    ("", "buffered=0"),
    ("", "numjobs=4"),
    ("", "runtime=7"),
    ("", "ramp_time=7"),
    ("ioengine=io_uring_cmd\nplids=3", "fdp=1"),
    ("ioengine=io_uring_cmd\nplids=3", "dataplacement=fdp"),
    ("ioengine=io_uring_cmd\nfdp=1", "plids=3"),
    ("rw=randrw", "rwmixread=70"),
    ("rw=randrw", "rwmixwrite=70"),
    ("", "rate=1m"),
    ("", "rate_iops=100"),
    ("rate_iops=100", "rate_process=poisson"),
    ("", "invalidate=1"),
    ("rw=write", "sync=dsync"),
    ("", "cpumask=5"),
    ("", "cpus_allowed=0-3"),
    ("[b]\nrw=write", "stonewall"),
    ("", "zero_buffers"),
    ("", "buffer_compress_percentage=50"),
    ("", "dedupe_percentage=50"),
    ("bs=8k", "kb_base=1000\nbs=8ki\nsize=1000k"),
    ("ioengine=io_uring\ndirect=1", "hipri"),
    ("ioengine=io_uring", "sqthread_poll=1"),
    ("ioengine=io_uring_cmd\nrw=write", "writefua=1"),
];

#[test]
fn every_option_that_is_carried_over_changes_the_protocol() {
    for option in fio_options().iter().filter(|option| option.fate == Fate::Carried) {
        // Which jobs of a file are converted, and the only command that Dyno can send.
        if ["--section", "cmd_type"].contains(&option.name) {
            continue;
        }
        let name = |line: &str| line.split('=').next().unwrap_or_default().to_string();
        let sample = CARRIED.iter().find(|(_, set)| name(set) == option.name);
        let (before, set) = sample.unwrap_or_else(|| panic!("a sample of {}", option.name));
        let job = |set: &str| {
            let draft = converted("a.fio", &format!("[a]\nsize=1m\n{before}\n{set}\n"));
            let text = draft.to_toml("dyno convert");
            let lines = text.lines().filter(|line| !line.starts_with('#'));
            (lines.collect::<Vec<_>>().join("\n"), draft)
        };
        let ((without, _), (with, draft)) = (job(""), job(set));
        assert_ne!(without, with, "{set}");
        let text = set.lines().next().unwrap_or_default();
        let (fate, why) = fates(&draft, text);
        // fsync of a file is an fdatasync here.
        let known = fate == Fate::Carried || option.name == "fsync";
        assert!(known, "{set}: {why}");
    }
}

#[test]
fn options_of_batches_polls_and_contents_have_their_fates() {
    let job = "[j]\nioengine=libaio\ndirect=1\nrw=randread\nbs=4k\nsize=1g\nruntime=10\n\
               time_based\niodepth=512\niodepth_batch=128\niodepth_low=256\nhipri=1\n\
               bs_is_seq_rand=1\nzero_buffers\nexitall\n";
    let draft = converted("j.fio", job);
    for (text, fate) in [
        ("iodepth=512", Fate::Carried),
        ("iodepth_batch=128", Fate::Lost),
        ("iodepth_low=256", Fate::Lost),
        ("hipri=1", Fate::Lost),
        ("zero_buffers", Fate::Carried),
        ("exitall", Fate::Fixed),
        ("time_based", Fate::Fixed),
    ] {
        assert_eq!(fates(&draft, text).0, fate, "{text}");
    }
    assert_eq!(fates(&draft, "hipri=1").1, "fio's engine libaio has no option hipri");
    let text = draft.to_toml("dyno convert");
    assert!(!text.contains("Everything that defines"), "{text}");
    let uring =
        job.replace("libaio", "io_uring").replace("iodepth_batch=128\niodepth_low=256\n", "");
    let draft = converted("u.fio", &uring);
    let text = draft.to_toml("dyno convert");
    contains_all(&text, &["poll = \"iopoll\"", "compressible = 100", "Everything that defines"]);
}

#[test]
fn a_rate_is_of_its_direction() {
    let job = |lines: &str| format!("[w]\nsize=1g\nruntime=10\n{lines}\n");
    for (lines, found) in [
        ("rw=write\nbs=128k\nrate=,200m", "rate = \"200MiB/s\""),
        ("rw=read\nrate=100m,", "rate = \"100MiB/s\""),
        ("rw=read\nrate=10MiB", "rate = \"10MB/s\""),
        ("rw=randread\nnumjobs=4\nrate_iops=500", "rate = \"2000/s\""),
        // Both directions have their rate in fio, whatever rwmixread: fio 3.33 made 1,000 reads and
        // 500 writes per second of this.
        ("rw=randrw\nrwmixread=90\nrate_iops=1000,500", "rate = \"1500/s\""),
        ("rw=randrw\nrwmixread=90\nrate_iops=1000,500", "read = 66.666666667"),
        ("rw=randrw\nbs=4k,8k\nrate=4m,4m", "read = 66.666666667"),
        ("rw=randrw\nbs=4k,8k\nrate=4m,4m", "rate = \"8MiB/s\""),
        // fio counts the smallest size: 1,359 ops in two seconds were 8,196,096 bytes.
        ("rw=randread\nbssplit=4k/50:8k/50\nrate_iops=1000", "rate = \"4000KiB/s\""),
    ] {
        let (table, losses) = toml("w.fio", &job(lines));
        assert!(stream(&table, 0).contains(found), "{lines}: {}", stream(&table, 0));
        assert_eq!(losses, [""; 0], "{lines}");
    }
    let (table, losses) = toml("m.fio", &job("rw=randrw\nbs=4k\nrate_iops=,500"));
    assert!(!stream(&table, 0).contains("rate"), "{}", stream(&table, 0));
    assert!(losses.len() == 1 && losses[0].contains("rate_iops=,500"), "{losses:?}");
    let draft = converted("r.fio", &job("rw=read\nrate=,500k\nrate_process=poisson"));
    assert_eq!(fates(&draft, "rate=,500k").0, Fate::Irrelevant);
}

#[test]
fn variables_are_those_of_the_environment_and_none_may_be_missing() {
    let job = "[a]\nrw=randread\nioengine=libaio\nsize=1m\nruntime=1\niodepth=${DEPTH}\n";
    let (table, losses) = toml("v.fio", job);
    assert!(stream(&table, 0).contains("depth = 32") && losses.is_empty(), "{losses:?}");
    let none = |_: &str| None;
    let job = format!("{job}filename=${{DEV}}\n");
    let error = from_text("v.fio", &job, (Path::new("."), &none), None).err().expect("not set");
    let text = format!("{error:#}");
    contains_all(&text, &["v.fio:6: iodepth=${DEPTH}", "v.fio:7: filename=${DEV}"]);
}

#[test]
fn included_options_count_where_they_are_included() {
    let folder = tempfile::tempdir().expect("a folder");
    let common = "bs=128k\niodepth=16\nioengine=libaio\ndirect=1\nsize=2g\nruntime=60\nstonewall\n";
    std::fs::write(folder.path().join("common.fio"), common).expect("written");
    let job = "[rand-read]\nrw=randread\ninclude common.fio\n[rand-write]\nrw=randwrite\n\
               include common.fio\n";
    let none = |_: &str| None;
    let draft = from_text("i.fio", job, (folder.path(), &none), None).expect("converted");
    assert_eq!(draft.steps.len(), 2);
    for step in &draft.steps {
        let stream = &step.streams[0];
        assert_eq!((stream.engine, stream.depth, stream.direct), ("libaio", 16, true));
        assert_eq!(step.duration_s, 60.0);
    }
    assert_eq!(draft.settled[1].place, "common.fio:1");
    let missing = from_text("i.fio", job, (Path::new("/nowhere"), &none), None).err();
    let text = format!("{:#}", missing.expect("no such file"));
    assert!(text.contains("i.fio:3: include common.fio"), "{text}");
}

#[test]
fn each_global_section_counts_for_the_jobs_after_it() {
    let job = "[global]\nsize=1m\nruntime=9\nbs=8k\n[a]\nrw=randread\n[global]\nbs=16k\n\
               [b]\nstonewall\nrw=randread\n[global]\ndirect=1\n\
               [c]\nstonewall\nrw=randread\nbs=4k\n";
    let (table, losses) = toml("g.fio", job);
    assert_eq!(losses, [""; 0]);
    for (step, block, direct) in [(0, "8KiB", false), (1, "16KiB", false), (2, "4KiB", true)] {
        let stream = stream(&table, step);
        let parts = [format!("block = \"{block}\""), format!("direct = {direct}")];
        contains_all(&stream, &parts.each_ref().map(String::as_str));
    }
}

#[test]
fn units_that_do_not_mean_what_they_say_are_named() {
    let draft = converted("k.fio", "[a]\nrw=randread\nbs=4KiB\nsize=1GiB\nruntime=1\n");
    let (fate, why) = fates(&draft, "bs=4KiB");
    assert!(fate == Fate::Lost && why.contains("4000 bytes") && why.contains("4096"), "{why}");
    let (fate, why) = fates(&draft, "size=1GiB");
    assert!(fate == Fate::Carried && why.contains("1000000000 bytes"), "{why}");
    assert_eq!(draft.datasets[0].bytes, 1_000_000_000);
    let draft =
        converted("k.fio", "[a]\nkb_base=1000\nrw=randread\nbs=4KiB\nsize=1GiB\nruntime=1\n");
    assert_eq!((fates(&draft, "bs=4KiB").0, draft.datasets[0].bytes), (Fate::Carried, 1 << 30));
}

#[test]
fn a_part_of_a_file_or_device_is_a_part_of_the_dataset() {
    let job = |lines: &str| format!("[a]\nrw=randread\nruntime=1\n{lines}\n");
    for (lines, size, parts) in [
        ("size=1g\noffset=1g", "2GiB", &["from = 50", "span = 50"][..]),
        ("filename=/dev/x\nsize=25%", "0B", &["from = 0", "span = 25"]),
        ("filename=/dev/x\noffset=50%", "0B", &["from = 50", "span = 50"]),
        ("filename=f\nfilesize=1g\nsize=25%", "1GiB", &["span = 25"]),
        ("filename=/dev/x", "0B", &[]),
    ] {
        let (table, losses) = toml("p.fio", &job(lines));
        let dataset = table["dataset"].as_table().and_then(|d| d.values().next());
        assert_eq!(dataset.and_then(|d| d["size"].as_str()), Some(size), "{lines}");
        contains_all(&stream(&table, 0), parts);
        assert_eq!(losses, [""; 0], "{lines}");
    }
    // Each job reads the file from its beginning, or from an offset of its own.
    for (lines, starts) in [("", ["0%", "0%"]), ("offset_increment=128m", ["0%", "50%"])] {
        let text = format!("[a]\nrw=read\nruntime=1\nfilename=f\nsize=128m\nnumjobs=2\n{lines}\n");
        let (table, losses) = toml("s.fio", &text);
        assert_eq!(losses, [""; 0]);
        let streams = table["step"][0]["stream"].as_array().expect("streams");
        let from = |stream: &toml::Value| {
            let from = stream["workload"].get("from").map_or("0".to_string(), |f| f.to_string());
            format!("{}%", from.trim_end_matches(".0"))
        };
        assert_eq!(streams.iter().map(from).collect::<Vec<_>>(), starts, "{lines}");
    }
}

#[test]
fn a_command_line_is_read_as_a_job_file_is() {
    let words = |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
    let none = |_: &str| None;
    let line = "fio --ioengine=libaio --direct 1 --size=1g --runtime=60 --time_based \
                --group_reporting --name=a --rw=randread --bs=4k --iodepth=32 --numjobs=4 \
                --name=b -rw=randwrite --output-format=json --stonewall";
    let draft = from_command_line(&words(line), &none).expect("converted");
    assert_eq!(draft.of(Fate::Lost).count(), 0, "{:?}", draft.settled);
    let steps: Vec<(&str, u64, u64, &str)> = draft
        .steps
        .iter()
        .map(|s| {
            (
                s.streams[0].name.as_str(),
                s.streams[0].threads,
                s.streams[0].depth,
                s.streams[0].engine,
            )
        })
        .collect();
    assert_eq!(steps, [("a", 4, 32, "libaio"), ("b", 1, 1, "libaio")]);
    let wrong = from_command_line(&words("dd if=/dev/zero"), &none).err().expect("not fio");
    assert!(wrong.to_string().contains("dd"), "{wrong}");
}

#[test]
fn sizes_and_times_are_written_as_people_write_them() {
    for (bytes, written) in [
        (512 << 20, "512MiB"),
        (4096, "4KiB"),
        (512, "512B"),
        (1_000_000_000, "1GB"),
        (1 << 40, "1TiB"),
        (1_920_000_000_000, "1920GB"),
        (0, "0B"),
    ] {
        assert_eq!(draft::size(bytes), written);
        assert_eq!(crate::base::units::parse_bytes(written), Ok(bytes));
    }
    for (seconds, written) in
        [(60.0, "60s"), (240.0, "4m"), (90.0, "90s"), (7200.0, "2h"), (0.25, "250ms"), (1.0, "1s")]
    {
        assert_eq!(draft::time(seconds), written);
        let ns = crate::base::units::parse_duration_ns(written);
        assert_eq!(ns, Ok((seconds * 1e9) as u64));
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
    let parts =
        ["threads = 24", "[\"8KiB\", 99]", "[\"64KiB\", 1]", "random_by_size", "io.load", "120"];
    contains_all(&step, &parts);
}

const SD: &str = "sd=s,lun=/tmp/f,size=1g\nwd=w,sd=s,xfersize=4k,rdpct=100\n";

#[test]
fn rates_threads_and_ranges_of_vdbench_are_swept_or_named() {
    let file = "sd=s,lun=/tmp/f,size=1g\nwd=w,sd=s,xfersize=(4k,60,64k,40),rdpct=70,range=(0,25)\n\
        rd=a,wd=w,iorate=(100,200),elapsed=10\nrd=b,wd=w,iorate=max,forthreads=(1,2,4)\n\
        rd=c,wd=w,iorate=500,forxfersize=(4k),forhitarea=(1m)\nwd=q,sd=s,seekpct=seq,xfersize=64k\n\
        rd=d,wd=q\n";
    let (table, losses) = toml("r.vdb", file);
    let sweep = |i: usize| table["step"][i]["sweep"].to_string();
    assert!(sweep(0).contains("io.rate") && sweep(1).contains("io.threads"), "{}", sweep(0));
    assert!(stream(&table, 0).contains("span = 25"), "{}", stream(&table, 0));
    assert!(stream(&table, 2).contains("block = \"4KiB\""), "{}", stream(&table, 2));
    assert!(stream(&table, 3).contains("sequential"), "{}", stream(&table, 3));
    assert!(losses.len() == 1 && losses[0].contains("forhitarea"), "{losses:?}");
}

#[test]
fn keywords_of_vdbench_may_be_short_and_values_in_any_case() {
    let file = "sd=sd1,lun=/dev/sdx,size=1g,openflags=directio\n\
        wd=wd1,sd=sd1,xf=8k,rdpct=65,seekpct=rand\n\
        rd=rd1,wd=wd1,io=MAX,el=240,in=2,warmup=30\n\
        rd=rd2,wd=wd1,iorate=(1000-3000,1000),el=60,in=1\n";
    let (table, losses) = toml("s.vdb", file);
    assert_eq!(losses, [""; 0]);
    contains_all(&stream(&table, 0), &["block = \"8KiB\"", "read = 65", "direct = true"]);
    let step = |i: usize, key: &str| table["step"][i][key].as_str().expect("text").to_string();
    assert_eq!((step(0, "duration"), step(0, "warmup")), ("4m".into(), "30s".into()));
    let rates = table["step"][1]["sweep"]["values"].to_string();
    assert_eq!(rates, "[\"1000/s\", \"2000/s\", \"3000/s\"]");
}

#[test]
fn ranges_of_every_list_of_vdbench_are_expanded() {
    for (list, axis, values) in [
        ("forthreads=(1-64,d)", "io.threads", "[1, 2, 4, 8, 16, 32, 64]"),
        ("forthreads=(2-6,2)", "io.threads", "[2, 4, 6]"),
        ("th=(64-16,d)", "io.threads", "[64, 32, 16]"),
        ("forx=(4k-16k,d)", "io.block", "[\"4KiB\", \"8KiB\", \"16KiB\"]"),
        ("iorate=(100,500-700,100)", "io.rate", "[\"100/s\", \"500/s\", \"600/s\", \"700/s\"]"),
    ] {
        let rate = if list.starts_with("iorate") { "" } else { "iorate=max," };
        let (table, losses) = toml("l.vdb", &format!("{SD}rd=a,wd=w,{rate}{list}\n"));
        assert_eq!(losses, [""; 0], "{list}");
        let sweep = &table["step"][0]["sweep"];
        assert_eq!(
            (sweep["axis"].as_str(), sweep["values"].to_string()),
            (Some(axis), values.into())
        );
    }
    // A second list becomes steps.
    let file = format!("{SD}rd=a,wd=w,iorate=max,forrdpct=(0-100,50),forthreads=(1,8)\n");
    let (table, losses) = toml("t.vdb", &file);
    assert_eq!(losses, [""; 0]);
    let names: Vec<&str> = table["step"]
        .as_array()
        .expect("steps")
        .iter()
        .filter_map(|s| s["name"].as_str())
        .collect();
    assert_eq!(names, ["a-0-read", "a-50-read", "a-100-read"]);
    let endless = format!("{SD}rd=a,wd=w,iorate=max,forthreads=(1-9,0)\n");
    let none = |_: &str| None;
    let error = from_text("e.vdb", &endless, (Path::new("."), &none), None).err().expect("endless");
    let text = format!("{error:#}");
    contains_all(&text, &["e.vdb:3", "forthreads=(1-9,0)", "has no end"]);
}

#[test]
fn workloads_of_different_sds_are_streams_with_their_share_of_the_rate() {
    let file = "sd=sd1,lun=/dev/sdx,size=1g,openflags=o_direct\n\
        sd=sd2,lun=/dev/sdy,size=2g,openflags=o_direct\n\
        wd=log,sd=sd1,xfersize=8k,rdpct=0,seekpct=0,skew=10\n\
        wd=data,sd=sd2,xfersize=8k,rdpct=70,seekpct=100,skew=90\n\
        rd=mix,wd=*,iorate=10000,elapsed=60,interval=1\n\
        rd=one,wd=log,iorate=100,elapsed=60\n";
    let (table, losses) = toml("w.vdb", file);
    let streams = table["step"][0]["stream"].as_array().expect("streams");
    let texts: Vec<String> = streams.iter().map(toml::Value::to_string).collect();
    contains_all(&texts[0], &["rate = \"1000/s\"", "sequential", "read = 0", "dataset = \"sd1\""]);
    contains_all(&texts[1], &["rate = \"9000/s\"", "random", "read = 70", "dataset = \"sd2\""]);
    assert_eq!(table["dataset"]["sd2"]["size"].as_str(), Some("2GiB"));
    // That both are on one drive here is reported for each workload.
    assert_eq!(losses.len(), 2, "{losses:?}");
    assert!(losses[0].contains("wd=log") && losses[1].contains("wd=data"), "{losses:?}");
    assert!(stream(&table, 1).contains("rate = \"100/s\""), "{}", stream(&table, 1));
}
