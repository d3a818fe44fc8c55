//! Someone else's bundle is data: its plan runs, starts, sends and erases nothing without
//! permission.

use crate::bench::Bench;

const PROTOCOL: &str = "title = \"T\"\nsource = \"t\"\n[[step]]\nname = \"a\"\n\
                        duration = \"200ms\"\n\
                        [[step.stream]]\nname = \"io\"\nengine = \"null\"\nworkload = \"random\"\n";

/// A finished run whose plan has these meters.
fn bundle(meters: &str) -> Bench {
    let bench = Bench::new();
    bench.write("p.toml", PROTOCOL);
    let plan = format!(
        "protocol = \"./p.toml\"\nidle = \"0s\"\nrepeats = 1\nmeters = {meters}\n[[subject]]\n\
         name = \"X\"\ndrives = [{{ path = \"x\" }}]\n"
    );
    bench.write("plan.toml", &plan);
    bench.ok(&["run", "plan.toml", "--output", "b.dyno"]);
    bench
}

/// A command that leaves a mark, and prints readings.
fn marking(bench_mark: &str, public: bool) -> String {
    format!(
        "[{{ kind = \"exec\", class = \"drive\", public = {public}, \
         command = [\"sh\", \"-c\", \"touch {bench_mark}; while echo 5; do sleep 0.05; done\"] }}]"
    )
}

#[test]
fn a_command_of_a_bundle_runs_only_once_it_is_named() {
    let bench = bundle(&marking("ran", true));
    std::fs::remove_file(bench.at("ran")).expect("the user's own plan runs its command");
    // Another run than the one that this user started.
    let conn = rusqlite::Connection::open(bench.at("b.dyno")).expect("a bundle");
    conn.execute("UPDATE run SET started_unix_ns = started_unix_ns + 1", []).expect("changed");
    drop(conn);
    let command = "sh -c touch ran; while echo 5; do sleep 0.05; done";
    for args in [&["run", "b.dyno", "--output", "c.dyno"][..], &["run", "--resume", "b.dyno"]] {
        let refused = bench.dyno(args);
        assert_eq!(refused.code(), Some(3), "{}", refused.said);
        assert!(refused.said.contains(&format!("--allow 'run:{command}'")), "{}", refused.said);
        assert!(!bench.at("ran").exists() && !bench.at("c.dyno").exists(), "nothing was touched");
        let other = bench.dyno(&[args, &["--allow", "sh"]].concat());
        assert_eq!(other.code(), Some(3), "a part of a name is another name");
    }
    bench.ok(&["run", "b.dyno", "--output", "c.dyno", "--allow", command]);
    assert!(bench.at("ran").exists());
}

#[test]
fn what_a_bundle_hides_is_named_and_taken_again() {
    let bench = bundle(&marking("ran", false));
    std::fs::remove_file(bench.at("ran")).unwrap();
    let refused = bench.dyno(&["run", "b.dyno", "--output", "c.dyno", "--allow", "sh *** ***"]);
    assert_eq!(refused.code(), Some(3), "{}", refused.said);
    assert!(refused.said.contains("--set 'meter.1.command="), "{}", refused.said);
    let set =
        "meter.1.command=[\"sh\", \"-c\", \"touch again; while echo 5; do sleep 0.05; done\"]";
    bench.ok(&["run", "b.dyno", "--output", "c.dyno", "--set", set]);
    assert!(bench.at("again").exists() && !bench.at("ran").exists());
    let other = bench.dyno(&["run", "b.dyno", "--output", "d.dyno", "--set", "step.a.duration=1s"]);
    assert!(!other.status.success() && other.said.contains("meter.1.command"), "{}", other.said);
}

/// Plans of bundles with actions beyond making load, and the required permissions.
#[test]
fn servers_settings_files_addresses_and_drives_are_named_too() {
    let bench = bundle("\"none\"");
    type Change = fn(&mut serde_json::Value);
    let cases: [(&str, Change); 11] = [
        ("--allow 'start:mysql'", |plan| {
            plan["protocol"]["steps"][0]["streams"][0]["engine"]["name"] = "mysql".into()
        }),
        ("--allow 'set:rocksdb.db_log_dir=/etc'", |plan| {
            let engine = &mut plan["protocol"]["steps"][0]["streams"][0]["engine"];
            let options = serde_json::json!({ "db_log_dir": "/etc" });
            *engine = serde_json::json!({ "name": "rocksdb", "knobs": { "options": options } });
        }),
        ("--allow 'read:/etc/shadow'", |plan| {
            plan["meters"] =
                serde_json::json!([{ "name": "csv", "knobs": { "file": "/etc/shadow" } }]);
        }),
        ("--allow 'connect:https://evil/x'", |plan| {
            plan["meters"] =
                serde_json::json!([{ "name": "redfish", "knobs": { "url": "https://evil/x" } }]);
        }),
        ("--allow 'read:/proc/kcore/power1_input'", |plan| {
            let knobs = serde_json::json!({ "sensor": "/proc/kcore/power1_input" });
            plan["meters"] = serde_json::json!([{ "name": "hwmon", "knobs": knobs }]);
        }),
        ("--allow 'erase:S123'", |plan| {
            let device = serde_json::json!({ "path": "/dev/sda", "serial": "S123" });
            plan["subjects"][0]["drives"][0] =
                serde_json::json!({ "place": { "device": device }, "erase": true });
        }),
        // For a device: in a directory no filesystem is made.
        ("--allow 'filesystem:-K exec,suid'", |plan| {
            let device = serde_json::json!({ "path": "/dev/sda", "serial": "S123" });
            plan["subjects"][0]["drives"][0] =
                serde_json::json!({ "place": { "device": device }, "erase": true });
            plan["protocol"]["preparation"]["filesystem"] =
                serde_json::json!({ "kind": "xfs", "mkfs": ["-K"], "mount": "exec,suid" });
        }),
        ("--allow 'start:mysql' --allow 'connect:mysql'", |plan| {
            let streams = &mut plan["protocol"]["steps"][0]["streams"];
            let mut other = streams[0].clone();
            for (stream, server) in [(&mut streams[0], "own"), (&mut other, "existing")] {
                stream["engine"] =
                    serde_json::json!({ "name": "mysql", "knobs": { "server": server } });
            }
            other["name"] = "other".into();
            streams.as_array_mut().unwrap().push(other);
        }),
        ("--allow 'read:./x' --allow 'run:./x'", |plan| {
            plan["meters"] = serde_json::json!([
                { "name": "csv", "knobs": { "class": "drive", "file": "./x" } },
                { "name": "exec", "knobs": { "class": "drive", "command": ["./x"] } }
            ]);
        }),
        ("--allow 'read:S123' --allow 'erase:S123'", |plan| {
            plan["meters"] = serde_json::json!([{ "name": "csv", "knobs": { "file": "S123" } }]);
            let device = serde_json::json!({ "path": "/dev/sda", "serial": "S123" });
            plan["subjects"][0]["drives"][0] =
                serde_json::json!({ "place": { "device": device }, "erase": true });
        }),
        // One subject's own value of a knob.
        ("--allow 'connect:mysql'", |plan| {
            plan["protocol"]["steps"][0]["streams"][0]["engine"] =
                serde_json::json!({ "name": "mysql", "knobs": { "server": "own" } });
            plan["subjects"][0]["overrides"] = serde_json::json!([{ "step": "a", "stream": "io",
                "of": "engine", "knob": "server", "value": "existing" }]);
        }),
    ];
    for (number, (names, change)) in cases.into_iter().enumerate() {
        let path = bench.at(&format!("case-{number}.dyno"));
        std::fs::copy(bench.at("b.dyno"), &path).unwrap();
        let conn = rusqlite::Connection::open(&path).unwrap();
        let text: String = conn.query_row("SELECT plan FROM run", [], |row| row.get(0)).unwrap();
        let mut plan = serde_json::from_str(&text).unwrap();
        change(&mut plan);
        conn.execute("UPDATE run SET plan = ?", [plan.to_string()]).unwrap();
        drop(conn);
        for args in [
            &["run", path.to_str().unwrap(), "--output", "c.dyno"][..],
            &["run", "--resume", path.to_str().unwrap()],
        ] {
            let refused = bench.dyno(args);
            assert_eq!(refused.code(), Some(3), "{names}: {}", refused.said);
            assert!(refused.said.contains(names), "{names}: {}", refused.said);
            assert!(!bench.at("c.dyno").exists(), "{names}");
        }
    }
}

/// A plan with a meter of one name that is read and executed, in a file.
fn plan_file() -> Bench {
    let bench = Bench::new();
    bench.write("p.toml", PROTOCOL);
    bench.write(
        "plan.toml",
        "protocol = \"./p.toml\"\nidle = \"0s\"\nrepeats = 1\nmeters = [\
         { kind = \"csv\", class = \"drive\", file = \"./power.csv\" }, \
         { kind = \"exec\", class = \"system\", command = [\"./power.csv\"] }]\n[[subject]]\n\
         name = \"X\"\ndrives = [{ path = \"x\" }]\n",
    );
    bench.write("power.csv", "#!/bin/sh\ntouch ran\nwhile echo 5; do sleep 0.05; done\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(bench.at("power.csv"), mode).unwrap();
    bench
}

#[test]
fn a_plan_from_elsewhere_is_consented_to_like_a_bundle() {
    if !rustix::process::geteuid().is_root() {
        return crate::support::skip("a file of another user is made by root");
    }
    type Receive = fn(&Bench);
    let ways: [(&str, Receive); 4] = [
        ("plan.toml belongs to user 1234", |bench| {
            std::os::unix::fs::chown(bench.at("plan.toml"), Some(1234), None).unwrap();
        }),
        ("p.toml belongs to user 1234", |bench| {
            std::os::unix::fs::chown(bench.at("p.toml"), Some(1234), None).unwrap();
        }),
        ("others may write to", |bench| {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o666);
            std::fs::set_permissions(bench.at("plan.toml"), mode).unwrap();
        }),
        ("would", |_| ()),
    ];
    for (why, receive) in ways {
        let bench = plan_file();
        receive(&bench);
        let run = |allow: &[&str]| {
            let _ = std::fs::remove_file(bench.at("b.dyno"));
            let given: Vec<&str> = allow.iter().flat_map(|name| ["--allow", name]).collect();
            bench.dyno(&[&["run", "plan.toml", "-o", "b.dyno"][..], &given].concat())
        };
        // The user's own plan is asked for nothing, unless the user asks to be asked.
        let allow: &[&str] = if why == "would" { &["none"] } else { &[] };
        let refused = run(allow);
        assert_eq!(refused.code(), Some(3), "{why}: {}", refused.said);
        for part in [why, "--allow 'read:./power.csv' --allow 'run:./power.csv'"] {
            assert!(refused.said.contains(part), "{why}: '{part}' is not in: {}", refused.said);
        }
        for only in ["read:./power.csv", "run:./power.csv", "./power.csv"] {
            let refused = run(&[only]);
            assert_eq!(refused.code(), Some(3), "{only}: {}", refused.said);
        }
        assert!(!bench.at("ran").exists(), "{why}");
        let both = run(&["read:./power.csv", "run:./power.csv"]);
        assert!(both.code() == Some(0) && bench.at("ran").exists(), "{why}: {}", both.said);
    }
    let bench = plan_file();
    bench.ok(&["run", "plan.toml", "-o", "b.dyno"]);
}
