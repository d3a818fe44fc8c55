//! Room: what does not fit is refused before anything is laid out, with what it takes and what there is.

use std::fs;

use crate::bench::{Loop, Room, bench, checksums, must};

pub const CASES: usize = 8;

const LARGE: &str = "title = \"T\"\nsource = \"t\"\n[dataset.d]\nengine = \"psync\"\nsize = \"1TB\"\ndirect = false\n\
    fill = { kind = \"sequential\", read = 0, block = \"64KiB\" }\n[[step]]\nname = \"s\"\nduration = \"50ms\"\n\
    [[step.stream]]\nengine = \"psync\"\nworkload = \"random\"\n";

/// Datasets that do not fit on 64 MiB, and what is said that they take.
const DATASETS: &[(&str, &str, &str)] = &[
    ("a terabyte", "", "1 TB"),
    ("a hundred megabytes", "size = \"100MiB\"", "100 MiB"),
    ("forty, and a copy to put back", "size = \"40MiB\"\nrestore = true", "80 MiB"),
];

#[test]
fn what_does_not_fit_on_a_filesystem_is_refused_with_both_numbers() {
    if !bench() {
        return;
    }
    for (situation, given, takes) in DATASETS {
        let (room, disk) = (
            Room::with(&LARGE.replace("size = \"1TB\"", if given.is_empty() { "size = \"1TB\"" } else { given })),
            Loop::blank(64),
        );
        must("mkfs.ext4", &["-q", "-F", disk.path()]);
        must("mount", &[disk.path(), room.at("drive").to_str().unwrap()]);
        let before = checksums(&room.at("drive"), &[]);
        for args in [
            &["plan", "check", "./protocol.toml", "--subject", "A=drive"][..],
            &["run", "./protocol.toml", "--subject", "A=drive", "--bundle", "a.dyno"],
        ] {
            let (code, said) = room.dyno(args);
            assert!(code != Some(0) && said.contains("has room for"), "{situation}, {args:?}: {said}");
            assert!(said.contains(&format!("take {takes}")) && said.contains(" MB"), "{situation}, {args:?}: {said}");
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
             drives = [{{ device = \"{device}\", serial = \"{serial}\", erase = \"unknown data\" }}]\n"
        );
        fs::write(room.at("plan.toml"), text).unwrap();
        let before = disk.checksum();
        for args in [&["plan", "check", "plan.toml"][..], &["run", "plan.toml", "--bundle", "a.dyno"]] {
            let (code, said) = room.dyno(args);
            assert!(code != Some(0) && said.contains("take 1 TB") && said.contains("room for 1"), "{args:?}: {said}");
            assert_eq!(before, disk.checksum(), "{said}");
        }
    }
}

#[test]
fn the_check_lists_what_each_step_writes_also_of_sql_and_the_rounds_in_its_time() {
    let room = Room::with(
        "title = \"T\"\nsource = \"t\"\n[dataset.db]\nengine = \"mysql\"\n\
         fill = { kind = \"oltp_load\", tables = 2, table_size = 1000 }\n[prepare]\n\
         steady = { workload = \"random\", engine = \"null\", round = \"1m\", rounds = 25 }\n\
         [[step]]\nname = \"oltp\"\nduration = \"1m\"\n[[step.stream]]\nengine = \"mysql\"\nworkload = \"oltp_read_write\"\n\
         [[step]]\nname = \"reads\"\nduration = \"1m\"\n[[step.stream]]\nengine = \"null\"\nworkload = \"random\"\n",
    );
    let (code, said) = room.dyno(&["plan", "check", "./protocol.toml", "--subject", "A=drive", "--repeats", "1"]);
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
