//! The schema of a campaign's file: a plan's keys, the hosts, the Slurm options, and subjects that
//! are directories on hosts or drives by model and serial number.

use serde_json::{Value, json};

use super::value::{flag, list, object, one_of, some, text, time, whole};
use super::{Keys, about, connection, defined, plan_keys};
use crate::plan::campaign::MOST_ROUNDS;

pub fn campaign() -> Value {
    let mut keys = plan_keys();
    keys.retain(|(key, _)| *key != "subject");
    keys.extend(own_keys());
    let mut campaign = object(keys, &["protocol", "subject"]);
    let partition = json!({ "slurm": { "required": ["partition"] } });
    campaign["anyOf"] =
        json!([{ "required": ["host"] }, { "required": ["slurm"], "properties": partition }]);
    campaign
}

fn own_keys() -> Keys {
    vec![
        ("host", about("Where subjects may be measured.", some(host()))),
        (
            "rounds",
            about(
                "How often each subject is measured, each time on the next of its hosts.",
                whole(1, u64::from(MOST_ROUNDS)),
            ),
        ),
        (
            "find",
            about("The command that prints a host's drives; {host} is its name.", some(text())),
        ),
        (
            "environment",
            about("A file on each host with lines NAME=VALUE for the runs there.", absolute()),
        ),
        ("slurm", about("Slurm options of each task.", slurm())),
        ("subject", about("What is compared.", some(subject()))),
    ]
}

pub fn host() -> Value {
    let keys = vec![
        ("name", about("As Slurm has it.", host_name())),
        ("drives", about("A file with what `dyno drives --json` printed there.", text())),
    ];
    object(keys, &["name"])
}

pub fn slurm() -> Value {
    let keys = vec![
        ("partition", about("Its hosts are used if the campaign names none.", word())),
        ("constraint", about("Features of hosts, as for `sbatch --constraint`.", word())),
        ("account", about("The account that is charged.", word())),
        ("qos", about("Quality of service.", word())),
        ("reservation", about("Name of a reservation.", word())),
        ("gres", about("Generic resources of a task: \"nvme:1\".", word())),
        ("exclusive", about("Whether a task has its host to itself.", flag())),
        ("time", about("Time limit of a task; by default from the plan's estimate.", time())),
        ("program", about("Dyno on the hosts; by default the one that submits.", absolute())),
    ];
    object(keys, &[])
}

pub fn subject() -> Value {
    let keys = vec![
        ("name", about("What the brief calls it.", text())),
        ("path", about("A directory: the same on each host, or one for each.", path())),
        ("model", about("Drives whose model fits a pattern with * and ?.", text())),
        (
            "serial",
            about(
                "Only these drives; a string: one drive with the subject's name.",
                one_of([text(), some(text())]),
            ),
        ),
        ("erase", about("Serial numbers of drives that may be erased.", erase())),
        ("hosts", about("The hosts that it may be on; by default all.", some(host_name()))),
        ("gres", about("Generic resources of its tasks, in place of the campaign's.", word())),
        ("connection", connection()),
        ("meters", about("For this subject only.", list(defined("meter")))),
        ("override", about("Knobs for this subject only.", json!({ "type": "object" }))),
    ];
    let mut subject = object(keys, &["name"]);
    let has = |key: &str| json!({ "required": [key] });
    let drives = json!({ "anyOf": [has("model"), has("serial")], "not": has("path") });
    let of_drives = ["model", "serial", "erase"].map(has);
    let directory = json!({ "required": ["path"], "not": { "anyOf": of_drives } });
    subject["oneOf"] = json!([directory, drives]);
    subject
}

fn path() -> Value {
    let each = json!({ "type": "object", "additionalProperties": absolute() });
    one_of([absolute(), each])
}

/// Serial numbers, or a table with permission, or a filesystem, for each.
fn erase() -> Value {
    let what = one_of([flag(), text(), some(text())]);
    let each = json!({ "type": "object", "additionalProperties": what });
    one_of([text(), some(text()), each])
}

/// As `campaign::hosts::word` reads it.
fn word() -> Value {
    let first = r"[A-Za-z0-9._:,=&|*()\[\]@+/]";
    let pattern = format!("^{first}({first}|-)*$");
    json!({ "type": "string", "pattern": pattern })
}

/// As `campaign::hosts::host` reads it.
fn host_name() -> Value {
    json!({ "type": "string", "pattern": "^[A-Za-z0-9_][A-Za-z0-9._-]*$" })
}

/// A path on a host.
fn absolute() -> Value {
    json!({ "type": "string", "pattern": "^/" })
}
