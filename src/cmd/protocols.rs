//! `dyno protocols`: the built-in protocols, listed or shown whole, comments and sources included.

use std::io::Write;

use crate::base::error::{Result, failed};
use crate::plan;

/// One line each: name and title.
pub fn list(out: &mut dyn Write) -> Result<()> {
    let protocols = plan::protocols();
    let width = protocols.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, text) in protocols {
        writeln!(out, "{name:width$}  {}", title(text))?;
    }
    Ok(())
}

/// The protocol's own text, to read or to start a protocol file from.
pub fn show(name: &str, out: &mut dyn Write) -> Result<()> {
    let protocols = plan::protocols();
    let Some((_, text)) = protocols.iter().find(|(known, _)| *known == name) else {
        let names: Vec<&str> = protocols.iter().map(|p| p.0).collect();
        return Err(failed(
            format!("there is no protocol '{name}'"),
            format!("built in: {}", names.join(", ")),
        ));
    };
    out.write_all(text.as_bytes())?;
    Ok(())
}

/// The `title` line's string. The built-in files keep it on a line of its own.
fn title(text: &str) -> &str {
    let line = text.lines().find_map(|line| line.strip_prefix("title = "));
    line.unwrap_or("").trim_matches('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_protocol_is_listed_with_its_title_and_shown_whole() {
        let mut out = Vec::new();
        list(&mut out).expect("a vector takes everything");
        let text = String::from_utf8(out).expect("the titles are UTF-8");
        for (name, toml) in plan::protocols() {
            let line = text.lines().find(|l| l.starts_with(&format!("{name} "))).expect("listed");
            assert!(line.len() > name.len() + 10, "'{line}' has no title");
            let mut shown = Vec::new();
            show(name, &mut shown).expect("built in");
            assert_eq!(shown, toml.as_bytes());
        }
        let error = show("quack", &mut Vec::new()).expect_err("unknown");
        assert!(error.to_string().contains("no protocol 'quack'"), "{error}");
    }
}
