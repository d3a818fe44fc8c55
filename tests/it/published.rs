//! The built-in protocols as published by their sources, and their small scales: titles that follow
//! the knobs, preparation, and each small scale from nothing to a brief.

use std::path::Path;
use std::time::Instant;

use dyno::plan::{self, FilesystemKind, Plan};
use toml::{Table, Value};

use crate::support::{dyno, dyno_well, rocksdb, said, size};

fn resolved(protocol: &str, set: &[(&str, &str)]) -> Plan {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let subject = [("A".to_string(), folder.path().to_path_buf())];
    let set: Vec<_> = set.iter().map(|(path, to)| (path.to_string(), to.to_string())).collect();
    plan::from_command_line(protocol, &subject, &set, None, &dyno::plan_catalogue())
        .unwrap_or_else(|mistakes| panic!("{protocol}: {mistakes:?}"))
}

fn title(protocol: &str, step: &str, set: &[(&str, &str)]) -> String {
    let plan = resolved(protocol, set);
    plan.protocol.steps.iter().find(|s| s.name == step).unwrap().title.clone()
}

#[test]
fn titles_follow_the_knobs() {
    let timing = "step.tpcc.stream.terminals.workload.timing";
    for protocol in ["tpcc", "tpcc-postgres", "tpcc-sqlserver"] {
        let with = "TPC-C with keying and think times";
        assert_eq!(title(protocol, "tpcc", &[]), with);
        let without = "TPC-C without keying and think times";
        assert_eq!(title(protocol, "tpcc", &[(timing, "no-wait")]), without);
    }
    let of = |rate: &str| format!("Three readers beside three writers of {rate} each");
    let neighbours = |set: &[(&str, &str)]| title("noisy-neighbour", "neighbours", set);
    assert_eq!(neighbours(&[]), of("100 MB/s"));
    assert_eq!(neighbours(&[("scale", "small")]), of("10 MB/s"));
    let set = [("step.neighbours.stream.ns1-write-4k.rate", "37MB/s")];
    assert_eq!(neighbours(&set), of("37 MB/s"));
}

#[test]
fn a_title_that_names_what_there_is_not_is_a_mistake_and_other_braces_are_text() {
    let titled = |title: &str| -> Result<Plan, String> {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let path = folder.path().join("p.toml");
        let step = "name = \"s\"\nduration = \"1s\"\n[[step.stream]]\nname = \"io\"\nengine = \
                    \"null\"\nworkload = \"random\"\n";
        std::fs::write(&path, format!("[[step]]\ntitle = \"{title}\"\n{step}")).unwrap();
        let subject = [("A".to_string(), folder.path().to_path_buf())];
        let path = path.display().to_string();
        let plan = plan::from_command_line(&path, &subject, &[], None, &dyno::plan_catalogue());
        plan.map_err(|mistakes| format!("{mistakes:?}"))
    };
    for (written, shown) in [
        ("{a} b}", "{a} b}"),
        ("depth {io.depth}, {io.rate}", "depth 1, no limit"),
        ("{io.read|100=reads|0=writes}", "reads"),
    ] {
        assert_eq!(titled(written).unwrap().protocol.steps[0].title, shown);
    }
    for (wrong, why) in [("{xo.depth}", "a stream that the step lacks"), ("{io.depht}", "'depht'")]
    {
        let refused = titled(wrong).unwrap_err();
        assert!(refused.contains(why), "{refused}");
    }
}

#[test]
fn rocksdb_threads_prepares_xfs_as_published_and_any_protocol_can_be_given_a_preparation() {
    if !rocksdb() {
        return;
    }
    let preparation = |protocol: &str, set: &[(&str, &str)]| resolved(protocol, set).protocol;
    let published = preparation("rocksdb-threads", &[]).preparation.filesystem.unwrap();
    assert_eq!((published.kind, &*published.mount), (FilesystemKind::Xfs, "noatime,discard"));
    let given = preparation("quick", &[("prepare.filesystem", "ext4"), ("prepare.purge", "any")]);
    assert_eq!(given.preparation.filesystem.unwrap().kind, FilesystemKind::Ext4);
    assert!(given.preparation.purge.is_some());
}

/// A protocol with a single step, its small scale's values for that, a tenth of its keys and a
/// fraction of its surface and times.
fn only(protocol: &str, step: &str, sweep: &[(&str, Value)]) -> String {
    let text = plan::protocols().iter().find(|(name, _)| *name == protocol).unwrap().1;
    let mut tree: Table = text.parse().unwrap();
    let named = |found: &Value| found["name"].as_str() == Some(step);
    tree["step"].as_array_mut().unwrap().retain(named);
    tree.remove("headline");
    let small = tree["scale"]["small"].as_table_mut().unwrap();
    small.retain(|path, _| !path.starts_with("step.") || path.split('.').nth(1) == Some(step));
    for (key, value) in sweep {
        small.insert(format!("step.{step}.sweep.{key}"), value.clone());
    }
    if let Some(keys) = small.get_mut("dataset.db.keys") {
        *keys = Value::Integer(100_000);
    }
    for (key, value) in small.iter_mut() {
        let less = match key.rsplit('.').next() {
            Some("size") => "96MiB",
            Some("round") => "200ms",
            Some("duration") => "500ms",
            _ => continue,
        };
        *value = Value::String(less.to_string());
    }
    toml::to_string(&tree).unwrap()
}

fn to_a_brief(folder: &Path, protocol: &str, repeats: &str) -> String {
    for subject in ["a", "b"] {
        std::fs::create_dir(folder.join(subject)).unwrap();
    }
    let subjects = ["--subject", "A=a", "--subject", "B=b", "--same-device", "-o", "b.dyno"];
    let run = ["run", protocol, "--scale", "small", "--repeats", repeats];
    let done = dyno(folder, &[&run[..], &subjects].concat());
    assert!(done.status.success() && said(&done).contains(" 0 failed"), "{}", said(&done));
    dyno_well(folder, &["report", "b.dyno", "-o", "b.html"]);
    std::fs::read_to_string(folder.join("b.html")).unwrap()
}

/// One step and one of its points in everyday runs. Under `make soak` the complete scales, with
/// their default repeats, each under four minutes.
#[test]
fn each_published_block_and_rocksdb_test_has_a_small_scale_that_ends_in_a_brief() {
    let ints = |values: &[i64]| Value::Array(values.iter().map(|&v| Value::Integer(v)).collect());
    let text = |text: &str| Value::String(text.to_string());
    type Sweep = Vec<(&'static str, Value)>;
    let one: [(&str, (&str, Sweep)); 4] = [
        ("vdbench-profiles", ("sql", vec![("percent", ints(&[50]))])),
        ("write-pressure", ("pressure", vec![("to", text("10MB/s"))])),
        ("noisy-neighbour", ("neighbours", vec![])),
        ("rocksdb-threads", ("readwhilewriting", vec![("values", ints(&[2]))])),
    ];
    for (protocol, (step, sweep)) in one {
        if protocol == "rocksdb-threads" && !rocksdb() {
            continue;
        }
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let begun = Instant::now();
        let page = if size(1, 5) == 1 {
            let file = folder.path().join("one.toml");
            std::fs::write(&file, only(protocol, step, &sweep)).unwrap();
            to_a_brief(folder.path(), &file.display().to_string(), "1")
        } else {
            let page = to_a_brief(folder.path(), protocol, "5");
            // A promise of minutes, for an idle machine.
            println!("{protocol} --scale small: {:.0} s", begun.elapsed().as_secs_f64());
            page
        };
        for part in ["Differences in test conditions", "Bottleneck"] {
            assert!(page.contains(part), "{protocol}: no '{part}' in the brief");
        }
    }
}
