//! Hosts and drives as text: the values of their fields with units, and the names of drives.

use crate::analysis::facts::{ReportStatements, Subjects};
use crate::analysis::keys::SubjectKey;
use crate::brief::kernel_parameters;
use crate::language::{Language, Name};
use crate::say;
use dyno_core::record::setup::{DriveSetup, HostField, SetupValue, WriteCacheState};

/// The name of a host's field, with its heading.
pub fn host_field(l: Language, field: HostField) -> String {
    let heading = Name::fact(field.heading().name());
    say!(l, "difference-fact", heading, fact = Name::fact(field.name()))
}

/// A value with its unit; values reported by the kernel or a drive are quoted.
pub fn value(l: Language, value: &SetupValue) -> String {
    match value {
        SetupValue::WriteCache(states) => {
            l.list(&states.iter().map(|state| write_cache(l, *state)).collect::<Vec<_>>())
        }
        SetupValue::List(all) if all.is_empty() => say!(l, "setup-none"),
        SetupValue::BlockBytes(bytes) => say!(l, "setup-bytes", bytes = *bytes),
        SetupValue::BytesPerBlock(bytes) => say!(l, "setup-bytes-per-block", bytes = *bytes),
        other => other.to_string(),
    }
}

fn write_cache(l: Language, state: WriteCacheState) -> String {
    match state {
        WriteCacheState::Absent => say!(l, "setup-none"),
        WriteCacheState::On => say!(l, "fact-value-on"),
        WriteCacheState::Off => say!(l, "fact-value-off"),
    }
}

/// The same for a host: of the kernel's command line, only the parameters that may affect results.
pub fn of_host(
    l: Language,
    statements: &ReportStatements,
    field: HostField,
    own: &SetupValue,
) -> String {
    match field {
        HostField::KernelCommandLine => kernel_parameters::shown(l, statements, &own.to_string()),
        _ => value(l, own),
    }
}

/// A drive: the subject's name if it is the only one, "A, drive 2" otherwise.
pub fn drive(l: Language, subjects: &Subjects, subject: SubjectKey, drive: &DriveSetup) -> String {
    let own = &subjects[subject];
    match own.drive_count().max(own.setups.len()) {
        1 => own.name.clone(),
        _ => say!(l, "figure-drive-of", subject = &own.name, drive = drive.drive + 1),
    }
}
