//! `--json`: the output of every command is valid by the schema that `dyno schema` prints; so are
//! plans, campaigns and protocols, and wrong keys are not.

use std::path::Path;
use std::process::Command;

use dyno::powercut::journal::{JournalRecord, opening};
use dyno::powercut::session::{self, ThreadDurability, WriteSession};
use dyno::record::{ClockOffset, CommonStart};
use serde_json::{Value, json};

use crate::made;
use crate::support::{dyno, dyno_well, said, skip, two_drives};

const CAMPAIGN: &str = r#"
protocol = "./null.toml"
[[host]]
name = "lab1"
[[subject]]
name = "A"
path = "/srv/a"
"#;

/// Validates documents with the Python package `jsonschema`; returns its messages.
const VALIDATE: &str = r#"
import json, sys, jsonschema
validators = {}
for name, schema, document in json.load(sys.stdin):
    text = json.dumps(schema)
    # Checking a schema takes longer than checking a document.
    if text not in validators:
        of = jsonschema.validators.validator_for(schema)
        of.check_schema(schema)
        validators[text] = of(schema)
    for error in validators[text].iter_errors(document):
        print(f"{name}: {error.json_path}: {error.message[:200]}")
"#;

/// Violations of schemas, given (name, schema, document); None if they cannot be checked.
fn complaints(of: &[(String, Value, Value)]) -> Option<Vec<String>> {
    use std::io::Write;
    let mut python = Command::new("python3");
    let found = python.args(["-c", "import jsonschema"]).output();
    if !found.is_ok_and(|found| found.status.success()) {
        skip("the Python package jsonschema is missing (Debian: python3-jsonschema)");
        return None;
    }
    let mut child = Command::new("python3")
        .args(["-c", VALIDATE])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("started");
    let input = serde_json::to_vec(of).expect("JSON");
    child.stdin.take().expect("piped").write_all(&input).expect("written");
    let output = child.wait_with_output().expect("ended");
    assert!(output.status.success(), "the validator failed");
    let text = String::from_utf8(output.stdout).expect("text");
    Some(text.lines().map(str::to_string).collect())
}

const FLEET: [&str; 7] =
    ["fleet", "accept", "--reference", "model.dyno", "delivery.dyno", "--measure", "ops/s"];

/// Bundles of four drives each, for a fleet's reference and its delivery.
fn fleet(dir: &Path) {
    let plan = made::plan(dir, &made::step("reads", "", ""), 4, 3);
    for name in ["model.dyno", "delivery.dyno"] {
        made::write(&dir.join(name), &plan, &mut |key| {
            let level = 4e4 + 100.0 * f64::from(key.subject.as_bytes()[0] % 4);
            Some(made::Figures { ops_per_s: level, p99_ns: 2e5, ..Default::default() })
        });
    }
}

/// Bundles `h1` and `h2` of two hosts with a common start.
fn hosts(dir: &Path) {
    let plan = made::plan(dir, &made::step("reads", "", ""), 1, 1);
    let offset = Some(ClockOffset { offset_ns: -1_000, bound_ns: 20_000 });
    let start = CommonStart {
        first_unix_ns: 1_763_868_000_000_000_000,
        every_ns: 11_000_000_000,
        reference: "h1".to_string(),
        limit_ns: 10_000_000,
        before: offset,
        after: offset,
    };
    for name in ["h1.dyno", "h2.dyno"] {
        made::write_with(
            &dir.join(name),
            &plan,
            &made::observed(vec![start.clone().into()]),
            &mut |_| Some(made::Figures { ops_per_s: 4e4, p99_ns: 2e5, ..Default::default() }),
        );
    }
}

/// A clock that answers as long as the program runs.
fn clock() -> String {
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").expect("a port");
    let address = socket.local_addr().expect("an address").to_string();
    std::thread::spawn(move || dyno::lab::machine::clocks::serve(&socket, &|| false));
    address
}

fn schema(dir: &Path, name: &str) -> Value {
    serde_json::from_str(&dyno_well(dir, &["schema", name])).expect("a schema")
}

/// A folder with a bundle `b.dyno` of two subjects on the null engine.
fn bundle() -> tempfile::TempDir {
    let dir = two_drives();
    std::fs::write(dir.path().join("null.toml"), made::NULL).expect("written");
    let run = "run ./null.toml -s X=x -s Y=y,latency=4ms --repeats 3 --set meters=none -o b.dyno";
    dyno_well(dir.path(), &run.split(' ').collect::<Vec<_>>());
    dir
}

const P99: [&str; 4] = ["--measure", "p99", "--worse-than", "5%"];

/// `a.journal` of a cut after 64 blocks were laid out, and the `image` of a drive that kept none.
fn power_cut(dir: &Path) {
    let session = WriteSession {
        version: session::VERSION,
        dyno_version: "test".to_string(),
        identity: 1,
        seed: 1,
        host: "host".to_string(),
        boot_id: "boot".to_string(),
        subject: "A".to_string(),
        serial: "S1".to_string(),
        model: None,
        firmware: None,
        write_cache: "on".to_string(),
        kernel_cache: "write back".to_string(),
        kernel_fua: false,
        offset: 0,
        logical_bytes: 512,
        atomic_bytes: 512,
        atomic_boundary_bytes: 0,
        atomic_offset_bytes: 0,
        block_bytes: 4096,
        blocks: 64,
        threads: vec![ThreadDurability::Fua, ThreadDurability::Flush { every: 8 }],
        warmup_ns: 0,
        window_ns: 1,
    };
    let mut journal = opening(&session).expect("a session");
    for record in [JournalRecord::LaidOut, JournalRecord::Cut { unix_ns: 1 }, JournalRecord::Silent]
    {
        journal.extend(record.encode());
    }
    std::fs::write(dir.join("a.journal"), journal).expect("written");
    std::fs::write(dir.join("image"), vec![0; 64 * 4096]).expect("written");
}

#[test]
fn what_every_command_prints_as_json_keeps_to_its_schema() {
    let dir = bundle();
    let dir = dir.path();
    fleet(dir);
    hosts(dir);
    let clock = clock();
    std::fs::copy(dir.join("b.dyno"), dir.join("n.dyno")).expect("copied");
    power_cut(dir);
    std::fs::write(dir.join("campaign.toml"), CAMPAIGN).expect("written");
    dyno_well(dir, &["fleet", "submit", "campaign.toml", "--dry-run"]);
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/fio-randrw.json");
    let audit = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/audit");
    let audit_args = {
        let mut files: Vec<String> = std::fs::read_dir(audit)
            .expect("examples")
            .map(|e| e.expect("a file").path().display().to_string())
            .filter(|path| path.contains("micron-7600"))
            .collect();
        files.sort();
        let claims = files.iter().find(|f| f.ends_with(".toml")).expect("claims").clone();
        let data = files.iter().filter(|f| f.ends_with(".csv"));
        let mut args = vec!["audit".to_string(), claims];
        data.for_each(|file| args.extend(["--data".to_string(), file.clone()]));
        args
    };
    let commands: Vec<(&str, Vec<&str>)> = vec![
        ("plan check", vec!["plan", "check", "./null.toml", "-s", "X=x", "--from", "b.dyno"]),
        ("protocols", vec!["protocols"]),
        ("list", vec!["list"]),
        ("drives", vec!["drives"]),
        ("facts", vec!["facts", "."]),
        ("selftest", vec!["selftest", "--duration", "1s", "."]),
        ("powercut check", vec!["powercut", "check", "a.journal", "image"]),
        ("powercut claim", vec!["powercut", "claim", "a.journal.result.json"]),
        ("show", vec!["show", "b.dyno"]),
        ("compare", vec!["compare", "b.dyno"]),
        ("claims", vec!["claims", "b.dyno"]),
        ("trend", vec!["trend", "."]),
        ("catalogue", vec!["catalogue", "."]),
        ("gate", ["gate", "b.dyno", "n.dyno"].into_iter().chain(P99).collect()),
        ("audit", audit_args.iter().map(String::as_str).collect()),
        ("fleet plan", vec!["fleet", "plan", "campaign.toml"]),
        ("fleet status", vec!["fleet", "status", "campaign.toml"]),
        ("fleet collect", vec!["fleet", "collect", "campaign.toml"]),
        ("fleet accept", FLEET.to_vec()),
        ("fleet clock", vec!["fleet", "clock", &clock]),
        ("fleet together", vec!["fleet", "together", "h1.dyno", "h2.dyno"]),
        ("import", vec!["import", "fio", table, "-o", "i.dyno"]),
        ("version", vec!["version"]),
    ];
    let all: Vec<&str> =
        dyno::cmd::plans::schema::ALL.iter().map(|document| document.command).collect();
    for command in &all {
        assert!(commands.iter().any(|(name, _)| name == command), "{command} is not tried here");
    }
    let mut documents = Vec::new();
    for (name, args) in commands {
        let args: Vec<&str> = args.into_iter().chain(["--json"]).collect();
        let output = dyno(dir, &args);
        let document: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{name}: {error}: {}", said(&output)));
        documents.push((name.to_string(), schema(dir, name), document));
    }
    let claims = &documents.iter().find(|d| d.0 == "claims").expect("claims").2;
    assert_eq!(claims["subjects"], json!(["X", "Y"]));
    let show = &documents.iter().find(|d| d.0 == "show").expect("show").2;
    assert_eq!(show["steps"][0]["points"].as_array().map(Vec::len), Some(4), "{show}");
    let claim = &documents.iter().find(|d| d.0 == "powercut claim").expect("a claim").2;
    assert_eq!((&claim[0]["not_kept"], &claim[0]["fates"]["lost"]), (&json!(64), &json!(64)));
    let Some(found) = complaints(&documents) else { return };
    assert_eq!(found, [""; 0]);
    // And the schema rejects something.
    let mut wrong = documents;
    wrong.retain(|d| ["show", "claims", "version", "gate", "catalogue"].contains(&d.0.as_str()));
    for (_, _, document) in &mut wrong {
        document.as_object_mut().expect("a table").values_mut().for_each(|v| *v = json!(-1.5));
    }
    let found = complaints(&wrong).expect("as before");
    for (name, ..) in &wrong {
        assert!(found.iter().any(|line| line.starts_with(name)), "{name} passes with nonsense");
    }
}

/// A campaign with every key specific to it; `DIRECTORY` is another subject of it.
const DRIVES: &str = r#"
protocol = "quick"
rounds = 4
find = ["ssh", "{host}", "dyno", "drives", "--json"]
environment = "/etc/dyno/environment"
[slurm]
partition = "lab"
constraint = "nvme&gen5"
account = "storage"
qos = "long"
reservation = "bench"
gres = "nvme:1"
exclusive = true
time = "12h"
program = "/usr/bin/dyno"
[[host]]
name = "lab1"
drives = "lab1.json"
[[subject]]
name = "A"
model = "Micron_7450_*"
serial = ["S1", "S2"]
erase = { S1 = true, S2 = "xfs" }
hosts = ["lab1"]
gres = "nvme:2"
connection = ["DB_A", "DB_B"]
"#;

const DIRECTORY: &str = r#"
[[subject]]
name = "B"
path = { lab1 = "/srv/a" }
"#;

/// The beginning of a campaign with only `DIRECTORY`, up to the subject.
const HOST: &str = "protocol = \"quick\"\n[[host]]\nname = \"lab1\"\n[[subj";

fn toml(text: &str) -> Value {
    let table: toml::Table = text.parse().unwrap_or_else(|error| panic!("{error}: {text}"));
    serde_json::to_value(table).expect("JSON")
}

#[test]
fn plans_and_protocols_keep_to_their_schemas_and_wrong_keys_do_not() {
    let dir = tempfile::tempdir().expect("a folder");
    let [plans, campaigns, protocols] =
        ["plan", "campaign", "protocol"].map(|name| schema(dir.path(), name));
    let mut right: Vec<(String, Value, Value)> = dyno::plan::protocols()
        .iter()
        .map(|(name, text)| (name.to_string(), protocols.clone(), toml(text)))
        .collect();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for entry in std::fs::read_dir(examples).expect("examples").flatten() {
        if entry.path().extension().is_some_and(|e| e == "toml") {
            let text = std::fs::read_to_string(entry.path()).expect("read");
            let name = entry.file_name().to_string_lossy().into_owned();
            let of = if name == "campaign.toml" { &campaigns } else { &plans };
            right.push((name, of.clone(), toml(&text)));
        }
    }
    let whole = format!("{DRIVES}{DIRECTORY}");
    right.push(("a campaign of drives".to_string(), campaigns.clone(), toml(&whole)));
    let Some(found) = complaints(&right) else { return };
    assert_eq!(found, [""; 0]);
    let quick = toml(dyno::plan::protocols().iter().find(|p| p.0 == "quick").expect("there").1);
    type Break = fn(&mut Value);
    let breaks: [(&str, Break); 8] = [
        ("a key of the protocol", |p| p["steps"] = json!([])),
        ("a key of a step", |p| p["step"][0]["time"] = json!("1s")),
        ("a key of a stream", |p| p["step"][0]["stream"][0]["thread"] = json!(2)),
        ("an engine", |p| p["step"][0]["stream"][0]["engine"] = json!("urin")),
        ("a knob", |p| {
            p["step"][0]["stream"][0]["engine"] = json!({ "kind": "uring", "dirct": true })
        }),
        ("a time", |p| p["step"][0]["duration"] = json!(60)),
        ("a knob of a dataset", |p| p["dataset"]["file"]["sise"] = json!("1GiB")),
        ("a field of a sweep", |p| p["step"][0]["sweep"]["axis"] = json!("readers.thread")),
    ];
    let mut wrong: Vec<(String, Value, Value)> = Vec::new();
    for (what, spoil) in &breaks {
        let mut document = quick.clone();
        spoil(&mut document);
        wrong.push((what.to_string(), protocols.clone(), document));
    }
    for (what, text) in [
        ("a key of the plan", "protocol = \"quick\"\nrepeat = 3\n"),
        ("a protocol", "protocol = \"quik\"\n"),
        (
            "a path of an override",
            "protocol = \"quick\"\n[override]\n\"stp.a.duration\" = \"1s\"\n",
        ),
        (
            "a drive twice",
            "protocol = \"quick\"\n[[subject]]\nname = \"A\"\n\
             drives = [{ path = \"/a\", device = \"/dev/b\" }]\n",
        ),
    ] {
        wrong.push((what.to_string(), plans.clone(), toml(text)));
    }
    for (what, text) in [
        ("a key of the campaign", DRIVES.replace("rounds", "round")),
        ("a key of a host", DRIVES.replace("drives =", "drive =")),
        ("a key of [slurm]", DRIVES.replace("qos", "qoss")),
        ("an option in a word", DRIVES.replace("\"long\"", "\"--uid=0\"")),
        ("a relative path", DIRECTORY.replace("/srv/a", "srv/a").replace("[[subj", HOST)),
        ("drives in a directory", DRIVES.replace("model =", "path = \"/mnt/a\"\nmodel =")),
        ("subjects of a plan", DRIVES.replace("gres = \"nvme:2\"", "drives = [{ path = \"/a\" }]")),
        ("no hosts", DIRECTORY.replace("[[subj", "protocol = \"quick\"\n[[subj")),
    ] {
        wrong.push((what.to_string(), campaigns.clone(), toml(&text)));
    }
    let found = complaints(&wrong).expect("as before");
    for (what, ..) in &wrong {
        assert!(found.iter().any(|line| line.starts_with(what)), "{what} passes: {found:#?}");
    }
}

#[test]
fn every_schema_is_written_to_a_folder() {
    let dir = tempfile::tempdir().expect("a folder");
    dyno_well(dir.path(), &["schema", "--all", "schemas"]);
    let written = std::fs::read_dir(dir.path().join("schemas")).expect("made").count();
    assert_eq!(
        written,
        dyno::cmd::plans::schema::FILES.len() + dyno::cmd::plans::schema::ALL.len()
    );
    let output = dyno(dir.path(), &["schema", "plam"]);
    assert!(said(&output).contains("there is no schema 'plam'"), "{}", said(&output));
}
