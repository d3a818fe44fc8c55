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
    WRITERS.len() * (THERE.len() + 2) + FIGURES.len() + EDITED.len() * 2 + 6 + 11
}

const NULL: &str = "title = \"T\"\nsource = \"t\"\n[[step]]\nname = \"s\"\nduration = \"250ms\"\n\
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

/// Commands that write a text that its user may go on with.
const EDITED: &[(&[&str], &str)] = &[
    (&["init", "-s", "A=drive", "-o", "OUT"], "toml"),
    (&["convert", "job.fio", "-o", "OUT"], "toml"),
    (&["report", "in.dyno", "-o", "OUT"], "md"),
    (&["report", "in.dyno", "-o", "OUT"], "html"),
    (&["export", "in.dyno", "-o", "OUT"], "csv"),
    (&["export", "in.dyno", "--format", "json", "-o", "OUT"], "json"),
];

#[test]
fn what_somebody_has_edited_is_kept() {
    let room = room();
    let job = "[a]\nrw=randread\nbs=4k\nsize=1m\nruntime=1\nfilename=x\nioengine=psync\n";
    fs::write(room.at("job.fio"), job).unwrap();
    for (i, (args, end)) in EDITED.iter().enumerate() {
        let out = room.at(&format!("edited-{i}.{end}"));
        let name = out.display().to_string();
        let args: Vec<&str> = args.iter().map(|a| if *a == "OUT" { &name } else { *a }).collect();
        let (_, said) = room.dyno(&args);
        let written = fs::read(&out).unwrap_or_else(|error| panic!("{args:?}: {error}: {said}"));
        // In place, so that the attribute remains: appended, and one letter changed.
        let mut changed = written.clone();
        changed[0] ^= 1;
        for edited in [[&written[..], b"# three hours of my own comments\n"].concat(), changed] {
            fs::write(&out, &edited).unwrap();
            let (_, said) = room.dyno(&args);
            assert!(said.contains("was changed after Dyno wrote it"), "{args:?}: {said}");
            assert_eq!(fs::read(&out).unwrap(), edited, "{args:?}: {said}");
        }
        fs::write(&out, &written).unwrap();
        let (_, said) = room.dyno(&args);
        assert!(!said.contains("not written over"), "unchanged again, {args:?}: {said}");
    }
}

/// Files next to a new bundle that SQLite would take for its own, write back and delete.
#[test]
fn a_file_that_sqlite_would_take_for_its_own_is_kept_and_the_bundle_refused() {
    let room = room();
    for end in ["-journal", "-wal", "-shm"] {
        for (i, bytes) in [&b"a file of mine"[..], b""].iter().enumerate() {
            let file = room.at(&format!("lab{i}.dyno{end}"));
            fs::write(&file, bytes).unwrap();
            let before = checksums(room.folder.path(), &[]);
            let bundle = format!("lab{i}.dyno");
            let import = ["import", "csv", "in.csv", "--mapping", "map.toml", "-o", &bundle];
            for (code, said) in [room.run(&bundle), room.dyno(&import)] {
                assert_eq!(code, REFUSAL, "{end}: {said}");
                assert!(said.contains(&format!("dyno{end} exists")), "{said}");
                assert_eq!(before, checksums(room.folder.path(), &[]), "{end}: {said}");
            }
            fs::remove_file(file).unwrap();
        }
    }
    // Next to an existing bundle: it is no journal, and is not deleted by reading.
    fs::write(room.at("in.dyno-journal"), "a file of mine").unwrap();
    let before = checksums(room.folder.path(), &[]);
    for args in [&["show", "in.dyno"][..], &["run", "--resume", "in.dyno"]] {
        let (code, said) = room.dyno(args);
        assert!(code != Some(0) && said.contains("is not a journal"), "{args:?}: {said}");
        assert_eq!(before, checksums(room.folder.path(), &[]), "{args:?}");
    }
}

/// Links that another user made in a shared folder, at every place of a path.
#[test]
fn no_folder_of_figures_is_made_through_a_link_of_somebody_else() {
    if !crate::bench::bench() {
        return;
    }
    let room = room();
    let planted = |name: &str| {
        let link = room.at(name);
        symlink(room.at("theirs"), &link).unwrap();
        std::os::unix::fs::lchown(&link, Some(65534), Some(65534)).unwrap();
    };
    for name in ["brief.figures", "figs", "shared", "pages", "man", "data"] {
        planted(name);
    }
    let theirs = room.theirs();
    for args in [
        &["report", "in.dyno", "-o", "brief.md"][..],
        &["report", "in.dyno", "-o", "brief.html", "--figures", "figs"],
        &["report", "in.dyno", "-o", "other.html", "--figures", "shared/figs"],
        &["report", "in.dyno", "-o", "pages/brief.html"],
        &["export", "in.dyno", "-o", "pages/points.csv"],
        &["export", "in.dyno", "--partition", "-o", "data"],
        &["init", "-s", "A=drive", "-o", "shared/plan.toml"],
        &["import", "csv", "in.csv", "--mapping", "map.toml", "-o", "shared/b.dyno"],
        &["run", "./protocol.toml", "--subject", "A=drive", "-o", "shared/b.dyno"],
        &["man", "man"],
    ] {
        let (code, said) = room.dyno(args);
        assert_eq!(code, REFUSAL, "{args:?}: {said}");
        assert!(said.contains("is a symbolic link"), "{args:?}: {said}");
        assert_eq!(theirs, room.theirs(), "{args:?}");
    }
    // One's own link within a path is followed; the folder itself is not one.
    fs::create_dir(room.at("elsewhere")).unwrap();
    symlink("elsewhere", room.at("own")).unwrap();
    let well = ["report", "in.dyno", "-o", "own/brief.md"];
    let (code, said) = room.dyno(&well);
    assert_eq!(code, Some(0), "{said}");
    assert!(room.at("elsewhere/brief.figures").is_dir());
    let (code, said) = room.dyno(&["report", "in.dyno", "-o", "x.html", "--figures", "own"]);
    assert_eq!((code, room.at("x.html").exists()), (REFUSAL, false), "{said}");
}

#[test]
fn a_pipe_with_a_name_is_no_output_and_long_names_are_shortened() {
    let room = room();
    for (args, end) in WRITERS {
        let out = room.at(&format!("pipe.{end}"));
        crate::bench::must("mkfifo", &[out.to_str().unwrap()]);
        let name = out.display().to_string();
        let args: Vec<&str> = args.iter().map(|a| if *a == "OUT" { &name } else { *a }).collect();
        let (code, said) = room.dyno(&args);
        assert_eq!(code, REFUSAL, "{args:?}: {said}");
        fs::remove_file(out).unwrap();
    }
    let long = "n".repeat(240);
    let figures = format!("{long}.f");
    let page = format!("{long}.md");
    let (code, said) = room.dyno(&["report", "in.dyno", "-o", &page, "--figures", &figures]);
    assert_eq!(code, Some(0), "{said}");
    assert!(fs::read_dir(room.at(&figures)).unwrap().next().is_some());
    assert!(room.at(&format!("{}.figures", &long[..200])).is_dir());
    let (code, said) = room.run(&format!("{long}12345678.dyno"));
    assert!(code == Some(1) && said.contains("too long for a bundle"), "{said}");
}
