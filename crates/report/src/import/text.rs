//! Numbers in text from other tools, and errors with their position.

use std::fmt::Display;

use super::Written;
use crate::base::error::{Error, Result, failed};
use crate::base::units;

/// An error at a line (from 1) of a file.
pub fn wrong(file: &str, line: usize, what: impl Display, next: impl Display) -> Error {
    failed(format!("{file}, line {line}: {what}"), next)
}

/// A finite, non-negative number.
pub fn number(file: &str, line: usize, what: &str, text: &str) -> Result<f64> {
    let plain = text.trim().replace(',', "");
    let value = plain.parse::<f64>().ok().filter(|v| v.is_finite() && *v >= 0.0 && *v < 1e15);
    value.ok_or_else(|| {
        wrong(
            file,
            line,
            format!("'{}' is no {what}", text.trim()),
            "repair the line, or leave it out",
        )
    })
}

/// The same with its significant digits.
pub fn written(file: &str, line: usize, what: &str, text: &str) -> Result<Written> {
    Ok(Written { value: number(file, line, what, text)?, digits: Some(units::digits_of(text)) })
}

/// The word after `key` in a line: `after("Count: 5 Avg: 6", "Avg:")` is "6".
pub fn after<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.split_once(key)?.1.split_whitespace().next()
}
