//! `dyno fleet plan`: the tasks with their drives, hosts and order, what is erased, what could not
//! be balanced, and mistakes in a campaign's file.

use std::path::Path;

use serde_json::{Value, json};

use crate::made;
use crate::support::{dyno, dyno_well, said};

/// Writes to whatever it is given.
const WRITES: &str = r#"
title = "Writes"
source = "test"
[dataset.d]
engine = { kind = "psync", size = "1MiB" }
fill = { kind = "sequential", read = 0 }
[[step]]
name = "w"
duration = "2s"
[[step.stream]]
name = "io"
dataset = "d"
engine = "psync"
workload = { kind = "random", read = 0 }
"#;

const FOUR_HOSTS: &str = "[[host]]\nname = \"lab1\"\n[[host]]\nname = \"lab2\"\n[[host]]\n\
                          name = \"lab3\"\n[[host]]\nname = \"lab4\"\n";

fn folder(campaign: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, text) in [("null.toml", made::NULL), ("writes.toml", WRITES), ("c.toml", campaign)] {
        std::fs::write(dir.path().join(name), text).expect("written");
    }
    dir
}

fn subjects(names: &[&str]) -> String {
    let one = |name: &&str| format!("[[subject]]\nname = \"{name}\"\npath = \"/srv/{name}\"\n");
    names.iter().map(one).collect()
}

fn plan(dir: &Path) -> String {
    dyno_well(dir, &["fleet", "plan", "c.toml"]).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The mistakes in a campaign, for which nothing is created.
fn mistakes(campaign: &str) -> String {
    let dir = folder(campaign);
    let out = dyno(dir.path(), &["fleet", "plan", "c.toml"]);
    assert_eq!(out.status.code(), Some(1), "{}", said(&out));
    assert!(!dir.path().join("c").exists(), "nothing is touched");
    said(&out)
}

/// Output of `dyno drives --json` on a host.
fn drives(dir: &Path, file: &str, drives: &[(&str, &str)]) {
    let drive = |(at, (model, serial)): (usize, &(&str, &str))| {
        json!({
            "device": format!("/dev/nvme{at}n1"),
            "stable_path": format!("/dev/disk/by-id/{serial}"),
            "model": model, "serial": serial, "identities": [serial], "testable": true,
        })
    };
    let all: Vec<Value> = drives.iter().enumerate().map(drive).collect();
    std::fs::write(dir.join(file), json!(all).to_string()).expect("written");
}

#[test]
fn four_subjects_on_four_hosts_in_four_rounds_are_a_latin_square() {
    let subjects = subjects(&["A", "B", "C", "D"]);
    let campaign =
        format!("protocol = \"./null.toml\"\nrepeats = 3\nrounds = 4\n{FOUR_HOSTS}{subjects}");
    let dir = folder(&campaign);
    let text = plan(dir.path());
    for part in [
        "c: 4 subjects on 4 hosts, 4 rounds: 16 tasks, 96 points",
        "1 lab1 1 1 A 6 600 ms /srv/A",
        "5 lab1 2 1 D 6",
        "9 lab1 3 1 C 6",
        "13 lab1 4 1 B 6",
        "lab4: 4 tasks, at least 2 s",
        "Each task has its host for itself",
        "No drive is erased.",
        "Balanced: Every subject: on every host and in every place equally often",
    ] {
        assert!(text.contains(part), "'{part}' is not in {text}");
    }
    assert!(!text.contains("Not balanced"), "{text}");
    assert!(!dir.path().join("c").exists(), "nothing is made by looking");
}

#[test]
fn what_one_round_cannot_balance_is_said_with_the_rounds_that_could() {
    let campaign = format!("protocol = \"./null.toml\"\n{FOUR_HOSTS}{}", subjects(&["A", "B"]));
    let text = plan(folder(&campaign).path());
    let said =
        "Not balanced: A: tasks 1 on lab1, 0 on lab2, 0 on lab3, 0 on lab4: rounds = 4 would";
    assert!(text.contains(said), "{text}");
}

/// A campaign of two models; the drives of two hosts are known.
fn of_drives(protocol: &str, subjects: &str) -> String {
    format!(
        "protocol = \"{protocol}\"\nrepeats = 1\n[[host]]\nname = \"lab1\"\ndrives = \"1.json\"\n\
         [[host]]\nname = \"lab2\"\ndrives = \"2.json\"\n{subjects}"
    )
}

fn two_models(campaign: &str) -> tempfile::TempDir {
    let dir = folder(campaign);
    drives(dir.path(), "1.json", &[("Old_960", "S1"), ("Old_960", "S2"), ("New_960", "N1")]);
    drives(dir.path(), "2.json", &[("New_960", "N2"), ("Boot", "B1")]);
    dir
}

#[test]
fn drives_are_found_by_model_and_serial_number_and_only_named_ones_are_erased() {
    let campaign = of_drives(
        "./writes.toml",
        "[[subject]]\nname = \"old\"\nmodel = \"Old_*\"\nerase = [\"S1\", \"S2\"]\n\
         [[subject]]\nname = \"new\"\nserial = [\"N1\", \"N2\"]\n\
         erase = { N1 = true, N2 = \"xfs\" }\n",
    );
    let dir = two_models(&campaign);
    let text = plan(dir.path());
    for part in [
        "c: 4 subjects on 2 hosts, 1 round: 4 tasks, 4 points",
        "old S1 1 2 s /dev/disk/by-id/S1 (serial S1): EVERYTHING ON IT IS ERASED",
        "lab2 1 1 new N2",
        "Erased: N1, N2, S1, S2",
        "Not balanced: old: tasks 2 on lab1, 0 on lab2: its drives are fixed to hosts",
        "Balanced: new: on every host",
    ] {
        assert!(text.contains(part), "'{part}' is not in {text}");
    }
    assert!(!text.contains("B1"), "{text}");
    let found = dyno_well(dir.path(), &["fleet", "plan", "c.toml", "--json"]);
    let found: Value = serde_json::from_str(&found).expect("JSON");
    let erased = |task: &&Value| task["erased"] == json!(true);
    assert_eq!(found["tasks"].as_array().expect("tasks").iter().filter(erased).count(), 4);
}

#[test]
fn a_drive_that_would_be_written_to_and_is_not_named_to_be_erased_is_refused() {
    let subjects = "[[subject]]\nname = \"old\"\nmodel = \"Old_*\"\nerase = [\"S1\"]\n";
    let dir = two_models(&of_drives("./writes.toml", subjects));
    let out = dyno(dir.path(), &["fleet", "plan", "c.toml"]);
    let text = said(&out);
    assert_eq!(out.status.code(), Some(1), "{text}");
    assert!(text.contains("would write to S2, and the campaign does not allow that"), "{text}");
    assert!(text.contains("add erase = [\"S2\"]") && !text.contains("write to S1"), "{text}");
    // And not all at once, by whatever means.
    let all = subjects.replace("[\"S1\"]", "true");
    let dir = two_models(&of_drives("./writes.toml", &all));
    let text = said(&dyno(dir.path(), &["fleet", "plan", "c.toml"]));
    assert!(text.contains("identify each drive that may be erased by its serial number"), "{text}");
}

#[test]
fn drives_that_are_missing_in_use_or_claimed_twice_are_mistakes_with_their_place() {
    for (subjects, expected) in [
        (
            "[[subject]]\nname = \"a\"\nserial = \"S3\"\n",
            "no host of this subject has the drive S3",
        ),
        (
            "[[subject]]\nname = \"a\"\nmodel = \"Older\"\n",
            "the hosts have the models Boot, New_960, Old_960",
        ),
        (
            "[[subject]]\nname = \"a\"\nserial = \"S1\"\nerase = [\"S2\"]\n",
            "S2 is not one of this subject's drives",
        ),
        (
            "[[subject]]\nname = \"a\"\nserial = \"S1\"\n[[subject]]\nname = \"b\"\n\
             model = \"Old*\"\n",
            "belongs to the subject 'a' as well",
        ),
    ] {
        let dir = two_models(&of_drives("./null.toml", subjects));
        let text = said(&dyno(dir.path(), &["fleet", "plan", "c.toml"]));
        assert!(text.contains(expected), "{subjects}: {text}");
    }
    let dir = two_models(&of_drives(
        "./null.toml",
        "[[subject]]\nname = \"a\"\nserial = \"S1\"\nerase = \"S1\"\n",
    ));
    let path = dir.path().join("1.json");
    let busy = std::fs::read_to_string(&path)
        .expect("read")
        .replace("\"serial\":\"S1\"", "\"serial\":\"S1\",\"obstacle\":\"mounted at /data\"");
    std::fs::write(&path, busy).expect("written");
    let text = said(&dyno(dir.path(), &["fleet", "plan", "c.toml"]));
    assert!(text.contains("S1 on lab1 may not be tested: mounted at /data"), "{text}");
}

#[test]
fn mistakes_of_a_campaign_are_all_shown_where_they_stand() {
    let text = mistakes(
        "protocol = \"./null.toml\"\nrounds = 0\nhosts = 2\n[slurm]\n\
         partition = \"--wrap=x\"\nnodes = 3\n\
         [[host]]\nname = \"lab1\"\n[[host]]\nname = \"lab1\"\n\
         [[subject]]\nname = \"A\"\npath = \"srv\"\n[[subject]]\nname = \"B\"\n",
    );
    for part in [
        "c.toml:2:",
        "c.toml:5:",
        "is not a word that Slurm takes",
        "c.toml:6:",
        "[slurm] has no key 'nodes'",
        "a campaign has no key 'hosts'",
        "did you mean 'host'",
        "c.toml:10:",
        "srv is not an absolute path",
        "either 'path' or 'model' and 'serial'",
    ] {
        assert!(text.contains(part), "'{part}' is not in {text}");
    }
    let text = mistakes("protocol = \"./null.toml\"\nrepeats = 0\n");
    for part in ["has no hosts", "has no subject", "c.toml:2:"] {
        assert!(text.contains(part), "'{part}' is not in {text}");
    }
    let text = mistakes(&format!(
        "protocol = \"./null.toml\"\n{FOUR_HOSTS}[[subject]]\nname = \"A\"\npath = \"/a\"\n\
         hosts = [\"lab5\"]\n[[subject]]\nname = \"B\"\nserial = \"S\"\n"
    ));
    assert!(text.contains("has no host 'lab5'") && text.contains("did you mean 'lab1'"), "{text}");
    assert!(text.contains("nothing is known of the drives of lab1, lab2, lab3, lab4"), "{text}");
}

#[test]
fn what_is_unknown_of_many_hosts_is_one_mistake_with_ten_names() {
    let hosts: String = (1..=40).map(|n| format!("[[host]]\nname = \"h{n}\"\n")).collect();
    let subjects: String = (1..=12)
        .map(|n| format!("[[subject]]\nname = \"M{n}\"\nserial = \"S{n}\"\nerase = \"S{n}\"\n"))
        .collect();
    let text = mistakes(&format!("protocol = \"./null.toml\"\n{hosts}{subjects}"));
    assert!(text.contains("the plan has 1 mistake"), "{text}");
    assert!(text.contains("the drives of h1, h2,") && text.contains("h10 and 30 more"), "{text}");
}

#[test]
fn no_serial_number_is_suggested_for_another() {
    let subject = "[[subject]]\nname = \"a\"\nmodel = \"Old*\"\nerase = [\"S1\", \"S3\"]\n";
    let dir = two_models(&of_drives("./null.toml", subject));
    let text = said(&dyno(dir.path(), &["fleet", "plan", "c.toml"]));
    assert!(text.contains("no host of this subject has the drive S3"), "{text}");
    assert!(!text.contains("did you mean") && !text.contains("N1"), "{text}");
}

#[test]
fn a_directorys_existing_server_is_in_the_plan_of_its_task() {
    let campaign =
        format!("protocol = \"./null.toml\"\n[[host]]\nname = \"lab1\"\n{}", subjects(&["A"]));
    let dir = folder(&format!("{campaign}connection = \"DB_A\"\n"));
    dyno_well(dir.path(), &["fleet", "submit", "c.toml", "--dry-run"]);
    let plan = std::fs::read_to_string(dir.path().join("c/tasks/1/plan-1.toml")).expect("a plan");
    assert!(plan.contains("connection = [\"DB_A\"]"), "{plan}");
    let text = mistakes(&format!("{campaign}connection = \"mysql://root:x@db\"\n"));
    assert!(text.contains("this is not the name of an environment variable"), "{text}");
}

#[test]
fn a_secret_in_a_campaign_is_refused() {
    let text = mistakes(&format!(
        "protocol = \"./null.toml\"\nmeters = [{{ kind = \"exec\", unit = \"watts\", command = \
         [\"ppm\", \"--password=geheim\"] }}]\n{FOUR_HOSTS}{}",
        subjects(&["A"])
    ));
    assert!(text.contains("this contains a secret, which others could read"), "{text}");
}

#[test]
fn hosts_are_asked_for_their_drives_by_the_campaigns_command_and_the_answers_are_kept() {
    let campaign = "protocol = \"./null.toml\"\nrepeats = 1\nfind = [\"cat\", \"{host}.answer\"]\n\
                    [[host]]\nname = \"lab1\"\n[[subject]]\nname = \"A\"\n\
                    serial = \"S1\"\nerase = \"S1\"\n";
    let dir = folder(campaign);
    drives(dir.path(), "lab1.answer", &[("Old_960", "S1")]);
    let text = said(&dyno(dir.path(), &["fleet", "plan", "c.toml"]));
    assert!(text.contains("dyno fleet plan CAMPAIGN.toml --find"), "{text}");
    dyno_well(dir.path(), &["fleet", "plan", "c.toml", "--find"]);
    std::fs::remove_file(dir.path().join("lab1.answer")).expect("removed");
    assert!(plan(dir.path()).contains("lab1 1 1 A 2"), "from the campaign's folder");
    let text = said(&dyno(dir.path(), &["fleet", "plan", "c.toml", "--find"]));
    assert!(text.contains("querying lab1 for its drives: cat lab1.answer failed"), "{text}");
}
