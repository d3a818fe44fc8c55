//! The result of an acceptance test: limits with the power of the reference, and every drive that
//! is rejected or could not be judged.

use super::block::{Block, Mark, Table};
use crate::analysis::verdicts::acceptance::{
    Acceptance, DeliveredVerdict, DriveFlaw, DriveNote, DriveVerdict, Judge, JudgedDrive,
    JudgedFigure, MOST_WORN_PERCENT,
};
use crate::brief::text::condition_text::condition;
use crate::brief::text::metric_text::printed_value;
use crate::language::Language;
use dyno_core::base::units::{bytes, plural};
use dyno_core::stats::Better;

/// The losses for which the power is printed, as shares.
pub const LOSSES: [f64; 3] = [0.05, 0.10, 0.15];

/// The verdict in one word, as in JSON.
pub fn word(verdict: &DriveVerdict) -> &'static str {
    match verdict {
        DriveVerdict::Accepted(_) => "accepted",
        DriveVerdict::Rejected(_) => "rejected",
        DriveVerdict::TooFew(_) | DriveVerdict::Missing => "not judged",
    }
}

/// The delivery in one sentence.
pub fn sentence(found: &Acceptance) -> String {
    let (all, rejected, open) = (found.drives.len(), found.rejected(), found.open());
    let judged = all - open;
    let unlike = found.drives.iter().filter(|drive| drive.behaves_otherwise()).count();
    let flawed = found.drives.iter().filter(|drive| !drive.flaws.is_empty()).count();
    let mut parts = Vec::new();
    if rejected == 0 {
        parts
            .push(format!("{judged} of {all} drives behave like the reference; none is rejected."));
    }
    if unlike > 0 {
        parts.push(format!("{unlike} of {all} drives do not behave like the reference."));
    }
    if flawed > 0 {
        parts.push(format!("{flawed} of {all} drives are rejected whatever their figures."));
    }
    let mut text = parts.join(" ");
    if open > 0 {
        text.push_str(&format!(" {open} could not be judged."));
    }
    text
}

/// The complete text for the terminal.
pub fn blocks(l: Language, found: &Acceptance) -> Vec<Block> {
    let mut out = vec![Block::lead(sentence(found))];
    let stated: Vec<String> = found.drives.iter().filter_map(|drive| stated(l, drive)).collect();
    if !stated.is_empty() {
        out.push(Block::list(stated));
    }
    out.push(limits(l, found));
    let table = drives(l, found);
    if !table.rows.is_empty() {
        out.push(table.block());
    }
    out.push(Block::note(basis(found)));
    out
}

/// What a drive is, apart from its figures: "A (X1), x.dyno: rejected: …"; None if there is nothing
/// to say.
fn stated(l: Language, delivered: &DeliveredVerdict) -> Option<String> {
    let JudgedDrive { name, file, setup, unlike, .. } = &delivered.drive;
    let serial = setup.serial.as_ref().map_or(String::new(), |serial| format!(" ({serial})"));
    let mut parts: Vec<String> =
        delivered.flaws.iter().map(|flaw| format!("rejected: {}", flaw_text(flaw))).collect();
    parts.extend(delivered.notes.iter().map(note_text));
    if !unlike.is_empty() {
        let what: Vec<String> = unlike.iter().map(|d| condition(l, &d.what)).collect();
        parts.push(format!(
            "not measured in the same way as the reference: {} differs",
            what.join(", ")
        ));
    }
    (!parts.is_empty()).then(|| format!("{name}{serial}, {file}: {}", parts.join("; ")))
}

/// Why a drive is rejected whatever its figures.
pub fn flaw_text(flaw: &DriveFlaw) -> String {
    let sizes = |all: &[u64]| all.iter().map(|n| bytes(*n)).collect::<Vec<_>>().join(" or ");
    match flaw {
        DriveFlaw::Model(own, of) => {
            format!("its model is {own}, the reference's {}", of.join(" or "))
        }
        DriveFlaw::Capacity(own, of) => {
            format!("its capacity is {}, the reference's {}", bytes(*own), sizes(of))
        }
        DriveFlaw::MediaErrors(count) => {
            format!("its health log has {}", plural(*count as usize, "media error"))
        }
        DriveFlaw::Warning(bits) => {
            format!("its health log has the critical warning {bits:02x}h")
        }
        DriveFlaw::Worn(used, most) => {
            format!("{used} % of its rated endurance is used, more than {most} %")
        }
        DriveFlaw::Errors(count, repeat, cause) => {
            let points = plural(*count, "point");
            format!("{points} ended with an error, the first in repeat {repeat}: {cause}")
        }
    }
}

/// What is stated beside a drive's verdict.
pub fn note_text(note: &DriveNote) -> String {
    match note {
        DriveNote::Firmware(own, of) => {
            format!("its firmware is {own}, the reference's {}", of.join(" or "))
        }
        DriveNote::Link(own, of) => {
            format!("its link is {own}, the reference's {}", of.join(" or "))
        }
        DriveNote::NoSerial => {
            "its serial number is unknown: in several bundles it counts several times".to_string()
        }
        DriveNote::NoModel => "its model is unknown".to_string(),
        DriveNote::OfReference => "not judged: it is a drive of the reference".to_string(),
    }
}

fn place(measure: &JudgedFigure) -> String {
    if measure.at.is_empty() {
        return measure.title.clone();
    }
    format!("{}, {}", measure.title, measure.at)
}

fn value(l: Language, measure: &JudgedFigure, value: f64) -> String {
    printed_value(l, &measure.metric, value).1
}

fn limits(l: Language, found: &Acceptance) -> Block {
    let head = ["measure", "metric", "drives", "mean", "scatter", "limit"];
    let losses = LOSSES.map(|loss| format!("finds {:.0} %", loss * 100.0));
    let head: Vec<String> = head.map(String::from).into_iter().chain(losses).collect();
    let row = |judge: &Judge| {
        let Judge { measure, reference, .. } = judge;
        let mut row = vec![
            place(measure),
            measure.metric.text(l),
            reference.drives.to_string(),
            value(l, measure, reference.mean.exp()),
            format!("{:.2} %", reference.deviation * 100.0),
            value(l, measure, judge.limit()),
        ];
        row.extend(LOSSES.map(|loss| format!("{:.1} %", judge.power(loss) * 100.0)));
        row
    };
    Table::of(2, &head, found.judges.iter().map(row).collect()).captioned("Reference").block()
}

/// Drives that are rejected or not judged, one row per measure.
fn drives(l: Language, found: &Acceptance) -> Table {
    let head =
        ["drive", "serial", "bundle", "measure", "metric", "verdict", "value", "of the mean"];
    let mut table = Table::new(6, &head).captioned("Drives that are not accepted");
    for DeliveredVerdict { drive: specimen, verdicts, .. } in &found.drives {
        for (judge, verdict) in found.judges.iter().zip(verdicts) {
            let said = match verdict {
                DriveVerdict::Accepted(_) => continue,
                DriveVerdict::Rejected(own) => {
                    let of_mean = own / judge.reference.mean.exp() * 100.0;
                    [value(l, &judge.measure, *own), format!("{of_mean:.1} %")]
                }
                DriveVerdict::TooFew(n) => {
                    [format!("{} of {}", plural(*n, "repeat"), judge.repeats), String::new()]
                }
                DriveVerdict::Missing => ["no usable figure".to_string(), String::new()],
            };
            let mark = if word(verdict) == "rejected" { Mark::Bad } else { Mark::None };
            table.row(mark, row(l, specimen, &judge.measure, word(verdict), said));
        }
    }
    table
}

fn row(
    l: Language,
    specimen: &JudgedDrive,
    measure: &JudgedFigure,
    verdict: &str,
    said: [String; 2],
) -> Vec<String> {
    let serial = specimen.setup.serial.clone().unwrap_or_default();
    let names = [specimen.name.clone(), serial, specimen.file.clone(), place(measure)];
    let own = [measure.metric.text(l), verdict.to_string()];
    names.into_iter().chain(own).chain(said).collect()
}

fn basis(found: &Acceptance) -> String {
    let has = |better| found.judges.iter().any(|j| j.measure.metric.better() == better);
    let side = match (has(Better::Higher), has(Better::Lower)) {
        (true, false) => "below",
        (false, _) => "above",
        (true, true) => "on the worse side of",
    };
    format!(
        "A drive {side} a limit is rejected. A delivery of {} like the reference sees any \
         rejection in {} % of cases, over all measures (one-sided simultaneous prediction limits, \
         Hahn 1970; docs/fleet.md). \"finds 10 %\": how often a drive that is 10 % worse is \
         rejected with this reference. Rejected whatever its figures: another model or capacity, \
         media errors, a critical warning, more than {MOST_WORN_PERCENT} % of the endurance used \
         (or than a drive of the reference), a point that ended with an error.",
        plural(found.drives.len(), "drive"),
        found.miss * 100.0
    )
}
