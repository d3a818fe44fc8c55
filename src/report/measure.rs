//! What subjects are held against each other by: operations a second, p99, and operations a second per watt.

use super::facts::{CellFacts, StepFacts};
use super::reading::{ClassSummary, P99};
use crate::base::units;
use crate::stats::{Better, Estimate};

/// One figure of a cell that two subjects can be compared in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measure {
    Ops,
    P99,
    /// Of one class of power ("drive", "system") as one kind of meter reads it: neither is ever mixed with another.
    OpsPerWatt {
        class: String,
        kind: String,
    },
}

impl Measure {
    /// Those that a step may have, in the order in which they are shown.
    pub fn of_step(step: &StepFacts) -> Vec<Measure> {
        let mut all = vec![Measure::Ops, Measure::P99];
        for power in step.cells.iter().flat_map(|c| &c.power).filter(|p| p.ops_per_watt.is_some()) {
            let own = Measure::OpsPerWatt { class: power.class.clone(), kind: power.kind.clone() };
            if !all.contains(&own) {
                all.push(own);
            }
        }
        all
    }

    pub fn better(&self) -> Better {
        if *self == Measure::P99 { Better::Lower } else { Better::Higher }
    }

    /// A cell's estimate, and the repeats behind it.
    pub fn of<'a>(&self, step: &StepFacts, cell: &'a CellFacts) -> Option<(&'a Estimate, &'a [f64])> {
        let total = cell.total.as_ref()?;
        match self {
            Measure::Ops => Some((&total.ops_per_s, &total.by_repeat)),
            Measure::P99 => {
                let times = total.class(step.class).map(ClassSummary::felt)?;
                Some((times.percentiles_ns[P99].as_ref()?, &times.p99_by_repeat))
            }
            Measure::OpsPerWatt { class, kind } => {
                let power = cell.power.iter().find(|p| p.class == *class && p.kind == *kind)?;
                Some((power.ops_per_watt.as_ref()?, &power.ops_per_watt_by_repeat))
            }
        }
    }

    /// For a table's column.
    pub fn short(&self) -> String {
        match self {
            Measure::Ops => "ops/s".to_string(),
            Measure::P99 => "p99".to_string(),
            Measure::OpsPerWatt { class, kind } => format!("ops/s/W, {class} ({kind})"),
        }
    }

    /// In words: "operations a second", "p99 read service time".
    pub fn name(&self, step: &StepFacts) -> String {
        match self {
            Measure::Ops => "operations a second".to_string(),
            Measure::P99 => {
                let kind = if step.open_loop { "response" } else { "service" };
                format!("p99 {} {kind} time", step.class.map_or("", |c| c.name()))
            }
            Measure::OpsPerWatt { class, kind } => format!("operations a second per watt ({class}, {kind})"),
        }
    }

    /// A cell's figure as it is printed, and the text: what a reader computes with is what a claim is computed with.
    pub fn printed(&self, step: &StepFacts, cell: &CellFacts) -> Option<(f64, String)> {
        let value = self.of(step, cell)?.0.value;
        match self {
            Measure::P99 => Some(printed_latency(value)),
            _ => Some(printed_rate(value)),
        }
    }
}

fn printed_rate(rate: f64) -> (f64, String) {
    let whole = rate.round();
    match rate < 1000.0 {
        true => ((rate * 100.0).round() / 100.0, format!("{rate:.2}")),
        false => (whole, units::grouped(whole as u64)),
    }
}

fn printed_latency(ns: f64) -> (f64, String) {
    let tenths = (ns / 100.0).round();
    let micros = match tenths % 10.0 == 0.0 {
        true => units::grouped((tenths / 10.0) as u64),
        false => format!("{}.{}", units::grouped((tenths / 10.0) as u64), tenths % 10.0),
    };
    // Below 100 µs a tenth of a microsecond is too coarse.
    match ns < 100_000.0 && tenths * 100.0 != ns {
        true => (ns.round(), format!("{} ns", units::grouped(ns.round() as u64))),
        false => (tenths * 100.0, format!("{micros} µs")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_what_is_computed_with() {
        assert_eq!(printed_rate(892_201.6), (892_202.0, "892,202".to_string()));
        assert_eq!(printed_rate(12.344), (12.34, "12.34".to_string()));
        assert_eq!(printed_latency(169_000.0), (169_000.0, "169 µs".to_string()));
        assert_eq!(printed_latency(1_234_560.0), (1_234_600.0, "1,234.6 µs".to_string()));
        assert_eq!(printed_latency(8_123.4), (8_123.0, "8,123 ns".to_string()));
    }
}
