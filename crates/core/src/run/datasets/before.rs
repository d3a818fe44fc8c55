//! The effects of an earlier part of the run on the drives, from its bundle.

use crate::lab::drive::{contents, filesystem};
use crate::lab::guard;
use crate::plan::{Drive, DrivePlace, FilesystemKind, Plan, Purge};
use crate::record::{DriveState, PreparationStep};

/// A bundle's record of drives prepared by an earlier part of the run.
#[derive(Clone, Debug, Default)]
pub struct Before {
    /// Actions per drive that still hold.
    pub prepared: Vec<PreparationStep>,
    /// Those that no longer do, because another test of the comparison has used the drives since.
    pub superseded: Vec<PreparationStep>,
    /// The state in which they were left.
    pub states: Vec<DriveState>,
}

/// A filesystem made by this run may be erased without being named, and so may one left by a run of
/// Dyno.
pub fn with_our_own(
    plan: &Plan,
    before: &Before,
    subject: &str,
    index: usize,
    drive: &Drive,
) -> Drive {
    let mut drive = drive.clone();
    let DrivePlace::Device { .. } = &drive.place else { return drive };
    let own = plan.protocol.preparation.filesystem.as_ref().map(|filesystem| filesystem.kind);
    for kind in [FilesystemKind::Xfs, FilesystemKind::Ext4] {
        let is_of_a_test = own == Some(kind) || !before.superseded.is_empty();
        let made = |p: &&PreparationStep| {
            p.subject == subject && p.drive == index as u32 && p.action == "filesystem"
        };
        let uuid = filesystem::uuid(&drive, kind);
        let noted = |p: &PreparationStep| uuid.is_some() && p.filesystem_uuid == uuid;
        // If killed between mkfs and its record, the run had begun, and the filesystem is one of
        // Dyno's.
        let unnoted = || begun(before, subject, index) && filesystem::is_dynos(&drive, kind);
        let mut of_the_run = before.prepared.iter().chain(&before.superseded).filter(made);
        if is_of_a_test && (of_the_run.any(noted) || unnoted()) {
            drive.erase_signatures.push(kind.name().to_string());
        }
    }
    let unknown = guard::UNKNOWN.to_string();
    if drive.erase && !drive.erase_signatures.contains(&unknown) {
        let noted = state(before, subject, index);
        let killed = noted.is_some_and(|noted| noted.contents.is_empty());
        let ours = match killed {
            true => writes_anything(plan) || contents::are_dynos(&drive),
            false => contents::are_as_a_run_left_them(&drive, noted),
        };
        if ours {
            drive.erase_signatures.push(unknown);
        }
    }
    drive
}

/// Whether the run writes data that cannot be recognised: those of a filesystem, and those that a
/// drive's purge leaves.
fn writes_anything(plan: &Plan) -> bool {
    let preparation = &plan.protocol.preparation;
    let leaves_zeros = matches!(preparation.purge, None | Some(Purge::Discard));
    preparation.filesystem.is_some() || !leaves_zeros
}

fn state<'b>(before: &'b Before, subject: &str, index: usize) -> Option<&'b DriveState> {
    before.states.iter().find(|state| state.subject == subject && state.drive == index as u32)
}

/// Whether this run has begun to write to the drive.
pub fn begun(before: &Before, subject: &str, index: usize) -> bool {
    state(before, subject, index).is_some()
}
