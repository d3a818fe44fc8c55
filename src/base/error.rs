//! What an error says: what failed, where, and what to try next.
//!
//! Errors travel as `anyhow::Error`; `hint` hangs the remedy on one, and `main` prints both. Where a caller must tell
//! errors apart there is a type of its own (`plan::Mistakes`, `run::Interrupted`).

use std::fmt;

pub use anyhow::{Context, Error, Result, anyhow, bail, ensure};

/// What to try next, carried in an error's chain and printed on its own line.
#[derive(Debug)]
pub struct Hint(pub String);

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Hint {}

/// An error with its remedy: `failed("cannot open /dev/x", "check that the device exists")`.
pub fn failed(what: impl fmt::Display, try_next: impl fmt::Display) -> Error {
    Error::new(Hint(try_next.to_string())).context(what.to_string())
}

/// The error's causes joined by colons, and its remedies.
pub fn describe(error: &Error) -> (String, Vec<String>) {
    let (mut causes, mut hints) = (Vec::new(), Vec::new());
    for cause in error.chain() {
        match cause.downcast_ref::<Hint>() {
            Some(hint) => hints.push(hint.0.clone()),
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
    fn causes_and_remedies_are_told_apart() {
        let error = failed("cannot open /dev/x", "check that it exists").context("point 3");
        assert_eq!(describe(&error), ("point 3: cannot open /dev/x".into(), vec!["check that it exists".into()]));
    }
}
