//! Histories as text: changes, the run of each, and every run with its figure and drives.

use super::Brief;
use super::block::{Block, Mark, Table};
use super::document::BriefSection;
use crate::analysis::verdicts::trend::{FigureHistory, Member, Replacement};
use crate::brief::number_format::NONE;
use crate::brief::own::options::PaperSize;
use crate::brief::text::plan_text;
use crate::chart::Palette;
use crate::chart::kinds::trend;
use crate::language::Language;
use dyno_core::base::units::{self, plural};
use dyno_core::stats::runs::changes::{ChangePoint, FEWEST_IN_A_LEVEL, LASTING, Sensitivity};

/// The most replacements between runs that are listed.
const MOST_REPLACEMENTS: usize = 20;

/// The title of a history: "ops/s of 4 KiB random reads at 32".
pub fn title(history: &FigureHistory) -> String {
    let at = match &history.at {
        Some(at) => format!(" at {at}"),
        None => String::new(),
    };
    format!("{}: {} of {}{at}", history.label, history.metric.short(), history.step)
}

/// A value of its figure with the unit: "31,630 ops/s".
pub fn value(history: &FigureHistory, value: f64) -> String {
    let (by, unit) = trend::scale(&history.metric);
    format!("{} {unit}", number(value * by))
}

fn number(value: f64) -> String {
    match value {
        v if v >= 999.5 => units::grouped(v.round() as u64),
        v if v >= 99.95 => format!("{v:.0}"),
        v if v >= 9.995 => format!("{v:.1}"),
        v => format!("{v:.3}"),
    }
}

/// A change point: its run, its size, and what was replaced within its interval.
pub fn sentence(history: &FigureHistory, change: &ChangePoint) -> String {
    let counted: Vec<&Member> = history.counted().collect();
    let first = counted[change.at];
    let percent = (change.after / change.before - 1.0) * 100.0;
    let sign = if percent < 0.0 { "−" } else { "+" };
    let (from, to) = (value(history, change.before), value(history, change.after));
    let text = format!(
        "From {} ({}) on {sign}{:.1} %: {from} before, {to} after (p = {:.3})",
        units::moment(first.started_unix_ns),
        first.file,
        percent.abs(),
        change.chance
    );
    let replaced: Vec<String> = history
        .replaced_within(change)
        .into_iter()
        .map(|(at, replaced)| match at == change.at {
            true => replacement(&replaced),
            false => format!("{} (from {} on)", replacement(&replaced), counted[at].file),
        })
        .collect();
    match replaced.is_empty() {
        true => text,
        false => format!("{text}; {}", replaced.join("; ")),
    }
}

/// "firmware FW1 before, FW2 after".
fn replacement(replaced: &Replacement) -> String {
    let Replacement { what, before, after } = replaced;
    format!("{what} {} before, {} after", of(before), of(after))
}

/// Every replacement, whether or not the level changed there: "From 2026-05-02 (150.dyno) on:
/// firmware FW1 before, FW2 after".
fn replacements(history: &FigureHistory) -> Vec<String> {
    let counted: Vec<&Member> = history.counted().collect();
    let mut lines: Vec<(usize, Vec<String>)> = Vec::new();
    for (at, replaced) in history.replacements() {
        match lines.last_mut() {
            Some((last, parts)) if *last == at => parts.push(replacement(&replaced)),
            _ => lines.push((at, vec![replacement(&replaced)])),
        }
    }
    let line = |(at, parts): &(usize, Vec<String>)| {
        let began = units::moment(counted[*at].started_unix_ns);
        format!("From {began} ({}) on: {}", counted[*at].file, parts.join("; "))
    };
    let mut shown: Vec<String> = lines.iter().take(MOST_REPLACEMENTS).map(line).collect();
    if lines.len() > MOST_REPLACEMENTS {
        shown.push(format!("… and {} more", lines.len() - MOST_REPLACEMENTS));
    }
    shown
}

fn of(values: &[String]) -> String {
    if values.is_empty() { "unknown".to_string() } else { values.join(", ") }
}

/// The power that remains with the correlation of neighbouring runs.
fn power(shows: &Sensitivity) -> String {
    format!(
        "Neighbouring runs are taken to correlate by {:.2}, as far as these show it: a step that \
         lasts {LASTING} runs is found in about every other history like this one from {:.1} % on.",
        shows.kept,
        shows.step * 100.0
    )
}

/// One history: its change points, its figure, its runs.
pub fn blocks(history: &FigureHistory, figure: String) -> Vec<Block> {
    let mut out = Vec::new();
    let differs = history.differs.iter().map(|d| {
        let l = Language::ENGLISH;
        let [first, own] = d.values.each_ref().map(|value| plan_text::value(l, value));
        let field = plan_text::field(l, &d.field);
        format!("Another configuration than that of the first runs: {field} {own}, not {first}")
    });
    out.extend(differs.map(Block::note));
    let counted = history.counted().count();
    if !history.changes.is_empty() {
        out.push(Block::list(history.changes.iter().map(|change| sentence(history, change))));
    } else if counted < 2 * FEWEST_IN_A_LEVEL {
        let needed = 2 * FEWEST_IN_A_LEVEL;
        let runs = plural(counted, "run");
        out.push(Block::text(format!("{runs}; a change point needs {needed} or more.")));
    } else {
        out.push(Block::text(format!("No change point in {counted} runs.")));
    }
    let replaced = replacements(history);
    if !replaced.is_empty() {
        out.push(Block::text("Replaced between runs:".to_string()));
        out.push(Block::list(replaced));
    }
    out.extend(history.shows.map(|shows| Block::text(power(&shows))));
    out.push(Block::Figures(vec![trend::figure(history, figure)]));
    out.push(table(history).block());
    out
}

fn table(history: &FigureHistory) -> Table {
    let (by, unit) = trend::scale(&history.metric);
    let heads = ["began", "bundle", "drives", unit, "interval (95 %)"];
    let mut table = Table::new(3, &heads);
    for run in &history.runs {
        let e = &run.estimate;
        let interval = match e.has_interval() {
            true => format!("{} to {}", number(e.low * by), number(e.high * by)),
            false => NONE.to_string(),
        };
        let drives = run.drives.concat().join(", ");
        let cells = vec![units::moment(run.started_unix_ns), run.file.clone(), drives];
        let mark = if run.counts { Mark::None } else { Mark::Side };
        table.row(mark, [cells, vec![number(e.value * by), interval]].concat());
    }
    table
}

/// Notes that apply to all.
pub fn note() -> Block {
    Block::note(
        "Change points by permutation of what is new in each run (docs/trends.md): at most 5 % of \
         stable histories have one, with neighbouring runs that correlate by up to 0.5. Hollow \
         marks are runs that something other than the drive is known to have limited; they are \
         not looked at. The vertical axis need not begin at zero.",
    )
}

/// Histories as a page.
pub fn document(histories: &[FigureHistory]) -> Brief {
    let part = |(i, history): (usize, &FigureHistory)| BriefSection {
        id: format!("history-{}", i + 1),
        title: title(history),
        appendix: false,
        blocks: blocks(history, format!("trend-{}", i + 1)),
    };
    let (protocol, name) = histories.first().map(|h| h.protocol.clone()).unwrap_or_default();
    let changes: usize = histories.iter().map(|h| h.changes.len()).sum();
    let runs = histories.iter().map(|h| h.runs.len()).max().unwrap_or(0);
    Brief {
        language: Language::ENGLISH,
        title: format!("Trends: {}", protocol.text(Language::ENGLISH)),
        kicker: name,
        byline: format!("{}; {}", plural(runs, "run"), plural(changes, "change point")),
        version: env!("CARGO_PKG_VERSION").to_string(),
        subjects: Vec::new(),
        palette: Palette::default(),
        cover: vec![note()],
        parts: histories.iter().enumerate().map(part).collect(),
        logo_png: None,
        footer: None,
        page: PaperSize::default(),
    }
}
