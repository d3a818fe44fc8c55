//! A gate's verdicts as text: a table of the comparisons, and the overall result.

use std::collections::BTreeMap;

use super::block::{Block, Mark, Table};
use crate::analysis::StepPlace;
use crate::analysis::facts::{Facts, MeasuredFacts, Subjects};
use crate::analysis::verdicts::gate::{Gate, GateVerdict, Judged, MixedFirmware, NoVerdictCause};
use crate::brief::number_format::NONE;
use crate::brief::text::{bottleneck_text, caveat_text, wording};
use crate::language::Language;
use dyno_core::base::text::abridged;
use dyno_core::base::units::plural;
use dyno_core::stats::Better;
use dyno_core::stats::percent::{cut_off, in_interval};
use dyno_core::stats::runs::gate::{FEWEST_RUNS, RatioChange, ShownChange};

/// The verdict in one word, as in JSON and for scripts.
pub fn word(shown: ShownChange) -> &'static str {
    match shown {
        ShownChange::NotWorse => "not worse",
        ShownChange::Worse => "worse",
        ShownChange::Neither => "not shown",
    }
}

/// The same for one figure.
pub fn word_of(verdict: &GateVerdict) -> &'static str {
    match verdict {
        GateVerdict::NotWorse => word(ShownChange::NotWorse),
        GateVerdict::Worse => word(ShownChange::Worse),
        GateVerdict::NotShown(_) => word(ShownChange::Neither),
    }
}

/// The verdict with the limit: "worse by more than 5 %".
pub fn sentence(gate: &Gate) -> String {
    let limit = percent(gate.limit);
    match gate.verdict() {
        ShownChange::NotWorse => format!("Not worse: no figure lost more than {limit}."),
        ShownChange::Worse => {
            let worse = gate.rows.iter().filter(|r| r.verdict == GateVerdict::Worse).count();
            let of = gate.rows.len();
            format!("Worse: {worse} of {of} figures lost more than {limit}.")
        }
        ShownChange::Neither if has_no_history(gate) => {
            format!(
                "Not shown: no history. Whether a figure lost more than {limit} is judged by the \
                 scatter between {FEWEST_RUNS} or more earlier runs."
            )
        }
        ShownChange::Neither => {
            format!("Not shown: whether every figure is within a loss of {limit} is undecided.")
        }
    }
}

/// Whether nothing could be judged because there are too few earlier runs.
fn has_no_history(gate: &Gate) -> bool {
    let judged = |r: &Judged| r.change.as_ref().is_some_and(|c| c.interval.is_some());
    let none =
        |r: &Judged| matches!(r.verdict, GateVerdict::NotShown(NoVerdictCause::NoHistory(_)));
    !gate.rows.iter().any(judged) && gate.rows.iter().any(none)
}

fn percent(share: f64) -> String {
    let text = format!("{:.3}", share * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// The place of a figure in its step: "8 threads", "mean of points".
pub fn place(l: Language, measured: &MeasuredFacts, row: &Judged) -> String {
    let step = &measured.steps[row.step];
    match row.at {
        StepPlace::Value(value) => match &step.axis {
            Some(_) => format!("{} {}", step.values[value].text(l), step.axis_text(l)),
            None => "the only point".to_string(),
        },
        _ => "mean of points".to_string(),
    }
}

/// new ÷ base as a change in percent, and its interval: "+7.2 %" and "[3.1, 11.4]".
pub fn change(change: &RatioChange) -> (String, String) {
    let of = |ratio: f64| (ratio - 1.0) * 100.0;
    let sign = |value: &str| match change.ratio > 1.0 && !value.starts_with('−') {
        true => "+",
        false => "",
    };
    let Some((low, high)) = change.interval else {
        let value = cut_off(of(change.ratio), 1);
        return (format!("{}{value} %", sign(&value)), NONE.to_string());
    };
    let [value, low, high] = in_interval(of(change.ratio), of(low), of(high));
    (format!("{}{value} %", sign(&value)), format!("[{low}, {high}]"))
}

/// The verdict on one figure, with the reason if nothing is shown, and the remedy.
pub fn verdict(l: Language, subjects: &Subjects, measured: &MeasuredFacts, row: &Judged) -> String {
    let GateVerdict::NotShown(why) = &row.verdict else { return word_of(&row.verdict).to_string() };
    let why = match why {
        NoVerdictCause::Scatter(Some(n)) => format!("about {n} base runs would show it"),
        NoVerdictCause::Scatter(None) => {
            "more base runs would not show it: repeat the new run".to_string()
        }
        NoVerdictCause::NoHistory(have) => {
            let runs = plural(*have, "earlier run");
            format!("no history ({runs}; it takes {FEWEST_RUNS} at least)")
        }
        NoVerdictCause::NotInNew => "not measured in the new run".to_string(),
        NoVerdictCause::NotInBase => "not measured in the base".to_string(),
        NoVerdictCause::Caveat => "a caveat bars it".to_string(),
        NoVerdictCause::Barred(bar) => wording::barred(l, subjects, measured, bar),
    };
    format!("not shown: {why}")
}

/// The most figures that one reason names.
const MOST_FIGURES: usize = 5;

/// The complete text for the terminal.
pub fn blocks(l: Language, facts: &Facts, gate: &Gate) -> Vec<Block> {
    let Facts { subjects, statements, measured, .. } = facts;
    let mut out = vec![Block::chapter(facts.protocol().title.text(l)), Block::lead(sentence(gate))];
    let head = ["step", "subject", "at", "metric", "verdict", "change", "interval"];
    let mut table = Table::new(5, &head);
    // Each reason with the figures that it concerns.
    let (mut reasons, mut caveat) = (BTreeMap::<String, Vec<String>>::new(), false);
    for row in &gate.rows {
        let (by, interval) =
            row.change.as_ref().map_or((NONE.to_string(), NONE.to_string()), change);
        let mark = if row.verdict == GateVerdict::Worse { Mark::Bad } else { Mark::None };
        let (step, subject) = (&measured.steps[row.step].title, &subjects[row.subject].own_name);
        let metric = row.metric.text(l);
        let names = [step.text(l), subject.clone(), place(l, measured, row), metric];
        let own = [word_of(&row.verdict).to_string(), by, interval];
        if let GateVerdict::NotShown(why) = &row.verdict {
            caveat |= *why == NoVerdictCause::Caveat;
            let said = verdict(l, subjects, measured, row);
            let barred = matches!(why, NoVerdictCause::Barred(_));
            let figures = reasons.entry(said).or_default();
            if !barred {
                figures.push(names.join(", "));
            }
        }
        table.row(mark, [&names[..], &own].concat());
    }
    out.push(Block::Table(table));
    if !reasons.is_empty() {
        out.push(Block::list(reasons.into_iter().map(|(said, figures)| match &figures[..] {
            [] => said,
            some => format!("{}: {said}", abridged(some, MOST_FIGURES)),
        })));
    }
    if caveat {
        let why = bottleneck_text::because;
        out.push(Block::list(caveat_text::caveats(l, subjects, statements, measured, why)));
    }
    if !gate.unpaired.is_empty() {
        let names: Vec<&str> = gate.unpaired.iter().map(|s| &*subjects[*s].name).collect();
        let names = names.join(", ");
        out.push(Block::note(format!("Subjects on only one side, not compared: {names}.")));
    }
    out.extend(gate.mixed.iter().map(|mixed| Block::note(mixed_text(subjects, mixed))));
    out.push(Block::note(basis(gate)));
    out
}

/// "A: the base mixes firmware FW1 (8 runs) and FW2 (4 runs), and the new run has FW2: …"
pub fn mixed_text(subjects: &Subjects, mixed: &MixedFirmware) -> String {
    let each =
        |(firmware, runs): &(String, usize)| format!("{firmware} ({})", plural(*runs, "run"));
    let base: Vec<String> = mixed.base.iter().map(each).collect();
    let new = mixed.new.as_ref().map_or(String::new(), |own| format!("; the new run has {own}"));
    format!(
        "{}: the base mixes firmware {}{new}. Its scatter includes their difference, which can \
         hide a loss: give the runs of one firmware as the base.",
        subjects[mixed.subject].own_name,
        base.join(", ")
    )
}

/// The computation of the intervals, and the direction that is worse.
fn basis(gate: &Gate) -> String {
    let has = |better: Better| gate.rows.iter().any(|r| r.metric.better() == better);
    let worse = match (has(Better::Higher), has(Better::Lower)) {
        (true, false) => "worse is less",
        (false, _) => "worse is more",
        (true, true) => "worse is more of latencies and joules, less of rates",
    };
    format!(
        "Changes are new ÷ base − 1; {worse}. Intervals come from the scatter between base runs, \
         each of which counts once, and are one-sided: the chance that any change here is above \
         its interval is at most 5 %, and so is the chance that any is below."
    )
}
