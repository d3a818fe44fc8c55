//! Whether the kernel and each bare device can execute the plan, determined before anything is
//! purged or filled. An I/O context of each stream is opened read-only and dropped.
//!
//! Files are left to the engine: they do not exist before the dataset is created, nor does the
//! run's own filesystem before it is made.

use crate::base::clock::Clock;
use crate::base::error::{Context, Result};
use crate::engine::{self, Access, DatasetLocation, verify};
use crate::plan::{Component, Drive, Plan, RequestFamily, Stream, Subject, steps_at};
use crate::run::datasets::dataset;

/// Refuses a plan that a device or this kernel cannot execute.
pub fn look(plan: &Plan, subjects: &[Subject], clock: Clock) -> Result<()> {
    let preparation = &plan.protocol.preparation;
    let datasets = plan.protocol.datasets.iter().map(|dataset| &dataset.engine);
    let steps = plan.protocol.steps.iter().flat_map(|step| &step.streams);
    for part in datasets.chain(steps.map(|stream| &stream.engine)) {
        engine::find(&part.name).map_or(Ok(()), |engine| engine.check_kernel(&part.knobs))?;
    }
    // Neither exists yet.
    if preparation.filesystem.is_some() || preparation.namespaces > 0 {
        return Ok(());
    }
    for subject in subjects {
        for step in &plan.protocol.steps {
            // No axis affects this.
            let Some(step) = steps_at(step, subject).next() else { continue };
            for stream in &step.streams {
                try_on(&subject.drives, stream, clock).with_context(|| {
                    format!("{}, step {}, stream {}", subject.name, step.name, stream.name)
                })?;
            }
        }
        let loads = plan.protocol.prepare.iter().map(|load| &load.stream);
        for stream in loads.chain(preparation.steady.iter().map(|steady| &steady.stream)) {
            try_on(&subject.drives, stream, clock)
                .with_context(|| format!("{}, [prepare]", subject.name))?;
        }
    }
    Ok(())
}

/// Opens an I/O context of a stream on each device.
fn try_on(drives: &[Drive], stream: &Stream, clock: Clock) -> Result<()> {
    if engine::find(&stream.engine.name).is_none_or(|e| e.info().family != RequestFamily::Block) {
        return Ok(());
    }
    // Without data verification, which would start a journal.
    let mut engine: Component = stream.engine.clone();
    engine.knobs.0.remove(verify::VERIFY.name);
    for drive in drives {
        let home = dataset::home(drive, &stream.dataset, 0, stream.target)?;
        if let DatasetLocation::Device { .. } = home {
            dataset::open(&engine, &home, Access::ReadOnly, clock)?.io_context(stream, 0)?;
        }
    }
    Ok(())
}
