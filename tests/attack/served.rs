//! Names exchanged while a database server is initialised and started: whatever the path to its
//! folder refers to when the server opens it, the server uses the folder that Dyno holds.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use crate::bench::{Room, bench, must, ran};
use crate::support::{size, skip};
use crate::turner::{self, Pair, When};

const PROTOCOL: &str = "title = \"T\"\nsource = \"t\"\n[dataset.db]\nengine = \"ENGINE\"\n\
    SETTINGS\n\
    fill = { kind = \"oltp_load\", tables = 1, table_size = ROWS }\n[[step]]\nname = \"s\"\n\
    duration = \"250ms\"\n\
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

/// The contents of an existing database, and of a newly created one.
const THERE: &str = "100";
const ANEW: &str = "200";

impl Server {
    fn room(&self, rows: &str) -> Room {
        let text = PROTOCOL.replace("ENGINE", self.engine).replace("SETTINGS", self.settings);
        Room::with(&text.replace("ROWS", rows))
    }

    /// With the database in its place, of which each attack gets a copy.
    fn laid_out(&self) -> Room {
        let room = self.room(THERE);
        let (code, said) = room.dyno(&run_into("first.dyno"));
        assert_eq!(code, Some(0), "{said}");
        room
    }
}

fn run_into(bundle: &str) -> [&str; 8] {
    ["run", "./protocol.toml", "--subject", "A=drive", "--output", bundle, "--repeats", "1"]
}

/// A run on an existing or a new database, with exchanges at some of its system calls.
fn served(server: &Server, laid_out: &Room, rows: &str, when: When) -> turner::Outcome {
    let room = server.room(rows);
    // In place of foreign data, another user's database, which the server's account may write to;
    // nothing marks it as Dyno's.
    for place in ["drive", "theirs"] {
        fs::remove_dir_all(room.at(place)).unwrap();
        must(
            "cp",
            &["-a", laid_out.at("drive").to_str().unwrap(), room.at(place).to_str().unwrap()],
        );
    }
    fs::remove_file(room.at("theirs/dyno-data/db.0/.dyno")).unwrap();
    let pair = Pair { named: room.at("drive"), other: room.at("link") };
    symlink(room.at("theirs"), &pair.other).unwrap();
    let theirs = room.theirs();
    let mut command: Command = room.command(&run_into("second.dyno"));
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
    // In everyday runs, one server in the way with more steps.
    let (servers, ways) = match size("one", "all") {
        "one" => (&SERVERS[..1], &[ANEW][..]),
        _ => (SERVERS, &[ANEW, THERE][..]),
    };
    for server in servers {
        if !ran("which", &[server.program]) {
            skip(format!("{} is not installed", server.program));
            continue;
        }
        let laid_out = server.laid_out();
        for rows in ways {
            let calm = served(server, &laid_out, rows, When::Never);
            assert_eq!(calm.code, Some(0), "without a turn: {calm:?}");
            let turns = size(1, 100);
            // Permanently, and reverted after some calls: the server's start, or its end, is then
            // on either side.
            let done: u64 = (0..turns)
                .map(|i| (1 + calm.calls * (2 * i + 1) / (2 * turns), i))
                .map(|(at, i)| match (i + u64::from(*rows == ANEW)) % 2 {
                    0 => When::Once(at),
                    _ => When::For(at, calm.calls / 8),
                })
                .map(|when| served(server, &laid_out, rows, when).turns.min(1))
                .sum();
            assert!(done * 2 > turns, "too few names were there to be turned: {done}");
        }
    }
}
