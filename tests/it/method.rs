//! The version of the measuring method: bundles of different versions are not compared, and none is
//! resumed with another.

use std::path::Path;

use crate::support::{dyno, said};

const PROTOCOL: &str = "title = \"Null\"\nsource = \"test\"\n[[step]]\nname = \"a\"\n\
    duration = \"50ms\"\n\
    [[step.stream]]\nname = \"io\"\nengine = { kind = \"null\", latency = \"50us\" }\n\
    workload = \"random\"\n";

/// A bundle of three repeats of one subject on the null engine.
fn measured(folder: &Path, subject: &str, bundle: &str) {
    std::fs::create_dir(folder.join(subject)).expect("a drive");
    let subject = format!("{subject}={subject}");
    let out = dyno(
        folder,
        &["run", "null.toml", "--subject", &subject, "--repeats", "3", "--output", bundle],
    );
    assert!(out.status.success(), "{}", said(&out));
}

/// Sets or removes the version in a bundle's plan.
fn set(bundle: &Path, change: &str) {
    let conn = rusqlite::Connection::open(bundle).expect("a bundle");
    conn.execute(&format!("UPDATE run SET plan = {change}"), []).expect("changed");
}

#[test]
fn bundles_of_different_versions_are_not_compared_and_both_versions_are_printed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, b) = (folder.path(), folder.path().join("b.dyno"));
    std::fs::write(path.join("null.toml"), PROTOCOL).expect("written");
    measured(path, "X", "a.dyno");
    measured(path, "Y", "b.dyno");
    let compared =
        |args: &[&str]| said(&dyno(path, &[&["compare", "a.dyno", "b.dyno"], args].concat()));
    assert!(!compared(&[]).contains("not comparable"), "{}", compared(&[]));
    // One without a version has the first.
    for (change, version) in
        [("json_remove(plan, '$.method')", 1), ("json_set(plan, '$.method', 3)", 3)]
    {
        set(&b, change);
        let differs = format!("version of the measuring method {version} against 2");
        for vary in [&[][..], &["--vary", "version of the measuring method"]] {
            let text = compared(vary);
            assert!(text.contains(&differs), "{text}");
            assert!(!text.contains('▲'), "{text}");
        }
    }
    let resumed = dyno(path, &["run", "--resume", "b.dyno"]);
    let text = said(&resumed);
    assert!(
        !resumed.status.success() && text.contains("version 3 of the measuring method"),
        "{text}"
    );
}
