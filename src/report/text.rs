//! Reports for the terminal: at most 120 columns, numbers aligned, thousands grouped.

use std::fmt::Write;

use super::energy;
use super::equal;
use super::group;
use super::limits;
use super::notes;
use super::wording;
use super::words::{self, NONE};
use crate::analysis::claims::{self, Claim};
use crate::analysis::facts::{CellFacts, Facts, StepFacts};
use crate::analysis::point_summary::{ClassSummary, Latency, P99, RATE_KEPT, Summary};
use crate::analysis::selftest;
use crate::base::units;

/// The widest line of a terminal report.
const WIDTH: usize = 120;
/// Longer names of subjects and streams are cut.
const NAME: usize = 18;

/// Columns of text, all but the leading ones aligned right.
struct Table {
    left: usize,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn new(left: usize, head: &[&str]) -> Table {
        Table { left, rows: vec![head.iter().map(|h| h.to_string()).collect()] }
    }

    /// Renders with two spaces between columns. Columns at the end that do not fit are left out.
    fn render(&self) -> String {
        let columns = self.rows[0].len();
        let width = |c: usize| self.rows.iter().filter_map(|r| r.get(c)).map(|s| s.chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut shown = columns;
        while shown > 1 && widths[..shown].iter().sum::<usize>() + 2 * shown > WIDTH {
            shown -= 1;
        }
        let mut out = String::new();
        for (index, row) in self.rows.iter().enumerate() {
            let mut line = String::new();
            for (c, (text, &width)) in row.iter().zip(&widths).take(shown).enumerate() {
                let gap = " ".repeat(width - text.chars().count());
                let (before, after) = if c < self.left { ("", gap.as_str()) } else { (gap.as_str(), "") };
                let _ = write!(line, "  {before}{text}{after}");
            }
            let _ = writeln!(out, "{}", line.trim_end());
            if index == 0 {
                let _ = writeln!(out, "  {}", "─".repeat(widths[..shown].iter().sum::<usize>() + 2 * (shown - 1)));
            }
        }
        out
    }
}

fn cut(name: &str) -> String {
    if name.chars().count() <= NAME {
        return name.to_string();
    }
    name.chars().take(NAME - 1).chain(['…']).collect()
}

/// A cell's subject, marked where the drive did not limit it.
fn subject(facts: &Facts, cell: &CellFacts) -> String {
    cell.marked(cut(&facts.subjects[cell.subject]))
}

/// Watts and what was done with them, where a meter measured power.
fn power(facts: &Facts, step: &StepFacts) -> String {
    let rows = energy::rows(facts, step);
    if rows.is_empty() {
        return String::new();
    }
    let mut table = Table::new(3, &[&[step.axis_label()], &energy::HEAD[..]].concat());
    table.rows.extend(rows);
    format!("\n{}", table.render())
}

/// What limited each point, where something watched.
fn limited(facts: &Facts, step: &StepFacts) -> String {
    let rows = limits::rows(facts, step);
    if rows.is_empty() {
        return String::new();
    }
    let mut out = String::from("\n  Bottleneck\n");
    for row in rows {
        let [at, subject, limit, evidence] = &row[..] else { continue };
        let at = if at.is_empty() { String::new() } else { format!("{at} ") };
        out.push_str(&wrap(&format!("{at}{subject}: {limit}; {evidence}")));
    }
    out
}

/// Every point with its streams.
pub fn show(facts: &Facts) -> String {
    let mut out = header(facts);
    for step in &facts.steps {
        let _ = write!(out, "\n{}\n{}\n\n", step.title, describe(step));
        let axis = if step.axis.is_some() { step.axis_label() } else { "" };
        let head = ["ops/s", "±", "MB/s", "mean", "p50", "p99", "p99.9", "p99.99", "max"];
        let mut table = Table::new(4, &[&[axis, "subject", "stream", "class"], &head[..]].concat());
        for cell in &step.cells {
            let at = &step.values[cell.value].label;
            for (name, headline, summary) in &cell.streams {
                let name = if *headline { cut(name) } else { format!("({})", cut(name)) };
                for class in &summary.classes {
                    table.rows.push(show_row(at, &subject(facts, cell), &name, summary, class));
                }
            }
        }
        out.push_str(&table.render());
        if step.cells.iter().any(|c| c.streams.iter().any(|(_, headline, _)| !headline)) {
            out.push_str("  (in brackets: streams that do not count in the headline)\n");
        }
        out.push_str(&groups(facts, step, true));
        out.push_str(&power(facts, step));
        out.push_str(&limited(facts, step));
        out.push_str(&open_loop_lines(facts, step));
    }
    for note in energy::notes(facts) {
        let _ = write!(out, "\n{}", wrap(&note));
    }
    out.push_str(&failures(facts));
    out
}

fn show_row(at: &str, subject: &str, stream: &str, summary: &Summary, class: &ClassSummary) -> Vec<String> {
    let one_class = summary.classes.len() == 1;
    let times: &Latency = class.user_latency();
    let rate = if one_class { &summary.ops_per_s } else { &class.ops_per_s };
    let p = |i: usize| words::latency(times.percentiles_ns[i].as_ref());
    vec![
        at.to_string(),
        subject.to_string(),
        stream.to_string(),
        class.class.name().to_string(),
        words::ops(rate) + &words::given_up(class.given_up),
        words::spread(rate),
        words::megabytes(class.bytes_per_s.value),
        words::latency(times.mean_ns.as_ref()),
        p(0),
        p(P99),
        p(3),
        p(4),
        units::latency(times.max_ns as f64),
    ]
}

/// The groups of a step as wholes, and where asked for drive by drive.
fn groups(facts: &Facts, step: &StepFacts, each: bool) -> String {
    let wholes = group::rows(facts, step);
    if wholes.is_empty() {
        return String::new();
    }
    let axis = if step.axis.is_some() { step.axis_label() } else { "" };
    let table = |left: usize, head: &[&str], rows: Vec<Vec<String>>| {
        let mut table = Table::new(left, &[&[axis], head].concat());
        table.rows.extend(rows);
        format!("\n{}", table.render())
    };
    let mut out = table(2, &group::HEAD, wholes);
    if each {
        out.push_str(&table(3, &group::DRIVE_HEAD, group::drive_rows(facts, step)));
    }
    out + &wrap(group::AGGREGATION)
}

/// What leads, then subjects side by side at each axis value, each compared with the first.
pub fn compare(facts: &Facts) -> String {
    let mut out = header(facts);
    let leading = wording::headlines(facts, LEADING);
    if !leading.is_empty() {
        out.push('\n');
        leading.iter().for_each(|line| out.push_str(&wrap(line)));
    }
    for (index, step) in facts.steps.iter().enumerate() {
        let _ = write!(out, "\n{}\n{}\n\n", step.title, describe(step));
        out.push_str(&compare_table(facts, index));
        if step.has_marks() {
            out.push_str(&wrap(limits::NOTE));
        }
        out.push_str(&groups(facts, step, false));
        out.push_str(&power(facts, step));
        let equal = equal::rows(facts, index);
        if !equal.is_empty() {
            let mut table = Table::new(1, &equal::HEAD);
            table.rows.extend(equal);
            let _ = write!(out, "\n{}{}", table.render(), wrap(equal::HOW));
        }
        out.push_str(&comparisons(facts, index));
        out.push_str(&open_loop_lines(facts, step));
    }
    for note in wording::caveats(facts).into_iter().chain(notes::all(facts)) {
        let _ = write!(out, "\n{}", wrap(&note));
    }
    out.push_str(&failures(facts));
    if !facts.comparisons.is_empty() {
        let _ = write!(out, "\n{}", wrap(&wording::footnote()));
    }
    for own in selftest::of_host(facts) {
        let _ = write!(out, "\n{}", wrap(&format!("{own}.")));
    }
    out
}

/// How many findings lead.
const LEADING: usize = 4;

/// What the step's comparisons show, the pairs that could not be compared, and where the better subject changes.
fn comparisons(facts: &Facts, index: usize) -> String {
    let mut out = String::new();
    for bar in facts.barred.iter().filter(|b| b.step.is_none_or(|s| s == index)) {
        let _ = write!(out, "\n{}", wrap(&wording::barred(facts, bar)));
    }
    let of_step = |c: &&Claim<'_>| c.comparison.step == index;
    for claim in claims::all(facts).iter().filter(of_step) {
        let _ = write!(out, "\n{}", wrap(&format!("{}.", wording::sentence(facts, claim.comparison))));
    }
    for own in claims::crossovers(facts).iter().filter(|c| c.step == index) {
        let _ = write!(out, "\n{}", wrap(&format!("{}.", wording::crossover(facts, own))));
    }
    out
}

fn compare_table(facts: &Facts, index: usize) -> String {
    let step = &facts.steps[index];
    let axis = if step.axis.is_some() { step.axis_label() } else { "" };
    let against = if facts.subjects.len() > 1 { "difference".to_string() } else { String::new() };
    let head = [axis, "subject", "ops/s", "±", "MB/s", "p50", "p99", "p99.9", &against];
    let mut table = Table::new(2, &head);
    for value in 0..step.values.len() {
        for subject in 0..facts.subjects.len() {
            let label = if subject == 0 { step.values[value].label.clone() } else { String::new() };
            let cell = step.cell(subject, value);
            let name = cell.map_or(cut(&facts.subjects[subject]), |c| self::subject(facts, c));
            table.rows.push(compare_row(facts, index, label, name, cell));
        }
    }
    if facts.subjects.len() == 1 {
        table.rows.iter_mut().for_each(|row| row.truncate(8));
    }
    table.render()
}

fn compare_row(facts: &Facts, index: usize, label: String, subject: String, cell: Option<&CellFacts>) -> Vec<String> {
    let step = &facts.steps[index];
    let mut row = vec![label, subject];
    let Some((cell, total)) = cell.and_then(|c| c.total.as_ref().map(|t| (c, t))) else {
        row.extend(std::iter::repeat_n(NONE.to_string(), 7));
        return row;
    };
    let times = total.class(step.class).map(ClassSummary::user_latency);
    let p = |i: usize| words::latency(times.and_then(|t| t.percentiles_ns[i].as_ref()));
    let difference = match cell.subject {
        0 => String::new(),
        _ => wording::of_cell(facts, index, cell).map_or(NONE.into(), |c| wording::in_table(facts, c, &cut)),
    };
    row.extend([
        words::ops(&total.ops_per_s),
        words::spread(&total.ops_per_s),
        words::megabytes(total.bytes_per_s.value),
        p(0),
        p(P99),
        p(3),
        difference,
    ]);
    row
}

fn header(facts: &Facts) -> String {
    let mut out = format!("{}\n", facts.title);
    for run in &facts.runs {
        let when = words::moment(run.started_unix_ns);
        let repeats = if run.repeats == 1 { "1 repeat".to_string() } else { format!("{} repeats", run.repeats) };
        let _ = writeln!(out, "{} · {when} · {repeats} · dyno {}", run.file, run.dyno_version);
    }
    out
}

/// What the numbers of a step are: whose latency, how long, how many repeats.
pub fn describe(step: &StepFacts) -> String {
    let mut parts = Vec::new();
    if let Some(axis) = &step.axis {
        parts.push(format!("swept along {}", axis.name));
    }
    parts.push(if step.open_loop { "open loop" } else { "closed loop" }.to_string());
    parts.push(match step.window_ns {
        0 => "window length unknown".to_string(),
        window => format!("{} a point", units::duration(window)),
    });
    if let Some(class) = step.class {
        let kind = if step.open_loop { "response" } else { "service" };
        parts.push(format!("percentiles are {} {kind} times", class.name()));
    }
    let drives = step.cells.iter().any(|c| !c.drives.is_empty());
    let over = [(drives, "drives"), (step.instances, "instances")];
    let over: Vec<String> = over.iter().filter(|(several, _)| *several).map(|(_, what)| what.to_string()).collect();
    if !over.is_empty() {
        parts.push(format!("ops/s summed and histograms merged over {}", words::list(&over)));
    }
    parts.join(" · ")
}

/// What an open loop must own up to: rates missed and requests handed over late.
fn open_loop_lines(facts: &Facts, step: &StepFacts) -> String {
    let mut out = String::new();
    for cell in &step.cells {
        for (name, _, s) in &cell.streams {
            let missed = s.achieved().filter(|a| *a < RATE_KEPT);
            if missed.is_none() && s.late * 100 < s.ops.max(1) {
                continue;
            }
            let (subject, at) = (&facts.subjects[cell.subject], &step.values[cell.value].label);
            let late = s.late as f64 / s.ops.max(1) as f64 * 100.0;
            let reached = s.achieved().map(|a| format!("reached {:.1} % of the asked rate; ", a * 100.0));
            let line = format!(
                "! {subject} {at}: stream {name}: {}{late:.1} % of its requests were submitted late; max backlog {}",
                reached.unwrap_or_default(),
                units::grouped(s.backlog_max)
            );
            let _ = write!(out, "{}", wrap(&line));
        }
    }
    if out.is_empty() { out } else { format!("\n{out}") }
}

fn failures(facts: &Facts) -> String {
    if facts.failures.is_empty() {
        return String::new();
    }
    let mut out = format!("\nFailed points ({}), in no estimate:\n", facts.failures.len());
    for f in &facts.failures {
        let subject = &facts.subjects[f.subject];
        let line = format!("{subject}, {} {} repeat {}: {}", f.step, f.at, f.repeat, f.cause);
        out.push_str(&wrap(&line));
    }
    out
}

/// Breaks a sentence into lines of the terminal's width, indented by two.
fn wrap(text: &str) -> String {
    let (mut out, mut width) = (String::from(" "), 1);
    for word in text.split(' ') {
        let length = word.chars().count() + 1;
        if width + length > WIDTH {
            out.push_str("\n ");
            width = 1;
        }
        let _ = write!(out, " {word}");
        width += length;
    }
    out.push('\n');
    out
}
