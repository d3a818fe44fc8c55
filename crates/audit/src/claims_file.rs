//! A claims file, as described in docs/audit.md. An unreadable statement does not affect the
//! others.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::Read;
use std::path::Path;

use serde::Deserialize;
use serde::de::IntoDeserializer;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use dyno_core::base::error::{Context, Result, failed};
use dyno_core::base::file;
use dyno_core::stats::Better;

const HELP: &str = "docs/audit.md describes claims files; examples/audit has one";

/// Maximum number of statements: no document has more, and each is compared with every other.
const MOST_STATEMENTS: usize = 200;

/// Larger files are neither claims files nor published tables.
const MOST_BYTES: u64 = 4 << 20;

/// The settings for all statements of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    pub title: String,
    /// The subject of the statements, unless one names another.
    pub subject: Option<String>,
    #[serde(default)]
    pub columns: Columns,
    /// Settings by the name of the table.
    #[serde(default)]
    pub data: BTreeMap<String, Data>,
    #[serde(default)]
    pub metric: BTreeMap<String, MetricColumns>,
}

/// The columns of a table with a row's subject and point.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Columns {
    pub subject: String,
    pub at: String,
    /// The column of the rival, if the figures are differences from one.
    pub difference_to: Option<String>,
    /// The column by whose values the file is several tables.
    pub split: Option<String>,
    /// What is printed behind a point, instead of the name of its column.
    pub label: Option<String>,
    /// Number of drives, for points "per drive".
    pub drives: Option<f64>,
}

impl Default for Columns {
    fn default() -> Columns {
        Columns {
            subject: "subject".into(),
            at: "at".into(),
            difference_to: None,
            split: None,
            label: None,
            drives: None,
        }
    }
}

/// Settings of one table that differ from the others'.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    subject: Option<String>,
    at: Option<String>,
    difference_to: Option<String>,
    split: Option<String>,
    label: Option<String>,
    drives: Option<f64>,
    /// All measured points, if the table may lack some.
    #[serde(default)]
    points: Vec<Text>,
}

impl Head {
    pub fn columns(&self, table: &str) -> Columns {
        let (Some(own), all) = (self.data.get(table), &self.columns) else {
            return self.columns.clone();
        };
        Columns {
            subject: own.subject.clone().unwrap_or_else(|| all.subject.clone()),
            at: own.at.clone().unwrap_or_else(|| all.at.clone()),
            difference_to: own.difference_to.clone().or(all.difference_to.clone()),
            split: own.split.clone().or(all.split.clone()),
            label: own.label.clone().or(all.label.clone()),
            drives: own.drives.or(all.drives),
        }
    }

    pub fn points(&self, table: &str) -> Vec<String> {
        self.data.get(table).map_or(Vec::new(), |d| d.points.iter().map(Text::text).collect())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MetricColumns {
    better: BetterWay,
    /// Two columns: dividend and divisor.
    pub ratio: Option<[String; 2]>,
    pub unit: Option<String>,
}

impl MetricColumns {
    pub fn better(&self) -> Better {
        match self.better {
            BetterWay::Higher => Better::Higher,
            BetterWay::Lower => Better::Lower,
        }
    }
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum BetterWay {
    Higher,
    Lower,
}

/// One statement as written in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenClaim {
    pub words: String,
    /// Where the document states it: a page, a paragraph, a table.
    pub place: Option<String>,
    pub data: Option<String>,
    pub metric: String,
    pub says: String,
    pub formula: Option<String>,
    pub subject: Option<String>,
    pub at: Option<PointRef>,
    pub against: Option<Against>,
    #[serde(default)]
    pub up_to: bool,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "a point such as \"96\", a list of points, \"all\", or figures such as \
                 { ops_per_s = \"1.3 M\" }"
)]
pub enum PointRef {
    One(Text),
    Many(Vec<Text>),
    Where(BTreeMap<String, String>),
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a rival's name, a list of names, or \"all\"")]
pub enum Against {
    One(String),
    Many(Vec<String>),
}

/// A point's name, which may be written as a number.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a text or a number")]
pub enum Text {
    Written(String),
    Whole(i64),
    Number(f64),
}

impl Text {
    pub fn text(&self) -> String {
        match self {
            Text::Written(text) => text.trim().to_string(),
            Text::Whole(n) => n.to_string(),
            Text::Number(n) => n.to_string(),
        }
    }
}

/// A statement, or why it cannot be read.
pub struct ClaimEntry {
    pub line: usize,
    /// The readable parts.
    pub words: String,
    pub claim: std::result::Result<WrittenClaim, String>,
}

/// The text of a small, complete UTF-8 file.
pub fn text(path: &Path, most: u64) -> Result<String> {
    let of_file = || format!("reading {}", path.display());
    let mut bytes = Vec::new();
    file::open(path)?.take(most + 1).read_to_end(&mut bytes).with_context(of_file)?;
    let refuse = |what: String, next: &str| failed(format!("{} {what}", path.display()), next);
    if bytes.len() as u64 > most {
        let what = format!("is larger than {} MiB", most >> 20);
        return Err(refuse(what, "use only the table or the statements; a bundle is a .dyno file"));
    }
    let line_of = |at: usize| bytes[..at].iter().filter(|b| **b == b'\n').count() + 1;
    if let Some(at) = bytes.iter().position(|b| *b == 0) {
        let what = format!("has a NUL byte in line {}: it is UTF-16 or no text", line_of(at));
        return Err(refuse(what, "save it as UTF-8"));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').map(String::from).unwrap_or(text)),
        Err(e) => {
            let at = e.utf8_error().valid_up_to();
            let line = e.as_bytes()[..at].iter().filter(|b| **b == b'\n').count() + 1;
            Err(refuse(format!("is not UTF-8: line {line}"), "save it as UTF-8"))
        }
    }
}

pub fn read(path: &Path) -> Result<(Head, Vec<ClaimEntry>)> {
    let text = text(path, MOST_BYTES)?;
    let refuse = |what: &dyn Display| failed(format!("{}: {what}", path.display()), HELP);
    let line_of = |offset: usize| text[..offset.min(text.len())].matches('\n').count() + 1;
    let (table, errors) = DeTable::parse_recoverable(&text);
    let span = table.span();
    let mut table = table.into_inner();
    let claims = match table.remove("claim").map(Spanned::into_inner) {
        Some(DeValue::Array(claims)) if !claims.is_empty() => claims,
        _ => {
            let first =
                errors.first().map(|e| format!("{}; ", at_line(e, line_of))).unwrap_or_default();
            return Err(refuse(&format!("{first}it has no [[claim]]")));
        }
    };
    if claims.len() > MOST_STATEMENTS {
        let what = format!(
            "{} has {} statements, more than {MOST_STATEMENTS}",
            path.display(),
            claims.len()
        );
        return Err(failed(what, "divide it into several files"));
    }
    let begins: Vec<usize> = claims.iter().map(|c| c.span().start).collect();
    let mut broken: BTreeMap<usize, String> = BTreeMap::new();
    for error in &errors {
        let at = error.span().map_or(0, |s| s.start);
        match begins.partition_point(|b| *b <= at).checked_sub(1) {
            Some(claim) => drop(broken.entry(claim).or_insert_with(|| at_line(error, line_of))),
            None => return Err(refuse(&at_line(error, line_of))),
        }
    }
    let head = Head::deserialize(toml::Deserializer::from(Spanned::new(span, table)));
    let head = head.map_err(|e| refuse(&at_line(&e, line_of)))?;
    let entry = |(index, claim): (usize, Spanned<DeValue<'_>>)| {
        let line = line_of(claim.span().start);
        let words = claim
            .get_ref()
            .get("words")
            .and_then(|w| w.get_ref().as_str())
            .unwrap_or("")
            .to_string();
        let claim = match broken.remove(&index) {
            Some(error) => Err(error),
            None => WrittenClaim::deserialize(claim.into_deserializer())
                .map_err(|e| at_line(&e, line_of)),
        };
        let words = claim.as_ref().map_or(words, |c: &WrittenClaim| c.words.clone());
        ClaimEntry { line, words, claim }
    };
    Ok((head, claims.into_iter().enumerate().map(entry).collect()))
}

fn at_line(error: &toml::de::Error, line_of: impl Fn(usize) -> usize) -> String {
    let message = error.message().trim().replace('\n', ", ");
    match error.span() {
        Some(span) => format!("line {}: {message}", line_of(span.start)),
        None => message,
    }
}
