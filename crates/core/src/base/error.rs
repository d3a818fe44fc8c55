//! Errors: what failed, where, and what to try next.
//!
//! Errors travel as `anyhow::Error`; `hint` hangs the remedy on one, and `main` prints both. Where
//! a caller must distinguish errors apart there is a type of its own (`plan::Mistakes`,
//! `run::Interrupted`).

use std::fmt;

pub use anyhow::{Context, Error, Result, anyhow, bail, ensure};

/// What to try next, part of an error's chain and printed on its own line.
#[derive(Debug)]
pub struct Hint(pub String);

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Hint {}

/// The remedy of something that Dyno could do and will not: it would touch what is not its own, or
/// do what nobody asked for on the command line.
#[derive(Debug)]
pub struct Refusal(pub String);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

/// Above an error of `dyno gate`, which then has no verdict: it has a code of its own, since 1 says
/// that the new run is worse.
#[derive(Debug)]
pub struct NoVerdict;

impl fmt::Display for NoVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no verdict")
    }
}

/// How `dyno` ends; docs/exit-codes.md is the page for users. A signal's number is added to 128.
pub mod exit {
    /// It failed: the message says what, and what to try next.
    pub const FAILED: u8 = 1;
    /// A run went to its end, and some of its points failed; an audit did, and some of its claims
    /// do not hold; after a power cut something was not kept.
    pub const NOT_ALL: u8 = 2;
    /// Of `dyno gate`: the new run is worse than its base by more than the limit. Of `dyno fleet
    /// accept`: some drives are rejected.
    pub const WORSE: u8 = 1;
    /// Of `dyno gate`: neither that it is worse nor that it is not is shown. Of `dyno fleet
    /// accept`: none is rejected, and of some drives nothing can be said.
    pub const NOT_SHOWN: u8 = 2;
    /// Of the same two: it failed, and there is no verdict; EX_DATAERR of sysexits.h.
    pub const NO_VERDICT: u8 = 65;
    /// Refused: it would have touched what is not Dyno's own, or what the plan does not name.
    pub const REFUSED: u8 = 3;
    /// The command line does not say anything; EX_USAGE of sysexits.h.
    pub const USAGE: u8 = 64;
}

/// The exit code of an error.
pub fn exit_code(error: &Error) -> u8 {
    let refused = error.chain().any(|cause| cause.downcast_ref::<Refusal>().is_some());
    match error.downcast_ref::<NoVerdict>() {
        _ if refused => exit::REFUSED,
        Some(NoVerdict) => exit::NO_VERDICT,
        None => exit::FAILED,
    }
}

/// An error that is a refusal, with its remedy.
pub fn refused(what: impl fmt::Display, try_next: impl fmt::Display) -> Error {
    Error::new(Refusal(try_next.to_string())).context(what.to_string())
}

/// An error with its remedy: `failed("cannot open /dev/x", "check that the device exists")`.
pub fn failed(what: impl fmt::Display, try_next: impl fmt::Display) -> Error {
    Error::new(Hint(try_next.to_string())).context(what.to_string())
}

/// The error's causes joined by colons, and its remedies.
pub fn describe(error: &Error) -> (String, Vec<String>) {
    let (mut causes, mut hints) = (Vec::new(), Vec::new());
    for cause in error.chain() {
        let hint = cause.downcast_ref::<Hint>().map(|hint| &hint.0);
        match hint.or(cause.downcast_ref::<Refusal>().map(|refusal| &refusal.0)) {
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
