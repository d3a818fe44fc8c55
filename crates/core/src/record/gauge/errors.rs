//! Counters of errors: of drives (health log) and of their PCIe links (AER).

/// The counted errors. Each count starts at some time before the run and only increases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorCounter {
    /// Unrecovered data integrity errors (health log 02h, bytes 175:160).
    Media,
    /// Entries of the Error Information log 01h over the drive's life (health log 02h, bytes
    /// 191:176).
    Log,
    /// Errors that the link corrected, by repeating a packet for example.
    LinkCorrectable,
    /// Uncorrected errors after which the link can be used.
    LinkNonFatal,
    /// Uncorrected errors after which it cannot.
    LinkFatal,
}

impl ErrorCounter {
    /// All of them, in the order of a brief.
    pub const ALL: [ErrorCounter; 5] = [
        ErrorCounter::Media,
        ErrorCounter::Log,
        ErrorCounter::LinkCorrectable,
        ErrorCounter::LinkNonFatal,
        ErrorCounter::LinkFatal,
    ];

    /// Suffix of the names of its readings.
    pub const fn name(self) -> &'static str {
        match self {
            ErrorCounter::Media => "media_errors",
            ErrorCounter::Log => "error_log_entries",
            ErrorCounter::LinkCorrectable => "aer_correctable_errors",
            ErrorCounter::LinkNonFatal => "aer_nonfatal_errors",
            ErrorCounter::LinkFatal => "aer_fatal_errors",
        }
    }

    /// The meaning of a reading's name; None for other readings.
    pub fn of_name(name: &str) -> Option<ErrorCounter> {
        ErrorCounter::ALL.into_iter().find(|own| name.ends_with(own.name()))
    }
}
