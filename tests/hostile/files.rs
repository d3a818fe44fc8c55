//! Invalid or oversized files: every file named on a command line or in a plan results in an error
//! soon.

use crate::bench::{Bench, MEGABYTES, SECONDS};
use crate::pages::fifo;

/// A PNG with this many pixels per side, in a few bytes.
fn png(side: u32) -> Vec<u8> {
    let size = [side, side].map(u32::to_be_bytes).concat();
    [b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec(), size, vec![8, 6, 0, 0, 0, 0, 0, 0, 0]].concat()
}

#[test]
fn pipes_devices_and_files_without_end_are_refused_wherever_a_file_is_named() {
    let bench = Bench::new();
    bench.write("good.toml", "title = \"T\"\n");
    crate::bundles::honest(&bench, &bench.at("b.dyno"));
    fifo(&bench.at("pipe"));
    // 1 GB without a line end, as a sparse file.
    std::fs::File::create(bench.at("line")).unwrap().set_len(1 << 30).unwrap();
    std::fs::write(bench.at("huge.png"), png(60_000)).unwrap();
    std::fs::write(bench.at("cut.png"), &png(100)[..18]).unwrap();
    for file in ["pipe", "line", "x", "/dev/zero", "/dev/full", "/dev/stdin"] {
        bench.write("brief.toml", &format!("logo = \"{file}\"\n"));
        let subject = "[[subject]]\nname = \"A\"\ndrives = [{ path = \"x\" }]\n";
        let file_toml = if file.contains('/') { file.to_string() } else { format!("./{file}") };
        bench.write("named.toml", &format!("protocol = \"{file_toml}\"\n{subject}"));
        for args in [
            &["show", file][..],
            &["run", file],
            &["run", "--resume", file],
            &["plan", "check", file],
            &["plan", "check", "named.toml"],
            &["export", file],
            &["report", file, "-o", "o.html"],
            &["report", "b.dyno", "-o", "o.html", "--brief", file],
            &["report", "b.dyno", "-o", "o.html", "--brief", "brief.toml"],
            &["audit", file, "--data", "b.dyno"],
            &["audit", "good.toml", "--data", file],
            &["import", "fio", file, "-o", "o.dyno"],
            &["import", "csv", "good.toml", "--mapping", file, "-o", "o.dyno"],
        ] {
            let ended = bench.dyno(args);
            assert!(
                ended.is_orderly() && matches!(ended.code(), Some(1 | 3)),
                "{args:?}: {}",
                ended.said
            );
            assert!(
                ended.cpu_s < 5.0 * SECONDS && ended.rss_mb < MEGABYTES,
                "{args:?}: {} MB",
                ended.rss_mb
            );
        }
    }
    for (logo, says) in [("huge.png", "60000 × 60000 pixels"), ("cut.png", "is not a PNG")] {
        bench.write("brief.toml", &format!("logo = \"{logo}\"\n"));
        for form in ["o.html", "o.pdf"] {
            let ended = bench.dyno(&["report", "b.dyno", "-o", form, "--brief", "brief.toml"]);
            assert!(ended.code() == Some(1) && ended.said.contains(says), "{logo}: {}", ended.said);
        }
    }
}

#[test]
fn what_a_plan_says_reaches_the_terminal_as_text() {
    let bench = Bench::new();
    bench.write("plan.toml", "protocol = \"qu\u{9b}31m\u{202e}ick\"\n# \u{1b}]0;x\u{7}\nx = 1\n");
    let ended = bench.dyno(&["run", "plan.toml"]);
    assert_eq!(ended.code(), Some(1));
    let acts = |c: char| dyno::base::text::is_hidden(c) && c != '\n';
    assert!(!ended.said.contains(acts), "{:?}", ended.said);
}

#[test]
fn cells_that_a_spreadsheet_would_run_are_text() {
    let bench = Bench::new();
    crate::bundles::honest(&bench, &bench.at("b.dyno"));
    for formula in ["=1+1", "+1", "-1+1", "@SUM(A1)"] {
        let conn = rusqlite::Connection::open(bench.at("b.dyno")).unwrap();
        conn.execute("UPDATE cell SET stream = ?", [formula]).unwrap();
        drop(conn);
        let csv = bench.ok(&["export", "b.dyno"]).out;
        let mut rows = csv::Reader::from_reader(csv.as_bytes());
        let at = rows.headers().unwrap().iter().position(|name| name == "stream").unwrap();
        let cells: Vec<String> = rows.records().map(|row| row.unwrap()[at].to_string()).collect();
        assert!(
            !cells.is_empty() && cells.iter().all(|cell| *cell == format!("'{formula}")),
            "{cells:?}"
        );
        assert!(
            bench
                .ok(&["export", "b.dyno", "--format", "json"])
                .out
                .contains(&format!("\"{formula}\""))
        );
    }
}
