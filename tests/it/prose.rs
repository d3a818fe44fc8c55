//! The sentences of published comparisons, each from bundles with chosen figures: what is stated,
//! and where nothing may be stated.

use std::path::Path;

use dyno::plan::{DrivePlace, Plan, PointKey, Subject};

use crate::made::{self, Figures};
use crate::support::{dyno, dyno_well, said};

const REPEATS: u32 = 5;

/// Scatter between repeats.
fn scattered(key: &PointKey, value: f64) -> f64 {
    let by = if key.subject == "A" { 0.001 } else { 0.002 };
    value * (by * (f64::from(key.repeat) - 3.0)).exp()
}

fn axis(key: &PointKey) -> f64 {
    key.axis.as_ref().map_or(0.0, |axis| axis.value.as_f64())
}

/// The brief in a language, without its appendix.
fn brief(dir: &Path, args: &[&str]) -> String {
    let all = [&["report", "b.dyno", "-o", "b.md"], args].concat();
    let out = dyno(dir, &all);
    assert!(out.status.success(), "{}", said(&out));
    let text = std::fs::read_to_string(dir.join("b.md")).expect("a brief");
    // Lines are broken for the page's width.
    text.replace("\n  ", " ")
}

#[track_caller]
fn says(brief: &str, sentences: &[&str]) {
    let near = |sentence: &str| {
        let begin: String = sentence.chars().take(12).collect();
        brief.lines().filter(|line| line.contains(&begin)).collect::<Vec<_>>().join("\n")
    };
    for sentence in sentences {
        assert!(brief.contains(sentence), "“{sentence}” is not in:\n{}\n{brief}", near(sentence));
    }
}

/// A bundle of two subjects, and its brief.
fn of(steps: &str, figures: impl Fn(&PointKey) -> Figures) -> (tempfile::TempDir, String) {
    of_plan(steps, |_, _| {}, figures)
}

fn of_plan(
    steps: &str,
    change: impl Fn(&Path, &mut Plan),
    figures: impl Fn(&PointKey) -> Figures,
) -> (tempfile::TempDir, String) {
    let folder = made::folder();
    let mut plan = made::plan(folder.path(), steps, 2, REPEATS);
    change(folder.path(), &mut plan);
    made::write(&folder.path().join("b.dyno"), &plan, &mut |key| Some(figures(key)));
    let text = brief(folder.path(), &[]);
    (folder, text)
}

fn latency(ops_per_s: f64, p99_us: f64) -> Figures {
    Figures { ops_per_s, p99_ns: p99_us * 1e3, ..Figures::default() }
}

const THREADS: &str = "sweep = { axis = \"io.threads\", values = [8, 64, 128] }";

/// A's rate rises to the end, B's peaks earlier.
fn by_threads(key: &PointKey) -> Figures {
    let (ops, p99) = match (key.subject.as_str(), axis(key) as u32) {
        ("A", 8) => (100_000.0, 150.0),
        ("A", 64) => (600_000.0, 300.0),
        ("A", _) => (900_000.0, 400.0),
        (_, 8) => (80_000.0, 160.0),
        (_, 64) => (500_000.0, 350.0),
        _ => (480_000.0, 700.0),
    };
    latency(scattered(key, ops), p99)
}

#[test]
fn from_start_to_peak_with_mean_and_p99_and_what_was_not_tested() {
    let (folder, text) = of(&made::step("threads", THREADS, ""), by_threads);
    says(
        &text,
        &[
            "A goes from 100,000 ops/s at 8 threads (mean 76.",
            " µs, p99 150 µs) to a peak of 900,000 ops/s at 128 threads (mean 20",
            " µs, p99 400 µs).",
            "to a peak of 500,000 ops/s at 64 threads (mean ",
            "Thread counts above 128 were not tested: the ops/s of A still rise there.",
        ],
    );
    let ja = brief(folder.path(), &["--language", "ja"]);
    says(
        &ja,
        &[
            "A は 100,000 ops/s（8 スレッド）、平均 ",
            "A の ops/s は 128 スレッドでもまだ伸びており、",
        ],
    );
    let pt = brief(folder.path(), &["--language", "pt-BR"]);
    says(
        &pt,
        &[
            "A vai de 100.000 ops/s com 8 threads (média ",
            "Não foram testadas mais de 128 threads: as ops/s de A",
        ],
    );
}

#[test]
fn processors_that_were_saturated_are_said_from_where_on_and_no_peak_is_called_the_drives() {
    let busy = |key: &PointKey| {
        let share = if axis(key) < 64.0 { 0.2 } else { 0.99 };
        let own = vec![
            ("host_all_ns", 4e9),
            ("host_busy_ns", 4e9 * share),
            ("process_user_ns", 4e9 * share),
            ("process_system_ns", 0.0),
        ];
        Figures { cpu: own, ..by_threads(key) }
    };
    let (_folder, text) = of(&made::step("threads", THREADS, ""), busy);
    says(&text, &["From 64 threads on the processors were saturated (A and B)"]);
    assert!(!text.contains("to a peak of"), "{text}");
}

/// A reader with a writer whose rate is swept: B's p99 is lower at first.
#[test]
fn a_difference_at_a_named_load_is_said_in_microseconds() {
    let steps = "[[step]]\nname = \"pressure\"\nduration = \"1s\"\n\
                 sweep = { axis = \"writer.rate\", values = [\"400MB/s\", \"800MB/s\"] }\n\
                 [[step.stream]]\nname = \"reader\"\nengine = \"null\"\nworkload = \"random\"\n\
                 [[step.stream]]\nname = \"writer\"\nengine = \"null\"\nworkload = \"random\"\n\
                 headline = false\n";
    let figures = |key: &PointKey| {
        let p99 = match (key.subject.as_str(), axis(key) < 500e6) {
            ("A", true) => 160.0,
            ("A", false) => 200.0,
            (_, true) => 190.0,
            _ => 308.0,
        };
        let reader = latency(scattered(key, 200_000.0), scattered(key, p99));
        let writer =
            Figures { asked: Some(axis(key) / 4096.0), ..latency(axis(key) / 4096.0, 90.0) };
        Figures { streams: vec![reader, writer], ..Figures::default() }
    };
    let (_folder, text) = of(steps, figures);
    let said = text.lines().find(|line| line.contains("lower than that of B"));
    let said = said.unwrap_or_else(|| panic!("no difference in {text}"));
    says(said, &["The p99 read latency of A is 10", " at a target of 800 MB/s (", " against "]);
}

const SIZES: [(&str, f64); 3] = [("4KiB", 1.05), ("8KiB", 1.15), ("16KiB", 1.40)];

#[test]
fn what_the_lead_does_over_block_sizes_is_said_of_a_sweep_and_of_like_steps() {
    let better = |size: usize, key: &PointKey| {
        let own = if key.subject == "A" { SIZES[size].1 } else { 1.0 };
        latency(scattered(key, 200_000.0 / (1.0 + size as f64) * own), 200.0)
    };
    let said = "The lead of A over B in ops/s grows with the block size: ";
    let sweep = made::step(
        "sizes",
        "sweep = { axis = \"io.block\", values = [\"4KiB\", \"8KiB\", \"16KiB\"] }",
        "",
    );
    let (_folder, text) = of(&sweep, |key| {
        better([4096.0, 8192.0, 16384.0].iter().position(|s| *s == axis(key)).unwrap_or(0), key)
    });
    says(&text, &[said, " at 4 KiB", " at 16 KiB."]);
    let step = |(size, _): &(&str, f64)| {
        let text = made::step(&format!("of-{}", size.to_lowercase()), "", "");
        let workload = format!("workload = {{ kind = \"random\", block = \"{size}\" }}");
        text.replace("workload = \"random\"", &workload)
    };
    let steps: String = SIZES.iter().map(step).collect();
    let of_step = |key: &PointKey| {
        let size = SIZES.iter().position(|(size, _)| key.step.ends_with(&size.to_lowercase()));
        better(size.unwrap_or(0), key)
    };
    let (_folder, text) = of(&steps, of_step);
    says(&text, &[said, " at 8 KiB"]);
    assert_eq!(text.matches(said).count(), 1, "at the last of the steps: {text}");
}

#[test]
fn the_first_and_the_middle_drive_of_a_group_are_shown_by_themselves() {
    let eight = |dir: &Path, plan: &mut Plan| {
        let group = |name: &str, of: &Subject| {
            let drive = |i: usize| {
                let mut drive = of.drives[0].clone();
                drive.place = DrivePlace::Directory(dir.join(format!("{name}-{i}")));
                drive
            };
            (0..8).map(drive).collect()
        };
        for subject in &mut plan.subjects {
            subject.drives = group(&subject.name, subject);
        }
    };
    let steps = made::step("depths", "sweep = { axis = \"io.depth\", values = [1, 32] }", "");
    let figures = |key: &PointKey| {
        let (ops, p99) = if axis(key) < 2.0 { (10_000.0, 388.0) } else { (90_000.0, 709.0) };
        let drives = (0..8).map(|_| scattered(key, ops)).collect();
        Figures { drives, p99_ns: p99 * 1e3, ..Figures::default() }
    };
    let (_folder, text) = of_plan(&steps, eight, figures);
    says(
        &text,
        &["Drive 1 of A: mean from ", "Drive 5 of A: ", "Drive 5 of B: ", "between 1 and 32."],
    );
    assert!(!text.contains("Drive 2 of "), "{text}");
}

#[test]
fn each_reader_beside_noisy_neighbours_has_its_mean_and_its_tails() {
    let stream = |name: &str| {
        format!("[[step.stream]]\nname = \"{name}\"\nengine = \"null\"\nworkload = \"random\"\n")
    };
    let steps = format!(
        "[[step]]\nname = \"neighbours\"\nduration = \"1s\"\n{}{}",
        stream("ns4"),
        stream("ns5")
    );
    let figures = |key: &PointKey| {
        let of = |p99: f64| latency(2_000_000.0, scattered(key, p99));
        Figures { streams: vec![of(132.0), of(153.0)], ..Figures::default() }
    };
    let (_folder, text) = of(&steps, figures);
    for stream in ["ns4 of A: mean ", "ns5 of B: mean "] {
        let line = text.lines().find(|line| line.contains(stream));
        let line = line.unwrap_or_else(|| panic!("no {stream} in {text}"));
        says(line, &[", p99 ", ", p99.9 ", ", p99.99 "]);
    }
}

const TABLE: &str = "drive,threads,ops_per_s,p99_us\nA,16,1000,110\nA,32,1800,140\nA,64,2500,400\n\
                     B,16,900,150\nB,32,1700,180\nB,64,2600,300\n";

/// The columns of the table.
const MAPPING: &str = "title = \"T\"\nsource = \"a table\"\nclass = \"read\"\nsubject = \"drive\"\n\
                       axis = { column = \"threads\", field = \"threads\" }\n[figures]\n\
                       ops_per_s = { column = \"ops_per_s\", unit = \"ops/s\" }\n\
                       p99 = { column = \"p99_us\", unit = \"us\" }\n";

#[test]
fn published_tables_have_their_course_their_crossings_and_their_differences_as_arithmetic() {
    let folder = made::folder();
    let dir = folder.path();
    std::fs::write(dir.join("table.csv"), TABLE).expect("written");
    std::fs::write(dir.join("mapping.toml"), MAPPING).expect("written");
    dyno_well(dir, &["import", "csv", "table.csv", "--mapping", "mapping.toml", "-o", "b.dyno"]);
    says(
        &brief(dir, &[]),
        &[
            "A goes from 1,000 ops/s at 16 threads (p99 110 µs) to a peak of 2,500 ops/s at 64 \
             threads (p99 400 µs).",
            "A has the higher ops/s up to 32 threads, B from 64 threads on.",
            "A has the lower p99 read latency up to 32 threads, B from 64 threads on.",
            "The p99 read latency of B is 100 µs lower than that of A at 64 threads (300 µs \
             against 400 µs).",
            "Thread counts above 64 were not tested: the ops/s of A and B still rise there.",
        ],
    );
}

/// The brief of the 7500's two tables.
fn micron_7500(tables: &Path, mappings: &Path) -> String {
    let folder = made::folder();
    let table = |name: &str| tables.join(format!("micron-7500-{name}.csv")).display().to_string();
    let (reads, mixed) = (table("random-read"), table("read-while-writing"));
    let mapping = mappings.join("micron-7500.toml").display().to_string();
    let args = ["import", "csv", &reads, &mixed, "--mapping", &mapping, "-o", "b.dyno"];
    dyno_well(folder.path(), &args);
    brief(folder.path(), &[])
}

/// The brief of the four tables of the eight-drive comparison, each a test in a bundle of its own.
fn eight_drives(tables: &Path, mappings: &Path) -> String {
    let folder = made::folder();
    let tests = ["vdbench", "write-pressure", "noisy-neighbour", "sysbench"];
    let files = tests.map(|test| format!("{test}.dyno"));
    for (test, file) in tests.iter().zip(&files) {
        let (table, mapping) = match *test {
            "write-pressure" => {
                let own = mappings.join("storagereview-write-pressure");
                (own.with_extension("csv"), own.with_extension("toml"))
            }
            test => {
                let name = format!("p5510-pm9a3-{test}");
                (tables.join(format!("{name}.csv")), mappings.join(format!("{name}.toml")))
            }
        };
        let [table, mapping] = [table, mapping].map(|path| path.display().to_string());
        dyno_well(folder.path(), &["import", "csv", &table, "--mapping", &mapping, "-o", file]);
    }
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    dyno_well(folder.path(), &[&["report"], &files[..], &["-o", "b.md"]].concat());
    std::fs::read_to_string(folder.path().join("b.md")).expect("a brief")
}

/// The page's sentences in quotation marks are those of the briefs with its figures.
#[test]
fn the_page_of_published_sentences_has_what_dyno_writes_of_the_same_figures() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/published.md")).expect("the page");
    let data = |name: &str| root.join("tests/data").join(name).display().to_string();
    let import = |tables: &[&str], mapping: &str| {
        let folder = made::folder();
        let tables: Vec<String> = tables.iter().map(|name| data(name)).collect();
        let mut args = vec!["import", "csv"];
        args.extend(tables.iter().map(String::as_str));
        let mapping = data(mapping);
        args.extend(["--mapping", &mapping, "-o", "b.dyno"]);
        dyno_well(folder.path(), &args);
        brief(folder.path(), &[])
    };
    let tables = ["micron-7600-random-read.csv", "micron-7600-read-while-writing.csv"];
    let all = import(&tables, "mapping.toml")
        + &micron_7500(&root.join("examples/audit"), &root.join("tests/data"))
        + &eight_drives(&root.join("examples/audit"), &root.join("tests/data"))
        + &import(&["storagereview-random-read.csv"], "storagereview-mapping.toml")
        + &import(&["storagereview-write-pressure.csv"], "storagereview-write-pressure.toml");
    let part = page.split("## Comparison of sentences").nth(1).expect("the table");
    let part = part.split("\n## What the audits found").next().unwrap_or_default();
    let quoted: Vec<&str> =
        part.split('“').skip(1).map(|rest| rest.split('”').next().unwrap_or_default()).collect();
    assert!(quoted.len() > 6, "{quoted:?}");
    says(&all, &quoted);
}

const DRIVES: &str = "[drive.A]\ncapacity = \"7.68TB\"\nendurance = \"1 DWPD\"\n\
                      warranty = \"5 years\"\n";

#[test]
fn drive_writes_per_day_over_the_warranty_are_added_up() {
    let (folder, _) = of(&made::step("threads", THREADS, ""), by_threads);
    std::fs::write(folder.path().join("brief.toml"), DRIVES).expect("written");
    let text = brief(folder.path(), &["--brief", "brief.toml"]);
    says(&text, &["A: 1 DWPD × 5 years × 365 days × 7.68 TB = 14.0 PB in total"]);
}
