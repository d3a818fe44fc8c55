//! Errors: what failed, where, and what to do next.
//!
//! Errors are `anyhow::Error`s; `hint` attaches the remedy, and `main` prints both. Errors that
//! callers must distinguish have their own type (`plan::Mistakes`, `run::Interrupted`).

use std::fmt;

pub use anyhow::{Context, Error, Result, anyhow, bail, ensure};

/// What to do next: part of an error's chain, printed on its own line.
#[derive(Debug)]
pub struct Hint(pub String);

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Hint {}

/// The remedy for an action that Dyno refuses: it would touch data that is not Dyno's, or do
/// something that the command line does not permit.
#[derive(Debug)]
pub struct Refusal(pub String);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

/// The remedy for an invalid command line.
#[derive(Debug)]
pub struct Misuse(pub String);

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misuse {}

/// Marks an error of `dyno gate`, which then has no verdict. It has its own exit code, because 1
/// means that the new run is worse.
#[derive(Debug)]
pub struct NoVerdict;

impl fmt::Display for NoVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no verdict")
    }
}

/// Exit codes of `dyno`; docs/exit-codes.md is the page for users. For a signal, its number is
/// added to 128.
pub mod exit {
    /// Failed: the message states what, and what to do next.
    pub const FAILED: u8 = 1;
    /// Completed with failures: some points of a run failed, some claims of an audit do not hold,
    /// or data were lost in a power cut.
    pub const NOT_ALL: u8 = 2;
    /// `dyno gate`: the new run is worse than its base by more than the limit. `dyno fleet accept`:
    /// some drives are rejected.
    pub const WORSE: u8 = 1;
    /// `dyno gate`: neither "worse" nor "not worse" is shown. `dyno fleet accept`: none is
    /// rejected, but some could not be judged.
    pub const NOT_SHOWN: u8 = 2;
    /// The same two commands: failed, without a verdict; EX_DATAERR of sysexits.h.
    pub const NO_VERDICT: u8 = 65;
    /// Refused: the command would have touched data that is not Dyno's, or that the plan does not
    /// name.
    pub const REFUSED: u8 = 3;
    /// Invalid command line; EX_USAGE of sysexits.h.
    pub const USAGE: u8 = 64;
}

/// The exit code of an error.
pub fn exit_code(error: &Error) -> u8 {
    let refused = error.chain().any(|cause| cause.downcast_ref::<Refusal>().is_some());
    let misused = error.chain().any(|cause| cause.downcast_ref::<Misuse>().is_some());
    match error.downcast_ref::<NoVerdict>() {
        _ if refused => exit::REFUSED,
        _ if misused => exit::USAGE,
        Some(NoVerdict) => exit::NO_VERDICT,
        None => exit::FAILED,
    }
}

/// A refusal, with its remedy.
pub fn refused(what: impl fmt::Display, try_next: impl fmt::Display) -> Error {
    Error::new(Refusal(try_next.to_string())).context(what.to_string())
}

/// An error with its remedy: `failed("cannot open /dev/x", "check that the device exists")`.
pub fn failed(what: impl fmt::Display, try_next: impl fmt::Display) -> Error {
    Error::new(Hint(try_next.to_string())).context(what.to_string())
}

/// An error of the command line, with the right form.
pub fn misused(what: impl fmt::Display, try_next: impl fmt::Display) -> Error {
    Error::new(Misuse(try_next.to_string())).context(what.to_string())
}

/// The error's causes joined by colons, and its remedies.
pub fn describe(error: &Error) -> (String, Vec<String>) {
    let (mut causes, mut hints) = (Vec::new(), Vec::new());
    for cause in error.chain() {
        let hint = cause.downcast_ref::<Hint>().map(|hint| &hint.0);
        let hint = hint.or(cause.downcast_ref::<Refusal>().map(|refusal| &refusal.0));
        match hint.or(cause.downcast_ref::<Misuse>().map(|misuse| &misuse.0)) {
            Some(hint) => hints.push(hint.clone()),
            None => causes.push(cause.to_string()),
        }
    }
    causes.dedup();
    (causes.join(": "), hints)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_and_remedies_are_separate() {
        let error = failed("cannot open /dev/x", "check that it exists").context("point 3");
        assert_eq!(
            describe(&error),
            ("point 3: cannot open /dev/x".into(), vec!["check that it exists".into()])
        );
    }

    #[test]
    fn a_refusal_has_a_code_of_its_own_however_it_is_wrapped() {
        let error = refused("in use", "unmount it").context("subject A");
        assert_eq!(
            (describe(&error).0.as_str(), exit_code(&error)),
            ("subject A: in use", exit::REFUSED)
        );
        assert_eq!(describe(&error).1, ["unmount it"]);
        assert_eq!(exit_code(&error.context(NoVerdict)), exit::REFUSED);
        assert_eq!(exit_code(&failed("gone", "look")), exit::FAILED);
        let error = failed("gone", "look").context(NoVerdict);
        assert_eq!(exit_code(&error), exit::NO_VERDICT);
        assert_eq!(describe(&error).0, "no verdict: gone");
    }
}
