//! Checks before a run: each drive is looked up once and held, mounts left by a killed run are
//! removed, the guard is consulted, and space and the required features of kernel and devices are
//! checked, before anything is touched.

use crate::base::clock::Clock;
use crate::base::error::{Context, Result};
use crate::lab::drive::filesystem;
use crate::lab::folder::pin::Pins;
use crate::lab::guard;
use crate::plan::{Drive, Plan, Subject};
use crate::run::datasets::before::{Before, with_our_own};
use crate::run::datasets::space;
use crate::run::prepare::writes;
use crate::run::{planned, requirements};

/// What happens to mounts left by a killed run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Leftovers {
    /// They are removed.
    Remove,
    /// They stay, and their drive, which a run would have to itself again, is not asked about.
    Leave,
}

/// Refuses drives that must not be touched. The drives are held from here on.
pub fn admit(
    plan: &Plan,
    before: &Before,
    (points_write, leftovers): (bool, Leftovers),
    clock: Clock,
) -> Result<Pins> {
    planned::check_build(plan)?;
    let writes = points_write || writes(plan);
    let mut pins = Pins::default();
    for subject in &plan.subjects {
        let mut hold = |drive: &Drive| {
            if writes {
                guard::named_stably(drive)?;
            }
            pins.hold(drive, clock)
        };
        subject.drives.iter().try_for_each(&mut hold).with_context(|| subject.name.clone())?;
    }
    let subjects: Vec<Subject> =
        plan.subjects.iter().map(|subject| pins.subject(subject)).collect();
    crate::run::apart(plan)?;
    for subject in &subjects {
        for (i, drive) in subject.drives.iter().enumerate() {
            let admitted = || {
                match leftovers {
                    Leftovers::Remove => filesystem::unmount_leftovers(drive, clock)?,
                    Leftovers::Leave if filesystem::leftovers(drive)?.is_empty() => {}
                    Leftovers::Leave => return Ok(()),
                }
                guard::pass(&with_our_own(plan, before, &subject.name, i, drive), writes)
            };
            admitted().with_context(|| subject.name.clone())?;
        }
    }
    space::look(plan, &subjects)?;
    requirements::look(plan, &subjects, clock)?;
    Ok(pins)
}
