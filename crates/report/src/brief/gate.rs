//! A gate's verdicts in words: a table of the comparisons, and the overall result.

use super::block::{Block, Mark, Table};
use super::number_format::NONE;
use super::{caveat_text, wording};
use crate::analysis::At;
use crate::analysis::facts::Facts;
use crate::analysis::gate::{Gate, Judged, Verdict, Why};
use crate::stats::Better;
use crate::stats::gate::{Change, Shown, Unit};
use crate::stats::percent::in_interval;

/// The verdict in a word, as JSON and scripts have it.
pub fn word(shown: Shown) -> &'static str {
    match shown {
        Shown::NotWorse => "not worse",
        Shown::Worse => "worse",
        Shown::Neither => "not shown",
    }
}

/// The same of one figure.
pub fn word_of(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::NotWorse => word(Shown::NotWorse),
        Verdict::Worse => word(Shown::Worse),
        Verdict::NotShown(_) => word(Shown::Neither),
    }
}

/// The verdict with the limit: "worse by more than 5 %".
pub fn sentence(gate: &Gate) -> String {
    let limit = percent(gate.limit);
    match gate.verdict() {
        Shown::NotWorse => format!("Not worse: no figure lost more than {limit}."),
        Shown::Worse => {
            let worse = gate.rows.iter().filter(|r| r.verdict == Verdict::Worse).count();
            let of = gate.rows.len();
            format!("Worse: {worse} of {of} figures lost more than {limit}.")
        }
        Shown::Neither => {
            format!("Not shown: whether every figure kept within a loss of {limit} is open.")
        }
    }
}

fn percent(share: f64) -> String {
    let text = format!("{:.3}", share * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Where in its step a figure is: "8 threads", "mean of points".
pub fn place(facts: &Facts, row: &Judged) -> String {
    let step = &facts.steps[row.step];
    match row.at {
        At::Value(value) => match &step.axis {
            Some(_) => format!(
                "{} {}",
                step.values[value].text(facts.language),
                step.axis_text(facts.language)
            ),
            None => "the only point".to_string(),
        },
        _ => "mean of points".to_string(),
    }
}

/// new ÷ base as a change in percent, and its interval: "+7.2 %" and "[3.1, 11.4]".
pub fn change(change: &Change) -> (String, String) {
    let of = |ratio: f64| (ratio - 1.0) * 100.0;
    let [value, low, high] = in_interval(of(change.ratio), of(change.low), of(change.high));
    let sign = if change.ratio > 1.0 && !value.starts_with('−') { "+" } else { "" };
    (format!("{sign}{value} %"), format!("[{low}, {high}]"))
}

/// The verdict on one figure, with why nothing is shown and what would.
pub fn verdict(facts: &Facts, gate: &Gate, row: &Judged) -> String {
    let Verdict::NotShown(why) = &row.verdict else { return word_of(&row.verdict).to_string() };
    let unit = match gate.unit {
        Unit::Repeats => "repeats",
        Unit::Runs => "base runs",
    };
    let why = match why {
        Why::Scatter(Some(n)) => format!("about {n} {unit} would show it"),
        Why::Scatter(None) if gate.unit == Unit::Runs => {
            "more base runs would not show it: repeat the new run".to_string()
        }
        Why::Scatter(None) => "more than 100 repeats would be needed".to_string(),
        Why::TooFew(have) => format!("{have} {unit}; it takes 3 at least"),
        Why::NotInNew => "not measured in the new run".to_string(),
        Why::NotInBase => "not measured in the base".to_string(),
        Why::Caveat => "a caveat bars it".to_string(),
        Why::Barred(number) => wording::barred(facts, &facts.barred[*number]),
    };
    format!("not shown: {why}")
}

/// All of it for the terminal.
pub fn blocks(facts: &Facts, gate: &Gate) -> Vec<Block> {
    let mut out = vec![Block::chapter(&facts.title), Block::lead(sentence(gate))];
    let head = ["step", "subject", "at", "metric", "verdict", "change", "interval"];
    let mut table = Table::new(5, &head);
    let (mut reasons, mut caveat) = (Vec::new(), false);
    for row in &gate.rows {
        let (by, interval) =
            row.change.as_ref().map_or((NONE.to_string(), NONE.to_string()), change);
        let mark = if row.verdict == Verdict::Worse { Mark::Bad } else { Mark::None };
        let (step, subject) = (&facts.steps[row.step].title, &facts.own_names[row.subject]);
        let metric = row.metric.text(facts.language);
        let names = [step.clone(), subject.clone(), place(facts, row), metric];
        let own = [word_of(&row.verdict).to_string(), by, interval];
        if let Verdict::NotShown(why) = &row.verdict {
            caveat |= *why == Why::Caveat;
            let said = verdict(facts, gate, row);
            let barred = matches!(why, Why::Barred(_));
            let reason = if barred { said } else { format!("{}: {said}", names.join(", ")) };
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        table.row(mark, [&names[..], &own].concat());
    }
    out.push(Block::Table(table));
    if !reasons.is_empty() {
        out.push(Block::list(reasons));
    }
    if caveat {
        out.push(Block::list(caveat_text::caveats(facts)));
    }
    if !gate.unpaired.is_empty() {
        let names: Vec<&str> = gate.unpaired.iter().map(|s| &*facts.subjects[*s]).collect();
        let names = names.join(", ");
        out.push(Block::note(format!("Subjects that only one side has, not compared: {names}.")));
    }
    out.push(Block::note(basis(gate)));
    out
}

/// How the intervals are made, and which way is worse.
fn basis(gate: &Gate) -> String {
    let has = |better: Better| gate.rows.iter().any(|r| r.metric.better() == better);
    let worse = match (has(Better::Higher), has(Better::Lower)) {
        (true, false) => "worse is less",
        (false, _) => "worse is more",
        (true, true) => "worse is more of latencies and joules, less of rates",
    };
    let from = match gate.unit {
        Unit::Repeats => "the scatter between repeats",
        Unit::Runs => "the scatter between base runs, each of which counts once",
    };
    format!(
        "Changes are new ÷ base − 1; {worse}. Intervals come from {from} and are one-sided: the \
         chance that any change here is above its interval is at most 5 %, and so is the chance \
         that any is below."
    )
}
