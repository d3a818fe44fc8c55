//! Constraints of loads that no declaration of a knob states, such as a mix above 100 % or a block
//! larger than the data: each workload computes its own, and a mistake is shown at its stream.

use crate::base::error::{Result, describe};
use crate::plan::Catalogue;
use crate::plan::model::{Component, Dataset, Stream};
use crate::plan::syntax::mistakes::{Mistakes, SourceSpan};
use crate::plan::target::PlannedSlice;

/// A load, and the data that it uses.
pub struct PlannedLoad<'a> {
    /// The workload.
    pub workload: &'a Component,
    /// The engine that executes it.
    pub engine: &'a Component,
    /// The number of workers.
    pub threads: u32,
    /// Its part of the data.
    pub target: PlannedSlice,
    /// The workload that filled its data; none if they are used as found, or if it is the fill.
    pub fill: Option<&'a Component>,
}

/// Computes the constraints of a load. The error is the first that does not hold.
pub type LoadCheck = fn(&PlannedLoad<'_>) -> Result<()>;

/// Position of a step's stream.
pub struct StreamPlace {
    /// Name of the step.
    pub step: String,
    /// Name of the stream.
    pub stream: String,
    /// Of its workload.
    pub at: SourceSpan,
}

/// Checks a stream as it stands.
pub fn check_stream(
    stream: &Stream,
    datasets: &[Dataset],
    at: SourceSpan,
    catalogue: &Catalogue,
    log: &mut Mistakes,
) {
    let dataset = datasets.iter().find(|dataset| dataset.name == stream.dataset);
    let load = PlannedLoad {
        workload: &stream.workload,
        engine: &stream.engine,
        threads: stream.threads,
        target: stream.target,
        fill: dataset.and_then(|dataset| dataset.fill.as_ref()).map(|fill| &fill.workload),
    };
    check_load(&load, at, catalogue, log);
}

/// Checks the fill of a dataset.
pub fn check_fill(dataset: &Dataset, at: SourceSpan, catalogue: &Catalogue, log: &mut Mistakes) {
    let Some(fill) = &dataset.fill else { return };
    let load = PlannedLoad {
        workload: &fill.workload,
        engine: &dataset.engine,
        threads: fill.threads,
        target: PlannedSlice::default(),
        fill: None,
    };
    check_load(&load, at, catalogue, log);
}

fn check_load(load: &PlannedLoad<'_>, at: SourceSpan, catalogue: &Catalogue, log: &mut Mistakes) {
    if let Err(error) = (catalogue.check)(load) {
        let (message, help) = describe(&error);
        log.note(at, message, format!("of '{}'", load.workload.name), help.join("; "));
    }
}
