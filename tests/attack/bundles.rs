//! Someone else's bundle: actions of its plan are only executed if permitted by name.

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::bench::{REFUSAL, Room, bench, checksums};

/// The change to the plan, the required permission, and whether the run is then possible.
type Edit = fn(&Room, &mut Value);
const ASKS: &[(&str, Edit, &str)] = &[
    (
        "a command for a meter of the whole run",
        |r, plan| plan["meters"] = json!([command(r)]),
        "run the command 'touch THEIRS/planted'",
    ),
    (
        "a command for a meter of a subject",
        |r, plan| plan["subjects"][0]["meters"] = json!([command(r)]),
        "run the command 'touch THEIRS/planted'",
    ),
    (
        "a shell for a meter",
        |r, plan| {
            let mut part = command(r);
            let line = format!("rm -rf {}", r.at("theirs").display());
            part["knobs"]["command"] = json!(["sh", "-c", line]);
            plan["meters"] = json!([part]);
        },
        "run the command 'sh -c rm -rf THEIRS'",
    ),
    (
        "a device to be erased",
        |_, plan| {
            plan["subjects"][0]["drives"][0] =
                json!({"place": {"device": {"path": "/dev/loop0", "serial": "x"}}, "erase": true});
        },
        "erase everything on /dev/loop0",
    ),
    (
        "a server with a setting of its own choice",
        |_, plan| {
            let knobs = &mut plan["protocol"]["datasets"][0]["engine"];
            let options = json!({"archive_command": "id"});
            *knobs = json!({"name": "postgres", "knobs": {"server": "own", "options": options}});
        },
        "",
    ),
    (
        "a file for a meter to read",
        |r, plan| {
            let file = r.at("theirs/letter").display().to_string();
            plan["meters"] = json!([{"name": "csv", "knobs": {"file": file, "class": "drive",
                "unit": "watts", "clock_offset": 0.0}}]);
        },
        "read the file THEIRS/letter",
    ),
    (
        "a host to ask, with the password of this one",
        |_, plan| {
            plan["meters"] =
                json!([{"name": "redfish", "knobs": {"url": "https://elsewhere", "verify": false}}])
        },
        "send your credentials to https://elsewhere",
    ),
];

pub fn cases() -> usize {
    ASKS.len() * 2 + BROKEN.len() * 2 + 6
}

fn command(room: &Room) -> Value {
    let file = room.at("theirs/planted").display().to_string();
    json!({"name": "exec", "knobs": {"command": ["touch", file], "unit": "watts", "class": "drive",
        "timestamps": false, "clock_offset": 0.0, "stall": 2_000_000_000}})
}

/// A folder with a bundle made by someone else: started at a different time than any of this
/// user's.
fn foreign(change: impl FnOnce(&Room, &mut Value)) -> Room {
    let room = own(change);
    let bundle = Connection::open(room.at("first.dyno")).unwrap();
    bundle.execute("UPDATE run SET started_unix_ns = started_unix_ns + 1", []).unwrap();
    room
}

/// The same of a bundle of one's own.
fn own(change: impl FnOnce(&Room, &mut Value)) -> Room {
    let room = Room::new("psync", false);
    room.run_well("first.dyno");
    edit(&room, change);
    room
}

fn edit(room: &Room, change: impl FnOnce(&Room, &mut Value)) {
    let bundle = Connection::open(room.at("first.dyno")).unwrap();
    let plan: String = bundle.query_row("SELECT plan FROM run", [], |row| row.get(0)).unwrap();
    let mut plan = serde_json::from_str(&plan).unwrap();
    change(room, &mut plan);
    bundle.execute("UPDATE run SET plan = ?", [plan.to_string()]).unwrap();
    bundle.execute("DELETE FROM point", []).unwrap();
}

const GO: [&[&str]; 2] =
    [&["run", "first.dyno", "--output", "second.dyno"], &["run", "--resume", "first.dyno"]];

#[test]
fn a_bundle_from_elsewhere_runs_nothing_and_erases_nothing_until_it_is_named() {
    if !bench() {
        return;
    }
    for (situation, change, ask) in ASKS {
        for go in GO {
            let room = foreign(change);
            let ask = ask.replace("THEIRS", room.at("theirs").to_str().unwrap());
            let before = checksums(room.folder.path(), &[]);
            let (code, said) = room.dyno(go);
            assert_eq!(code, REFUSAL, "{situation}, {go:?}: {said}");
            assert!(
                said.replace(' ', "").contains(&ask.replace(' ', "")),
                "{situation}: '{ask}' is not in: {said}"
            );
            assert_eq!(before, checksums(room.folder.path(), &[]), "{situation}: {said}");
            // Permission for something else has no effect.
            let (code, said) = room.dyno(&[go, &["--allow", "run something else"]].concat());
            assert_eq!(code, REFUSAL, "{situation}: {said}");
            assert_eq!(before, checksums(room.folder.path(), &[]), "{situation}: {said}");
        }
    }
}

#[test]
fn what_is_named_is_done_and_what_asks_for_nothing_needs_no_name() {
    if !bench() {
        return;
    }
    let room = foreign(|r, plan| plan["meters"] = json!([command(r)]));
    let run = format!("run:touch {}", room.at("theirs/planted").display());
    let write = format!("write:{}", room.at("drive").canonicalize().unwrap().display());
    for missing in [&run, &write] {
        let only = if *missing == run { &write } else { &run };
        let (code, said) = room.dyno(&[GO[0], &["--allow", only]].concat());
        assert!(code == REFUSAL && said.contains(missing.as_str()), "{said}");
        assert!(!room.at("theirs/planted").exists(), "{said}");
    }
    let (code, said) = room.dyno(&[GO[0], &["--allow", &run, "--allow", &write]].concat());
    assert!(code == Some(0) && room.at("theirs/planted").exists(), "{said}");
}

#[test]
fn a_directory_is_named_too_unless_this_user_started_that_run_here() {
    if !bench() {
        return;
    }
    for go in GO {
        let room = foreign(|_, _| ());
        let before = checksums(room.folder.path(), &[]);
        let (code, said) = room.dyno(go);
        let drive = room.at("drive").canonicalize().unwrap();
        assert_eq!(code, REFUSAL, "{said}");
        assert!(
            said.contains(&format!("dyno-data in the directory {}", drive.display())),
            "{said}"
        );
        assert_eq!(before, checksums(room.folder.path(), &[]), "{said}");
        let (code, said) = room.dyno(&[go, &["--allow", drive.to_str().unwrap()]].concat());
        assert_eq!(code, Some(0), "{said}");
        // A run of one's own, and the same with a directory that was put into its bundle.
        let room = Room::new("psync", false);
        room.run_well("first.dyno");
        assert_eq!(room.dyno(go).0, Some(0));
        let theirs = room.at("theirs").display().to_string();
        edit(&room, |_, plan| {
            plan["subjects"][0]["drives"][0]["place"]["directory"] = theirs.into()
        });
        let _ = std::fs::remove_file(room.at("second.dyno"));
        let (code, said) = room.dyno(go);
        assert!(code == REFUSAL && said.contains("--allow 'write:"), "{said}");
        assert!(!room.at("theirs/dyno-data").exists());
    }
}

/// Plans that no user could have written.
const BROKEN: &[(&str, Edit)] = &[
    ("a folder that is not there", |_, p| {
        p["subjects"][0]["drives"][0]["place"]["directory"] = "/nowhere".into()
    }),
    ("a relative folder", |_, p| {
        p["subjects"][0]["drives"][0]["place"]["directory"] = "drive".into()
    }),
    ("namespaces by path", |r, p| {
        p["subjects"][0]["drives"][0]["namespaces"] =
            json!([r.at("theirs/letter").display().to_string()])
    }),
    ("an engine that there is not", |_, p| {
        p["protocol"]["datasets"][0]["engine"]["name"] = "shell".into()
    }),
    ("a knob that there is not", |_, p| {
        p["protocol"]["datasets"][0]["engine"]["knobs"]["path"] = "/".into()
    }),
    ("a knob of another kind", |_, p| {
        p["protocol"]["datasets"][0]["engine"]["knobs"]["size"] = "all".into()
    }),
    ("a meter that there is not", |_, p| p["meters"] = json!([{"name": "shell", "knobs": {}}])),
    ("a million workers", |_, p| {
        p["protocol"]["steps"][0]["streams"][0]["threads"] = 1_000_000.into()
    }),
    ("no workers", |_, p| p["protocol"]["steps"][0]["streams"][0]["threads"] = 0.into()),
    ("a million instances", |_, p| {
        p["protocol"]["steps"][0]["streams"][0]["instances"] = 1_000_000.into()
    }),
    ("no repeats", |_, p| p["repeats"] = 0.into()),
    ("two subjects of one name", |_, p| {
        let first = p["subjects"][0].clone();
        p["subjects"].as_array_mut().unwrap().push(first);
    }),
    ("a protocol whose name is a path", |_, p| p["protocol"]["name"] = "".into()),
    ("a stream on a dataset that there is not", |_, p| {
        p["protocol"]["steps"][0]["streams"][0]["dataset"] = "x".into()
    }),
    ("a part of a drive that there is not", |_, p| {
        p["protocol"]["steps"][0]["streams"][0]["target"] = json!({"index": 7, "of": 2})
    }),
];

#[test]
fn a_plan_in_a_bundle_passes_the_checks_that_a_plan_file_does() {
    if !bench() {
        return;
    }
    for (situation, change) in BROKEN {
        for go in GO {
            let room = own(change);
            let before = checksums(room.folder.path(), &[]);
            let allow = format!("write:{}", room.at("drive").display());
            let (code, said) = room.dyno(&[go, &["--allow", &allow]].concat());
            // Actions without permission are refused before checking whether they are possible.
            let asks =
                ["a meter that there is not", "a folder that is not there", "a relative folder"];
            let expected = if asks.contains(situation) { REFUSAL } else { Some(1) };
            assert_eq!(code, expected, "{situation}, {go:?}: {said}");
            assert_eq!(before, checksums(room.folder.path(), &[]), "{situation}: {said}");
        }
    }
}
