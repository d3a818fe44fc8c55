//! TOML as a tree in which every key and value has its source position, in any file. Overrides move
//! values from one file's tree into another's, and a mistake must still be shown where the user
//! wrote it.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::plan::syntax::mistakes::{Mistakes, SourceSpan};

#[derive(Clone, Debug)]
pub struct Node {
    pub at: SourceSpan,
    pub value: NodeValue,
}

#[derive(Clone, Debug)]
pub enum NodeValue {
    Text(String),
    Whole(i128),
    Number(f64),
    Flag(bool),
    /// TOML's dates; no key takes one.
    Date,
    List(Vec<Node>),
    Table(Vec<NodeEntry>),
}

#[derive(Clone, Debug)]
pub struct NodeEntry {
    pub key: String,
    pub key_at: SourceSpan,
    pub node: Node,
}

impl Node {
    pub fn text(at: SourceSpan, text: impl Into<String>) -> Node {
        Node { at, value: NodeValue::Text(text.into()) }
    }

    /// Its type, for "found …".
    pub fn kind(&self) -> &'static str {
        match self.value {
            NodeValue::Text(_) => "a string",
            NodeValue::Whole(_) => "a whole number",
            NodeValue::Number(_) => "a number",
            NodeValue::Flag(_) => "true or false",
            NodeValue::Date => "a date",
            NodeValue::List(_) => "a list",
            NodeValue::Table(_) => "a table",
        }
    }

    pub fn as_text(&self) -> Option<&str> {
        if let NodeValue::Text(text) = &self.value { Some(text) } else { None }
    }

    pub fn entries(&self) -> &[NodeEntry] {
        if let NodeValue::Table(entries) = &self.value { entries } else { &[] }
    }

    pub fn items(&self) -> &[Node] {
        if let NodeValue::List(items) = &self.value { items } else { &[] }
    }

    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|e| e.key == key).map(|e| &e.node)
    }

    /// The name of a part written `"name"` or `{ kind = "name", … }`.
    pub fn part_name(&self) -> Option<&str> {
        self.as_text().or_else(|| self.get("kind")?.as_text())
    }
}

/// Reads a whole file that was added as `source`.
pub fn parse(text: &str, source: usize, log: &mut Mistakes) -> Option<Node> {
    match DeTable::parse(text) {
        Ok(table) => {
            let span = table.span();
            let whole = SourceSpan { source, start: span.start, end: span.start };
            Some(Node { at: whole, value: NodeValue::Table(entries(table.get_ref(), source)) })
        }
        Err(error) => {
            note(&error, text, source, log);
            None
        }
    }
}

/// Reads one value: `4096`, `"20m"`, `[1, 2]`.
pub fn parse_value(text: &str, source: usize) -> Option<Node> {
    DeValue::parse(text).ok().map(|value| node(&value, source))
}

fn note(error: &toml::de::Error, text: &str, source: usize, log: &mut Mistakes) {
    let span = error.span().unwrap_or(0..0);
    let (start, end) = (span.start.min(text.len()), span.end.min(text.len()));
    let help = "a plan is TOML: key = value, with strings in double quotes; see https://toml.io";
    log.note(
        SourceSpan { source, start, end },
        format!("this is not TOML: {}", error.message()),
        "here",
        help,
    );
}

fn entries(table: &DeTable<'_>, source: usize) -> Vec<NodeEntry> {
    let mut entries: Vec<NodeEntry> = table
        .iter()
        .map(|(key, value)| NodeEntry {
            key: key.get_ref().to_string(),
            key_at: at(key.span(), source),
            node: node(value, source),
        })
        .collect();
    // The parser sorts by key; the order of the file is more useful for mistakes and datasets.
    entries.sort_by_key(|e| e.key_at.start);
    entries
}

fn node(value: &Spanned<DeValue<'_>>, source: usize) -> Node {
    let converted = match value.get_ref() {
        DeValue::String(text) => NodeValue::Text(text.to_string()),
        // TOML's integers have 64 bits, so neither conversion can fail.
        DeValue::Integer(n) => {
            NodeValue::Whole(i128::from_str_radix(n.as_str(), n.radix()).unwrap_or(i128::MAX))
        }
        DeValue::Float(n) => NodeValue::Number(n.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => NodeValue::Flag(*flag),
        DeValue::Datetime(_) => NodeValue::Date,
        DeValue::Array(items) => {
            NodeValue::List(items.iter().map(|item| node(item, source)).collect())
        }
        DeValue::Table(table) => NodeValue::Table(entries(table, source)),
    };
    Node { at: at(value.span(), source), value: converted }
}

fn at(span: std::ops::Range<usize>, source: usize) -> SourceSpan {
    SourceSpan { source, start: span.start, end: span.end }
}
