//! Figures of one stream and of one drive of a group: compared and claimed like those of a step.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::made::{self, Figures};
use crate::support::{dyno, said};

/// For a load with a drive.
const FILES: &str = r#"
[dataset.file]
engine = "psync"
size = "1MiB"
fill = { kind = "sequential", read = 0, block = "128KiB" }
[[step]]
name = "reads"
duration = "1s"
sweep = { axis = "io.threads", values = [1, 2] }
[[step.stream]]
name = "io"
engine = "psync"
workload = "random"
"#;

/// A bundle of two subjects and five repeats at 0.5 % scatter; a stream's figures, by subject,
/// noise and name.
fn neighbours(dir: &Path, of: &dyn Fn(&str, f64, &str) -> Figures) -> PathBuf {
    let plan = made::plan(dir, &made::reader_and_writer(&[1, 2, 4]), 2, 5);
    let mut rng = made::rng(61, 0);
    let bundle = dir.join("b.dyno");
    made::write(&bundle, &plan, &mut |key| {
        let mut noise = || (0.005 * rng.normal()).exp();
        let streams =
            vec![of(&key.subject, noise(), "reader"), of(&key.subject, noise(), "writer")];
        Some(Figures { streams, watts: Some(8.0 * noise()), ..Figures::default() })
    });
    bundle
}

fn steady(ops_per_s: f64, noise: f64) -> Figures {
    Figures { ops_per_s: ops_per_s * noise, p99_ns: 4e11 / ops_per_s / noise, ..Figures::default() }
}

/// B's writer has 20 % less than A's; the readers are equal.
fn slower_writer(subject: &str, noise: f64, stream: &str) -> Figures {
    steady(if (subject, stream) == ("B", "writer") { 1_250_000.0 } else { 1_500_000.0 }, noise)
}

fn asked(bundle: &Path, metric: &str) -> Value {
    made::claims(&[bundle], &["--metric", metric])
}

fn sentences(found: &Value) -> Vec<&str> {
    found["claims"]
        .as_array()
        .expect("claims")
        .iter()
        .filter_map(|c| c["sentence"].as_str())
        .collect()
}

/// Every metric of a step's comparisons, each with the percentages that result from 1.2 times the
/// ops/s.
const FIGURES: [(&str, f64); 12] = [
    ("ops/s", 20.0),
    ("MB/s", 20.0),
    ("mean", 16.7),
    ("p50", 16.7),
    ("p95", 16.7),
    ("p99", 16.7),
    ("p99.9", 16.7),
    ("p99.99", 16.7),
    ("reads/min", 20.0),
    ("ops/s/W", 20.0),
    ("MB/s/W", 20.0),
    ("J/op", 16.7),
];

#[test]
fn every_figure_of_a_stream_is_compared_and_claimed() {
    let folder = made::folder();
    let bundle = neighbours(folder.path(), &slower_writer);
    for (figure, percent) in FIGURES {
        let found = asked(&bundle, &format!("writer:{figure}"));
        let claims = found["claims"].as_array().expect("claims");
        assert!(claims.len() == 2, "{figure}: a point and the mean: {found:#}");
        for claim in claims {
            assert_eq!(
                (&claim["better"], &claim["part"]),
                (&Value::from("A"), &Value::from("writer")),
                "{claim:#}"
            );
            let by = claim["percent"][0].as_f64().expect("a number");
            assert!((by - percent).abs() < 2.0, "{figure}: {by} %");
            let sentence = claim["sentence"].as_str().expect("a sentence");
            assert!(sentence.starts_with("A ") && sentence.contains(" writer "), "{sentence}");
        }
        let alike = asked(&bundle, &format!("reader:{figure}"));
        assert_eq!(alike["comparisons"].as_array().map(Vec::len), Some(4), "{figure}");
        assert_eq!(sentences(&alike), Vec::<&str>::new(), "{figure}");
    }
    let both = made::claims(&[&bundle], &["--metric", "writer:p99", "--metric", "reader:p99"]);
    assert_eq!(both["comparisons_in_family"], 8, "all that is searched is one family");
}

#[test]
fn a_streams_difference_is_the_same_number_in_every_form() {
    let folder = made::folder();
    let (dir, metric) = (folder.path(), ["--metric", "writer:p99.9"]);
    let bundle = neighbours(dir, &slower_writer);
    let found = asked(&bundle, metric[1]);
    let bare =
        |text: &str| text.chars().filter(|c| !c.is_whitespace() && *c != '\\').collect::<String>();
    let form = |args: &[&str]| {
        let out = dyno(dir, &[args, &metric].concat());
        assert!(out.status.success(), "{}", said(&out));
        bare(&String::from_utf8_lossy(&out.stdout))
    };
    form(&["report", "b.dyno", "-o", "b.md"]);
    form(&["report", "b.dyno", "-o", "b.html"]);
    let read = |name: &str| bare(&std::fs::read_to_string(dir.join(name)).expect("read"));
    let (csv, md, html) = (
        form(&["export", "b.dyno", "--table", "comparisons"]),
        read("b.md"),
        read("b.html").replace('\u{a0}', " "),
    );
    for of in found["comparisons"].as_array().expect("comparisons") {
        let number = bare(of["printed"].as_str().expect("printed"));
        [&csv, &md, &html]
            .iter()
            .for_each(|text| assert!(text.contains(&number), "{number} is not in {text}"));
    }
    for of in found["claims"].as_array().expect("claims") {
        let sentence = bare(of["sentence"].as_str().expect("a sentence"));
        assert!(
            form(&["claims", "b.dyno"]).contains(&sentence)
                && form(&["compare", "b.dyno"]).contains(&sentence)
        );
    }
}

#[test]
fn a_stream_that_drifts_supports_no_claim_of_its_own_and_the_step_still_does() {
    let folder = made::folder();
    let halves = |subject: &str, noise: f64, stream: &str| {
        let level = if (subject, stream) == ("B", "reader") { 2e5 } else { 3e5 };
        let fall = |i: usize| {
            if stream == "writer" && subject == "B" { 1.0 - 0.5 * i as f64 / 9.0 } else { 1.0 }
        };
        Figures {
            seconds: (0..10).map(|i| level * noise * fall(i)).collect(),
            p99_ns: 1e6,
            ..Figures::default()
        }
    };
    let bundle = neighbours(folder.path(), &halves);
    let own = asked(&bundle, "writer:ops/s");
    assert_eq!(sentences(&own), Vec::<&str>::new());
    let caveats: Vec<&str> =
        own["caveats"].as_array().expect("caveats").iter().filter_map(Value::as_str).collect();
    let said = caveats.iter().any(|c| c.contains(", B: writer: ops/s drifted by −5"));
    assert!(said, "{caveats:?}");
    assert_eq!(sentences(&asked(&bundle, "reader:ops/s")).len(), 2);
}

#[test]
fn a_rate_that_was_asked_for_is_no_finding_and_one_that_was_missed_made_it_easier_for_others() {
    let folder = made::folder();
    let writer = |reached: f64| {
        move |subject: &str, noise: f64, stream: &str| match (subject, stream) {
            (_, "reader") => steady(if subject == "A" { 3e5 } else { 2e5 }, noise),
            ("A", _) => Figures { asked: Some(1e5), ..steady(1e5, 1.0) },
            _ => Figures { asked: Some(1e5), ..steady(1e5 * reached, 1.0) },
        }
    };
    let bundle = neighbours(folder.path(), &writer(1.0));
    assert_eq!(asked(&bundle, "writer:ops/s")["comparisons"], Value::from(Vec::<Value>::new()));
    assert_eq!(
        sentences(&asked(&bundle, "reader:ops/s")).len(),
        2,
        "its rate is found, whatever the writer's is"
    );
    let latency = asked(&bundle, "writer:p99");
    assert!(latency["comparisons"].to_string().contains("writer p99"), "{latency:#}");
    let folder = made::folder();
    let bundle = neighbours(folder.path(), &writer(0.6));
    let found = asked(&bundle, "reader:ops/s");
    assert_eq!(sentences(&found), Vec::<&str>::new());
    assert!(
        found["caveats"].to_string().contains("stream writer achieved 60.0 % of the target rate"),
        "{found:#}"
    );
}

#[test]
fn a_drive_of_a_group_is_compared_with_the_same_of_another_group_and_both_are_named() {
    let folder = made::folder();
    let dir = folder.path();
    let mut plan = made::plan(dir, FILES, 1, 5);
    plan.subjects.push(dyno::plan::Subject { name: "B".into(), ..plan.subjects[0].clone() });
    for subject in &mut plan.subjects {
        let drive = |of: &str| {
            let mut drive = subject.drives[0].clone();
            let path = dir.join(format!("{}-{of}", subject.name));
            drive.place = dyno::plan::DrivePlace::Directory(path);
            drive
        };
        subject.drives = vec![drive("first"), drive("second")];
    }
    let mut rng = made::rng(62, 0);
    let bundle = dir.join("b.dyno");
    made::write(&bundle, &plan, &mut |key| {
        let mut drive = |level: f64| level * (0.005 * rng.normal()).exp();
        let second = if key.subject == "A" { 2e5 } else { 1.6e5 };
        Some(Figures { drives: vec![drive(2e5), drive(second)], p99_ns: 1e6, ..Figures::default() })
    });
    let found = asked(&bundle, "drive-2:ops/s");
    let claims = found["claims"].as_array().expect("claims");
    assert_eq!(claims.len(), 2, "{found:#}");
    for claim in claims {
        assert_eq!(claim["part"], "drive-2");
        let basis = claim["basis"].as_str().expect("a basis");
        assert!(
            basis.contains("of two drives, ")
                && basis.contains("A-second and ")
                && basis.contains("B-second")
        );
    }
    assert_eq!(sentences(&asked(&bundle, "drive-1:ops/s")), Vec::<&str>::new());
    let refused = |metric: &str, parts: &[&str]| {
        let out = dyno(dir, &["claims", "b.dyno", "--metric", metric]);
        assert_eq!(out.status.code(), Some(1));
        parts.iter().for_each(|part| assert!(said(&out).contains(part), "{}", said(&out)));
    };
    refused("drive-3:p99", &["no step has a stream or drive 'drive-3'", "io, drive-1 to drive-2"]);
    refused("writer:p99", &["no step has a stream or drive 'writer'"]);
    refused("drive-1:J/op", &["power is measured for a subject's drives together"]);
}
