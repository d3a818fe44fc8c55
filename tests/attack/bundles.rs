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
    ASKS.len() * 2 + BROKEN.len() * 2
}

fn command(room: &Room) -> Value {
    let file = room.at("theirs/planted").display().to_string();
    json!({"name": "exec", "knobs": {"command": ["touch", file], "unit": "watts", "class": "drive",
        "timestamps": false, "clock_offset": 0.0, "stall": 2_000_000_000}})
}

/// A folder with a bundle made by someone else: started at a different time than any of this
/// user's.
fn foreign(change: impl Fn(&Room, &mut Value)) -> Room {
    let room = Room::new("psync", false);
    room.run_well("first.dyno");
    let bundle = Connection::open(room.at("first.dyno")).unwrap();
    let plan: String = bundle.query_row("SELECT plan FROM run", [], |row| row.get(0)).unwrap();
    let mut plan = serde_json::from_str(&plan).unwrap();
    change(&room, &mut plan);
    bundle
        .execute(
            "UPDATE run SET plan = ?, started_unix_ns = started_unix_ns + 1",
            [plan.to_string()],
        )
        .unwrap();
    bundle.execute("DELETE FROM point", []).unwrap();
    drop(bundle);
    room
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
    let ask = format!("touch {}", room.at("theirs/planted").display());
    let (code, said) = room.dyno(&[GO[0], &["--allow", &ask]].concat());
    assert!(code == Some(0) && room.at("theirs/planted").exists(), "{said}");

    let room = foreign(|_, _| ());
    assert_eq!(room.dyno(GO[0]).0, Some(0));
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
            let room = foreign(change);
            let before = checksums(room.folder.path(), &[]);
            let (code, said) = room.dyno(go);
            // Actions without permission are refused before checking whether they are possible.
            let expected =
                if *situation == "a meter that there is not" { REFUSAL } else { Some(1) };
            assert_eq!(code, expected, "{situation}, {go:?}: {said}");
            assert_eq!(before, checksums(room.folder.path(), &[]), "{situation}: {said}");
        }
    }
}
