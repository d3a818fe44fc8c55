//! The constraints of a planned load, computed by its workload for the data that it will have.

use crate::base::error::{Result, failed};
use crate::base::rng::Seed;
use crate::measure::AddressSpace;
use crate::plan::Component;
use crate::plan::planned::PlannedLoad;
use crate::workload::{self, GeneratorInputs, Workload};
use crate::{engine, plan::Plan};

/// Stands for a size that only the drive determines: every block fits into it.
const OF_THE_DRIVE: AddressSpace = AddressSpace {
    from: 0,
    bytes: 1 << 60,
    align_bytes: 1,
    keys: 1 << 40,
    key_bytes: 16,
    value_bytes: 100,
};

/// Refuses a load that its workload cannot make from these data.
pub fn check(load: &PlannedLoad<'_>) -> Result<()> {
    let Some(workload) = workload::find(&load.workload.name) else { return Ok(()) };
    if let Some(fill) = load.fill {
        as_filled(workload, load.workload, fill)?;
    }
    let knobs = &load.engine.knobs;
    let planned = engine::find(&load.engine.name).and_then(|engine| engine.planned_space(knobs));
    let whole = planned.unwrap_or(OF_THE_DRIVE);
    let (from, bytes) = load.target.range(whole.bytes);
    let seed = Seed::new(1, 0, 0);
    workload.check(&GeneratorInputs {
        knobs: &load.workload.knobs,
        space: AddressSpace { from: whole.from + from, bytes, ..whole },
        thread: 0,
        threads: load.threads,
        seed,
        stream_seed: seed,
    })
}

/// Refuses a load on fewer or more data than those that were filled.
fn as_filled(workload: &dyn Workload, own: &Component, fill: &Component) -> Result<()> {
    for name in workload.as_filled() {
        let (Some(used), Some(filled)) = (own.knobs.get(name), fill.knobs.get(name)) else {
            continue;
        };
        if used != filled {
            return Err(failed(
                format!(
                    "the dataset is filled with {name} = {filled}, and '{}' uses {name} = {used}",
                    own.name
                ),
                format!("set `{name}` of both to one value: a part of the data is cached better"),
            ));
        }
    }
    Ok(())
}

/// Refuses a plan that needs an engine which this program was built without.
pub fn check_build(plan: &Plan) -> Result<()> {
    let datasets = plan.protocol.datasets.iter().map(|dataset| &dataset.engine);
    let streams = plan.protocol.steps.iter().flat_map(|step| &step.streams);
    let mut engines = datasets.chain(streams.map(|stream| &stream.engine));
    engines.try_for_each(|part| engine::find(&part.name).map_or(Ok(()), |e| e.check_build()))
}
