//! `dyno-data` and its contents: foreign links, mounts and files in every place where Dyno's own
//! could be. Each situation is tested with each engine that stores a file, with and without
//! restoring.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{FileExt, PermissionsExt, chown, symlink};
use std::path::Path;

use crate::bench::{REFUSAL, Room, bench, checksums, must};
use crate::support::size;

/// A modification before a first run or after one, and the message.
struct Case {
    situation: &'static str,
    /// A previous run of Dyno has created its dataset.
    after_a_run: bool,
    set: fn(&Room),
    says: &'static str,
}

const fn before(situation: &'static str, set: fn(&Room), says: &'static str) -> Case {
    Case { situation, after_a_run: false, set, says }
}

const fn after(situation: &'static str, set: fn(&Room), says: &'static str) -> Case {
    Case { situation, after_a_run: true, set, says }
}

fn link(to: &Path, at: &Path) {
    symlink(to, at).unwrap();
}

fn data_folder(room: &Room) {
    fs::create_dir(room.at("drive/dyno-data")).unwrap();
}

fn folder(room: &Room, name: &str) {
    fs::create_dir_all(room.own(name)).unwrap();
}

fn instead(room: &Room, name: &str) {
    let path = room.own(name);
    if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
}

fn bind(room: &Room, at: &Path) {
    must("mount", &["--bind", room.at("theirs").to_str().unwrap(), at.to_str().unwrap()]);
}

const REFUSED: &[Case] = &[
    before(
        "dyno-data is a link to somebody's folder",
        |r| link(&r.at("theirs"), &r.at("drive/dyno-data")),
        "symbolic link to",
    ),
    before(
        "dyno-data is a relative link",
        |r| link(Path::new("../theirs"), &r.at("drive/dyno-data")),
        "link to ../theirs",
    ),
    before(
        "dyno-data is a link to nowhere",
        |r| link(Path::new("/nowhere"), &r.at("drive/dyno-data")),
        "link to /nowhere",
    ),
    before(
        "dyno-data is a link to itself",
        |r| link(Path::new("dyno-data"), &r.at("drive/dyno-data")),
        "symbolic link to",
    ),
    before(
        "dyno-data is a magic link",
        |r| link(Path::new("/proc/self/cwd"), &r.at("drive/dyno-data")),
        "symbolic link to",
    ),
    before(
        "dyno-data is a file",
        |r| fs::write(r.at("drive/dyno-data"), "mine").unwrap(),
        "not a folder",
    ),
    before(
        "dyno-data is a pipe",
        |r| drop(must("mkfifo", &[r.at("drive/dyno-data").to_str().unwrap()])),
        "not a folder",
    ),
    before(
        "dyno-data belongs to somebody else",
        |r| {
            data_folder(r);
            chown(r.at("drive/dyno-data"), Some(65534), Some(65534)).unwrap();
        },
        "belongs to user 65534",
    ),
    before(
        "anybody may write to dyno-data",
        |r| {
            data_folder(r);
            fs::set_permissions(r.at("drive/dyno-data"), fs::Permissions::from_mode(0o777))
                .unwrap();
        },
        "others may write",
    ),
    before(
        "a group may write to dyno-data",
        |r| {
            data_folder(r);
            fs::set_permissions(r.at("drive/dyno-data"), fs::Permissions::from_mode(0o775))
                .unwrap();
        },
        "others may write",
    ),
    before(
        "somebody's folder is mounted on dyno-data",
        |r| {
            data_folder(r);
            bind(r, &r.at("drive/dyno-data"));
        },
        "something is mounted there",
    ),
    before(
        "the dataset is a link to somebody's folder",
        |r| {
            data_folder(r);
            link(&r.at("theirs"), &r.own("file.0"));
        },
        "symbolic link to",
    ),
    before(
        "the dataset is a link to everything",
        |r| {
            data_folder(r);
            link(Path::new("/"), &r.own("file.0"));
        },
        "symbolic link to /",
    ),
    before(
        "the dataset is a file",
        |r| {
            data_folder(r);
            fs::write(r.own("file.0"), "mine").unwrap();
        },
        "not a folder",
    ),
    before(
        "somebody's folder is mounted on the dataset",
        |r| {
            folder(r, "file.0");
            bind(r, &r.own("file.0"));
        },
        "something is mounted there",
    ),
    before(
        "somebody's folder has the dataset's name",
        |r| {
            folder(r, "file.0");
            fs::write(r.own("file.0/letter"), "dear").unwrap();
        },
        "has no marker",
    ),
    before(
        "somebody's folder with a marker that somebody else wrote",
        |r| {
            folder(r, "file.0");
            fs::write(r.own("file.0/letter"), "dear").unwrap();
            fs::write(
                r.own("file.0/.dyno"),
                r#"{"id":"1","described":"","open":false,"files":[]}"#,
            )
            .unwrap();
            chown(r.own("file.0/.dyno"), Some(65534), Some(65534)).unwrap();
        },
        "has no marker",
    ),
    before(
        "somebody's folder whose marker is a link to a marker",
        |r| {
            folder(r, "file.0");
            fs::write(r.own("file.0/letter"), "dear").unwrap();
            fs::write(r.at("theirs/json"), r#"{"id":"1","described":"","open":false,"files":[]}"#)
                .unwrap();
            link(&r.at("theirs/json"), &r.own("file.0/.dyno"));
        },
        "has no marker",
    ),
    before(
        "somebody's folder whose marker is another name of a marker",
        |r| {
            folder(r, "file.0");
            fs::write(r.own("file.0/letter"), "dear").unwrap();
            fs::write(r.at("theirs/json"), r#"{"id":"1","described":"","open":false,"files":[]}"#)
                .unwrap();
            fs::hard_link(r.at("theirs/json"), r.own("file.0/.dyno")).unwrap();
        },
        "has no marker",
    ),
    before(
        "somebody's folder whose marker makes no sense",
        |r| {
            folder(r, "file.0");
            fs::write(r.own("file.0/letter"), "dear").unwrap();
            fs::write(r.own("file.0/.dyno"), "mine").unwrap();
        },
        "has no marker",
    ),
    before(
        "an unfinished dataset of before markers",
        |r| {
            folder(r, "file.0");
            fs::write(r.own("file.0/data"), [0; 4096]).unwrap();
        },
        "has no marker",
    ),
    after(
        "the data file is a link to somebody's",
        |r| {
            instead(r, "file.0/data");
            link(&r.at("theirs/data"), &r.own("file.0/data"));
        },
        "symbolic link to",
    ),
    after(
        "the data file is another name of somebody's",
        |r| {
            instead(r, "file.0/data");
            fs::hard_link(r.at("theirs/data"), r.own("file.0/data")).unwrap();
        },
        "hard links",
    ),
    after(
        "a link to somebody's file lies in the dataset",
        |r| link(&r.at("theirs/letter"), &r.own("file.0/more")),
        "symbolic link to",
    ),
    after(
        "a link to somebody's folder lies in the dataset",
        |r| link(&r.at("theirs"), &r.own("file.0/more")),
        "symbolic link to",
    ),
    after(
        "a hard link to somebody's file lies deep in the dataset",
        |r| {
            folder(r, "file.0/deep/deeper");
            fs::hard_link(r.at("theirs/letter"), r.own("file.0/deep/deeper/more")).unwrap();
        },
        "hard links",
    ),
    after(
        "the dataset was moved away and is a link to where it is now",
        |r| {
            fs::rename(r.own("file.0"), r.at("theirs/moved")).unwrap();
            link(&r.at("theirs/moved"), &r.own("file.0"));
        },
        "symbolic link to",
    ),
    after(
        "dyno-data was moved away and is a link to where it is now",
        |r| {
            fs::rename(r.at("drive/dyno-data"), r.at("theirs/moved")).unwrap();
            link(&r.at("theirs/moved"), &r.at("drive/dyno-data"));
        },
        "symbolic link to",
    ),
    after(
        "a link where a marker is replaced through",
        |r| link(&r.at("theirs/letter"), &r.own("file.0/.dyno.new")),
        "symbolic link to",
    ),
    after(
        "a hard link where a marker is replaced through",
        |r| fs::hard_link(r.at("theirs/letter"), r.own("file.0/.dyno.new")).unwrap(),
        "hard links",
    ),
];

/// Foreign, but not an obstacle to a run.
const PASSED: &[Case] = &[
    before("the dataset is an empty folder", |r| folder(r, "file.0"), ""),
    before(
        "a link where a copy would be, to somebody's folder",
        |r| {
            data_folder(r);
            link(&r.at("theirs"), &r.own("other.0.kept"));
        },
        "",
    ),
    before(
        "a pipe where the old marker would be",
        |r| {
            data_folder(r);
            must("mkfifo", &[r.own("file.0.json").to_str().unwrap()]);
        },
        "",
    ),
    before(
        "a link where the old marker would be",
        |r| {
            data_folder(r);
            link(&r.at("theirs/json"), &r.own("file.0.json"));
        },
        "",
    ),
];

const ENGINES: [&str; 2] = ["psync", "uring"];

/// Only in soaks.
pub fn cases() -> usize {
    (REFUSED.len() + PASSED.len()) * ENGINES.len() * 2 + DAMAGED.len() * 2
}

/// Each situation with each engine, with and without restoring; one of the four combinations in
/// turn in everyday runs.
fn each(cases: &[Case], then: fn(&Case, &str, Option<i32>, &str)) {
    let ways: Vec<_> = ENGINES.iter().flat_map(|e| [(e, false), (e, true)]).collect();
    let many = size(1, ways.len());
    for (i, case) in cases.iter().enumerate() {
        for (engine, restore) in (0..many).map(|way| ways[(i + way) % ways.len()]) {
            let room = Room::new(engine, restore);
            if case.after_a_run {
                room.run_well("first.dyno");
            }
            (case.set)(&room);
            let what = format!("{} ({engine}, restored: {restore})", case.situation);
            let (theirs, drive) = (room.theirs(), checksums(&room.at("drive"), &[]));
            let (code, said) = room.run("second.dyno");
            assert_eq!(theirs, room.theirs(), "{what}: {said}");
            if code != Some(0) && !case.after_a_run {
                assert_eq!(drive, checksums(&room.at("drive"), &[]), "{what}: {said}");
            }
            then(case, &what, code, &said);
        }
    }
}

#[test]
fn what_is_a_link_or_a_mount_or_somebodys_is_refused_with_its_target_and_stands_afterwards() {
    if bench() {
        each(REFUSED, |case, what, code, said| {
            // A dataset to be restored is removed with everything put into it, including links, and
            // copied again.
            let put_back = code == Some(0) && said.contains("restoring dataset");
            assert!(put_back || code == REFUSAL && said.contains(case.says), "{what}: {said}");
        });
    }
}

#[test]
fn what_is_in_nobodys_way_is_left_and_the_run_goes_on() {
    if bench() {
        each(PASSED, |_, what, code, said| assert_eq!(code, Some(0), "{what}: {said}"));
    }
}

/// Modifications of a dataset between two runs.
type Damage = fn(&Room);
const DAMAGED: &[(&str, Damage)] = &[
    ("cut and grown again", |r| {
        let file = File::options().write(true).open(r.own("file.0/data")).unwrap();
        file.set_len(1000).and_then(|()| file.set_len(256 << 10)).unwrap();
    }),
    ("cut short", |r| {
        File::options().write(true).open(r.own("file.0/data")).unwrap().set_len(128 << 10).unwrap()
    }),
    ("grown", |r| {
        File::options().write(true).open(r.own("file.0/data")).unwrap().set_len(512 << 10).unwrap()
    }),
    ("zeroed at its beginning", |r| {
        File::options()
            .write(true)
            .open(r.own("file.0/data"))
            .unwrap()
            .write_all_at(&[0; 8192], 0)
            .unwrap()
    }),
    ("replaced by zeros of its length", |r| {
        fs::write(r.own("file.0/data"), vec![0; 256 << 10]).unwrap()
    }),
    ("gone", |r| fs::remove_file(r.own("file.0/data")).unwrap()),
    ("appended to and cut again", |r| {
        let mut file = File::options().append(true).open(r.own("file.0/data")).unwrap();
        file.write_all(&[1; 512]).and_then(|()| file.set_len(256 << 10)).unwrap();
    }),
    ("with a file of somebody's in it", |r| fs::write(r.own("file.0/more"), "more").unwrap()),
];

#[test]
fn a_dataset_that_was_damaged_is_noticed_and_not_measured_as_if_it_were_whole() {
    if !bench() {
        return;
    }
    for (how, damage) in DAMAGED {
        for restore in [false, true] {
            let room = Room::new("psync", restore);
            room.run_well("first.dyno");
            let said = room.run_well("second.dyno");
            assert!(!said.contains("damaged") && !said.contains("filling"), "untouched: {said}");
            damage(&room);
            let said = room.run_well("third.dyno");
            let noticed = if restore { "restoring dataset" } else { "is damaged" };
            assert!(said.contains(noticed), "{how}, restored: {restore}: {said}");
            let file = fs::metadata(room.own("file.0/data")).unwrap();
            let there = std::os::unix::fs::MetadataExt::blocks(&file) * 512;
            assert!(file.len() == 256 << 10 && there >= 256 << 10, "{how}: {file:?}");
        }
    }
}

#[test]
fn a_dataset_that_was_open_when_its_run_was_killed_is_used_unless_it_has_holes() {
    if !bench() {
        return;
    }
    let room = Room::new("psync", false);
    room.run_well("first.dyno");
    let marker = room.own("file.0/.dyno");
    let text = fs::read_to_string(&marker).unwrap().replace("\"open\":false", "\"open\":true");
    fs::write(&marker, &text).unwrap();
    let data = File::options().write(true).open(room.own("file.0/data")).unwrap();
    data.write_all_at(&[7; 4096], 8192).unwrap();
    assert!(!room.run_well("second.dyno").contains("filling"));
    fs::write(&marker, &text).unwrap();
    data.set_len(4096).and_then(|()| data.set_len(256 << 10)).unwrap();
    assert!(room.run_well("third.dyno").contains("has holes"));
}

#[test]
fn a_dataset_laid_out_before_there_were_markers_is_found_and_given_one() {
    if !bench() {
        return;
    }
    for restore in [false, true] {
        let room = Room::new("psync", restore);
        room.run_well("first.dyno");
        let marker = fs::read_to_string(room.own("file.0/.dyno")).unwrap();
        let marker: serde_json::Value = serde_json::from_str(&marker).unwrap();
        fs::write(room.own("file.0.json"), marker["described"].as_str().unwrap()).unwrap();
        fs::remove_file(room.own("file.0/.dyno")).unwrap();
        if restore {
            fs::remove_file(room.own("file.0.kept/.dyno")).unwrap();
        }
        assert!(!room.run_well("second.dyno").contains("filling"), "restored: {restore}");
        assert!(room.own("file.0/.dyno").exists());
        // A plan with another dataset of that name recreates it, because it is Dyno's own.
        fs::remove_file(room.own("file.0/.dyno")).unwrap();
        let text =
            fs::read_to_string(room.at("protocol.toml")).unwrap().replace("256KiB", "512KiB");
        fs::write(room.at("protocol.toml"), text).unwrap();
        assert!(room.run_well("third.dyno").contains("filling"));
    }
}
