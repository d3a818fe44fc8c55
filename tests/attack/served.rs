//! Names turned round while a database server is laid out and started: whatever the path to its
//! folder means by the time the server opens it, the server works on the folder that Dyno holds.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use crate::bench::{Room, bench, must, ran};
use crate::support::{size, skip};
use crate::turner::{self, Pair, When};

const PROTOCOL: &str = "title = \"T\"\nsource = \"t\"\n[dataset.db]\nengine = \"ENGINE\"\n\
    SETTINGS\n\
    fill = { kind = \"oltp_load\", tables = 1, table_size = ROWS }\n[[step]]\nname = \"s\"\n\
    duration = \"50ms\"\n\
    [[step.stream]]\nengine = \"ENGINE\"\nthreads = 1\n\
    workload = { kind = \"oltp_read_write\", tables = 1, table_size = ROWS }\n";

struct Server {
    engine: &'static str,
    program: &'static str,
    settings: &'static str,
}

const SERVERS: &[Server] = &[
    Server { engine: "mysql", program: "mariadbd", settings: "redo_log = \"16MiB\"" },
    Server { engine: "postgres", program: "pg_ctlcluster", settings: "" },
];

/// A run on a database that is there, or on one that is laid out anew, with turns at some of its
/// system calls.
fn served(server: &Server, anew: bool, when: When) -> turner::Outcome {
    let text = PROTOCOL.replace("ENGINE", server.engine).replace("SETTINGS", server.settings);
    let room = Room::with(&text.replace("ROWS", "100"));
    let args = |bundle| {
        ["run", "./protocol.toml", "--subject", "A=drive", "--bundle", bundle, "--repeats", "1"]
    };
    let first = room.dyno(&args("first.dyno"));
    assert_eq!(first.0, Some(0), "{}", first.1);
    // Somebody's own database, which the server's account may write to; nothing says that it is
    // Dyno's.
    fs::remove_dir_all(room.at("theirs")).unwrap();
    must("cp", &["-a", room.at("drive").to_str().unwrap(), room.at("theirs").to_str().unwrap()]);
    fs::remove_file(room.at("theirs/dyno-data/db.0/.dyno")).unwrap();
    if anew {
        fs::write(room.at("protocol.toml"), text.replace("ROWS", "200")).unwrap();
    }
    let pair = Pair { named: room.at("drive"), other: room.at("link") };
    symlink(room.at("theirs"), &pair.other).unwrap();
    let theirs = room.theirs();
    let mut command: Command = room.command(&args("second.dyno"));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let outcome = turner::run(command, &pair, when);
    assert_eq!(theirs, room.theirs(), "{} {when:?}", server.engine);
    outcome
}

#[test]
fn turning_the_names_of_a_servers_folder_changes_not_a_byte_of_somebodys() {
    if !bench() {
        return;
    }
    for server in SERVERS {
        if !ran("which", &[server.program]) {
            skip(format!("{} is not installed", server.program));
            continue;
        }
        for anew in [false, true] {
            let calm = served(server, anew, When::Never);
            assert_eq!(calm.code, Some(0), "without a turn: {calm:?}");
            let turns = size(1, 100);
            // For good, and back after some calls: the server's start, or its end, is then on
            // either side.
            let done: u64 = (0..turns)
                .map(|i| (1 + calm.calls * (2 * i + 1) / (2 * turns), i))
                .map(|(at, i)| match (i + u64::from(anew)) % 2 {
                    0 => When::Once(at),
                    _ => When::For(at, calm.calls / 8),
                })
                .map(|when| served(server, anew, when).turns.min(1))
                .sum();
            assert!(done * 2 > turns, "too few names were there to be turned: {done}");
        }
    }
}
