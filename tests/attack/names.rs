//! Names that would lead out of Dyno's own folder, in a user's plan and in a bundle's.

use std::fs;

use rusqlite::Connection;

use crate::bench::{Room, bench, checksums};

/// Names of a dataset, none of which is a valid path component. THEIRS is a foreign folder.
const NAMES: &[&str] = &[
    "THEIRS",
    "../../theirs",
    "..",
    ".",
    "a/b",
    "/",
    "//",
    "a/../../theirs",
    "\\..\\theirs",
    "C:\\theirs",
    "../drive",
    "a\u{0}b",
    "line\nbreak",
    "bell\u{7}",
    "\u{1b}[2J",
    "\u{202e}gnp.elif",
    "\u{2066}left",
    "mark\u{200f}",
    "\u{feff}first",
];

/// Names that are merely unusual: the run continues, with its dataset in Dyno's folder.
const UNUSUAL: &[&str] = &[
    "Datensatz-ä",
    "数据",
    "a b c",
    "~root",
    "$HOME",
    "`id`",
    "file;rm -rf *",
    "-rf",
    "name with 'quotes' and \"more\"",
    "a name that is far longer than a part of a path may be, and longer, and longer, and longer, \
     and longer, and longer, and longer, and longer, and longer, and longer, and longer, and \
     longer, and longer, and longer, and longer, longer",
];

pub fn cases() -> usize {
    NAMES.len() * 2 + UNUSUAL.len() + LABELS.len()
}

fn quoted(name: &str) -> String {
    serde_json::to_string(name).unwrap()
}

#[test]
fn a_name_in_a_plan_that_is_a_way_out_is_refused() {
    if !bench() {
        return;
    }
    for name in NAMES {
        let room = Room::new("psync", false);
        let name = name.replace("THEIRS", room.at("theirs").to_str().unwrap());
        let text = fs::read_to_string(room.at("protocol.toml")).unwrap();
        fs::write(
            room.at("protocol.toml"),
            text.replace("[dataset.file]", &format!("[dataset.{}]", quoted(&name))),
        )
        .unwrap();
        let before = checksums(room.folder.path(), &[]);
        let (code, said) = room.run("run.dyno");
        assert_eq!(code, Some(1), "{name:?}: {said}");
        assert_eq!(before, checksums(room.folder.path(), &[]), "{name:?}: {said}");
    }
}

/// The bundle with a modified plan.
fn edit(room: &Room, change: impl Fn(&mut serde_json::Value)) {
    let bundle = Connection::open(room.at("first.dyno")).unwrap();
    let plan: String = bundle.query_row("SELECT plan FROM run", [], |row| row.get(0)).unwrap();
    let mut plan = serde_json::from_str(&plan).unwrap();
    change(&mut plan);
    bundle.execute("UPDATE run SET plan = ?", [plan.to_string()]).unwrap();
}

#[test]
fn a_name_in_a_bundle_that_is_a_way_out_is_refused() {
    if !bench() {
        return;
    }
    for name in NAMES {
        let room = Room::new("psync", false);
        room.run_well("first.dyno");
        let name = name.replace("THEIRS", room.at("theirs").to_str().unwrap());
        edit(&room, |plan| {
            plan["protocol"]["datasets"][0]["name"] = name.clone().into();
            plan["protocol"]["steps"][0]["streams"][0]["dataset"] = name.clone().into();
        });
        let before = checksums(room.folder.path(), &[]);
        for args in [
            &["run", "first.dyno", "--output", "second.dyno"][..],
            &["run", "--resume", "first.dyno"],
        ] {
            let allow = format!("write:{}", room.at("drive").display());
            let (code, said) = room.dyno(&[args, &["--allow", &allow]].concat());
            assert_eq!(code, Some(1), "{name:?}: {said}");
            assert_eq!(before, checksums(room.folder.path(), &[]), "{name:?}: {said}");
        }
    }
}

#[test]
fn an_unusual_name_stays_at_home() {
    if !bench() {
        return;
    }
    for name in UNUSUAL {
        let room = Room::new("psync", false);
        let text = fs::read_to_string(room.at("protocol.toml")).unwrap();
        fs::write(
            room.at("protocol.toml"),
            text.replace("[dataset.file]", &format!("[dataset.{}]", quoted(name))),
        )
        .unwrap();
        let theirs = room.theirs();
        room.run_well("run.dyno");
        assert_eq!(theirs, room.theirs(), "{name:?}");
        let made: Vec<_> = fs::read_dir(room.at("drive/dyno-data")).unwrap().flatten().collect();
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        assert!(
            made.len() == 1 && made[0].file_name().to_string_lossy().chars().all(plain),
            "{name:?}: {made:?}"
        );
        assert!(made[0].path().join(".dyno").is_file());
    }
}

/// Labels of subjects, and whether they are permitted.
const LABELS: &[(&str, bool)] = &[
    ("Micron 7600 Ω μ", true),
    ("ドライブ", true),
    ("A \u{1f680}", true),
    ("../../etc", true),
    ("A\u{1b}[31m", false),
    ("A\u{202e}B", false),
    ("A\nB", false),
    ("A\u{0}", false),
];

#[test]
fn a_label_is_any_text_that_is_printed() {
    for (label, allowed) in LABELS {
        let room = Room::new("psync", false);
        let text = format!(
            "protocol = \"./protocol.toml\"\n[[subject]]\nname = {}\n\
             drives = [{{ path = \"drive\" }}]\n",
            quoted(label)
        );
        fs::write(room.at("plan.toml"), text).unwrap();
        let theirs = room.theirs();
        let (code, said) = room.dyno(&["run", "plan.toml", "--output", "a.dyno"]);
        assert_eq!(code == Some(0), *allowed, "{label:?}: {said}");
        assert_eq!(theirs, room.theirs(), "{label:?}");
    }
}
