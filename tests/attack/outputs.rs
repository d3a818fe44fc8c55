//! `-o` with existing files: whatever is written, existing files are unchanged.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::bench::{REFUSAL, Room, checksums};

/// The writing command: its arguments, with OUT for the output and, if required, OUT's extension.
const WRITERS: &[(&[&str], &str)] = &[
    (&["report", "in.dyno", "-o", "OUT"], "html"),
    (&["report", "in.dyno", "-o", "OUT"], "pdf"),
    (&["report", "in.dyno", "-o", "OUT"], "md"),
    (&["export", "in.dyno", "-o", "OUT"], "csv"),
    (&["export", "in.dyno", "--format", "json", "-o", "OUT"], "json"),
    (&["export", "in.dyno", "--format", "parquet", "-o", "OUT"], "parquet"),
    (&["import", "csv", "in.csv", "--mapping", "map.toml", "-o", "OUT"], "dyno"),
];

/// The existing file.
type Set = fn(&Room, &Path);
const THERE: &[(&str, Set)] = &[
    ("another name of the bundle", |r, out| fs::hard_link(r.at("in.dyno"), out).unwrap()),
    ("a link to the bundle", |r, out| symlink(r.at("in.dyno"), out).unwrap()),
    ("a link to somebody's file", |r, out| symlink(r.at("theirs/letter"), out).unwrap()),
    ("a link to a link to somebody's file", |r, out| {
        symlink(r.at("theirs/letter"), r.at("between")).unwrap();
        symlink("between", out).unwrap();
    }),
    ("another name of somebody's file", |r, out| {
        fs::hard_link(r.at("theirs/letter"), out).unwrap()
    }),
    ("somebody's file", |_, out| fs::write(out, "dear").unwrap()),
    ("somebody's file that may not be written to", |_, out| {
        fs::write(out, "dear").unwrap();
        fs::set_permissions(out, std::os::unix::fs::PermissionsExt::from_mode(0o400)).unwrap();
    }),
    ("a folder", |_, out| fs::create_dir(out).unwrap()),
    ("a link to nowhere", |_, out| symlink("/nowhere/else", out).unwrap()),
];

pub fn cases() -> usize {
    WRITERS.len() * (THERE.len() + 1) + FIGURES.len()
}

const NULL: &str = "title = \"T\"\nsource = \"t\"\n[[step]]\nname = \"s\"\nduration = \"50ms\"\n\
    [[step.stream]]\n\
    engine = \"null\"\nworkload = \"random\"\n";

fn room() -> Room {
    let room = Room::with(NULL);
    room.run_well("in.dyno");
    fs::write(room.at("in.csv"), "subject,depth,iops\nA,1,100\n").unwrap();
    let map = "title = \"T\"\nsource = \"t\"\nclass = \"read\"\nsubject = \"subject\"\n\
               axis = { column = \"depth\", field = \"depth\" }\n[figures]\n\
               ops_per_s = { column = \"iops\", unit = \"ops/s\" }\n";
    fs::write(room.at("map.toml"), map).unwrap();
    room
}

#[test]
fn nothing_is_written_over_that_dyno_did_not_write() {
    let room = room();
    for (args, end) in WRITERS {
        for (i, (situation, set)) in THERE.iter().enumerate() {
            let out = room.at(&format!("{end}{i}.{end}"));
            set(&room, &out);
            let name = out.display().to_string();
            let args: Vec<&str> =
                args.iter().map(|a| if *a == "OUT" { &name } else { *a }).collect();
            let before = checksums(room.folder.path(), &[]);
            let (code, said) = room.dyno(&args);
            assert_eq!(code, REFUSAL, "{args:?}, {situation}: {said}");
            let now = checksums(room.folder.path(), &[]);
            assert_eq!(before, now, "{args:?}, {situation}: {said}");
            let _ = fs::remove_file(&out).or_else(|_| fs::remove_dir(&out));
            let _ = fs::remove_file(room.at("between"));
        }
        // Dyno overwrites its own files, except bundles, which are data.
        let name = format!("{end}.{end}");
        let args: Vec<&str> = args.iter().map(|a| if *a == "OUT" { &name } else { *a }).collect();
        if *end != "dyno" {
            for round in ["first", "second"] {
                let (code, said) = room.dyno(&args);
                assert_eq!(code, Some(0), "{args:?}, {round}: {said}");
            }
            assert!(fs::metadata(room.at(&name)).unwrap().len() > 0);
        }
    }
}

/// The inputs themselves as outputs, by their own names.
const FIGURES: &[&[&str]] = &[
    &["export", "in.dyno", "-o", "in.dyno"],
    &["export", "in.dyno", "-o", "./in.dyno"],
    &["report", "in.html", "-o", "in.html"],
    &["report", "in.dyno", "--brief", "brief.html", "-o", "brief.html"],
    &["import", "csv", "in.csv", "--mapping", "map.toml", "-o", "in.csv"],
    &["import", "csv", "in.csv", "--mapping", "map.toml", "-o", "map.toml"],
    &["report", "in.dyno", "-o", "new.html", "--figures", "theirs/letter"],
    &["report", "in.dyno", "-o", "new.md", "--figures", "in.dyno"],
];

#[test]
fn an_input_is_never_an_output() {
    let room = room();
    fs::copy(room.at("in.dyno"), room.at("in.html")).unwrap();
    fs::write(room.at("brief.html"), "title = \"T\"\n").unwrap();
    for args in FIGURES {
        let before = checksums(room.folder.path(), &[]);
        let (code, said) = room.dyno(args);
        assert_eq!(code, REFUSAL, "{args:?}: {said}");
        assert_eq!(before, checksums(room.folder.path(), &[]), "{args:?}: {said}");
    }
}

#[test]
fn pipes_and_the_null_device_are_written_to_as_they_are() {
    let room = room();
    for out in ["/dev/null", "/dev/stdout"] {
        let (code, said) = room.dyno(&["export", "in.dyno", "-o", out]);
        assert_eq!(code, Some(0), "{out}: {said}");
    }
}
