//! Invalid plans and protocols are refused with the position and the remedy, all mistakes at once.

use std::path::Path;

use super::{Bench, PLAN, PROTOCOL};
use crate::support::skip;

/// An invalid protocol: the replacements in `PROTOCOL`, and the required text of the message.
#[test]
fn bad_protocols_are_refused_with_place_and_remedy() {
    let sweep = |text: &str| format!("duration = \"5s\"\nsweep = {text}");
    let stream = "name = \"io\"\n";
    let cases: &[(&str, String, &[&str])] = &[
        (
            "duration = \"5s\"",
            "duraton = \"5s\"".into(),
            &[
                "no key 'duraton'",
                "protocol.toml:6:1",
                "did you mean 'duration'",
                "needs 'duration'",
            ],
        ),
        ("\"5s\"", "\"20\"".into(), &["'20' is not a time", "protocol.toml:6:12", "1h30m"]),
        ("\"5s\"", "20".into(), &["expected a time with its unit", "protocol.toml:6:12"]),
        ("\"5s\"", "\"0s\"".into(), &["zero measures nothing", "protocol.toml:6:12"]),
        ("\"1GiB\"", "\"1 gigs\"".into(), &["'1 gigs' is not a size", "protocol.toml:3:8"]),
        ("size = \"1GiB\"\n", "".into(), &["'uring' needs 'size'", "protocol.toml:1:10"]),
        (
            "engine = \"uring\"\nworkload",
            "engine = \"urnig\"\nworkload".into(),
            &[
                "there is no engine 'urnig'",
                "protocol.toml:9:10",
                "did you mean 'uring'",
                "null, psync, uring, rocksdb",
            ],
        ),
        (
            "kind = \"random\"",
            "kind = \"randm\"".into(),
            &["there is no workload 'randm'", "protocol.toml:10:21", "did you mean 'random'"],
        ),
        (
            "read = 70",
            "read = 170".into(),
            &["170 is out of range", "write 0 to 100", "protocol.toml:10:38"],
        ),
        ("read = 70", "reed = 70".into(), &["no key 'reed'", "did you mean 'read'"]),
        (
            "kind = \"random\", read = 70",
            "kind = \"readrandom\"".into(),
            &["makes key-value requests", "protocol.toml:10:21", "rocksdb"],
        ),
        (PROTOCOL, "step = []".into(), &["there are no steps", "protocol.toml:1:8"]),
        (
            stream,
            "dataset = \"fil\"\n".into(),
            &["no dataset 'fil'", "did you mean 'file'", "protocol.toml:8:11"],
        ),
        (stream, "threads = 0\n".into(), &["0 is out of range", "protocol.toml:8:11"]),
        (stream, "depth = 0\n".into(), &["0 is out of range", "protocol.toml:8:9"]),
        (
            stream,
            "depth = 5000\n".into(),
            &[
                "'uring' takes a depth of at most 4096, not \
            5000",
                "protocol.toml:8:9",
            ],
        ),
        (
            stream,
            "rate = \"10MB\"\n".into(),
            &["'10MB' is not a rate", "protocol.toml:8:8", "10MB/s"],
        ),
        (
            stream,
            "arrival = \"posson\"\n".into(),
            &["did you mean 'poisson'", "protocol.toml:8:11"],
        ),
        (stream, "headline = false\n".into(), &["no stream of the step counts in the headline"]),
        (stream, "name = \"a.b\"\n".into(), &["contains a full stop", "protocol.toml:8:8"]),
        (
            "duration = \"5s\"",
            sweep("{ axis = \"io.threads\", values = [] }"),
            &["the sweep is empty", "protocol.toml:7:41"],
        ),
        (
            "duration = \"5s\"",
            sweep("{ axis = \"oi.threads\", values = [1] }"),
            &["no stream 'oi'", "did you mean 'io'", "protocol.toml:7:18"],
        ),
        (
            "duration = \"5s\"",
            sweep("{ axis = \"io.thread\", values = [1] }"),
            &["no field 'thread'", "did you mean 'threads'"],
        ),
        (
            "duration = \"5s\"",
            sweep("{ axis = \"io.threads\", values = [1, 2, 1] }"),
            &["swept twice", "protocol.toml:7:48"],
        ),
        ("duration = \"5s\"", sweep("{ axis = \"io.load\", values = [1] }"), &["takes 'percent'"]),
        (
            "duration = \"5s\"",
            sweep("{ axis = \"io.rate\", values = [\"1MB/s\", \"5k/s\"] }"),
            &["mixes bytes"],
        ),
        (
            "[[step]]",
            "[[step]]\nname = \"reads\"\nduration = \"1s\"\n\
                      stream = [{ engine = \"null\", workload = \"random\" }]\n\
                      [[step]]"
                .into(),
            &["two steps named 'reads'", "protocol.toml:9:8"],
        ),
        (
            "[[step.stream]]",
            "[[step.stream]]\nname = \"io\"\nengine = \"null\"\n\
                             workload = \"random\"\n\
                             [[step.stream]]"
                .into(),
            &["two streams named 'io'"],
        ),
        (
            "[[step.stream]]",
            "[[step.stream]]\nengine = { kind = \"uring\", direct = false }\n\
                             workload = \"random\"\n\
                             [[step.stream]]"
                .into(),
            &["with different knobs of 'uring'", "protocol.toml:10:1"],
        ),
        (
            "\"uring\"\nsize",
            "\"psync\"\nfill = { kind = \"sequential\", depth = 4 }\nsize".into(),
            &["'psync' takes a depth of at most 1, not 4", "protocol.toml:3:39"],
        ),
        (
            "[dataset.file]",
            "titel = \"x\"\n[dataset.file]".into(),
            &[
                "a protocol has no key \
            'titel'",
                "protocol.toml:1:1",
                "did you mean 'title'",
            ],
        ),
        (
            "[dataset.file]",
            "title = = 1\n[dataset.file]".into(),
            &["this is not TOML", "protocol.toml:1:9"],
        ),
    ];
    for (old, new, fragments) in cases {
        let bench = Bench::new();
        assert!(PROTOCOL.contains(old), "{old}");
        let mistakes = bench.load(PLAN, &PROTOCOL.replacen(old, new, 1)).expect_err(new);
        let text = mistakes.render(false);
        for fragment in *fragments {
            assert!(
                flat(&text).contains(fragment),
                "'{fragment}' is not in what is said of {new}:\n{text}"
            );
        }
    }
}

/// A plan of these subjects.
fn with(subjects: &str) -> String {
    format!("protocol = \"protocol.toml\"\nsubject = [{subjects}]\n")
}

/// An invalid plan for the valid protocol, and the required text of the message.
#[test]
fn bad_plans_are_refused_with_place_and_remedy() {
    let cases: &[(String, &[&str])] = &[
        (
            PLAN.replace("protocol.toml", "quik"),
            &["no protocol 'quik'", "plan.toml:1:12", "did you mean 'quick'"],
        ),
        (PLAN.replace("protocol.toml", "none.toml"), &["protocol: cannot read", "plan.toml:1:12"]),
        (
            "protocol = \"protocol.toml\"\n".into(),
            &["the plan has no subject", "--subject A=/mnt/a"],
        ),
        (format!("{PLAN}repeats = 0\n"), &["0 is out of range", "plan.toml:3:11"]),
        (
            format!("{PLAN}order = \"random\"\n"),
            &["'random' is not a valid value", "interleaved, blocked"],
        ),
        (
            format!("{PLAN}override = {{ \"step.raeds.duration\" = \"1s\" }}\n"),
            &["finds no 'raeds'", "plan.toml:3:14", "did you mean 'reads'"],
        ),
        (
            format!("{PLAN}override = {{ \"step.reads.durations\" = \"1s\" }}\n"),
            &["no key 'durations'", "plan.toml:3:14"],
        ),
        (
            format!("{PLAN}override = {{ \"step.reads.duration\" = \"1\" }}\n"),
            &["'1' is not a time", "plan.toml:3:38"],
        ),
        (
            format!("{PLAN}override = {{ step.reads.duration = \"1\" }}\n"),
            &["'1' is not a time", "plan.toml:3:36"],
        ),
        (with("{ name = \"A\", drives = [] }"), &["'A' has no drive", "plan.toml:2:35"]),
        (
            with("{ name = \"A\", drives = [{ path = \"c\" }] }"),
            &["c cannot be used", "plan.toml:2:45"],
        ),
        (
            with("{ name = \"A\", drives = [{ path = \"file\" }] }"),
            &["is not a directory", "plan.toml:2:45"],
        ),
        (with("{ name = \"A\", drives = [{ device = \"file\" }] }"), &["is not a block device"]),
        (with("{ name = \"A\", drives = [{}] }"), &["either 'path' or 'device'"]),
        (
            with(
                "{ name = \"A\", drives = [{ path = \"a\" }] }, \
                 { name = \"A\", drives = [{ path = \"b\" }] }",
            ),
            &["two subjects named 'A'"],
        ),
        (
            with(
                "{ name = \"A\", drives = [{ path = \"a\" }] }, \
                 { name = \"B\", drives = [{ path = \"b/../a\" }] }",
            ),
            &["is the same drive as one of subject 'A'"],
        ),
        (
            with(
                "{ name = \"A\", drives = [{ path = \"a\" }] }, \
                 { name = \"B\", drives = [{ path = \"a/inner\" }] }",
            ),
            &["lies inside a drive of subject 'A'"],
        ),
        (
            with("{ name = \"A\", drives = [{ path = \"a/inner\" }, { path = \"a\" }] }"),
            &["contains a drive of subject 'A'"],
        ),
    ];
    for (plan, fragments) in cases {
        let mistakes = Bench::new().load(plan, PROTOCOL).expect_err(plan);
        let text = mistakes.render(false);
        for fragment in *fragments {
            assert!(
                flat(&text).contains(fragment),
                "'{fragment}' is not in what is said of\n{plan}:\n{text}"
            );
        }
    }
}

#[test]
fn a_drive_that_is_mounted_below_another_is_another() {
    let subjects = with(
        "{ name = \"A\", drives = [{ path = \"/\" }] }, \
         { name = \"B\", drives = [{ path = \"/dev/shm\" }] }, \
         { name = \"C\", drives = [{ device = \"/dev/loop0\", serial = \"s\", erase = true }] }",
    );
    if !Path::new("/dev/loop0").exists() || !Path::new("/dev/shm").exists() {
        return skip("this machine has no /dev/loop0, or nothing is mounted at /dev/shm");
    }
    Bench::new().load(&subjects, PROTOCOL).unwrap_or_else(|m| panic!("{}", m.render(false)));
}

#[test]
fn all_mistakes_are_shown_at_once_each_in_its_own_file() {
    let plan = format!("{PLAN}repeats = 0\n[override]\n\"step.reads.warmup\" = \"soon\"\n");
    let protocol = PROTOCOL.replace("\"5s\"", "\"5 x\"").replace("read = 70", "read = \"70\"");
    let mistakes = Bench::new().load(&plan, &protocol).expect_err("four mistakes");
    let text = mistakes.render(false);
    assert_eq!(mistakes.len(), 4, "{text}");
    for place in ["plan.toml:3:11", "plan.toml:5:23", "protocol.toml:6:12", "protocol.toml:10:38"] {
        assert!(flat(&text).contains(place), "{place} in\n{text}");
    }
}

#[test]
fn a_wrong_argument_is_shown_as_it_was_typed() {
    let bench = Bench::new();
    let text = bench
        .built_in("quick", &[("step.readrandom.duration", "soon")])
        .expect_err("no time")
        .to_string();
    for part in
        ["'soon' is not a time", "--set step.readrandom.duration=soon", "nothing was touched"]
    {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let text = bench.built_in("quik", &[]).expect_err("no protocol").to_string();
    assert!(text.contains("did you mean 'quick'") && text.contains("dyno run quik"), "{text}");
}

/// A rendered text without its frame and line breaks, so that a wrapped message is found too.
fn flat(text: &str) -> String {
    let text: String =
        text.chars().map(|c| if "│╭╰─┬·├▶\n".contains(c) { ' ' } else { c }).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
