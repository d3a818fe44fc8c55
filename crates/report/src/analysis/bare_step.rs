//! Steps before any of their points is known: from a plan, or from the source of imported figures.

use std::collections::HashMap;

use crate::analysis::claim::lead;
use crate::analysis::facts::{OverAxis, StepFacts};
use crate::analysis::keys::{Keyed, StepKey, TestKey, ValueKey};
use crate::analysis::points::metric::{Metric, PointFigure};
use crate::analysis::title::PlanText;
use dyno_core::plan::model::headline::AxisPlace;
use dyno_core::plan::{Field, ImportedStep, LoopKind, Protocol, Step, Timing};

/// A step of a plan.
pub fn planned(step: &Step, protocol: &Protocol) -> StepFacts {
    let (headline, place) = lead::asked(step, protocol);
    StepFacts {
        headline,
        place,
        figures: step.figures.clone(),
        search: step.sweep.as_ref().and_then(|sweep| sweep.search.clone()),
        loop_kind: Some(LoopKind::Closed),
        timing: Some(Timing::Service),
        instances: step.streams.iter().any(|s| s.instances > 1)
            || step.sweep.as_ref().is_some_and(|s| s.field == Field::Instances),
        window_ns: Some(step.duration_ns),
        warmup_ns: Some(step.warmup_ns),
        ..unknown(&step.name, PlanText::step(&protocol.name, &step.name, &step.title))
    }
}

/// A step with imported figures: values that the source does not give remain unknown.
pub fn imported(step: &ImportedStep, protocol: &Protocol) -> StepFacts {
    StepFacts {
        imported: true,
        loop_kind: step.loop_kind,
        timing: step.timing,
        instances: step.field == Some(Field::Instances),
        window_ns: step.window_ns,
        ..unknown(&step.name, PlanText::step(&protocol.name, &step.name, &step.title))
    }
}

/// A step with only a known name.
fn unknown(name: &str, title: PlanText) -> StepFacts {
    StepFacts {
        key: StepKey::default(),
        test: TestKey::default(),
        name: name.to_string(),
        own_name: name.to_string(),
        title,
        imported: false,
        axis: None,
        metrics: Vec::new(),
        headline_metric: Metric::total(PointFigure::Ops),
        headline_value: None,
        over_axis: OverAxis::default(),
        headline: None,
        place: AxisPlace::Top,
        figures: Vec::new(),
        search: None,
        values: Keyed::new(),
        class: None,
        loop_kind: None,
        timing: None,
        instances: false,
        window_ns: None,
        warmup_ns: None,
        cells: Vec::new(),
        lead: ValueKey::default(),
        index: HashMap::new(),
    }
}
