//! Meters from end to end: a scripted instrument with known power gives energy, work per watt and
//! its own delay; failing instruments leave gaps and warnings, and no invented readings.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};

use dyno::analysis::keys::StepKey;
use dyno::base::clock::Clock;
use dyno::base::error::Result;
use dyno::brief::{Brief, BriefOptions, screens};
use dyno::export;
use dyno::language::Language;
use dyno::meter::ReadingTime;
use dyno::meter::line::Lines;
use dyno::plan::{self, Plan};
use dyno::record::setup::{DriveWriteCache, HostSetup};
use dyno::record::{
    DriveState, Fact, Interval, Observed, Point, PointKey, PreparationStep, Sample, Setup, Sink,
    SlowOp,
};
use dyno::render::html;
use dyno::render::terminal::terminal;
use dyno::run::datasets::before::Before;
use dyno::run::display::progress::Progress;
use dyno::run::{Maxima, RunRequest};
use dyno::store::{Bundle, BundleWriter};

use crate::support::quiet::on_a_quiet_machine;

/// 5 W + 1 W per 100 K ops/s, twenty readings per second, 1.5 s late. The test supplies the load.
/// Each reading has its own time and is printed half a second after it, when its load is known; so
/// a machine that stops for less than a second changes no reading.
const SCRIPT: &str = r#"
import sys, time
def watts(at):
    for line in open(sys.argv[1]):
        start, end, rate = map(float, line.split())
        if start <= at < end:
            return 5 + rate / 100_000
    return 5.0
due = time.time()
while True:
    time.sleep(max(0, due + 0.5 - time.time()))
    print(due, watts(due - 1.5), flush=True)
    due += 0.05
"#;

/// Stores everything in a bundle, and records the load for the script as it is counted.
struct Told {
    bundle: BundleWriter,
    load: File,
    /// Start of the point's window, in seconds since 1970.
    opened_s: Option<f64>,
}

impl Sink for Told {
    fn begin(&mut self, key: &PointKey) -> Result<()> {
        self.opened_s = None;
        self.bundle.begin(key)
    }
    fn interval(&mut self, i: &Interval) -> Result<()> {
        let now_s = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
        let seconds = |ns: u64| ns as f64 / 1e9;
        let opened_s = *self.opened_s.get_or_insert(now_s - seconds(i.end_ns));
        let rate = i.service.count as f64 / seconds(i.end_ns - i.start_ns);
        writeln!(
            self.load,
            "{} {} {rate}",
            opened_s + seconds(i.start_ns),
            opened_s + seconds(i.end_ns)
        )?;
        self.bundle.interval(i)
    }
    fn sample(&mut self, sample: &Sample) -> Result<()> {
        self.bundle.sample(sample)
    }
    fn slow_op(&mut self, op: &SlowOp) -> Result<()> {
        self.bundle.slow_op(op)
    }
    fn end(&mut self, point: &Point) -> Result<()> {
        self.bundle.end(point)
    }
    fn discard(&mut self) -> Result<()> {
        self.bundle.discard()
    }
    fn facts(&mut self, facts: &[Fact]) -> Result<()> {
        self.bundle.facts(facts)
    }
    fn observed(&mut self, observed: &[Observed]) -> Result<()> {
        self.bundle.observed(observed)
    }
    fn write_caches(&mut self, states: &[DriveWriteCache]) -> Result<()> {
        self.bundle.write_caches(states)
    }
    fn prepared(&mut self, prepared: &[PreparationStep]) -> Result<()> {
        self.bundle.prepared(prepared)
    }
    fn left(&mut self, states: &[DriveState]) -> Result<()> {
        self.bundle.left(states)
    }
}

/// Runs a step of one null stream with the meters, and returns the bundle.
fn run(folder: &Path, meters: &str, step: &str, stream: &str) -> PathBuf {
    std::fs::create_dir_all(folder.join("drive")).unwrap();
    let head = "title = \"Metered\"\nsource = \"test\"\n[[step]]\nname = \"s\"\nwarmup = \"0s\"\n";
    let tail = "[[step.stream]]\nname = \"io\"\nworkload = \"random\"\n";
    std::fs::write(folder.join("p.toml"), format!("{head}{step}\n{tail}{stream}\n")).unwrap();
    let drive = folder.join("drive");
    let text = format!(
        "protocol = \"p.toml\"\nrepeats = 1\nidle = \"3s\"\n[[subject]]\nname = \"A\"\n\
         drives = [{{ path = {drive:?} }}]\nmeters = {meters}\n"
    );
    let file = folder.join("plan.toml");
    std::fs::write(&file, text).unwrap();
    let plan: Plan =
        plan::load(&file, &dyno::plan_catalogue()).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let bundle = folder.join("run.dyno");
    let record =
        dyno::record::Run { plan: plan.clone(), started_unix_ns: 0, dyno_version: "test".into() };
    let load = File::create(folder.join("load.txt")).unwrap();
    let mut sink = Told {
        bundle: BundleWriter::create(&bundle, &record, &Setup::default()).unwrap(),
        load,
        opened_s: None,
    };
    let run = RunRequest {
        plan: &plan,
        points: plan::points(&plan).collect(),
        maxima: Maxima::default(),
        searches: Default::default(),
        figures: Default::default(),
        before: Before::default(),
        sink: &mut sink,
        progress: &Progress::new(),
        stop: &AtomicBool::new(false),
        clock: Clock::start(),
        starts: None,
    };
    let summary = run.execute().unwrap();
    assert_eq!((summary.failed, summary.interrupted), (0, false));
    bundle
}

#[test]
fn a_scripted_meter_gives_work_a_watt_and_energy_within_a_percent_and_its_delay_within_50_ms() {
    on_a_quiet_machine(|| {
        let folder = tempfile::tempdir().unwrap();
        let (script, load) = (folder.path().join("meter.py"), folder.path().join("load.txt"));
        std::fs::write(&script, SCRIPT).unwrap();
        std::fs::write(&load, "").unwrap();
        let meters = format!(
            "[{{ kind = \"exec\", class = \"drive\", timestamps = true, command = [\"python3\", \
             {script:?}, {load:?}] }}]"
        );
        let step = "duration = \"6s\"\n\
                    sweep = { axis = \"io.rate\", values = [\"100k/s\", \"400k/s\"] }";
        let stall =
            "engine = { kind = \"null\", stall_at = \"3s\", stall = \"700ms\" }\nrate = \"100k/s\"";
        let path = run(folder.path(), &meters, step, stall);
        check_energy(&path);
    });
}

fn check_energy(path: &PathBuf) {
    let all = dyno::bundles::facts(std::slice::from_ref(path), &Default::default()).unwrap();
    let bundle = Bundle::open(path).unwrap();
    assert_eq!(all.measured.steps[StepKey(0)].cells.len(), 2);
    for (cell, stored) in all.measured.steps[StepKey(0)].cells.iter().zip(bundle.points().unwrap())
    {
        let seconds = |ns: u64| ns as f64 / 1e9;
        let rates = bundle.rates(stored.id).unwrap();
        let ops: f64 = rates.iter().map(|r| r.ops as f64).sum();
        let true_joules: f64 = rates
            .iter()
            .map(|r| 5.0 * seconds(r.end_ns - r.start_ns) + r.ops as f64 / 100_000.0)
            .sum();
        let power = &cell.power[0];
        assert_eq!((power.class.as_str(), power.kind.as_str()), ("drive", "exec"));
        assert_eq!(power.rest_watts, Some(5.0));
        let readings = power.readings.as_ref().expect("readings");
        let late_s = readings.late_s.expect("a delay");
        let joules = readings.joules.as_ref().expect("energy").value;
        let per_watt = power.ops_per_watt.as_ref().expect("ops/s a watt");
        let (energy_off, work_off) =
            (joules / true_joules - 1.0, per_watt.value / (ops / true_joules) - 1.0);
        println!(
            "{ops:.0} ops: {joules:.3} J ({:+.2} %), {:.0} ops/s/W ({:+.2} %), {late_s:.2} s late",
            energy_off * 100.0,
            per_watt.value,
            work_off * 100.0
        );
        let right =
            (late_s - 1.5).abs() <= 0.05 && energy_off.abs() < 0.01 && work_off.abs() < 0.01;
        assert!(right, "{late_s} s late, {joules} J of {true_joules}, {per_watt:?}");
    }
    let shown = terminal(&screens::show(Language::ENGLISH, &all), 100);
    assert!(
        shown.contains("drive (exec)") && shown.contains("ops/s/W") && shown.contains("J/op"),
        "{shown}"
    );
    let mut csv = Vec::new();
    let (points, form) =
        (export::TABLES.iter().next().unwrap(), export::FORMS.iter().next().unwrap());
    let facts = dyno::bundles::facts(std::slice::from_ref(path), &Default::default()).unwrap();
    export::export((std::slice::from_ref(path), &facts), points, form, Box::new(&mut csv)).unwrap();
    let mut rows = csv::Reader::from_reader(&csv[..]);
    let at = rows.headers().unwrap().iter().position(|c| c == "drive_joules").unwrap();
    let told: Vec<f64> = rows.records().map(|row| row.unwrap()[at].parse().unwrap()).collect();
    let known: Vec<f64> =
        all.measured.steps[StepKey(0)].cells.iter().map(|c| joules(&c.power[0]).unwrap()).collect();
    assert!(
        told.iter().zip(&known).all(|(a, b)| (a - b).abs() < 1e-5) && told.len() == 2,
        "{told:?} {known:?}"
    );
}

/// Failing instruments, each of another class, and the expected messages.
const BROKEN: [(&str, &str, &str); 4] = [
    (
        "drive",
        "for i in range(40): print(5.0, flush=True); time.sleep(0.05)\nsys.exit(3)",
        "the command ended",
    ),
    (
        "slot",
        "for i in range(40): print(5.0, flush=True); time.sleep(0.05)\ntime.sleep(99)",
        "no reading for 1.0 s",
    ),
    (
        "system",
        "while True:\n for word in ['5.0', 'banana', 'nan', '', '5.0 W']:\n  \
         print(word, flush=True); time.sleep(0.05)",
        "is not a reading",
    ),
    (
        "cpu",
        "back = 0\nfor i in range(10**6):\n if i == 60: back = 30\n \
         print(time.time() - back, 5.0, flush=True); time.sleep(0.05)",
        "before the last",
    ),
];

#[test]
fn a_meter_that_dies_stalls_raves_or_goes_back_in_time_leaves_gaps_and_warnings_and_nothing_else() {
    on_a_quiet_machine(|| {
        let folder = tempfile::tempdir().unwrap();
        let meter = |(class, body, _): &(&str, &str, &str)| {
            let script = folder.path().join(format!("{class}.py"));
            std::fs::write(&script, format!("import sys, time\n{body}\n")).unwrap();
            let timestamps = *class == "cpu";
            format!(
                "{{ kind = \"exec\", class = \"{class}\", command = [\"python3\", {script:?}], \
             stall = \"1s\", timestamps = {timestamps} }}"
            )
        };
        let meters = format!("[{}]", BROKEN.iter().map(meter).collect::<Vec<_>>().join(", "));
        let path =
            run(folder.path(), &meters, "duration = \"6s\"", "engine = \"null\"\nrate = \"1k/s\"");
        let bundle = Bundle::open(&path).unwrap();
        let stored = bundle.points().unwrap().remove(0);
        let samples = bundle.samples(stored.id).unwrap();
        for (class, _, says) in BROKEN {
            let gauge = format!("{class}_watts");
            let own: Vec<&Sample> = samples.iter().filter(|s| s.name == gauge).collect();
            let meter = &own.first().unwrap_or_else(|| panic!("{class}: no readings at all")).meter;
            let troubles: Vec<&Fact> = stored
                .point
                .facts
                .iter()
                .filter(|f| f.group == "Meters" && f.name == *meter)
                .collect();
            assert!(troubles.iter().any(|f| f.value.contains(says)), "{class}: {troubles:?}");
            assert!(
                own.iter().all(|s| s.value == 5.0 || s.value.is_nan()),
                "{class}: something was invented"
            );
            assert!(own.iter().any(|s| s.value.is_nan()), "{class}: no gap");
            assert!(
                own.windows(2).all(|w| w[0].at_ns <= w[1].at_ns),
                "{class}: time goes backwards"
            );
        }
        let all = dyno::bundles::facts(&[path], &Default::default()).unwrap();
        let powers = &all.measured.steps[StepKey(0)].cells[0].power;
        let stalled = powers.iter().find(|p| p.class == "slot");
        assert!(
            stalled.is_none_or(|p| joules(p).is_none() && p.ops_per_watt.is_none()),
            "energy out of a silence"
        );
        let shown = terminal(&screens::show(Language::ENGLISH, &all), 100)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert!(
            shown.contains("too little for energy") || powers.iter().all(|p| joules(p).is_some()),
            "{shown}"
        );
    });
}

#[test]
fn a_reading_without_a_time_of_its_own_gets_that_at_which_it_was_seen() {
    let now = ReadingTime { ns: 10_000_000_000, unix_ns: 1_000_000_000_000 };
    for (timestamps, line, at_ns) in
        [(false, "5.0", 10_000_000_000), (true, "999.5 5.0", 9_500_000_000)]
    {
        let mut lines = Lines {
            name: "drive_watts".into(),
            timestamps,
            zone_s: None,
            offset_s: 0.0,
            last_ns: i64::MIN,
        };
        let reading = lines.reading(line, now).unwrap();
        assert_eq!((reading.at_ns, reading.value), (at_ns, 5.0), "{line}");
    }
}

#[test]
fn a_secret_reaches_neither_bundle_nor_report() {
    const SECRET: &str = "hunter2-d41d8cd9";
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("drive")).unwrap();
    let protocol = folder.path().join("p.toml");
    let text = "title = \"Kept\"\nsource = \"a database at mysql://root:hunter2-d41d8cd9@db/x\"\n\
                [[step]]\nname = \"s\"\n\
                duration = \"1s\"\n[[step.stream]]\nname = \"io\"\nengine = \"null\"\n\
                workload = \"random\"\n";
    std::fs::write(&protocol, text).unwrap();
    let subjects = [("A".to_string(), folder.path().join("drive"))];
    let plan = plan::from_command_line(
        &protocol.to_string_lossy(),
        &subjects,
        &[],
        None,
        &dyno::plan_catalogue(),
    );
    let plan = plan.unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let record =
        dyno::record::Run { plan: plan.clone(), started_unix_ns: 0, dyno_version: "test".into() };
    let path = folder.path().join("run.dyno");
    let kernel_command_line = Some(format!("mitigations=off token={SECRET}"));
    let host = HostSetup { kernel_command_line, ..HostSetup::default() };
    let setup = Setup { host, ..Setup::default() };
    let mut bundle = BundleWriter::create(&path, &record, &setup).unwrap();
    let key = plan::points(&plan).next().expect("a point").key;
    bundle.begin(&key).unwrap();
    let outcome = dyno::record::Outcome::Failed {
        cause: format!("cannot reach mysql://root:{SECRET}@db:3306/x"),
    };
    let facts = vec![Fact::new("MySQL", "Answer", format!("password='{SECRET}' is wrong"))];
    let point = Point { window_ns: Some(1), outcome, facts, ..Point::begun(key, 0) };
    bundle.end(&point).unwrap();
    drop(bundle);
    let all = dyno::bundles::facts(std::slice::from_ref(&path), &Default::default()).unwrap();
    let page =
        html(&Brief::new(Language::ENGLISH, &all, &BriefOptions::default()).unwrap()).unwrap();
    // Other options of the command line are counted, and shown on request.
    assert!(page.contains("mitigations=off"), "the rest is still shown");
    for entry in
        std::fs::read_dir(folder.path()).unwrap().flatten().filter(|e| e.path() != protocol)
    {
        if entry.path().is_file() {
            let kept = std::fs::read(entry.path()).unwrap();
            assert!(
                !String::from_utf8_lossy(&kept).contains(SECRET),
                "{:?} holds the secret",
                entry.path()
            );
        }
    }
    assert!(
        !page.contains(SECRET)
            && !terminal(&screens::show(Language::ENGLISH, &all), 100).contains(SECRET)
    );
}

#[test]
fn dyno_facts_tells_of_the_host_and_of_what_lies_under_a_path() {
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_dyno"))
        .args(["facts", "/proc"])
        .output()
        .unwrap();
    let told = String::from_utf8(out.stdout).unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    for fact in [
        "Operating system",
        "Logical processors",
        "Mitigations",
        "Command line",
        "Filesystem on",
        "RocksDB",
    ] {
        assert!(told.contains(fact), "'{fact}' is not reported:\n{told}");
    }
}

#[test]
fn the_meters_that_always_watch_take_less_than_a_hundredth_of_a_processor() {
    on_a_quiet_machine(|| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("drive")).unwrap();
        let plan = "title = \"t\"\n[[step]]\nname = \"s\"\nduration = \"5s\"\n[[step.stream]]\n\
                name = \"io\"\n\
                engine = { kind = \"null\", latency = \"100us\" }\nworkload = \"random\"\n";
        std::fs::write(folder.path().join("p.toml"), plan).unwrap();
        let mut dyno = std::process::Command::new(env!("CARGO_BIN_EXE_dyno"));
        dyno.current_dir(folder.path()).args([
            "run",
            "./p.toml",
            "--subject",
            "A=drive",
            "--repeats",
            "1",
            "--output",
            "b.dyno",
        ]);
        let mut dyno = dyno
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let begun = std::time::Instant::now();
        // Since the start of the run, and the processor time of each meter's thread, as last seen:
        // the threads end with the run.
        let (mut seconds, mut on_processor) = (0.0, std::collections::BTreeMap::new());
        while dyno.try_wait().unwrap().is_none() {
            let tasks = std::fs::read_dir(format!("/proc/{}/task", dyno.id()));
            for task in tasks.into_iter().flatten().flatten() {
                let read = |name: &str| {
                    std::fs::read_to_string(task.path().join(name)).unwrap_or_default()
                };
                let ns = read("schedstat").split(' ').next().and_then(|ns| ns.parse::<f64>().ok());
                if let (true, Some(ns)) = (read("comm").trim() == "meter", ns) {
                    seconds = begun.elapsed().as_secs_f64();
                    on_processor.insert(task.path(), ns / 1e9);
                }
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        assert!(!on_processor.is_empty(), "no thread that reads a meter");
        let on_processor_s: f64 = on_processor.values().sum();
        println!(
            "{on_processor_s:.3} s in {seconds:.1} s: {:.2} % of a processor",
            on_processor_s / seconds * 100.0
        );
        assert!(
            seconds > 4.5 && on_processor_s / seconds < 0.01,
            "{on_processor_s} s in {seconds} s"
        );
    });
}

/// For one point, if the readings cover the window.
fn joules(power: &dyno::analysis::limits::power::PowerFacts) -> Option<f64> {
    Some(power.readings.as_ref()?.joules.as_ref()?.value)
}
