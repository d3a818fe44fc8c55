//! `dyno run`: connects the plan, the run and the bundle.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::base::clock::Clock;
use crate::base::error::{
    Context, Result, bail, describe, exit, exit_code, failed, misused, refused,
};
use crate::base::output::refuse_existing;
use crate::base::stderr::{be_quiet, note};
use crate::base::units::plural;
use crate::base::{file, private};
use crate::cmd::look::serve_run::ServeProcess;
use crate::cmd::measure::consent::{Directories, RunPart};
use crate::cmd::measure::run_start::StartArgs;
use crate::cmd::measure::selection::Selection;
use crate::cmd::measure::{consent, run_start};
use crate::cmd::signals::Signals;
use crate::cmd::{plan_numbers, selftest_result};
use crate::lab;
use crate::plan::{
    self, Catalogue, CommandLineValues, Plan, PointIndex, PointKey, PointPlan, Sweep,
};
use crate::record::live::{LiveTotals, RunEnding};
use crate::record::{CommonStart, METHOD, Observed, Outcome, Run, Setup, Sink};
use crate::run::datasets::before::Before;
use crate::run::display::live::{self, LiveFeed};
use crate::run::display::progress::{Progress, ProgressForm, TestPlace};
use crate::run::points::search::Searches;
use crate::run::points::stopping_rule::{Figures, headline};
use crate::run::{self, Maxima, prepare};
use crate::store::{self, Bundle, BundleWriter, Glance, Readers, RunFile, limits};

/// The plan.
#[derive(Args)]
pub struct RunInput {
    /// Plan file, built-in protocol (see `dyno protocols`), or bundle whose plan is run again
    #[arg(value_name = "PLAN | PROTOCOL | BUNDLE")]
    what: Option<PathBuf>,
    /// Subject to measure: a label and a directory, as in --subject A=/mnt/a. Engine knobs for this
    /// subject alone may follow, as in --subject A=/mnt/a,latency=110us. Repeatable; replaces the
    /// subjects of a plan
    #[arg(short, long, value_name = "NAME=PATH[,KNOB=VALUE…]")]
    subject: Vec<String>,
    /// Repeats of each point
    #[arg(long)]
    repeats: Option<u32>,
    /// Smaller variant of the protocol, as in --scale small
    #[arg(long, value_name = "NAME")]
    scale: Option<String>,
    /// Override a value, as in --set step.readrandom.duration=5s; takes precedence over the plan's
    /// own overrides. With a bundle: supply a meter setting that the bundle hides, as in --set
    /// 'meter.1.command=["ppm-read", "--module", "a"]'
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Control run: allow subjects that share a physical device
    #[arg(long)]
    same_device: bool,
    #[command(flatten)]
    selection: Selection,
    /// With a bundle, or a plan file of another user: allow its plan this action on this thing, as
    /// in --allow run:./meter, --allow read:./power.csv, --allow erase:SERIAL; the thing alone if
    /// the plan does nothing else with it. Repeatable
    #[arg(long, value_name = "ACTION:THING", allow_hyphen_values = true)]
    allow: Vec<String>,
}

/// The plan or protocol, its subjects, and the bundle.
#[derive(Args)]
pub struct RunArgs {
    #[command(flatten)]
    what: RunInput,
    /// Print what would be done and whether it can be, as `dyno plan check`, and measure nothing
    #[arg(long, conflicts_with_all = ["resume", "except"])]
    dry_run: bool,
    /// Bundle to write [default: PROTOCOL-TIME.dyno in this directory]
    #[arg(short, long, value_name = "BUNDLE")]
    output: Option<PathBuf>,
    /// Continue an interrupted run
    #[arg(long, value_name = "BUNDLE", conflicts_with_all = ["what", "output"])]
    resume: Option<PathBuf>,
    /// Skip the points that this bundle already contains, to continue a run on another host;
    /// repeatable
    #[arg(long, value_name = "BUNDLE")]
    except: Vec<PathBuf>,
    /// Who may read the bundle while the run goes on: owner, group or all. A reader can lock it,
    /// which delays what is written to it
    #[arg(long, value_name = "WHO", default_value = "owner",
          value_parser = ["owner", "group", "all"])]
    readable_by: String,
    /// Serve the live page of this run from a separate process; DYNO_TOKEN works as for
    /// `dyno serve` [default address: 127.0.0.1:7070]
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, require_equals = true,
          default_missing_value = "127.0.0.1:7070")]
    serve: Option<SocketAddr>,
    #[command(flatten)]
    start: StartArgs,
    #[command(flatten)]
    display: Display,
}

/// The display, on standard error.
#[derive(Args)]
pub struct Display {
    /// Progress format: bar, plain (lines with the time of day), json (one object per line,
    /// docs/json.md) or none [default: bar on a terminal, otherwise plain]
    #[arg(long, value_name = "FORM", value_parser = ["bar", "plain", "json", "none"])]
    progress: Option<String>,
    /// Show errors only
    #[arg(short, long, conflicts_with_all = ["verbose", "progress"])]
    quiet: bool,
    /// Also print the rate of each interval
    #[arg(short, long)]
    verbose: bool,
}

impl RunArgs {
    /// Whether the plan is only to be checked.
    pub fn is_dry_run(&self) -> bool {
        self.dry_run
    }

    /// The plan, and the bundle to write.
    pub fn into_plan(self) -> (RunInput, Option<PathBuf>) {
        (self.what, self.output)
    }
}

impl Display {
    /// The display that was asked for.
    pub fn progress(&self) -> Progress {
        if self.quiet {
            be_quiet();
        }
        let terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
        let form = match self.progress.as_deref() {
            _ if self.quiet => ProgressForm::Silent,
            Some("bar") => ProgressForm::Bar,
            Some("plain") => ProgressForm::Plain,
            Some("json") => ProgressForm::Json,
            Some(_) => ProgressForm::Silent,
            None if terminal => ProgressForm::Bar,
            None => ProgressForm::Plain,
        };
        Progress::in_form(form, self.verbose)
    }
}

impl RunInput {
    /// The selected plan, for inspection: one for each test.
    pub fn plans(&self) -> Result<Vec<Plan>> {
        self.within_limits(None)
    }

    /// Refuses what a run of the selected plan would refuse before it measures anything.
    pub fn preflight(&self, output: Option<&Path>) -> Result<()> {
        let plans = self.within_limits(Some(&self.allow))?;
        let default = || default_bundle(&plans, jiff::Timestamp::now());
        let bundle = output.map_or_else(default, Path::to_path_buf);
        preflight(&plans, &bundle, Clock::start())
    }

    /// Plans whose results a bundle can store.
    fn within_limits(&self, allow: Option<&[String]>) -> Result<Vec<Plan>> {
        let plans = self.selection.of(self.resolve(allow)?)?;
        limits::TESTS.check(plans.len() as u64)?;
        plans.iter().try_for_each(limits::check_plan)?;
        Ok(plans)
    }

    /// The same, for execution. A bundle's plan does nothing that was not permitted by name.
    fn resolve(&self, allow: Option<&[String]>) -> Result<Vec<Plan>> {
        let catalogue = crate::plan_catalogue();
        let Some(what) = &self.what else {
            return Err(failed("no plan was named", "specify a plan, a protocol or a bundle"));
        };
        if file::is_sqlite(what) {
            if !self.subject.is_empty() || self.repeats.is_some() || self.scale.is_some() {
                bail!(
                    "a bundle is repeated unchanged; --subject, --scale and --repeats apply to \
                     plans and protocols"
                );
            }
            let tests = Bundle::open_tests(what)?;
            let mut runs: Vec<Run> = tests.iter().map(|test| test.run().clone()).collect();
            runs.iter_mut().for_each(|run| run.plan.same_device |= self.same_device);
            if let Some(allow) = allow {
                consent::ask(&mut runs, what, (&self.set, allow), RunPart::Whole)?;
            }
            let plans: Vec<Plan> = runs.into_iter().map(|run| run.plan).collect();
            plans.iter().try_for_each(|plan| plan::recheck(plan, &catalogue))?;
            return Ok(plans);
        }
        let plans = self.of_file(what, &catalogue)?;
        if let Some(allow) = allow {
            let own = if self.subject.is_empty() { Directories::Named } else { Directories::Own };
            consent::ask_of_file(&plans, what, own, allow)?;
        }
        Ok(plans)
    }

    fn of_file(&self, what: &Path, catalogue: &Catalogue) -> Result<Vec<Plan>> {
        let pair = |flag: &str, form: &str, text: &String| match text.split_once('=') {
            Some((name, value)) if !name.is_empty() && !value.is_empty() => {
                Ok((name.to_string(), value.to_string()))
            }
            _ => Err(misused(
                format!("{flag}: '{text}' has no value"),
                format!("write it as in {flag} {form}"),
            )),
        };
        let subject = |text| pair("--subject", "A=/mnt/a", text);
        let setting = |text| pair("--set", "step.readrandom.duration=5s", text);
        let subjects: Vec<_> = self.subject.iter().map(subject).collect::<Result<_>>()?;
        let subjects: Vec<_> =
            subjects.into_iter().map(|(name, path)| (name, PathBuf::from(path))).collect();
        let mut set: Vec<_> = self.set.iter().map(setting).collect::<Result<_>>()?;
        set.extend(self.scale.iter().map(|name| ("scale".to_string(), name.clone())));
        set.extend(self.same_device.then(|| ("same_device".to_string(), "true".to_string())));
        if what.is_file() && plan::is_plan(what) {
            let given = CommandLineValues { subjects: &subjects, set: &set, repeats: self.repeats };
            return Ok(plan::load_tests(what, given, catalogue)?);
        }
        if what.is_file() && subjects.is_empty() {
            return Err(misused(
                format!("{} is a protocol, which names no subjects", what.display()),
                "add --subject A=/mnt/a, or write a plan with protocol = \"FILE\" and [[subject]]",
            ));
        }
        let protocol = what.to_string_lossy();
        let given = CommandLineValues { subjects: &subjects, set: &set, repeats: self.repeats };
        Ok(plan::tests_from_command_line(&protocol, given, catalogue)?)
    }
}

/// Runs or resumes; the exit code: 0 all measured, 2 some points failed, 128 plus the signal's
/// number if interrupted.
pub fn run(args: &RunArgs) -> Result<u8> {
    let readers = match args.readable_by.as_str() {
        "group" => Readers::Group,
        "all" => Readers::All,
        _ => Readers::Owner,
    };
    let progress = args.display.progress();
    let watched =
        RunObserver { progress: &progress, serve: args.serve, except: &args.except, readers };
    match (&args.resume, &args.what.what) {
        (Some(bundle), _) => {
            let given = (&args.what.set[..], &args.what.allow[..]);
            resume(bundle, given, (&args.what.selection, watched))
        }
        (None, Some(_)) => {
            let output = args.output.as_deref();
            let plans = args.what.within_limits(Some(&args.what.allow))?;
            let common = args.start.begin(&plans)?;
            start(plans, output, common, watched)
        }
        (None, None) => Err(failed(
            "nothing to run",
            "specify a plan, a protocol or a bundle, or --resume BUNDLE",
        )),
    }
}

/// How a run can be observed.
#[derive(Clone, Copy)]
struct RunObserver<'a> {
    progress: &'a Progress,
    /// The address of its live page.
    serve: Option<SocketAddr>,
    /// Bundles whose points are skipped.
    except: &'a [PathBuf],
    /// Who may read the bundle during the run.
    readers: Readers,
}

/// Measures a plan file into a bundle, starting or continuing it. The file determines the permitted
/// actions of the bundle's plan. Points of `except` are skipped.
pub fn go_on(path: &Path, bundle: &Path, except: &[PathBuf]) -> Result<u8> {
    let plan = plan::load(path, &crate::plan_catalogue())?;
    limits::check_plan(&plan)?;
    let watched = RunObserver {
        progress: &Progress::in_form(ProgressForm::Plain, false),
        serve: None,
        except,
        readers: Readers::Owner,
    };
    if bundle.exists() {
        let (set, allow) = (consent::given_anew(&plan), consent::names(&plan));
        return resume(bundle, (&set, &allow), (&Selection::default(), watched));
    }
    start(vec![plan], Some(bundle), None, watched)
}

/// The results of an earlier part of a test's run.
#[derive(Default)]
struct EarlierPart {
    maxima: Maxima,
    searches: Searches,
    figures: Figures,
    totals: LiveTotals,
    /// The points that are not measured again.
    done: Vec<PointKey>,
    /// The points start together with those of other hosts.
    start: Option<CommonStart>,
}

fn start(
    plans: Vec<Plan>,
    bundle: Option<&Path>,
    common: Option<CommonStart>,
    watched: RunObserver<'_>,
) -> Result<u8> {
    let now = jiff::Timestamp::now();
    let bundle = bundle.map_or_else(|| default_bundle(&plans, now), Path::to_path_buf);
    let mut observed: Vec<Observed> =
        selftest_result::kept().map(Observed::from).into_iter().collect();
    observed.extend(common.clone().map(Observed::from));
    let (plans, writer, clock) = begin(plans, &bundle, now, observed, watched.readers)?;
    // Locked until the writer has closed it.
    let _lock = lab::folder::lock::bundle(&bundle, clock)?;
    let known = |plan: Plan| {
        let known = EarlierPart { start: common.clone(), ..EarlierPart::default() };
        elsewhere(plan, known, watched.except)
    };
    let tests = plans.into_iter().map(known).collect::<Result<Vec<_>>>()?;
    measure((tests, &Selection::default()), writer, (clock, watched), &bundle, Begun::Now)
}

/// The name of the comparison or protocol.
fn name_of(plans: &[Plan]) -> &str {
    match plans.first() {
        Some(Plan { comparison: Some(comparison), .. }) => &comparison.name,
        Some(plan) => &plan.protocol.name,
        None => "",
    }
}

/// In the working directory: "quick-20261129-050000.dyno".
fn default_bundle(plans: &[Plan], now: jiff::Timestamp) -> PathBuf {
    let name = lab::folder::data::slug(name_of(plans));
    PathBuf::from(format!("{name}-{}.dyno", now.strftime("%Y%m%d-%H%M%S")))
}

/// The checks of a run that has measured nothing yet.
fn preflight(plans: &[Plan], bundle: &Path, clock: Clock) -> Result<()> {
    for plan in plans {
        refuse_under_test(plan, bundle)?;
        refuse_existing(bundle)?;
        run::preflight(plan, clock)?;
    }
    Ok(())
}

/// A test of the run: its plan, and what is known of its earlier part.
type TestRun = (Plan, EarlierPart);

/// When the bundle of a run was created.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begun {
    Now,
    Earlier,
    /// Earlier, and as far as this host knows by someone else.
    Elsewhere,
}

/// The results of earlier parts of the run in other bundles, and their points. The state in which
/// those left their drives is irrelevant here.
fn elsewhere(plan: Plan, mut known: EarlierPart, except: &[PathBuf]) -> Result<TestRun> {
    for path in except {
        for test in Bundle::open_tests(path)? {
            if test.run().plan.protocol.name == plan.protocol.name {
                let done = known.note(&test)?;
                known.done.extend(done);
            }
        }
    }
    Ok((plan, known))
}

/// Performs the checks, and creates the bundle. `known` was observed of the host before.
fn begin(
    plans: Vec<Plan>,
    bundle: &Path,
    now: jiff::Timestamp,
    known: Vec<Observed>,
    readers: Readers,
) -> Result<(Vec<Plan>, BundleWriter, Clock)> {
    let clock = Clock::start();
    preflight(&plans, bundle, clock)?;
    let doubts = plans.iter().flat_map(plan_numbers::doubts);
    doubts.for_each(|doubt| note(&format!("Warning: {doubt}")));
    let record = |plan| Run {
        started_unix_ns: now.as_nanosecond().max(0) as u64,
        dyno_version: env!("CARGO_PKG_VERSION").to_string(),
        plan: Plan { method: METHOD, ..plan },
    };
    let records: Vec<Run> = plans.into_iter().map(record).collect();
    let Some(first) = records.first() else { bail!("nothing to run") };
    let mut setup = setup(&first.plan, clock)?;
    setup.observed.extend(known);
    let options = RunFile { readers, fallbacks: fallbacks(&first.plan) };
    // First: without this, a bundle whose run is killed at once would be somebody else's.
    records.iter().for_each(consent::remember);
    let writer = BundleWriter::create_for_run(bundle, &records, &setup, options)?;
    Ok((records.into_iter().map(|record| record.plan).collect(), writer, clock))
}

/// The host and the drives when a test begins.
fn setup(plan: &Plan, clock: Clock) -> Result<Setup> {
    Ok(Setup {
        facts: [run::devices(plan), run::facts(clock)].concat(),
        observed: vec![run::pacing_floor(clock)?.into()],
        ..lab::machine::facts::gather(&plan.subjects)
    })
}

/// The result of a run that is part of a larger operation.
pub enum PartEnd {
    /// It was completed.
    Measured(run::RunSummary),
    /// With the signal's exit code.
    Interrupted(u8),
}

/// A run that is part of a larger operation: no next step is suggested.
pub fn quietly(plan: Plan, bundle: &Path, progress: &Progress) -> Result<PartEnd> {
    let now = jiff::Timestamp::now();
    let (plans, mut writer, clock) = begin(vec![plan], bundle, now, Vec::new(), Readers::Owner)?;
    let signals = Signals::catch()?;
    signals.end_in_time()?;
    let seen = (clock, progress);
    let plan = plans.into_iter().next().unwrap_or_default();
    let points = plan::points(&plan).collect();
    let mut test = (plan, EarlierPart::default());
    let summary = execute(&mut test, points, &mut writer, (Before::default(), seen), &signals);
    if summary.as_ref().is_err_and(|error| exit_code(error) == exit::REFUSED) {
        writer.discard_empty()?;
    }
    let summary = summary?;
    writer.finish(&signals.stop)?;
    Ok(if summary.interrupted {
        PartEnd::Interrupted(signals.exit_code())
    } else {
        PartEnd::Measured(summary)
    })
}

fn resume(
    bundle: &Path,
    given: (&[String], &[String]),
    (selection, watched): (&Selection, RunObserver<'_>),
) -> Result<u8> {
    let clock = Clock::start();
    let _lock = lab::folder::lock::bundle(bundle, clock)?;
    let mut parts = Vec::new();
    for test in Bundle::open_tests(bundle)? {
        let mut known = EarlierPart::default();
        known.done = known.note(&test)?;
        parts.push(known);
    }
    let (writer, mut records) = BundleWriter::resume(bundle)?;
    consent::ask(&mut records, bundle, given, RunPart::Rest)?;
    let begun = if records.iter().all(consent::is_own) { Begun::Earlier } else { Begun::Elsewhere };
    let mut tests = Vec::new();
    for (record, known) in records.into_iter().zip(parts) {
        plan::recheck(&record.plan, &crate::plan_catalogue())?;
        of_this_method(&record.plan, bundle)?;
        run::points::verification::check(&record.plan)?;
        refuse_under_test(&record.plan, bundle)?;
        tests.push(elsewhere(record.plan, known, watched.except)?);
    }
    selection.check(tests.iter().map(|(plan, _)| plan))?;
    let fallbacks = tests.first().map(|(plan, _)| fallbacks(plan)).unwrap_or_default();
    let writer = writer.for_run(RunFile { readers: watched.readers, fallbacks })?;
    measure((tests, selection), writer, (clock, watched), bundle, begun)
}

/// A bundle has a single method.
fn of_this_method(plan: &Plan, bundle: &Path) -> Result<()> {
    if plan.method == METHOD {
        return Ok(());
    }
    let (bundle, begun, now) = (bundle.display(), plan.method.0, METHOD.0);
    Err(failed(
        format!(
            "{bundle} was started with version {begun} of the measuring method, and this Dyno has \
             version {now}"
        ),
        format!("continue with the Dyno that started it, or measure again: dyno run {bundle}"),
    ))
}

fn measure(
    (mut tests, selection): (Vec<TestRun>, &Selection),
    mut writer: BundleWriter,
    (clock, watched): (Clock, RunObserver<'_>),
    bundle: &Path,
    begun: Begun,
) -> Result<u8> {
    let signals = Signals::catch()?;
    signals.end_in_time()?;
    let progress = watched.progress;
    let plans: Vec<Plan> = tests.iter().map(|(plan, _)| plan.clone()).collect();
    let serving = watched.serve.map(|at| ServeProcess::start(at, bundle, &plans)).transpose()?;
    let run = (clock, progress, bundle, begun);
    let mut summary = measure_tests(&mut tests, selection, &mut writer, run, &signals);
    match &summary {
        Ok(ended) if ended.interrupted => progress.ended(RunEnding::Interrupted, "interrupted"),
        Ok(ended) => progress.ended(
            RunEnding::Whole,
            &format!("{} measured, {} failed", plural(ended.measured, "point"), ended.failed),
        ),
        Err(error) => progress.ended(RunEnding::Failed, &live::failure(error)),
    }
    drop(serving);
    if let Err(error) = summary {
        // Nothing was done that another part of the run could continue.
        let is_refused = begun == Begun::Now && exit_code(&error) == exit::REFUSED;
        if is_refused && writer.discard_empty()? {
            return Err(error);
        }
        summary = Err(error);
    }
    let stored = writer.finish(&signals.stop);
    let path = writer.path().to_path_buf();
    let name = path.display();
    let how = format!("dyno run --resume {name}{}", consent::to_go_on(&plans));
    let summary = summary.with_context(|| match writer.has_results() {
        Ok(false) => format!("nothing was measured; continue with `{how}`"),
        _ => format!("the results so far are in {name}; continue with `{how}`"),
    });
    let summary = match (summary, stored) {
        (Ok(summary), stored) => stored.map(|()| summary)?,
        (Err(error), Err(also)) => return Err(error.context(describe(&also).0)),
        (Err(error), Ok(())) => return Err(error),
    };
    if summary.interrupted {
        let measured: u64 = store::glance(&path)?.iter().map(Glance::measured).sum();
        let kept = plural(measured as usize, "point");
        progress.remark(&format!("Interrupted; the bundle has {kept}. Continue with: {how}"));
        return Ok(signals.exit_code());
    }
    let measured = plural(summary.measured, "point");
    if summary.failed == 0 {
        progress.remark(&format!("{measured} measured, 0 failed. Next: dyno compare {name}"));
        return Ok(0);
    }
    let first = store::first_failure(&path)?.map_or(String::new(), |failed| {
        format!(" (the first: {}, {}: {})", failed.subject, failed.step, failed.cause)
    });
    progress.remark(&format!(
        "{measured} measured, {} failed{first}. Next: remove the cause, and measure them again: \
         {how}",
        summary.failed
    ));
    Ok(exit::NOT_ALL)
}

/// The points of a test that are to be measured.
fn left_of((plan, known): &TestRun, selection: &Selection) -> Vec<PointPlan> {
    let done: HashSet<&PointKey> = known.done.iter().collect();
    let wanted = |key: &PointKey| !done.contains(key) && selection.has_step(&key.step);
    if selection.has_test(plan) { plan::points_where(plan, wanted).collect() } else { Vec::new() }
}

/// Measures the tests one after the other: each begins as a run of its own, with what the others
/// did to its drives known to it.
fn measure_tests(
    tests: &mut [TestRun],
    selection: &Selection,
    writer: &mut BundleWriter,
    (clock, progress, bundle, begun): (Clock, &Progress, &Path, Begun),
    signals: &Signals,
) -> Result<run::RunSummary> {
    let left: Vec<Vec<PointPlan>> = tests.iter().map(|test| left_of(test, selection)).collect();
    let of = tests.len();
    let mut all = run::RunSummary::default();
    for (index, points) in left.iter().enumerate() {
        // A run that is no comparison checks its drives even if nothing is left.
        if points.is_empty() && of > 1 {
            continue;
        }
        let ahead = tests.iter().zip(&left).skip(index + 1);
        let later = ahead.map(|((plan, _), points)| prepare::test_left(plan, points)).collect();
        let test = &mut tests[index];
        let (plan, known) = &*test;
        writer.begin_test(index, || setup(plan, clock))?;
        let (words, stored) = (prepare::in_words(plan), known.totals.clone());
        // Without memory for the feed, the run continues without it.
        let live = LiveFeed::begin(plan, words, bundle, stored, known.done.len() as u64).ok();
        let place = TestPlace { number: index + 1, of, name: plan.protocol.name.clone() };
        progress.test(place, later, live);
        let (prepared, superseded) = writer.prepared_before()?;
        let mut before = Before { prepared, superseded, states: writer.states()? };
        if begun == Begun::Elsewhere {
            // Only the bundle states that the run was killed while it wrote to a drive here.
            before.states.retain(|state| !state.contents.is_empty());
        }
        let seen = (before, (clock, progress));
        let summary = execute(test, points.clone(), writer, seen, signals)?;
        all.measured += summary.measured;
        all.failed += summary.failed;
        if summary.interrupted {
            all.interrupted = true;
            break;
        }
    }
    Ok(all)
}

fn execute(
    (plan, known): &mut TestRun,
    points: Vec<PointPlan>,
    sink: &mut BundleWriter,
    (before, (clock, progress)): (Before, (Clock, &Progress)),
    signals: &Signals,
) -> Result<run::RunSummary> {
    let plan = &*plan;
    let EarlierPart { maxima, searches, figures, start, .. } = std::mem::take(known);
    let summary = run::RunRequest {
        plan,
        points,
        maxima,
        searches,
        figures,
        before,
        sink,
        progress,
        stop: &signals.stop,
        clock,
        starts: start.as_ref().map(run_start::starts),
    }
    .execute();
    match &start {
        Some(start) => {
            let ended = run_start::ended(start).map(Observed::from);
            sink.observed(ended.as_slice()).and(summary)
        }
        None => summary,
    }
}

/// Folders for a second file if the bundle's own cannot be written to: the one for Dyno's state,
/// and the one for temporary files, unless they are under test.
fn fallbacks(plan: &Plan) -> Vec<PathBuf> {
    let folders = private::folder().into_iter().chain([std::env::temp_dir()]);
    folders.filter(|folder| refuse_under_test(plan, &folder.join("bundle")).is_ok()).collect()
}

/// The bundle must not be on what is being tested. For a directory that means inside it; on the
/// same filesystem it is allowed, because the bundle is not written to while a point is measured.
fn refuse_under_test(plan: &Plan, bundle: &Path) -> Result<()> {
    let parent = file::folder_of(bundle);
    let place = parent
        .canonicalize()
        .with_context(|| format!("the bundle's directory {}", parent.display()))?;
    for drive in plan.subjects.iter().flat_map(|s| &s.drives) {
        if lab::guard::holds(&drive.place, &place)? {
            let drive = drive.place.path().display();
            return Err(refused(
                format!("the bundle {} would be on {drive}, which is under test", bundle.display()),
                "store it elsewhere: -o /another/place/run.dyno",
            ));
        }
    }
    Ok(())
}

impl EarlierPart {
    /// Reads a bundle's points; returns the keys of the measured ones.
    fn note(&mut self, bundle: &Bundle) -> Result<Vec<PointKey>> {
        let plan = &bundle.run().plan;
        let (steps, index) = (&plan.protocol.steps, PointIndex::of(plan));
        let sweeps: HashMap<&str, Option<&Sweep>> =
            steps.iter().map(|step| (step.name.as_str(), step.sweep.as_ref())).collect();
        let mut done = Vec::new();
        bundle.each_point(&mut |stored| {
            let (key, measured) = (&stored.point.key, &stored.point);
            // Nothing else needs them.
            let figure = plan.until.and_then(|_| headline(measured));
            figure.into_iter().for_each(|figure| self.figures.note(plan, key, figure));
            let sweep = sweeps.get(key.step.as_str()).filter(|_| index.has(plan, key));
            let Some(&sweep) = sweep else { return Ok(()) };
            self.maxima.note(sweep, measured);
            // A failed point is measured again.
            if measured.outcome == Outcome::Measured {
                self.searches.note(key, sweep, measured);
                self.totals.add_point(measured);
                done.push(key.clone());
            }
            Ok(())
        })?;
        Ok(done)
    }
}
