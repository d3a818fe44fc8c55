//! Which drives a run may begin on: each is looked up once and held, what a killed run left is unmounted, the guard is
//! asked, and that there is room, before anything is touched.

use super::prepare::{Before, writes};
use super::space;
use crate::base::clock::Clock;
use crate::base::error::{Context, Result};
use crate::lab::pin::Pins;
use crate::lab::{filesystem, guard, written};
use crate::plan::{Drive, Place, Plan, Subject};
use crate::record::Prepared;

/// Refuses every drive that must not be touched, before anything is. What a killed run left mounted is unmounted first.
/// The drives are held from here on.
pub fn admit(plan: &Plan, before: &Before, points_write: bool, clock: Clock) -> Result<Pins> {
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
    let subjects: Vec<Subject> = plan.subjects.iter().map(|subject| pins.subject(subject)).collect();
    super::apart(plan)?;
    for subject in &subjects {
        for (i, drive) in subject.drives.iter().enumerate() {
            let admitted = || {
                filesystem::unmount_leftover(drive, clock)?;
                guard::pass(&with_our_own(plan, before, &subject.name, i, drive), writes)
            };
            admitted().with_context(|| subject.name.clone())?;
        }
    }
    space::look(plan, &subjects)?;
    Ok(pins)
}

/// A filesystem that this very run made may be erased without being named, and so may what a run of Dyno's left.
pub fn with_our_own(plan: &Plan, before: &Before, subject: &str, index: usize, drive: &Drive) -> Drive {
    let mut drive = drive.clone();
    let Place::Device { .. } = &drive.place else { return drive };
    if let Some(filesystem) = &plan.protocol.preparation.filesystem {
        let made = |p: &&Prepared| p.subject == subject && p.drive == index as u32 && p.action == "filesystem";
        let uuid = filesystem::uuid(&drive, filesystem.kind);
        let noted = |p: &Prepared| uuid.as_ref().is_some_and(|uuid| p.outcome.ends_with(uuid));
        // Killed between mkfs and its note, the run had begun, and the filesystem is one of Dyno's.
        let unnoted = || begun(before, subject, index) && filesystem::is_dynos(&drive, filesystem.kind);
        if before.prepared.iter().filter(made).any(noted) || unnoted() {
            drive.erase_signatures.push(filesystem.kind.name().to_string());
        }
    }
    if begun(before, subject, index) || written::is_as_a_run_left_it(&drive) {
        drive.erase_signatures.push(guard::UNKNOWN.to_string());
    }
    drive
}

/// Whether this very run has begun to write to the drive.
pub fn begun(before: &Before, subject: &str, index: usize) -> bool {
    before.states.iter().any(|state| state.subject == subject && state.drive == index as u32)
}
