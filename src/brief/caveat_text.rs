//! Caveats in sentences: what must be known before a number is trusted.

use std::collections::HashMap;

use super::{basis, number_format, wording};
use crate::analysis::caveats::{self, Caveat};
use crate::analysis::facts::{CellFacts, Facts, StepFacts};
use crate::analysis::metric::Part;

/// A caveat in words.
fn caveat(caveat: &Caveat) -> String {
    match caveat {
        Caveat::NotMeasured => "not measured".to_string(),
        Caveat::Failed(1) => "1 repeat failed".to_string(),
        Caveat::Failed(n) => format!("{n} repeats failed"),
        Caveat::NotSteady => "the drive had not reached steady state".to_string(),
        Caveat::Drifted(percent) => {
            format!("ops/s drifted by {} over the window", number_format::signed_percent(*percent))
        }
        Caveat::MissedRate(share) => format!("achieved {:.1} % of the asked rate", share * 100.0),
        Caveat::BackgroundMissedRate(stream, share) => {
            format!("stream {stream} achieved {:.1} % of the asked rate", share * 100.0)
        }
        Caveat::Late(share) => {
            format!("{:.1} % of its requests were submitted late", share * 100.0)
        }
        Caveat::FewRepeats(1) => {
            "measured once: repeat it (`--repeats 5`) before comparing".to_string()
        }
        Caveat::FewRepeats(n) => {
            format!("measured {n} times: repeat it (`--repeats 5`) before comparing")
        }
        Caveat::NotTheDrive(verdict) => {
            format!(
                "limited by {}, not by the drive: {}",
                verdict.limit.name(),
                basis::because(verdict)
            )
        }
    }
}

/// Every caveat of every cell, those that a whole brief shares once.
pub fn caveats(facts: &Facts) -> Vec<String> {
    let few = |c: &Caveat| matches!(c, Caveat::FewRepeats(_));
    let cells = || facts.steps.iter().flat_map(|s| &s.cells);
    let all_few = cells().next().is_some() && cells().all(|c| c.caveats.iter().any(few));
    let mut all = Vec::new();
    if all_few {
        let first = cells().flat_map(|c| &c.caveats).find(|c| few(c));
        all.extend(first.map(|c| format!("Every point was {}", caveat(c))));
    }
    // What holds for several points of a subject is said once.
    let (mut known, mut of) = (HashMap::new(), Vec::<Vec<(usize, usize)>>::new());
    for (index, step) in facts.steps.iter().enumerate() {
        let parts = facts.parts_asked(step);
        for cell in &step.cells {
            let own = cell.caveats.iter().filter(|c| !(all_few && few(c))).map(caveat);
            for said in own.chain(of_parts(cell, &parts)) {
                let at = (index, cell.value);
                let known = *known.entry((cell.subject, said)).or_insert(of.len());
                match of.get_mut(known) {
                    Some(places) => places.push(at),
                    None => of.push(vec![at]),
                }
            }
        }
    }
    let mut said: Vec<_> = known.into_iter().collect();
    said.sort_by_key(|(_, index)| *index);
    let line = |((subject, text), index): ((usize, String), usize)| {
        format!("{}, {}: {text}", places(facts, &of[index]), facts.subjects[subject])
    };
    all.extend(said.into_iter().map(line));
    all
}

/// Of the parts that were asked for: "reader-4: ops/s drifted by −50 % over the window".
fn of_parts(cell: &CellFacts, parts: &[Part]) -> Vec<String> {
    let of = |part: &Part| {
        let name = part.name().unwrap_or_default();
        let all = part.of(cell).map(caveats::of_load).unwrap_or_default();
        all.iter().map(|c| format!("{name}: {}", caveat(c))).collect::<Vec<_>>()
    };
    parts.iter().flat_map(of).collect()
}

/// "Reads at 1 and 2 threads; Writes": points, step by step.
fn places(facts: &Facts, points: &[(usize, usize)]) -> String {
    let of_step = |(index, step): (usize, &StepFacts)| {
        let values: Vec<usize> =
            points.iter().filter(|(of, _)| *of == index).map(|(_, value)| *value).collect();
        (!values.is_empty()).then(|| format!("{}{}", step.title, wording::place(step, &values)))
    };
    facts.steps.iter().enumerate().filter_map(of_step).collect::<Vec<_>>().join("; ")
}
