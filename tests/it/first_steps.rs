//! The page of first steps: its commands, run as a script on two directories.

use std::process::Command;

use crate::support::{DYNO, said, two_drives};

/// The shell commands of a page, block by block, each with its heading.
fn scripts(page: &str) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    let (mut heading, mut within) = (String::new(), false);
    for line in page.lines() {
        match line {
            "```sh" => {
                within = true;
                all.push((heading.clone(), String::new()));
            }
            "```" => within = false,
            line if within => {
                if let Some((_, script)) = all.last_mut() {
                    *script += &format!("{line}\n");
                }
            }
            line => {
                if let Some(title) = line.strip_prefix("## ") {
                    heading = title.to_string();
                }
            }
        }
    }
    all
}

#[test]
fn the_ten_jobs_of_the_first_steps_run_as_written() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/first-steps.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let scripts = scripts(&page);
    assert_eq!(scripts.len(), 10);
    let dir = two_drives();
    let dyno = std::path::Path::new(DYNO).parent().expect("a folder").display().to_string();
    let path = format!("{dyno}:{}", std::env::var("PATH").unwrap_or_default());
    for (heading, script) in scripts {
        let mut shell = Command::new("sh");
        shell.args(["-ec", &script]).current_dir(dir.path()).env("PATH", &path);
        let output = shell.env("A", "x").env("B", "y").output().expect("sh");
        assert!(output.status.success(), "{heading}: {}\n{}", output.status, said(&output));
    }
    for file in ["brief.html", "job.toml", "points.csv", "job.json", "ab.dyno"] {
        assert!(dir.path().join(file).is_file(), "{file}");
    }
}
