//! Disk space: datasets that do not fit are refused before anything is created, with the required
//! and the available space.

use std::fs;
use std::process::Stdio;

use crate::bench::{Loop, REFUSAL, Room, bench, checksums, must, ran};
use crate::support::{said, skip, until};

pub const CASES: usize = 10;

const LARGE: &str = "title = \"T\"\nsource = \"t\"\n[dataset.d]\nengine = \"psync\"\n\
    size = \"1TB\"\ndirect = false\n\
    fill = { kind = \"sequential\", read = 0, block = \"64KiB\" }\n[[step]]\nname = \"s\"\n\
    duration = \"250ms\"\n\
    [[step.stream]]\nengine = \"psync\"\nworkload = \"random\"\n";

/// Datasets that do not fit in 64 MiB, and their stated sizes.
const DATASETS: &[(&str, &str, &str)] = &[
    ("a terabyte", "", "1.00 TB"),
    ("a hundred megabytes", "size = \"100MiB\"", "105 MB"),
    ("forty, and a copy to put back", "size = \"40MiB\"\nrestore = true", "83.9 MB"),
];

#[test]
fn what_does_not_fit_on_a_filesystem_is_refused_with_both_numbers() {
    if !bench() {
        return;
    }
    for (situation, given, takes) in DATASETS {
        let (room, disk) = (
            Room::with(&LARGE.replace(
                "size = \"1TB\"",
                if given.is_empty() { "size = \"1TB\"" } else { given },
            )),
            Loop::blank(64),
        );
        must("mkfs.ext4", &["-q", "-F", disk.path()]);
        must("mount", &[disk.path(), room.at("drive").to_str().unwrap()]);
        let before = checksums(&room.at("drive"), &[]);
        for args in [
            &["plan", "check", "./protocol.toml", "--subject", "A=drive"][..],
            &["run", "./protocol.toml", "--subject", "A=drive", "--output", "a.dyno"],
        ] {
            let (code, said) = room.dyno(args);
            assert!(
                code == REFUSAL && said.contains("has room for"),
                "{situation}, {args:?}: {said}"
            );
            assert!(
                said.contains(&format!("take {takes}")) && said.contains(" MB"),
                "{situation}, {args:?}: {said}"
            );
            assert_eq!(before, checksums(&room.at("drive"), &[]), "{situation}: {said}");
        }
        must("umount", &[room.at("drive").to_str().unwrap()]);
    }
}

#[test]
fn what_does_not_fit_on_a_device_is_refused_with_both_numbers() {
    if !bench() {
        return;
    }
    for prepare in ["", "[prepare]\nfilesystem = \"ext4\"\n"] {
        let (room, disk) = (Room::with(&format!("{LARGE}{prepare}")), Loop::sized(16));
        let (device, serial) = (disk.device.display(), disk.file.display());
        let text = format!(
            "protocol = \"./protocol.toml\"\n[[subject]]\nname = \"A\"\n\
             drives = [{{ device = \"{device}\", serial = \"{serial}\", erase = \"unknown data\" \
             }}]\n"
        );
        fs::write(room.at("plan.toml"), text).unwrap();
        let before = disk.checksum();
        for args in
            [&["plan", "check", "plan.toml"][..], &["run", "plan.toml", "--output", "a.dyno"]]
        {
            let (code, said) = room.dyno(args);
            assert!(
                code == REFUSAL && said.contains("take 1.00 TB") && said.contains("room for 16."),
                "{args:?}: {said}"
            );
            assert_eq!(before, disk.checksum(), "{said}");
        }
    }
}

#[test]
fn subjects_on_one_filesystem_need_room_for_both() {
    if !bench() {
        return;
    }
    let (room, disk) = (Room::with(&LARGE.replace("1TB", "40MiB")), Loop::blank(64));
    must("mkfs.ext4", &["-q", "-F", disk.path()]);
    must("mount", &[disk.path(), room.at("drive").to_str().unwrap()]);
    fs::create_dir(room.at("drive/one"))
        .and_then(|()| fs::create_dir(room.at("drive/two")))
        .unwrap();
    let subjects =
        ["--subject", "A=drive/one", "--subject", "B=drive/two", "--same-device", "--repeats", "1"];
    for args in [
        &["plan", "check", "./protocol.toml"][..],
        &["run", "./protocol.toml", "--output", "a.dyno"],
    ] {
        let (code, said) = room.dyno(&[args, &subjects].concat());
        assert!(code == REFUSAL && said.contains("take 83.9 MB"), "{args:?}: {said}");
    }
    assert!(fs::read_dir(room.at("drive/one")).unwrap().next().is_none());
}

#[test]
fn a_filesystem_in_memory_that_fills_up_is_said_to_be_full_and_no_device_is_blamed() {
    if !bench() {
        return;
    }
    let room = Room::with(&LARGE.replace("1TB", "1GiB"));
    let drive = room.at("drive").to_str().unwrap().to_string();
    must("mount", &["-t", "tmpfs", "-o", "size=2g", "none", &drive]);
    let run =
        room.command(&["run", "./protocol.toml", "--subject", "A=drive", "--output", "a.dyno"]);
    let run = { run }.stderr(Stdio::piped()).spawn().unwrap();
    until("the dataset", 60, || room.own("d.0/data").exists());
    // There was room when the run started, but from here on not for the whole dataset.
    let shrunk = ["256m", "512m", "768m", "1000m"].iter().any(|size| {
        let options = format!("remount,size={size}");
        ran("mount", &["-o", &options, &drive])
    });
    let output = run.wait_with_output().unwrap();
    let said = said(&output);
    if !shrunk {
        return skip("the dataset was laid out before its filesystem could be made smaller");
    }
    assert_eq!(output.status.code(), Some(1), "{said}");
    // A write into the last available page is short; any other fails.
    let full = ["No space left on device", "ended after"].iter().any(|words| said.contains(words));
    assert!(full && said.contains("free space on its filesystem"), "{said}");
    assert!(!said.contains("dmesg"), "{said}");
}

#[test]
fn the_check_lists_what_each_step_writes_also_of_sql_and_the_rounds_in_its_time() {
    let room = Room::with(
        "title = \"T\"\nsource = \"t\"\n[dataset.db]\nengine = \"mysql\"\n\
         fill = { kind = \"oltp_load\", tables = 2, table_size = 1000 }\n[prepare]\n\
         steady = { workload = \"random\", engine = \"null\", round = \"1m\", rounds = 25 }\n\
         [[step]]\nname = \"oltp\"\nduration = \"1m\"\n[[step.stream]]\nengine = \"mysql\"\n\
         workload = { kind = \"oltp_read_write\", tables = 2, table_size = 1000 }\n\
         [[step]]\nname = \"reads\"\nduration = \"1m\"\n[[step.stream]]\nengine = \"null\"\n\
         workload = \"random\"\n",
    );
    let (code, said) =
        room.dyno(&["plan", "check", "./protocol.toml", "--subject", "A=drive", "--repeats", "1"]);
    assert_eq!(code, Some(0), "{said}");
    for part in [
        "A point of oltp writes: oltp_read_write as much of oltp_read_write as the drive takes",
        "At least 7 m",
        "Up to 20 m more until the drives are steady",
        "datasets of 440 KB",
    ] {
        assert!(said.contains(part), "'{part}' is not in: {said}");
    }
    assert!(!said.contains("A point of reads"), "{said}");
}
