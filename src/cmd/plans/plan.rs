//! `dyno plan check`: what a plan would do, before anything is touched: its points, duration,
//! writes and erasures. `plan_facts` prints the same as JSON.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::base::error::Result;
use crate::base::units::{Rate, bytes, duration, grouped, plural};
use crate::cmd::json::OutputFormat;
use crate::cmd::load::share;
use crate::cmd::measure::run::RunInput;
use crate::cmd::plan_numbers::{
    DetectableDifference, Earlier, Extent, Specimens, doubts, fill_bytes, longest_window_ns,
    paced_bytes, powers, short_of_samples, specimens, stream, unread, value, writes,
};
use crate::cmd::plans::plan_facts::CheckDocument;
use crate::cmd::stream_shape::StreamShape;
use crate::cmd::{json, selftest_result};
use crate::plan::{self, Axis, DrivePlace, Load, Plan, PowerCut, Step, Stream};
use crate::record::RecordedKind;
use crate::run::{self, prepare};
use crate::stats::family::FEWEST;
use crate::stats::percent::rounded_out;
use crate::workload;

/// The plan, and the source of its scatter.
#[derive(Args)]
pub struct CheckArgs {
    #[command(flatten)]
    what: RunInput,
    /// Estimate the detectable difference from the scatter in this earlier bundle, or folder of
    /// bundles; if it contains several drives of a model, also estimate how many drives
    /// --difference needs
    #[arg(long, value_name = "BUNDLE")]
    from: Option<PathBuf>,
    /// Difference between models to detect in 90 of 100 briefs
    #[arg(long, default_value = "5%", value_name = "PERCENT", value_parser = difference)]
    difference: f64,
    /// Bundle that the run would write [default: PROTOCOL-TIME.dyno in this directory]
    #[arg(short, long, value_name = "BUNDLE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    format: OutputFormat,
}

impl CheckArgs {
    /// A plan as `dyno run --dry-run` names it.
    pub fn of_run((what, output): (RunInput, Option<PathBuf>)) -> CheckArgs {
        CheckArgs { what, from: None, difference: 0.05, output, format: OutputFormat::default() }
    }
}

fn difference(text: &str) -> std::result::Result<f64, String> {
    let found = share(text).filter(|share| *share > 0.0);
    found.ok_or_else(|| "say a difference above 0% and below 100%, as in 5%".to_string())
}

/// Prints the resolved plan, and then refuses what a run would refuse before it measures anything:
/// with the same error and exit code.
pub fn check(args: &CheckArgs, out: &mut dyn Write) -> Result<()> {
    let plans = args.what.plans()?;
    plans.iter().try_for_each(run::planned::check_build)?;
    let earlier = args.from.as_ref().map(Earlier::of).transpose()?;
    let from = (earlier.as_ref(), args.difference);
    match args.format.json {
        true => json::print(&CheckDocument::of(&plans, from)?, out)?,
        false => describe_tests(&plans, from, out)?,
    }
    out.flush()?;
    args.what.preflight(args.output.as_deref())
}

/// What the tests of a comparison would do, one after the other, and together.
fn describe_tests(
    plans: &[Plan],
    from: (Option<&Earlier>, f64),
    out: &mut dyn Write,
) -> Result<()> {
    for (index, plan) in plans.iter().enumerate() {
        if plans.len() > 1 {
            let above = if index > 0 { "\n" } else { "" };
            write!(out, "{above}Test {} of {}: ", index + 1, plans.len())?;
        }
        describe(plan, from, out)?;
    }
    if plans.len() > 1 {
        let extents: Vec<Extent> = plans.iter().map(Extent::of).collect();
        let points: u64 = extents.iter().map(|extent| extent.points).sum();
        let load_ns: u64 = extents.iter().map(|extent| extent.load_ns).sum();
        writeln!(
            out,
            "\nAll {} tests: {}, {} of load",
            plans.len(),
            plural(points as usize, "point"),
            duration(load_ns)
        )?;
    }
    Ok(())
}

/// What a plan would do.
pub fn describe(plan: &Plan, from: (Option<&Earlier>, f64), out: &mut dyn Write) -> Result<()> {
    writeln!(out, "{} ({})", plan.protocol.title, plan.protocol.name)?;
    if !plan.protocol.source.is_empty() {
        writeln!(out, "Source: {}", plan.protocol.source)?;
    }
    writeln!(out)?;
    table(plan, out)?;
    loads(plan, out)?;
    time(plan, out)?;
    can_show(plan, from.0, out)?;
    drives_needed(plan, from, out)?;
    own_knobs(plan, out)?;
    preparation(plan, out)?;
    writing(plan, out)?;
    // Of what cannot be verified, the preflight says why.
    for line in run::points::verification::in_words(plan).unwrap_or_default() {
        writeln!(out, "{line}")?;
    }
    power_cuts(plan, out)
}

/// The power cuts of `dyno powercut`, which `dyno run` does not execute.
fn power_cuts(plan: &Plan, out: &mut dyn Write) -> Result<()> {
    let Some(PowerCut { listener, cut, cuts }) = &plan.powercut else { return Ok(()) };
    // Its arguments may contain a password.
    let hook = cut.first().map_or("", String::as_str);
    writeln!(
        out,
        "With `dyno powercut`: acknowledgements to {listener}, which cuts the power {cuts} time{} \
         with {hook}",
        if *cuts == 1 { "" } else { "s" },
    )?;
    Ok(())
}

/// A row for each step: sweep, duration, streams.
fn table(plan: &Plan, out: &mut dyn Write) -> Result<()> {
    let mut rows = vec![
        ["step", "axis", "values", "warm-up", "measured", "streams (threads×depth)"]
            .map(str::to_string),
    ];
    for step in &plan.protocol.steps {
        let axes: Vec<Axis> = plan::axes_of(step).into_iter().flatten().collect();
        rows.push([
            step.name.clone(),
            axes.first().map_or("-".into(), |a| a.name.clone()),
            values(step, &axes),
            duration(step.warmup_ns),
            duration(longest_window_ns(plan, step)),
            step.streams.iter().map(stream).collect::<Vec<_>>().join("; "),
        ]);
    }
    let widths: Vec<usize> =
        (0..6).map(|i| rows.iter().map(|row| row[i].chars().count()).max().unwrap_or(0)).collect();
    for row in &rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        writeln!(out, "{}", cells.join("  ").trim_end())?;
    }
    Ok(())
}

/// The values of an axis; the ends of a long one.
fn values(step: &Step, axes: &[Axis]) -> String {
    match axes {
        [] => "-".to_string(),
        [first, second, .., last] if axes.len() > 12 => {
            let [first, second, last] = [first, second, last].map(|axis| value(step, axis));
            format!("{first}, {second} … {last} ({})", axes.len())
        }
        _ => axes.iter().map(|axis| value(step, axis)).collect::<Vec<_>>().join(", "),
    }
}

/// A line for each stream: what it requests; and what is doubtful about it.
fn loads(plan: &Plan, out: &mut dyn Write) -> Result<()> {
    writeln!(out)?;
    for step in &plan.protocol.steps {
        for stream in &step.streams {
            writeln!(
                out,
                "{}, {}: {}",
                step.name,
                stream.name,
                StreamShape::of(stream).in_words()
            )?;
        }
    }
    for doubt in doubts(plan) {
        writeln!(out, "Warning: {doubt}")?;
    }
    Ok(())
}

fn time(plan: &Plan, out: &mut dyn Write) -> Result<()> {
    let Extent { points, at_most, load_ns, more_ns } = Extent::of(plan);
    let subjects = plan.subjects.len();
    writeln!(out)?;
    writeln!(
        out,
        "{}{}: {} × {} repeat{}, {}",
        if at_most { "up to " } else { "" },
        plural(points as usize, "point"),
        plural(subjects, "subject"),
        repeats(plan),
        if plan.repeats == 1 { "" } else { "s" },
        match plan.order {
            plan::Order::Interleaved => "interleaved",
            plan::Order::Blocked => "blocked",
            plan::Order::Returned => "returned",
            plan::Order::NotGiven => "in an order that is not given",
        }
    )?;
    writeln!(out, "{}", why(plan))?;
    let bound = if at_most { "At most" } else { "At least" };
    writeln!(out, "{bound} {}; without filling datasets and settling.", duration(load_ns))?;
    let notes = unread(plan).into_iter().chain(short_of_samples(plan));
    notes.into_iter().try_for_each(|line| writeln!(out, "{line}"))?;
    if let Some(more_ns) = more_ns {
        writeln!(out, "Up to {} more until the drives are steady.", duration(more_ns))?;
    }
    Ok(())
}

/// The preparation of each drive.
fn preparation(plan: &Plan, out: &mut dyn Write) -> Result<()> {
    let tasks = prepare::in_words(plan);
    if !tasks.is_empty() {
        writeln!(out, "First, for each drive: {}", tasks.join("; "))?;
    }
    Ok(())
}

/// "3", or "3 to 10 (until ±2 %)".
fn repeats(plan: &Plan) -> String {
    match plan.until {
        Some(until) => {
            format!("{} to {} (until ±{} %)", until.at_least, plan.repeats, until.percent)
        }
        None => plan.repeats.to_string(),
    }
}

/// The reason for the number of repeats, and their power.
fn why(plan: &Plan) -> String {
    let most = duration(plan::sequence::repeats::LONG_POINT_NS);
    match (plan.repeats, plan.default_repeats) {
        (1 | 2, _) => {
            "Too few repeats to compare subjects: fewer than 3 show figures as measured, and 5 are \
             usual"
                .into()
        }
        (n, true) if n < 5 => format!("{n} repeats: the default if a point takes more than {most}"),
        (n, true) => format!("{n} repeats: the default if no point takes more than {most}"),
        (n, false) => format!("{}: set by the plan", plural(n as usize, "repeat")),
    }
}

/// The same as text.
fn can_show(plan: &Plan, from: Option<&Earlier>, out: &mut dyn Write) -> Result<()> {
    if (plan.repeats as usize) < FEWEST {
        return Ok(());
    }
    let powers = powers(plan, from);
    if let (Some(Earlier { name, .. }), true) = (from, powers.is_empty()) {
        writeln!(out, "{name} has no point with three repeats: its scatter is unknown")?;
    }
    for DetectableDifference { at, scatter, shown } in powers {
        let percent = |log: f64| words(log.exp_m1() * 100.0);
        let mean =
            shown.mean.map(|m| format!(", {} in a step's mean", percent(m))).unwrap_or_default();
        writeln!(
            out,
            "{} repeats show differences of ops/s from {} at a point{mean}: {at}, runs scatter by \
             {}",
            plan.repeats,
            percent(shown.point),
            words(scatter * 100.0)
        )?;
    }
    match (from, selftest_result::kept()) {
        (Some(_), _) => {}
        (None, Some(found)) => writeln!(out, "On this host, {}", found.summary())?,
        (None, None) => writeln!(
            out,
            "The smallest difference that they show is unknown on this host: run `dyno selftest`, \
             or use an earlier bundle (--from)"
        )?,
    }
    Ok(())
}

/// The number of drives of each model required for a difference between models.
fn drives_needed(
    plan: &Plan,
    (from, difference): (Option<&Earlier>, f64),
    out: &mut dyn Write,
) -> Result<()> {
    for Specimens { at, scatter, needed } in specimens(plan, from, difference) {
        let many = needed.map_or("more than 1,000".to_string(), |n| n.to_string());
        let of_repeats = scatter.repeats.map(|s| format!(" and repeats by {}", words(s * 100.0)));
        writeln!(
            out,
            "{many} drives of each model show a difference of {} between models in 90 of 100 \
             briefs: {at}, drives scatter by {}{}",
            words(difference * 100.0),
            words(scatter.drives * 100.0),
            of_repeats.unwrap_or_default()
        )?;
    }
    Ok(())
}

/// Percent to two digits, rounded up.
fn words(percent: f64) -> String {
    let decimals = if percent > 0.0 { (1 - percent.log10().floor() as i32).clamp(0, 3) } else { 0 };
    format!("{} %", rounded_out(percent, decimals as usize))
}

/// Subjects' own knobs.
fn own_knobs(plan: &Plan, out: &mut dyn Write) -> Result<()> {
    for subject in &plan.subjects {
        for own in &subject.overrides {
            let (part, knob) = (own.of.name(), &own.knob);
            writeln!(
                out,
                "{} alone: {}.{}.{part}.{knob} = {}",
                subject.name, own.step, own.stream, own.value
            )?;
        }
    }
    Ok(())
}

/// The bytes written to each drive, and the drives that are erased.
fn writing(plan: &Plan, out: &mut dyn Write) -> Result<()> {
    let fill_bytes = fill_bytes(plan);
    writeln!(out)?;
    for subject in &plan.subjects {
        let paced_bytes = paced_bytes(plan, subject);
        let paced = if paced_bytes > 0.0 {
            format!(", and up to {} by rate-limited writers", bytes(paced_bytes as u64))
        } else {
            String::new()
        };
        for drive in &subject.drives {
            let what = match &drive.place {
                DrivePlace::Directory(path) => {
                    format!("in its own folder under {}", path.display())
                }
                DrivePlace::Device { path, serial } if drive.erase => {
                    format!("over {} (serial {serial}): EVERYTHING ON IT IS ERASED", path.display())
                }
                DrivePlace::Device { path, .. } => {
                    format!("nowhere: {} is only read", path.display())
                }
            };
            writeln!(
                out,
                "{}: datasets of {}{paced}, written {what}",
                subject.name,
                bytes(fill_bytes)
            )?;
        }
    }
    on_servers(plan, out)?;
    for step in plan.protocol.steps.iter().filter(|step| step.streams.iter().any(writes)) {
        let each: Vec<String> =
            step.streams.iter().filter(|s| writes(s)).map(|s| written(step, s)).collect();
        writeln!(out, "A point of {} writes: {}", step.name, each.join("; "))?;
    }
    Ok(())
}

/// The tables made in databases of existing servers.
fn on_servers(plan: &Plan, out: &mut dyn Write) -> Result<()> {
    for dataset in &plan.protocol.datasets {
        let existing = dataset.engine.knobs.text("server").is_ok_and(|own| own == "existing");
        let Some(fill) = dataset.fill.as_ref().filter(|_| existing) else { continue };
        let workload = workload::find(&fill.workload.name);
        let tables = workload.map(|w| w.tables(&fill.workload.knobs)).unwrap_or_default();
        let first = match &tables[..] {
            [first, .., last] if tables.len() > 9 => format!("{first} … {last}"),
            all => all.join(", "),
        };
        let place = dataset.engine.knobs.text("connection").unwrap_or("the connection string");
        writeln!(
            out,
            "The fill of dataset '{}' makes {} in the database that {place} names, and leaves \
             them there: {first}",
            dataset.name,
            plural(tables.len(), "table")
        )?;
    }
    Ok(())
}

/// The bytes written by a stream in one point on one drive.
fn written(step: &Step, stream: &Stream) -> String {
    let seconds = (step.warmup_ns + step.duration_ns) as f64 / 1e9 * f64::from(stream.instances);
    let (name, workload) = (&stream.name, &stream.workload.name);
    if let Ok(Some(load)) = workload::recorded(stream) {
        let RecordedKind { requests, bytes: written } = load.replayed.writes;
        return format!(
            "{name} up to {} in {}",
            bytes(written),
            plural(requests as usize, "request")
        );
    }
    match stream.load {
        Load::Rate(Rate::BytesPerSec(rate)) => {
            format!("{name} up to {}", bytes((rate * seconds) as u64))
        }
        Load::Rate(Rate::OpsPerSec(rate)) => {
            format!("{name} what {} ops of {workload} write", grouped((rate * seconds) as u64))
        }
        Load::Closed | Load::PercentOfMaximum(_) => {
            format!("{name} as much of {workload} as the drive takes")
        }
    }
}
