//! Other programs and a run's bundle: they may lock, move, delete, cut or overwrite it, and the run
//! measures every point and keeps it.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::bench::{Loop, REFUSAL, Room, bench, must};
use crate::support::{DYNO, points_so_far, read_until, size, until};

const PROTOCOL: &str = "title = \"T\"\nsource = \"t\"\n[[step]]\nname = \"a\"\n\
    duration = \"200ms\"\n[[step.stream]]\nname = \"io\"\nengine = \"null\"\n\
    workload = \"random\"\n";

/// A run with this number of points, once two of them are in its bundle.
fn begun(room: &Room, repeats: u32) -> Child {
    let repeats = repeats.to_string();
    let args = ["run", "./protocol.toml", "-s", "A=drive", "--repeats", &repeats, "-o", "b.dyno"];
    let mut run = room.command(&args).stderr(Stdio::piped()).spawn().unwrap();
    until("two points", 120, || {
        assert!(run.try_wait().unwrap().is_none(), "the run has ended");
        points_so_far(&room.at("b.dyno")) >= 2
    });
    run
}

/// Its exit code and output.
fn ended(run: Child) -> (Option<i32>, String) {
    let output = run.wait_with_output().unwrap();
    (output.status.code(), crate::support::said(&output))
}

fn locked(path: &Path, sql: &str, flags: OpenFlags) -> Connection {
    let conn = Connection::open_with_flags(path, flags).unwrap();
    conn.busy_timeout(Duration::from_secs(60)).unwrap();
    conn.execute_batch(sql).unwrap();
    conn
}

#[test]
fn a_lock_on_the_bundle_costs_no_point_however_long_and_of_whatever_kind() {
    let repeats = size(6, 40);
    for lock in
        ["BEGIN; CREATE TEMP TABLE t AS SELECT * FROM run", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"]
    {
        let room = Room::with(PROTOCOL);
        let mut run = begun(&room, repeats);
        let (path, flags) = (room.at("b.dyno"), OpenFlags::SQLITE_OPEN_READ_WRITE);
        let held = locked(&path, lock, flags);
        // Until the last point has been measured.
        let so_far = read_until(&format!("repeat {repeats}: "), run.stderr.as_mut().unwrap());
        drop(held);
        let (code, rest) = ended(run);
        let said = so_far + &rest;
        assert_eq!(code, Some(0), "{lock}: {said}");
        assert_eq!(points_so_far(&path), repeats as usize, "{lock}: {said}");
        let names = fs::read_dir(room.folder.path()).unwrap().flatten().map(|e| e.file_name());
        let bundles = names.filter(|name| name.to_string_lossy().contains(".dyno")).count();
        assert_eq!(bundles, 1, "{lock}: {said}");
    }
}

/// Points that wait for a lock are only in memory for ten seconds.
#[test]
fn a_run_that_is_killed_while_its_bundle_is_locked_has_its_points_in_a_spare_file() {
    let room = Room::with(PROTOCOL);
    let mut run = begun(&room, 1_000);
    let (path, flags) = (room.at("b.dyno"), OpenFlags::SQLITE_OPEN_READ_WRITE);
    let held = locked(&path, "BEGIN EXCLUSIVE", flags);
    let spare = room.at("b-2.dyno");
    let first = read_until("the points so far are also in", run.stderr.as_mut().unwrap());
    let measured = first.matches(" repeat ").count();
    until("the point after it", 120, || points_so_far(&spare) >= 3);
    run.kill().unwrap();
    run.wait().unwrap();
    drop(held);
    let [in_spare, in_first] = [&spare, &path].map(|path| points_so_far(path));
    assert!(in_spare > in_first && in_spare + 1 >= measured, "{in_first}, {in_spare}: {first}");
    let mut again = room.command(&["run", "--resume", "b-2.dyno"]).spawn().unwrap();
    until("it goes on there", 120, || points_so_far(&spare) > in_spare);
    again.kill().unwrap();
    again.wait().unwrap();
}

#[test]
fn a_run_that_is_refused_leaves_no_bundle() {
    if !bench() {
        return;
    }
    let dataset = "[dataset.file]\nengine = \"psync\"\nsize = \"1MiB\"\ndirect = false\n[[step]]";
    let protocol = PROTOCOL.replace("[[step]]", dataset).replace("\"null\"", "\"psync\"");
    let protocol = protocol.replace("\"random\"", "{ kind = \"random\", read = 0 }");
    let room = Room::with(&protocol);
    let disk = Loop::blank(32);
    fs::write(&disk.device, [0x5a; 4_096]).unwrap();
    let (device, serial) = (disk.device.display(), disk.file.display());
    let text = format!(
        "protocol = \"./protocol.toml\"\nrepeats = 1\n[[subject]]\nname = \"A\"\n\
         drives = [{{ device = \"{device}\", serial = \"{serial}\", erase = true }}]\n"
    );
    fs::write(room.at("plan.toml"), text).unwrap();
    let (code, said) = room.dyno(&["run", "plan.toml", "--output", "b.dyno"]);
    assert!(code == REFUSAL && said.contains("data of an unknown kind"), "{code:?}: {said}");
    assert!(!said.contains("--resume"), "nothing to resume: {said}");
    let names = fs::read_dir(room.folder.path()).unwrap().flatten().map(|e| e.file_name());
    let bundles = names.filter(|name| name.to_string_lossy().contains("b.dyno")).count();
    assert_eq!(bundles, 0, "{said}");
}

#[test]
fn nobody_else_reads_a_bundle_while_it_is_written_unless_permitted() {
    for (args, mode) in [(&[][..], 0o600), (&["--readable-by", "group"], 0o640)] {
        let room = Room::with(PROTOCOL);
        let all = ["run", "./protocol.toml", "-s", "A=drive", "--repeats", "4", "-o", "b.dyno"];
        let mut run =
            room.command(&[&all[..], args].concat()).stderr(Stdio::null()).spawn().unwrap();
        let found = || fs::metadata(room.at("b.dyno")).map(|f| f.permissions().mode() & 0o777);
        until("a point", 120, || points_so_far(&room.at("b.dyno")) >= 1);
        assert_eq!(found().unwrap(), mode);
        assert!(run.wait().unwrap().success());
        fs::write(room.at("plain"), "").unwrap();
        let plain = fs::metadata(room.at("plain")).unwrap().permissions().mode() & 0o777;
        assert_eq!(found().unwrap(), plain, "as any other file, once it has ended");
    }
}

#[test]
fn a_bundle_that_is_changed_or_goes_during_its_run_costs_no_point() {
    let overwrite = |room: &Room, bytes: &[u8]| {
        let file = fs::OpenOptions::new().write(true).truncate(true).open(room.at("b.dyno"));
        file.unwrap().write_all(bytes).unwrap();
    };
    type Change<'a> = &'a dyn Fn(&Room);
    let changes: [(&str, Change<'_>); 4] = [
        ("deleted", &|room| fs::remove_file(room.at("b.dyno")).unwrap()),
        ("moved", &|room| fs::rename(room.at("b.dyno"), room.at("moved")).unwrap()),
        ("emptied", &|room| overwrite(room, b"")),
        ("overwritten", &|room| overwrite(room, &[0x5a; 20_000])),
    ];
    for (what, change) in changes {
        let room = Room::with(PROTOCOL);
        let run = begun(&room, 6);
        change(&room);
        let (code, said) = ended(run);
        assert_eq!(code, Some(1), "{what}: {said}");
        assert!(said.contains("the results are in b-2.dyno"), "{what}: {said}");
        assert_eq!(points_so_far(&room.at("b-2.dyno")), 6, "{what}: {said}");
    }
}

#[test]
fn a_full_filesystem_costs_no_point_and_leaves_nothing_at_the_start() {
    if !bench() {
        return;
    }
    let room = Room::with(PROTOCOL);
    let mount = room.at("small");
    fs::create_dir(&mount).unwrap();
    must("mount", &["-t", "tmpfs", "-o", "size=1m", "tmpfs", mount.to_str().unwrap()]);
    let fill = || fs::write(mount.join("ballast"), vec![1; 2 << 20]).unwrap_err();
    fill();
    let run = |name: &str| {
        let path = format!("small/{name}");
        room.dyno(&["run", "./protocol.toml", "-s", "A=drive", "--repeats", "2", "-o", &path])
    };
    let (code, said) = run("a.dyno");
    assert_eq!(code, Some(1), "{said}");
    assert_eq!(fs::read_dir(&mount).unwrap().count(), 1, "nothing is left: {said}");
    // Full between two points.
    fs::remove_file(mount.join("ballast")).unwrap();
    let args = ["run", "./protocol.toml", "-s", "A=drive", "--repeats", "6", "-o", "small/b.dyno"];
    let mut run = room.command(&args);
    // The folder for temporary files is where a second file goes if no other can be written.
    let temporary = room.at("temporary");
    fs::create_dir(&temporary).unwrap();
    run.env("TMPDIR", &temporary).env("HOME", &temporary).env("XDG_STATE_HOME", &temporary);
    let mut run = run.stderr(Stdio::piped()).spawn().unwrap();
    until("a point", 120, || {
        assert!(run.try_wait().unwrap().is_none(), "the run has ended");
        points_so_far(&mount.join("b.dyno")) >= 1
    });
    fill();
    let (code, said) = ended(run);
    match code {
        // All points had room.
        Some(0) => assert_eq!(points_so_far(&mount.join("b.dyno")), 6, "{said}"),
        _ => {
            let at = said.split("the results are in ").nth(1).unwrap_or_else(|| panic!("{said}"));
            let at = at.split_whitespace().next().unwrap();
            let at = at.trim_end_matches(['.', ';', ',']);
            assert_eq!((code, points_so_far(Path::new(at))), (Some(1), 6), "{said}");
            let _ = fs::remove_file(at);
        }
    }
}

/// A pipe's reader that stops must not keep the bundle locked.
#[test]
fn a_reader_whose_output_nobody_takes_holds_no_lock() {
    let room = Room::with(PROTOCOL);
    let run = begun(&room, 40);
    ended(run);
    let mut export = Command::new(DYNO);
    export.args(["export", "b.dyno", "--table", "intervals", "--format", "json"]);
    export.current_dir(room.folder.path()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut export = export.spawn().unwrap();
    // Nothing is read from the pipe until the writer is done; SQLite's lock would be in the way.
    let conn = Connection::open(room.at("b.dyno")).unwrap();
    conn.busy_timeout(Duration::from_secs(30)).unwrap();
    conn.execute_batch("BEGIN EXCLUSIVE; COMMIT").unwrap();
    drop(conn);
    std::io::copy(export.stdout.as_mut().unwrap(), &mut std::io::sink()).unwrap();
    assert!(export.wait().unwrap().success());
}
