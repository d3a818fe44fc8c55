//! Axes of steps, and the values on them.

use crate::analysis::facts::{AxisPosition, StepFacts};
use crate::language::Language;
use crate::plan::Field;
use crate::say;

/// The name of an axis with this field.
pub fn field_text(l: Language, field: Field) -> String {
    match field {
        Field::Threads => say!(l, "axis-threads"),
        Field::Depth => say!(l, "axis-depth"),
        Field::OpsPerSec => say!(l, "axis-asked-ops"),
        Field::BytesPerSec => say!(l, "axis-asked-rate"),
        Field::LoadPercent => say!(l, "axis-load"),
        Field::Block => say!(l, "axis-block"),
        Field::Instances => say!(l, "axis-instances"),
        Field::Rates => say!(l, "axis-rates"),
        Field::Scale => say!(l, "axis-scale"),
    }
}

impl AxisPosition {
    /// The value in a brief.
    pub fn text(&self, l: Language) -> String {
        match self.number.is_infinite() {
            true => say!(l, "maximum"),
            false => l.number(&self.label),
        }
    }
}

impl StepFacts {
    /// What the axis counts, for a column's head.
    pub fn axis_text(&self, l: Language) -> String {
        self.axis.as_ref().map_or(String::new(), |axis| field_text(l, axis.field))
    }
}
