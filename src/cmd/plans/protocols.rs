//! `dyno protocols`: lists the built-in protocols and comparisons, or prints one with
//! comments and sources.

use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::base::error::{Result, failed};
use crate::cmd::json::{self, OutputFormat};
use crate::cmd::plans::list;
use crate::plan;
use crate::plan::remedy;

/// A built-in protocol, or a comparison of several.
#[derive(Serialize, JsonSchema)]
pub struct ListedProtocol {
    name: &'static str,
    title: &'static str,
    /// The source of its parameters.
    source: &'static str,
}

/// One line each: name and title.
pub fn list(format: OutputFormat, out: &mut dyn Write) -> Result<()> {
    let protocols = all();
    if format.json {
        let listed = |(name, text): &(&'static str, &'static str)| ListedProtocol {
            name,
            title: value(text, "title"),
            source: value(text, "source"),
        };
        return json::print(&protocols.iter().map(listed).collect::<Vec<_>>(), out);
    }
    let width = protocols.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, text) in &protocols {
        let missing = missing(text).map(|why| format!(" (not in this build: {why})"));
        let missing = missing.unwrap_or_default();
        writeln!(out, "{name:width$}  {}{missing}", value(text, "title"))?;
    }
    Ok(())
}

/// Comparisons, which list protocols, come last.
fn all() -> Vec<(&'static str, &'static str)> {
    [plan::protocols(), plan::comparisons()].concat()
}

/// The protocol's own text, to read or as a starting point for a protocol file.
pub fn show(name: &str, out: &mut dyn Write) -> Result<()> {
    let protocols = all();
    let Some((_, text)) = protocols.iter().find(|(known, _)| *known == name) else {
        let names = protocols.iter().map(|p| p.0);
        return Err(failed(
            format!("there is no protocol '{name}'"),
            remedy(name, "built in", names),
        ));
    };
    out.write_all(text.as_bytes())?;
    Ok(())
}

/// Why this program cannot execute a built-in protocol: it was built without one of its engines.
fn missing(text: &str) -> Option<String> {
    let quoted = text.split("engine = ").skip(1).filter_map(|rest| rest.split('"').nth(1));
    quoted.into_iter().find_map(list::missing).map(|(cause, _)| cause)
}

/// The string of a top-level key. The built-in files have each on a line of its own.
fn value<'a>(text: &'a str, key: &str) -> &'a str {
    let line = |line: &'a str| line.strip_prefix(key)?.strip_prefix(" = ");
    text.lines().find_map(line).unwrap_or("").trim_matches('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_protocol_is_listed_with_its_title_and_shown_whole() {
        let mut out = Vec::new();
        list(OutputFormat::default(), &mut out).expect("a vector takes everything");
        let text = String::from_utf8(out).expect("the titles are UTF-8");
        for (name, toml) in all() {
            let line = text.lines().find(|l| l.starts_with(&format!("{name} "))).expect("listed");
            assert!(line.len() > name.len() + 10, "'{line}' has no title");
            let mut shown = Vec::new();
            show(name, &mut shown).expect("built in");
            assert_eq!(shown, toml.as_bytes());
        }
        let error = show("quik", &mut Vec::new()).expect_err("unknown");
        assert!(error.to_string().contains("no protocol 'quik'"), "{error}");
        assert!(format!("{error:#}").contains("did you mean 'quick'?"), "{error:#}");
    }
}
