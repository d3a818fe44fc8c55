//! Reading tables key by key: missing, unknown or wrongly typed values are reported, and reading
//! continues.

use crate::base::units::{Rate, parse_block, parse_bytes, parse_duration_ns, parse_rate};
use crate::plan::syntax::mistakes::{Mistakes, SourceSpan, remedy};
use crate::plan::syntax::node::{Node, NodeEntry, NodeValue};

/// A table being read. Every key that is read counts as known; `finish` reports the others.
pub struct Fields<'n> {
    /// As in "a step has no key …".
    what: &'static str,
    at: SourceSpan,
    entries: &'n [NodeEntry],
    known: Vec<String>,
}

impl<'n> Fields<'n> {
    /// Reports a node that is not a table.
    pub fn of(node: &'n Node, what: &'static str, log: &mut Mistakes) -> Option<Fields<'n>> {
        match &node.value {
            NodeValue::Table(entries) => {
                Some(Fields { what, at: node.at, entries, known: Vec::new() })
            }
            _ => {
                wrong(node, &format!("a table for {what}"), "as in { key = value, … }", log);
                None
            }
        }
    }

    pub fn at(&self) -> SourceSpan {
        self.at
    }

    pub fn get(&mut self, key: &str) -> Option<&'n Node> {
        if !self.known.iter().any(|known| known == key) {
            self.known.push(key.to_string());
        }
        self.entries.iter().find(|e| e.key == key).map(|e| &e.node)
    }

    /// Like `get`, for a required key.
    pub fn need(&mut self, key: &str, example: &str, log: &mut Mistakes) -> Option<&'n Node> {
        let node = self.get(key);
        if node.is_none() {
            let help = format!("add {key} = {example}");
            log.note(
                self.at,
                format!("{} needs '{key}'", self.what),
                format!("no '{key}' here"),
                help,
            );
        }
        node
    }

    /// Every entry whose key is one of these.
    pub fn all_of(&mut self, keys: impl Iterator<Item = &'static str>) -> Vec<&'n NodeEntry> {
        let keys: Vec<&str> = keys.collect();
        self.known.extend(keys.iter().map(|k| k.to_string()));
        self.entries.iter().filter(|e| keys.contains(&e.key.as_str())).collect()
    }

    /// Reports every key that was never read.
    pub fn finish(self, log: &mut Mistakes) {
        #[cfg(test)]
        asked::note(self.what, &self.known);
        for entry in self.entries.iter().filter(|e| !self.known.contains(&e.key)) {
            let help = remedy(&entry.key, "known keys", self.known.iter().map(String::as_str));
            log.note(
                entry.key_at,
                format!("{} has no key '{}'", self.what, entry.key),
                "unknown",
                help,
            );
        }
    }
}

/// Reports a value of the wrong type.
pub fn wrong(node: &Node, expected: &str, help: &str, log: &mut Mistakes) {
    log.note(
        node.at,
        format!("expected {expected}, found {}", node.kind()),
        format!("not {expected}"),
        help,
    );
}

pub fn text(node: &Node, log: &mut Mistakes) -> Option<String> {
    match &node.value {
        NodeValue::Text(text) if !text.trim().is_empty() => Some(text.clone()),
        NodeValue::Text(_) => {
            log.note(
                node.at,
                "this may not be empty",
                "empty",
                "write some text between the quotes",
            );
            None
        }
        _ => {
            wrong(node, "a string", "write it in double quotes", log);
            None
        }
    }
}

/// The first character that is invisible, or that changes how others appear: controls, and marks
/// for the direction of writing.
pub fn unprintable(text: &str) -> Option<char> {
    let marks = |c: char| matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}');
    let embeds = |c: char| matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    let turns = |c: char| marks(c) || embeds(c);
    let breaks = |c: char| matches!(c, '\u{2028}' | '\u{2029}' | '\u{FEFF}');
    text.chars().find(|c| c.is_control() || turns(*c) || breaks(*c))
}

/// A displayed name: any printable text.
pub fn label(node: &Node, log: &mut Mistakes) -> Option<String> {
    let label = text(node, log)?;
    if let Some(c) = unprintable(&label) {
        let message =
            format!("the name {label:?} contains U+{:04X}, which is not printable", c as u32);
        log.note(node.at, message, "not allowed in a name", "write it without");
        return None;
    }
    Some(label)
}

/// The name of a step, stream or dataset. A full stop would split it in override paths and axes.
pub fn name(node: &Node, log: &mut Mistakes) -> Option<String> {
    let name = label(node, log)?;
    if name.contains(['/', '\\']) {
        let help = "names may become parts of paths; use a hyphen";
        log.note(
            node.at,
            format!("the name '{name}' contains a slash"),
            "not allowed in a name",
            help,
        );
        return None;
    }
    if name.contains('.') {
        let help = "full stops separate names in paths such as step.NAME.duration; use a hyphen";
        log.note(
            node.at,
            format!("the name '{name}' contains a full stop"),
            "not allowed in a name",
            help,
        );
        return None;
    }
    Some(name)
}

pub fn flag(node: &Node, log: &mut Mistakes) -> Option<bool> {
    if let NodeValue::Flag(flag) = node.value {
        return Some(flag);
    }
    wrong(node, "true or false", "write true or false, without quotes", log);
    None
}

pub fn whole(node: &Node, min: u64, max: u64, log: &mut Mistakes) -> Option<u64> {
    let range = if max == u64::MAX { format!("{min} or more") } else { format!("{min} to {max}") };
    match node.value {
        NodeValue::Whole(n) if (i128::from(min)..=i128::from(max)).contains(&n) => Some(n as u64),
        NodeValue::Whole(n) => {
            log.note(
                node.at,
                format!("{n} is out of range"),
                "out of range",
                format!("write {range}"),
            );
            None
        }
        _ => {
            wrong(node, "a whole number", &format!("write {range}, without quotes"), log);
            None
        }
    }
}

/// A number of workers, requests, instances or repeats.
pub fn count(node: &Node, max: u32, log: &mut Mistakes) -> Option<u32> {
    whole(node, 1, u64::from(max), log).map(|n| n as u32)
}

pub fn number(node: &Node, min: f64, max: f64, log: &mut Mistakes) -> Option<f64> {
    let value = match node.value {
        NodeValue::Whole(n) => n as f64,
        NodeValue::Number(n) => n,
        _ => {
            wrong(node, "a number", &format!("write {min} to {max}, without quotes"), log);
            return None;
        }
    };
    if value >= min && value <= max {
        return Some(value);
    }
    log.note(
        node.at,
        format!("{value} is out of range"),
        "out of range",
        format!("write {min} to {max}"),
    );
    None
}

/// Reads a string with a unit; the unit's parser checks it.
fn measured<T>(
    node: &Node,
    what: &str,
    example: &str,
    parse: impl Fn(&str) -> Result<T, String>,
    log: &mut Mistakes,
) -> Option<T> {
    let Some(written) = node.as_text() else {
        wrong(
            node,
            &format!("{what} with its unit, in quotes"),
            &format!("as in \"{example}\""),
            log,
        );
        return None;
    };
    match parse(written) {
        Ok(value) => Some(value),
        Err(message) => {
            let (message, help) = message.split_once("; ").unwrap_or((&message, ""));
            log.note(
                node.at,
                message,
                format!("not {what}"),
                format!("{help} (for example \"{example}\")").trim(),
            );
            None
        }
    }
}

pub fn time_ns(node: &Node, log: &mut Mistakes) -> Option<u64> {
    measured(node, "a time", "20m", parse_duration_ns, log)
}

/// A non-zero time.
pub fn some_time_ns(node: &Node, log: &mut Mistakes) -> Option<u64> {
    let ns = time_ns(node, log)?;
    if ns == 0 {
        log.note(
            node.at,
            "a duration of zero measures nothing",
            "zero",
            "write a time, for example \"60s\"",
        );
        return None;
    }
    Some(ns)
}

pub fn bytes(node: &Node, log: &mut Mistakes) -> Option<u64> {
    if let NodeValue::Whole(_) = node.value {
        return whole(node, 0, u64::MAX, log);
    }
    measured(node, "a size", "4KiB", parse_bytes, log)
}

/// The size of a block, which is a multiple of 512 if it is written in units.
pub fn block_bytes(node: &Node, log: &mut Mistakes) -> Option<u64> {
    if let NodeValue::Whole(_) = node.value {
        return whole(node, 0, u64::MAX, log);
    }
    measured(node, "a size", "4KiB", parse_block, log)
}

pub fn rate(node: &Node, log: &mut Mistakes) -> Option<Rate> {
    measured(node, "a rate", "10MB/s", parse_rate, log)
}

pub fn choice(node: &Node, words: &[&'static str], log: &mut Mistakes) -> Option<&'static str> {
    let written = text(node, log)?;
    let found = words.iter().copied().find(|w| *w == written);
    if found.is_none() {
        let help = remedy(&written, "allowed", words.iter().copied());
        log.note(node.at, format!("'{written}' is not a valid value"), "unknown", help);
    }
    found
}

/// The items of a non-empty list.
pub fn some_items<'n>(node: &'n Node, what: &str, log: &mut Mistakes) -> &'n [Node] {
    let items = list(node, what, log);
    if items.is_empty() && matches!(node.value, NodeValue::List(_)) {
        log.note(node.at, format!("there are no {what}"), "empty", "add at least one");
    }
    items
}

/// The items of a list; `what` as in "a list of steps".
pub fn list<'n>(node: &'n Node, what: &str, log: &mut Mistakes) -> &'n [Node] {
    if !matches!(node.value, NodeValue::List(_)) {
        wrong(node, &format!("a list of {what}"), "write it in square brackets", log);
    }
    node.items()
}

/// The keys queried in each kind of table, for the test of the schema.
#[cfg(test)]
pub mod asked {
    use std::cell::RefCell;
    use std::collections::{BTreeMap, BTreeSet};

    type Asked = BTreeMap<&'static str, BTreeSet<String>>;

    thread_local!(static ASKED: RefCell<Asked> = const { RefCell::new(BTreeMap::new()) });

    pub fn note(table: &'static str, keys: &[String]) {
        ASKED.with_borrow_mut(|all| all.entry(table).or_default().extend(keys.iter().cloned()));
    }

    pub fn all() -> Asked {
        ASKED.with_borrow(Clone::clone)
    }
}
