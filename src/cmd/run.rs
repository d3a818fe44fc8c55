//! `dyno run`: joins the plan, the run and the bundle.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;

use super::foreign;
use crate::base::clock::Clock;
use crate::base::error::{Context, Result, bail, failed};
use crate::lab;
use crate::plan::{self, Load, Plan, PointKey};
use crate::record::{Outcome, Run};
use crate::run::enough::{Figures, headline};
use crate::run::prepare::Before;
use crate::run::progress::Progress;
use crate::run::search::Searches;
use crate::run::{self, Maxima, MaximumOf, ops_per_s};
use crate::store::{Bundle, Writer};

/// What to run.
#[derive(Args)]
pub struct What {
    /// A plan file, a built-in protocol (`dyno protocols`), or a bundle whose experiment is to be repeated
    #[arg(value_name = "PLAN | PROTOCOL | BUNDLE")]
    what: PathBuf,
    /// With a protocol: a label and the directory to test, as in --subject A=/mnt/a
    #[arg(short, long, value_name = "NAME=PATH")]
    subject: Vec<String>,
    /// With a protocol: how often each point is measured
    #[arg(long)]
    repeats: Option<u32>,
    /// With a protocol: one of its smaller forms, as in --scale small
    #[arg(long, value_name = "NAME")]
    scale: Option<String>,
    /// With a protocol: change one of its values, as in --set step.readrandom.duration=5s
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
}

#[derive(Args)]
pub struct RunArgs {
    #[command(flatten)]
    what: Option<What>,
    /// Where to keep what is measured [default: PROTOCOL-TIME.dyno in this directory]
    #[arg(short, long, value_name = "FILE")]
    bundle: Option<PathBuf>,
    /// Go on with a run that was interrupted
    #[arg(long, value_name = "BUNDLE", conflicts_with_all = ["what", "bundle"])]
    resume: Option<PathBuf>,
    /// With somebody else's bundle: something that its plan would do, as the refusal names it; may be given several times
    #[arg(long, value_name = "WHAT")]
    allow: Vec<String>,
}

impl What {
    /// The plan that is meant.
    pub fn plan(&self) -> Result<Plan> {
        let catalogue = super::catalogue();
        if is_bundle(&self.what) {
            if !self.subject.is_empty() || !self.set.is_empty() || self.repeats.is_some() || self.scale.is_some() {
                bail!("a bundle is repeated as it is; --subject, --scale, --set and --repeats go with a protocol");
            }
            let plan = Bundle::open(&self.what)?.run().plan.clone();
            return plan::recheck(&plan, &catalogue).map(|()| plan);
        }
        if self.subject.is_empty() && self.what.is_file() {
            if !self.set.is_empty() || self.repeats.is_some() || self.scale.is_some() {
                return Err(failed(
                    "--scale, --set and --repeats go with a protocol",
                    "write `scale`, `repeats` and [override] into the plan file",
                ));
            }
            return Ok(plan::load(&self.what, &catalogue)?);
        }
        let pair = |text: &String| match text.split_once('=') {
            Some((name, value)) if !name.is_empty() && !value.is_empty() => Ok((name.to_string(), value.to_string())),
            _ => Err(failed(format!("'{text}' is not NAME=VALUE"), "write it as in --subject A=/mnt/a")),
        };
        let subjects: Vec<_> = self.subject.iter().map(pair).collect::<Result<_>>()?;
        let subjects: Vec<_> = subjects.into_iter().map(|(name, path)| (name, PathBuf::from(path))).collect();
        let mut set: Vec<_> = self.set.iter().map(pair).collect::<Result<_>>()?;
        set.extend(self.scale.iter().map(|name| ("scale".to_string(), name.clone())));
        let protocol = self.what.to_string_lossy();
        Ok(plan::from_command_line(&protocol, &subjects, &set, self.repeats, &catalogue)?)
    }
}

fn is_bundle(path: &Path) -> bool {
    let mut magic = [0; 16];
    std::fs::File::open(path).and_then(|mut f| std::io::Read::read_exact(&mut f, &mut magic)).is_ok()
        && &magic == b"SQLite format 3\0"
}

/// Runs or resumes; the exit code: 0 all measured, 2 some points failed, 130 interrupted.
pub fn run(args: &RunArgs) -> Result<u8> {
    match (&args.resume, &args.what) {
        (Some(bundle), _) => resume(bundle, &args.allow),
        (None, Some(what)) => {
            let plan = what.plan()?;
            if is_bundle(&what.what) {
                foreign::check(Bundle::open(&what.what)?.run(), &args.allow)?;
            }
            start(plan, args.bundle.as_deref())
        }
        (None, None) => Err(failed("nothing to run", "name a plan, a protocol or a bundle, or --resume BUNDLE")),
    }
}

/// What an earlier part of the run found and did.
#[derive(Default)]
struct Known {
    maxima: Maxima,
    searches: Searches,
    figures: Figures,
    before: Before,
}

fn start(plan: Plan, bundle: Option<&Path>) -> Result<u8> {
    let now = jiff::Timestamp::now();
    let name =
        || PathBuf::from(format!("{}-{}.dyno", lab::data::slug(&plan.protocol.name), now.strftime("%Y%m%d-%H%M%S")));
    let bundle = bundle.map(Path::to_path_buf).unwrap_or_else(name);
    refuse_under_test(&plan, &bundle)?;
    let clock = Clock::start();
    let record = Run {
        started_unix_ns: now.as_nanosecond().max(0) as u64,
        dyno_version: env!("CARGO_PKG_VERSION").to_string(),
        plan,
    };
    let facts = [lab::facts::gather(&record.plan.subjects), run::facts(clock)].concat();
    let writer = Writer::create(&bundle, &record, &facts)?;
    foreign::remember(&bundle)?;
    measure(record.plan, writer, Known::default(), &[], clock, &bundle)
}

fn resume(bundle: &Path, allowed: &[String]) -> Result<u8> {
    let read = Bundle::open(bundle)?;
    plan::recheck(&read.run().plan, &super::catalogue())?;
    foreign::check(read.run(), allowed)?;
    let known = known(&read)?;
    drop(read);
    let (writer, record) = Writer::resume(bundle)?;
    refuse_under_test(&record.plan, bundle)?;
    let done = writer.finished()?;
    measure(record.plan, writer, known, &done, Clock::start(), bundle)
}

fn measure(plan: Plan, mut writer: Writer, known: Known, done: &[PointKey], clock: Clock, bundle: &Path) -> Result<u8> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // A second signal ends the program at once.
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&stop)).context("catching signals")?;
        signal_hook::flag::register(signal, Arc::clone(&stop)).context("catching signals")?;
    }
    let points = plan::points(&plan).into_iter().filter(|p| !done.contains(&p.key)).collect();
    let progress = Progress::new();
    let Known { maxima, searches, figures, before } = known;
    let (sink, progress) = (&mut writer, &progress);
    let run = run::Run { plan: &plan, points, maxima, searches, figures, before, sink, progress, stop: &stop, clock };
    let summary = run.execute();
    let name = bundle.display();
    let summary = summary.with_context(|| format!("what was measured until then is in {name}"))?;
    if summary.interrupted {
        eprintln!("Interrupted; {} points are kept. Go on with: dyno run --resume {name}", summary.measured);
        return Ok(130);
    }
    eprintln!("{} points measured, {} failed. Next: dyno compare {name}", summary.measured, summary.failed);
    Ok(if summary.failed > 0 { 2 } else { 0 })
}

/// The bundle may not lie on what is being tested. In a directory that means inside it; on the same filesystem it is
/// allowed, because the bundle is not written to while a point is measured.
fn refuse_under_test(plan: &Plan, bundle: &Path) -> Result<()> {
    let parent = match bundle.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let place = parent.canonicalize().with_context(|| format!("the bundle's directory {}", parent.display()))?;
    for drive in plan.subjects.iter().flat_map(|s| &s.drives) {
        if lab::guard::holds(&drive.place, &place)? {
            let drive = drive.place.path().display();
            return Err(failed(
                format!("the bundle {} would lie on {drive}, which is under test", bundle.display()),
                "keep it elsewhere: --bundle /another/place/run.dyno",
            ));
        }
    }
    Ok(())
}

/// What the bundle already holds that later points need.
fn known(bundle: &Bundle) -> Result<Known> {
    let before = Before { prepared: bundle.prepared()?, states: bundle.states()? };
    let mut known = Known { before, ..Known::default() };
    for stored in bundle.points()? {
        let (key, point) = (&stored.point.key, &stored.point);
        known.figures.extend(headline(point).map(|figure| (key.clone(), figure)));
        let step = bundle.run().plan.protocol.steps.iter().find(|s| s.name == key.step);
        // A failed point is measured again.
        if point.outcome == Outcome::Measured {
            known.searches.note(key, step.and_then(|s| s.sweep.as_ref()), point);
        }
        let is_maximum = key.axis.as_ref().is_some_and(|a| a.value.is_infinite());
        if !is_maximum || point.outcome != Outcome::Measured {
            continue;
        }
        let steps = bundle.run().plan.protocol.steps.iter().filter(|s| s.name == key.step);
        for stream in steps.flat_map(|s| &s.streams).filter(|s| !matches!(s.load, Load::Rate(_))) {
            let of = MaximumOf {
                subject: key.subject.clone(),
                step: key.step.clone(),
                repeat: key.repeat,
                stream: stream.name.clone(),
            };
            known.maxima.insert(of, ops_per_s(point, &stream.name));
        }
    }
    Ok(known)
}
