//! One file and one line: each of Dyno's lists accepts another item, and a point, a brief and an
//! export use the added ones. A separate program, because additions apply to all tests in it.

use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::atomic::AtomicBool;

use dyno::analysis::Question;
use dyno::base::clock::Clock;
use dyno::brief::{Brief, BriefOptions};
use dyno::import::{self, ImportedFrom, Input};
use dyno::language::Language;
use dyno::plan::{self, Plan};
use dyno::record::{Outcome, Setup};
use dyno::run::datasets::before::Before;
use dyno::run::display::progress::Progress;
use dyno::run::{Maxima, RunRequest};
use dyno::store::{Bundle, BundleWriter};
use dyno::{export, render};

/// One file each, and one line each.
macro_rules! additions {
    ($($kind:ident,)*) => {
        $(mod $kind;)*

        const KINDS: &[&str] = &[$(stringify!($kind)),*];

        fn add_all() {
            static ONCE: Once = Once::new();
            ONCE.call_once(|| { $($kind::add();)* });
        }
    };
}

additions! {
    engine,
    workload,
    meter,
    dialect,
    section,
    figure,
    importer,
    table,
    exporter,
    trace_format,
}

const PROTOCOL: &str = r#"
title = "Additions"
source = "test"
[dataset.file]
engine = { kind = "slate", size = "1MiB" }
fill = { kind = "sequential", read = 0, block = "64KiB" }
[dataset.db]
engine = "sqlite"
fill = { kind = "oltp_load", tables = 1, table_size = 300 }
[[step]]
name = "back"
duration = "700ms"
[[step.stream]]
name = "io"
engine = "slate"
dataset = "file"
workload = "backwards"
[[step]]
name = "transactions"
duration = "700ms"
[[step.stream]]
name = "clients"
engine = "sqlite"
dataset = "db"
workload = { kind = "oltp_read_only", tables = 1, table_size = 300 }
"#;

fn plan(folder: &Path) -> Plan {
    let drive = folder.join("drive");
    std::fs::create_dir(&drive).unwrap();
    std::fs::write(folder.join("p.toml"), PROTOCOL).unwrap();
    let subject = format!(
        "[[subject]]\nname = \"A\"\ndrives = [{{ path = {drive:?} }}]\nmeters = [\"pendulum\"]\n"
    );
    let file = folder.join("plan.toml");
    std::fs::write(
        &file,
        format!("protocol = \"./p.toml\"\nrepeats = 1\nidle = \"100ms\"\n{subject}"),
    )
    .unwrap();
    plan::load(&file, &dyno::plan_catalogue()).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

/// Runs the plan into a bundle.
fn run(folder: &Path) -> PathBuf {
    let (plan, bundle) = (plan(folder), folder.join("run.dyno"));
    let record =
        dyno::record::Run { plan: plan.clone(), started_unix_ns: 0, dyno_version: "test".into() };
    let mut sink = BundleWriter::create(&bundle, &record, &Setup::default()).unwrap();
    let run = RunRequest {
        plan: &plan,
        points: plan::points(&plan).collect(),
        maxima: Maxima::default(),
        searches: std::default::Default::default(),
        figures: Default::default(),
        before: Before::default(),
        sink: &mut sink,
        progress: &Progress::new(),
        stop: &AtomicBool::new(false),
        clock: Clock::start(),
        starts: None,
    };
    let summary = run.execute().unwrap();
    drop(sink);
    let stored = Bundle::open(&bundle).unwrap().points().unwrap();
    let outcomes: Vec<&Outcome> = stored.iter().map(|stored| &stored.point.outcome).collect();
    assert_eq!((summary.measured, summary.failed), (2, 0), "{outcomes:?}");
    bundle
}

/// The toy importer's result for a sheet.
fn imported(folder: &Path) -> PathBuf {
    let format = import::ALL.iter().find(|format| format.info().name == "tally_sheet").unwrap();
    let contents = format.read(&Input::new("sheet.txt", "reads 1200", None)).unwrap();
    let bundle = folder.join("sheet.dyno");
    let from = ImportedFrom { file: "sheet.txt".into(), subject: "B".into(), step: None, contents };
    import::import(format, vec![from], &bundle).unwrap();
    bundle
}

fn exported(bundle: &Path, table: &str) -> String {
    let paths = [bundle.to_path_buf()];
    let facts = dyno::bundles::facts(&paths, &Question::default()).unwrap();
    let table = export::TABLES.iter().find(|own| own.name() == table).unwrap();
    let form = export::FORMS.iter().find(|form| form.name() == "lines").unwrap();
    let mut out = Vec::new();
    export::export((&paths, &facts), table, form, Box::new(&mut out)).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_point_a_brief_and_an_export_go_through_every_addition() {
    add_all();
    let folder = tempfile::tempdir().unwrap();
    let bundle = run(folder.path());

    let stored = Bundle::open(&bundle).unwrap();
    let points = stored.points().unwrap();
    let samples = stored.samples(points[0].id).unwrap();
    assert!(samples.iter().any(|sample| sample.name == "pendulum_swings"), "the meter was read");

    let points = exported(&bundle, "points");
    for what in
        ["class: Text(\"step-back\")", "class: Text(\"transaction\")", "stream: Text(\"io\")"]
    {
        assert!(points.contains(what), "{what}: {points}");
    }
    assert_eq!(exported(&bundle, "subjects"), "name: Text(\"A\")\n");
    assert!(
        exported(&imported(folder.path()), "points").contains("ops: Whole(1200)"),
        "the importer's ops"
    );

    let facts = dyno::bundles::facts(&[bundle], &Question::default()).unwrap();
    let document = Brief::new(Language::ENGLISH, &facts, &BriefOptions::default()).unwrap();
    let page = render::html(&document).unwrap();
    for what in ["Steps counted", "There were 2 steps.", "<circle cx=\"50\"", "SQLite", "step-back"]
    {
        assert!(page.contains(what), "{what} is not in the brief");
    }
    let (text, figures) = render::markdown(&document, "figures");
    assert!(
        text.contains("a disc for back") && figures.iter().any(|(_, svg)| svg.contains("<circle")),
        "{text}"
    );
}

#[test]
fn an_addition_is_one_file_and_one_line() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/registry");
    let mut files: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|name| name != "main")
        .collect();
    files.sort_unstable();
    let mut kinds = KINDS.to_vec();
    kinds.sort_unstable();
    assert_eq!(files, kinds, "a file for each kind, and no other");
    let main = std::fs::read_to_string(folder.join("main.rs")).unwrap();
    for kind in kinds {
        let lines = main.lines().filter(|line| line.trim() == format!("{kind},")).count();
        assert_eq!(lines, 1, "{kind}: lines elsewhere");
        println!("{kind}: files touched = 1, lines elsewhere = {lines}");
    }
}

#[test]
fn what_is_added_is_listed_and_checked_like_dynos_own() {
    dyno::register();
    add_all();
    let catalogue = dyno::plan_catalogue();
    let names =
        |infos: &[&'static plan::Info]| infos.iter().map(|info| info.name).collect::<Vec<_>>();
    assert!(names(&catalogue.engines).ends_with(&["slate", "sqlite"]));
    assert!(names(&catalogue.workloads).ends_with(&["backwards"]));
    assert!(names(&catalogue.meters).ends_with(&["pendulum"]));
}

#[test]
fn a_trace_of_an_added_format_is_read_like_one_of_dynos_own() {
    add_all();
    let folder = tempfile::tempdir().unwrap();
    let chart = folder.path().join("chart");
    std::fs::write(&chart, "strip chart\n7 3\n5 1\n").unwrap();
    let (mut reader, compiled) = dyno::trace::read_any(&chart, folder.path()).unwrap();
    assert_eq!((compiled.format, compiled.summary.requests), ("strip chart", 2));
    let first = reader.next_request().unwrap().unwrap();
    assert_eq!((first.at_ns, first.offset), (0, 4096), "in the order of time");
}
