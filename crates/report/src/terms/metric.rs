//! Names of metrics, and of the instruments that measure power.

use crate::analysis::points::metric::{Instrument, Metric, PointFigure};
use crate::language::{Language, Name};
use crate::say;

impl Instrument {
    /// Class and kind in the brief's language.
    pub fn names(&self) -> (Name, Name) {
        (Name::power_class(&self.class), Name::meter_kind(&self.kind))
    }
}

impl Metric {
    /// The metric's name.
    pub fn text(&self, l: Language) -> String {
        let own = |word: &str, i: &Instrument| {
            let (class, kind) = i.names();
            say!(l, "metric-of-instrument", metric = word, class, kind)
        };
        let figure = match &self.figure {
            PointFigure::Mean => say!(l, "mean"),
            PointFigure::PerMinute(class) => say!(l, "per-minute", class = Name::op(class.name())),
            PointFigure::OpsPerWatt(i) => own("ops/s/W", i),
            PointFigure::MbPerWatt(i) => own("MB/s/W", i),
            PointFigure::JoulesPerOp(i) => own("J/op", i),
            PointFigure::JoulesPerTb(i) => own("J/TB", i),
            PointFigure::Watts(i) => {
                let (class, _) = i.names();
                say!(l, "power-of", class)
            }
            PointFigure::Ops
            | PointFigure::Bytes
            | PointFigure::Percentile(_)
            | PointFigure::Waf => Metric::total(self.figure.clone()).short(),
        };
        match self.part.name() {
            Some(part) => say!(l, "of-part", part, figure),
            None => figure,
        }
    }
}
