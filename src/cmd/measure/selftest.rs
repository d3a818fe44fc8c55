//! `dyno selftest`: measures the limits of Dyno on this host. The same subject twice, known
//! differences, scatter, the pacing floor and the generator's ceilings, by ordinary plans and
//! briefs. The result is stored for this host, disclosed in every later bundle and quoted by its
//! briefs.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::analysis::verdicts::selftest;
use crate::analysis::{Facts, Question};
use crate::base::clock::Clock;
use crate::base::error::{Context, Result, failed};
use crate::base::stderr::note;
use crate::base::units::parse_duration_ns;
use crate::bundles;
use crate::cmd::json::OutputFormat;
use crate::cmd::measure::run::{self, PartEnd};
use crate::cmd::measure::selftest_device::NamedDevice;
use crate::cmd::tools::facts::Disclosed;
use crate::cmd::{json, selftest_result};
use crate::plan::{self, Plan};
use crate::record::PacingFloor;
use crate::record::selftest::{Same, SelfTest};
use crate::run::display::progress::Progress;
use crate::run::points::floor;

/// The locations, and the duration.
#[derive(Args)]
pub struct SelftestArgs {
    /// Directories on the drives to be tested, or bare devices, named as in a plan:
    /// DEVICE,serial=S,erase=true erases the device [default: the null engine and a temporary
    /// directory]
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// Approximate duration; a result is stored only if the duration is at least the default
    #[arg(long, value_name = "TIME", default_value = DEFAULT)]
    duration: String,
    #[command(flatten)]
    format: OutputFormat,
}

const DEFAULT: &str = "150s";

/// Known latencies, in percent above the first subject's.
const KNOWN_PERCENT: [f64; 3] = [1.0, 3.0, 10.0];

/// The latency of plans/selftest.toml.
const LATENCY_NS: f64 = 50_000.0;

/// A point's time besides its window: warm-up, threads, the bundle.
const BESIDE_NS: u64 = 80_000_000;
const SHORTEST_WINDOW_NS: u64 = 20_000_000;

/// The exit code: 0, or that of the signal that ended it.
pub fn selftest(args: &SelftestArgs, out: &mut dyn Write) -> Result<u8> {
    let wanted =
        |text: &str| parse_duration_ns(text).map_err(|why| failed(why, "as in --duration 10m"));
    let duration_ns = wanted(&args.duration)?;
    let clock = Clock::start();
    let place = SelftestFolder::make(&std::env::temp_dir())?;
    let default = || vec![std::env::temp_dir().display().to_string()];
    let paths = if args.paths.is_empty() { default() } else { args.paths.clone() };
    let targets =
        paths.iter().map(|path| SelftestPath::of(path, &place)).collect::<Result<Vec<_>>>()?;
    let runs: Vec<Measurement> =
        of_null(&place).into_iter().chain(targets.iter().flat_map(of_target)).collect();
    let points: u64 = runs.iter().map(|m| m.points).sum();
    let window_ns = (duration_ns / points.max(1)).saturating_sub(BESIDE_NS).max(SHORTEST_WINDOW_NS);
    let mut found = empty(window_ns, floor::measure(clock)?);
    for (index, run) in runs.iter().enumerate() {
        note(&format!("Self-test, {} of {}: {}", index + 1, runs.len(), run.title));
        let bundle = place.0.join(format!("{index}.dyno"));
        match run.measure(window_ns, &bundle)? {
            PartEnd::Interrupted(code) => return Ok(code),
            PartEnd::Measured(_) => {
                run.note(&bundles::facts(&[bundle], &Question::default())?, &mut found)
            }
        }
    }
    match args.format.json {
        true => json::print(&Disclosed::of(found.disclosed()), out)?,
        false => found
            .disclosed()
            .iter()
            .try_for_each(|fact| writeln!(out, "{:44} {}", fact.name, fact.value))?,
    }
    if duration_ns >= wanted(DEFAULT)? {
        selftest_result::keep(&found)?;
    } else {
        let short = format!("Not kept: a self-test of less than {DEFAULT} shows little.");
        if args.format.json { note(&short) } else { writeln!(out, "{short}")? }
    }
    Ok(0)
}

fn empty(window_ns: u64, floor: PacingFloor) -> SelfTest {
    SelfTest {
        started_unix_ns: jiff::Timestamp::now().as_nanosecond().max(0) as u64,
        dyno_version: env!("CARGO_PKG_VERSION").to_string(),
        repeats: 0,
        window_ns,
        same: Same::default(),
        known: Vec::new(),
        scatter: Vec::new(),
        floor,
        ceilings: Vec::new(),
        failures: Vec::new(),
    }
}

/// The purpose of a self-test's run.
enum Purpose {
    Same,
    Known(f64),
    /// Of an engine.
    Ceiling(&'static str),
    Scatter(String),
}

/// One ordinary run of two subjects, of which the second equals the first or has a known latency.
struct Measurement {
    title: String,
    protocol: &'static str,
    subjects: SelftestSubjects,
    set: Vec<(String, String)>,
    points: u64,
    purpose: Purpose,
}

impl Measurement {
    fn plan(&self, window_ns: u64) -> Result<Plan> {
        let steps: &[&str] =
            if self.protocol == "ceiling" { &["one", "many", "open"] } else { &["known"] };
        let mut set = self.set.clone();
        set.extend(
            steps.iter().map(|step| (format!("step.{step}.duration"), format!("{window_ns}ns"))),
        );
        let alone = [("meters", "none"), ("same_device", "true")]
            .map(|(key, value)| (key.to_string(), value.to_string()));
        match &self.subjects {
            SelftestSubjects::Folders(folders) => {
                set.extend(alone);
                Ok(plan::from_command_line(
                    self.protocol,
                    folders,
                    &set,
                    None,
                    &crate::plan_catalogue(),
                )?)
            }
            SelftestSubjects::Device(device) => device.plan(self.protocol, &set),
        }
    }

    fn measure(&self, window_ns: u64, bundle: &Path) -> Result<PartEnd> {
        run::quietly(self.plan(window_ns)?, bundle, &Progress::new())
    }

    /// Adds the result of its brief.
    fn note(&self, facts: &Facts, found: &mut SelfTest) {
        let failure = |f: &crate::analysis::facts::EarlyEnd| {
            format!("{}, {}: {}", self.title, f.step.written, f.cause)
        };
        for why in facts.measured.failures.iter().map(failure) {
            if !found.failures.contains(&why) {
                found.failures.push(why);
            }
        }
        found.repeats =
            facts.setup.runs.iter().map(|r| r.repeats).max().unwrap_or(0).max(found.repeats);
        if let Purpose::Known(percent) = self.purpose {
            return found.known.push(selftest::known(&facts.comparisons, percent));
        }
        found.same = selftest::same(found.same, &facts.comparisons);
        match &self.purpose {
            Purpose::Ceiling(engine) => {
                found.ceilings.extend(selftest::ceilings(&facts.measured, engine))
            }
            Purpose::Scatter(of) => {
                found.scatter.push(selftest::scatter(&facts.measured, of, found.repeats))
            }
            Purpose::Same => found.scatter.push(selftest::scatter(
                &facts.measured,
                "the null engine",
                found.repeats,
            )),
            Purpose::Known(_) => {}
        }
    }
}

/// The subject that is measured twice.
enum SelftestSubjects {
    /// Two directories, each with its name.
    Folders([(String, PathBuf); 2]),
    Device(NamedDevice),
}

/// A path from the command line.
enum SelftestPath {
    /// The self-test's own folder in a directory, and the directory's path as given.
    Folder(SelftestFolder, String),
    Device(NamedDevice),
}

impl SelftestPath {
    fn of(written: &str, place: &SelftestFolder) -> Result<SelftestPath> {
        match NamedDevice::named(written, &place.0)? {
            Some(device) => device.may_be_erased().map(|()| SelftestPath::Device(device)),
            None => Ok(SelftestPath::Folder(
                SelftestFolder::make(Path::new(written))?,
                written.to_string(),
            )),
        }
    }
}

/// Loads without a drive.
fn of_null(place: &SelftestFolder) -> Vec<Measurement> {
    let mut runs = vec![known(place, Purpose::Same)];
    runs.extend(KNOWN_PERCENT.map(|percent| known(place, Purpose::Known(percent))));
    runs.push(ceiling(
        place.subjects(),
        "null engine".to_string(),
        Purpose::Ceiling("null"),
        "null",
        false,
    ));
    runs
}

/// Loads on a path's filesystem and drive, or on a device.
fn of_target(target: &SelftestPath) -> Vec<Measurement> {
    let (cached, direct) = match target {
        SelftestPath::Folder(_, path) => {
            (format!("cached files under {path}"), format!("direct reads under {path}"))
        }
        SelftestPath::Device(device) => {
            let path = device.path.display();
            (format!("cached reads of {path}"), format!("direct reads of {path}"))
        }
    };
    // From the second run on, a device's contents are those written by the first.
    let subjects = |is_first: bool| match target {
        SelftestPath::Folder(folder, _) => folder.subjects(),
        SelftestPath::Device(device) if is_first => SelftestSubjects::Device(device.clone()),
        SelftestPath::Device(device) => SelftestSubjects::Device(device.again()),
    };
    let cached = |engine: &'static str, is_first: bool| {
        ceiling(
            subjects(is_first),
            format!("{cached}, {engine}"),
            Purpose::Ceiling(engine),
            engine,
            false,
        )
    };
    let direct = ceiling(subjects(false), direct.clone(), Purpose::Scatter(direct), "psync", true);
    vec![cached("psync", true), cached("uring", false), direct]
}

fn known(place: &SelftestFolder, purpose: Purpose) -> Measurement {
    let (title, knob) = match purpose {
        Purpose::Known(percent) => {
            let latency_ns = LATENCY_NS * (1.0 + percent / 100.0);
            (
                format!("an engine with {percent} % more latency"),
                format!(",latency={latency_ns:.0}ns"),
            )
        }
        _ => ("the same engine twice".to_string(), String::new()),
    };
    let [first, second] = ["one", "two"].map(|name| place.0.join(name));
    let second = PathBuf::from(format!("{}{knob}", second.display()));
    let subjects =
        SelftestSubjects::Folders([("First".to_string(), first), ("Second".to_string(), second)]);
    Measurement { title, protocol: "selftest", subjects, set: Vec::new(), points: 60, purpose }
}

fn ceiling(
    subjects: SelftestSubjects,
    title: String,
    purpose: Purpose,
    engine: &str,
    direct: bool,
) -> Measurement {
    let streams = ["one", "many", "open"]
        .map(|step| (format!("step.{step}.stream.io.engine"), engine.to_string()));
    let mut set: Vec<(String, String)> = streams.into();
    if engine == "uring" {
        set.push(("dataset.file.engine".to_string(), engine.to_string()));
    }
    if engine != "psync" {
        set.push(("step.many.stream.io.threads".to_string(), "1".to_string()));
        set.push(("step.many.stream.io.depth".to_string(), "32".to_string()));
    }
    if direct {
        set.push(("dataset.file.direct".to_string(), "true".to_string()));
    }
    Measurement { title, protocol: "ceiling", subjects, set, points: 30, purpose }
}

/// The self-test's own folder, with a subfolder for each of two subjects; removed at the end.
struct SelftestFolder(PathBuf);

impl SelftestFolder {
    fn subjects(&self) -> SelftestSubjects {
        SelftestSubjects::Folders(["one", "two"].map(|name| (name.to_string(), self.0.join(name))))
    }

    fn make(parent: &Path) -> Result<SelftestFolder> {
        let parent =
            parent.canonicalize().with_context(|| format!("the directory {}", parent.display()))?;
        let free = |n: &u32| !parent.join(name(*n)).exists();
        let folder = parent.join(name((0..).find(free).unwrap_or(0)));
        let made = SelftestFolder(folder.clone());
        for path in [folder.clone(), folder.join("one"), folder.join("two")] {
            std::fs::create_dir(&path).with_context(|| format!("making {}", path.display()))?;
        }
        Ok(made)
    }
}

fn name(n: u32) -> String {
    format!("dyno-selftest-{}-{n}", std::process::id())
}

impl Drop for SelftestFolder {
    fn drop(&mut self) {
        // After a failure, the names of leftover files show what they are.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
