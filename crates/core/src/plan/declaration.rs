//! `[disclosure]`: statements of the publisher of a brief: the class of the drives and their
//! market, the sponsor, disclaimers, footnotes. A plan may have it, and brief.toml, which takes
//! precedence.

use serde::{Deserialize, Serialize};

use crate::plan::syntax::fields::{self, Fields};
use crate::plan::syntax::mistakes::Mistakes;
use crate::plan::syntax::node::Node;

/// The statements, all optional.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Declaration {
    /// "read-intensive, mainstream data-center NVMe SSDs, PCIe 4.0"
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Who paid, and who supplied the drives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sponsor: Option<String>,
    /// One paragraph each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disclaimers: Vec<String>,
    /// In order, numbered from 1; cited as `[^1]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub footnotes: Vec<String>,
    /// The disclosed part of the kernel command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel_command_line: Option<CommandLine>,
}

/// How much of the kernel command line a brief shows.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum CommandLine {
    /// The parameters that may affect results; the others are counted.
    Relevant,
    /// All of it.
    Whole,
}

const COMMAND_LINES: [&str; 2] = ["relevant", "whole"];

impl Declaration {
    /// Whether there are no statements.
    pub fn is_empty(&self) -> bool {
        *self == Declaration::default()
    }

    /// Its statements, completed by another's.
    pub fn or(self, other: &Declaration) -> Declaration {
        let list = |own: Vec<String>, others: &Vec<String>| match own.is_empty() {
            true => others.clone(),
            false => own,
        };
        Declaration {
            class: self.class.or(other.class.clone()),
            sponsor: self.sponsor.or(other.sponsor.clone()),
            disclaimers: list(self.disclaimers, &other.disclaimers),
            footnotes: list(self.footnotes, &other.footnotes),
            kernel_command_line: self.kernel_command_line.or(other.kernel_command_line),
        }
    }

    /// What is wrong with it, and what to do.
    pub fn check(&self) -> Result<(), (String, &'static str)> {
        let named = |name: &'static str| move |text: &String| (name, text.clone());
        let mut texts = (self.class.iter().map(named("class")))
            .chain(self.sponsor.iter().map(named("sponsor")))
            .chain(self.disclaimers.iter().map(named("disclaimers")))
            .chain(self.footnotes.iter().map(named("footnotes")));
        match texts.find(|(_, text)| text.trim().is_empty()) {
            Some((key, _)) => {
                Err((format!("'{key}' has an empty text"), "write it, or leave it out"))
            }
            None => Ok(()),
        }
    }

    /// A user's text with its citations, `[^1]`, as numbers of footnotes; or an error for an
    /// invalid one.
    pub fn cited(&self, text: &str) -> Result<String, String> {
        let (mut out, mut rest) = (String::with_capacity(text.len()), text);
        while let Some((before, from)) = rest.split_once("[^") {
            let (inner, after) =
                from.split_once(']').ok_or("a citation of a footnote, [^, is not closed")?;
            let number = inner.parse::<usize>().map_err(|_| {
                format!("[^{inner}] cites no footnote: they are numbered, as in [^1]")
            })?;
            if !(1..=self.footnotes.len()).contains(&number) {
                let there = self.footnotes.len();
                return Err(format!("[^{number}] is cited, and there are {there} footnotes"));
            }
            out.push_str(before);
            out.push_str(&raised(number));
            rest = after;
        }
        out.push_str(rest);
        Ok(out)
    }
}

/// A footnote's number, raised.
pub fn raised(number: usize) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits = number.to_string();
    digits.bytes().filter_map(|b| DIGITS.get(usize::from(b.wrapping_sub(b'0')))).collect()
}

/// Reads a plan's `[disclosure]`.
pub fn declaration(node: Option<&Node>, log: &mut Mistakes) -> Declaration {
    let mut own = Declaration::default();
    let Some((node, mut table)) =
        node.and_then(|node| Some((node, Fields::of(node, "[disclosure]", log)?)))
    else {
        return own;
    };
    own.class = table.get("class").and_then(|n| fields::text(n, log));
    own.sponsor = table.get("sponsor").and_then(|n| fields::text(n, log));
    let mut texts = |key: &str, what: &str| {
        let items = table.get(key).map(|n| fields::list(n, what, log)).unwrap_or_default();
        items.iter().filter_map(|n| fields::text(n, log)).collect()
    };
    own.disclaimers = texts("disclaimers", "disclaimers, each a string");
    own.footnotes = texts("footnotes", "footnotes, each a string");
    let shown = table.get("kernel_command_line");
    own.kernel_command_line = shown.and_then(|n| {
        let word = fields::choice(n, &COMMAND_LINES, log)?;
        Some(if word == "whole" { CommandLine::Whole } else { CommandLine::Relevant })
    });
    table.finish(log);
    let texts = own.class.iter().chain(&own.sponsor).chain(&own.disclaimers);
    let wrong: Vec<String> = texts.filter_map(|text| own.cited(text).err()).collect();
    for what in wrong {
        log.note(node.at, what, "not a footnote", "number footnotes from 1, in their order");
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_become_numbers_and_one_of_no_footnote_is_a_mistake() {
        let own = Declaration {
            footnotes: (0..12).map(|n| format!("note {n}")).collect(),
            ..Declaration::default()
        };
        assert_eq!(own.cited("fast[^1], small[^12]."), Ok("fast¹, small¹².".to_string()));
        for (text, why) in [
            ("a[^13]", "there are 12 footnotes"),
            ("a[^0]", "there are 12 footnotes"),
            ("a[^nand]", "they are numbered"),
            ("a[^1", "not closed"),
        ] {
            assert!(own.cited(text).unwrap_err().contains(why), "{text}");
        }
    }

    #[test]
    fn what_brief_toml_declares_counts_more_key_by_key() {
        let of = |class: Option<&str>, notes: &[&str]| Declaration {
            class: class.map(String::from),
            footnotes: notes.iter().map(|n| n.to_string()).collect(),
            ..Declaration::default()
        };
        let both = of(Some("a"), &[]).or(&of(Some("b"), &["c"]));
        assert_eq!(both, of(Some("a"), &["c"]));
    }
}
