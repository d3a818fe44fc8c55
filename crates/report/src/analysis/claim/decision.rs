//! Decides claims: here, and nowhere else. From data to sentence:
//!
//! 1. A cell may be compared if no caveat rules it out (`may_be_compared`): it was steady,
//!    repeated,
//!    sustained its rate, and had the same load as the others. `alike` and `conditions` determine
//!    whether two subjects may be compared at all.
//! 2. `compare` makes every comparison of a brief once, as one family, so that the intervals hold
//!    simultaneously (`stats::family`).
//! 3. A comparison is a claim if its interval excludes "no difference" and the drives limited it
//!    (`standing`); what limited a load does not matter to write amplification.
//! 4. `claims` sorts the claims, `lead` takes the first; neither re-evaluates anything.
//! 5. `brief::text::wording` has the text: one sentence and one number for each standing.
//!
//! docs/claims.md has the statistics.

use crate::analysis::caveat::Caveat;
use crate::analysis::comparison::Standing;
use crate::analysis::facts::{CellFacts, StepFacts};
use crate::analysis::limits::bottleneck::Bottleneck;
use crate::analysis::points::metric::Metric;
use dyno_core::plan::Field;

/// Whether a cell's figure may be compared at its axis value: no caveat rules it out, a rate was
/// measured and not set, and the load is the same for every subject, unlike a share of its own
/// maximum.
pub(in crate::analysis) fn may_be_compared(
    step: &StepFacts,
    cell: &CellFacts,
    metric: &Metric,
) -> bool {
    let asked = metric.part.of(cell).is_some_and(|s| s.asked.is_some());
    let own_share = step.axis.as_ref().is_some_and(|a| a.field == Field::LoadPercent)
        && step.values[cell.value].number.is_finite();
    let found = !(asked && metric.is_rate());
    found && !own_share && !metric.is_barred(cell)
}

impl Metric {
    /// Whether a caveat of a cell, or of the metric's part of it, rules out any claim.
    pub(in crate::analysis) fn is_barred(&self, cell: &CellFacts) -> bool {
        let bars = |c: &Caveat| c.bars() && (self.is_of_time() || !matches!(c, Caveat::Late(_)));
        cell.caveats.iter().chain(&self.caveats(cell)).any(bars)
    }

    /// The bottleneck of a cell's figure, if known not to be the drive.
    pub(in crate::analysis) fn limit(&self, cell: &CellFacts) -> Option<Bottleneck> {
        cell.not_the_drive().filter(|_| self.is_of_time()).map(|verdict| verdict.limit)
    }
}

/// The result of a comparison, from the weak end of its interval, as a factor (better ÷ worse), and
/// from the bottlenecks of the two at each of its points; None if limited by the drive.
pub(in crate::analysis) fn standing(
    low: f64,
    limits: &[(Option<Bottleneck>, Option<Bottleneck>)],
) -> Standing {
    // Limited by the host, the drive could do more: a lower bound for the better one. Figures
    // served from memory show nothing about a drive.
    let lifted = limits.iter().any(|(better, _)| better.is_some_and(|l| !l.is_host()));
    match low > 1.0 {
        false => Standing::NotShown,
        true if lifted || limits.iter().any(|(_, worse)| worse.is_some()) => Standing::NotTheDrives,
        true if limits.iter().any(|(better, _)| better.is_some()) => Standing::AtLeast,
        true => Standing::Claimed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::comparability::conditions::tests::late_writes;
    use crate::analysis::keys::{RunKey, StepKey};
    use crate::analysis::points::metric::PointFigure;
    use crate::analysis::verdicts::acceptance::{JudgedFigure, specimens};

    /// It is a ratio of bytes.
    #[test]
    fn a_late_host_bars_times_and_does_not_bar_write_amplification() {
        let facts = late_writes();
        let cell = &facts.measured.steps[StepKey(0)].cells[0];
        let (ops, waf) = (Metric::total(PointFigure::Ops), Metric::total(PointFigure::Waf));
        for (metric, barred, limit) in [
            (ops, true, Some(Bottleneck::Cpu)),
            (Metric::p99(), true, Some(Bottleneck::Cpu)),
            (waf.clone(), false, None),
        ] {
            assert_eq!((metric.is_barred(cell), metric.limit(cell)), (barred, limit), "{metric:?}");
        }
        // A delivery is judged by it, too.
        let (step, title, at) = ("read".into(), "Reads".into(), String::new());
        let measure = [JudgedFigure { step, title, at, metric: waf }];
        let judged = specimens(&facts, RunKey(0), &measure, None);
        assert_eq!(judged.len(), 2);
        assert!(judged.iter().all(|drive| drive.figures == [vec![1.5, 1.6, 1.55]]), "{judged:?}");
    }

    #[test]
    fn a_claim_is_what_the_interval_shows_and_the_drives_decided() {
        let (drive, host, memory) = (None, Some(Bottleneck::Cpu), Some(Bottleneck::Memory));
        for (low, limits, standing_is) in [
            (1.02, vec![(drive, drive)], Standing::Claimed),
            (1.0, vec![(drive, drive)], Standing::NotShown),
            // The better one could do more; the worse one could, too.
            (1.02, vec![(drive, drive), (host, drive)], Standing::AtLeast),
            (1.02, vec![(drive, host)], Standing::NotTheDrives),
            // Served from memory.
            (1.02, vec![(memory, drive)], Standing::NotTheDrives),
        ] {
            assert_eq!(standing(low, &limits), standing_is, "{low} {limits:?}");
        }
    }
}
