//! `dyno audit`: recomputes the statements of a file from published tables or bundles, and judges
//! them.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::Question;
use crate::audit::claims_file::{self as file, ClaimEntry, Head, WrittenClaim};
use crate::audit::claims_statement::{self as statement, Unread};
use crate::audit::text::{self as audit, AuditFinding, PublishedFigures, describe};
use crate::audit::{
    Filed, Judgement, PublishedStatement, bundle, claims_table as table, contradictions, derived,
    judge, same_figure_elsewhere,
};
use crate::base::error::{Result, failed};
use crate::base::units::plural;
use crate::brief::block::Block;
use crate::bundles;
use crate::cmd::json::{self, OutputFormat};
use crate::cmd::screen::on_screen;

/// A readable statement, with its data.
struct ReadableStatement<'a> {
    claim: &'a WrittenClaim,
    data: Option<&'a PublishedFigures>,
    stated: PublishedStatement,
}

/// The statements of a file, judged.
#[derive(Serialize, JsonSchema)]
pub struct Audited {
    title: String,
    statements: Vec<StatementRow>,
    /// Number of statements with each verdict.
    verdicts: BTreeMap<String, usize>,
}

/// A statement.
#[derive(Serialize, JsonSchema)]
struct StatementRow {
    /// As published.
    statement: String,
    /// Where the document states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    /// "holds", "inflated", "can't be read" … (docs/audit.md).
    verdict: String,
    /// The calculation, as text.
    calculation: Vec<String>,
}

/// Judges every statement; the exit code: 0 if all hold, 2 if one does not, 1 if one can't be read.
pub fn audit(
    claims: &Path,
    data: &[PathBuf],
    format: OutputFormat,
    out: &mut dyn Write,
) -> Result<u8> {
    let (head, entries) = file::read(claims)?;
    let datasets = datasets(data, &head)?;
    let made: Vec<std::result::Result<ReadableStatement<'_>, Unread>> =
        entries.iter().map(|entry| ready(entry, &head, &datasets)).collect();
    let mut judged = judge_all(&head, &made)?;
    let mut rows = Vec::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let words = |index: usize| entries[index].words.clone();
    for (number, (entry, made)) in entries.iter().zip(&made).enumerate() {
        let (verdict, lines) = match (made, judged.remove(&number)) {
            (Ok(ready), Some(judged)) => {
                *counts.entry(judged.verdict().words()).or_default() += 1;
                finding(&head, ready, &judged, &words)?
            }
            (made, _) => {
                *counts.entry(CANNOT_BE_READ).or_default() += 1;
                unread(entry, made.as_ref().err())
            }
        };
        let place = entry.claim.as_ref().ok().and_then(|claim| claim.place.clone());
        let statement = entry.words.clone();
        rows.push(StatementRow { statement, place, verdict, calculation: lines });
    }
    let verdicts = counts.iter().map(|(verdict, n)| (verdict.to_string(), *n)).collect();
    let audited = Audited { title: head.title.clone(), statements: rows, verdicts };
    match format.json {
        true => json::print(&audited, out)?,
        false => audited.write(out)?,
    }
    let fine = crate::audit::AuditVerdict::ALL.iter().filter(|v| v.is_fine()).map(|v| v.words());
    let fine: usize = fine.filter_map(|words| counts.get(words)).sum();
    Ok(match counts.contains_key(CANNOT_BE_READ) {
        true => 1,
        false if fine == entries.len() => 0,
        false => 2,
    })
}

impl Audited {
    fn write(self, out: &mut dyn Write) -> Result<()> {
        let mut blocks = vec![Block::chapter(&self.title)];
        let sum: Vec<String> =
            self.verdicts.iter().map(|(words, n)| format!("{n} {words}")).collect();
        let sum = format!("{}: {}", plural(self.statements.len(), "statement"), sum.join("; "));
        for (number, row) in self.statements.into_iter().enumerate() {
            let StatementRow { statement, place, verdict, calculation } = row;
            let place = place.map(|place| format!("in: {place}"));
            let lines = place.into_iter().chain(calculation).collect();
            blocks.extend(audit::statement(number + 1, &statement, &verdict, lines));
        }
        blocks.push(Block::chapter(sum));
        out.write_all(plain(&on_screen(&blocks)).as_bytes())?;
        Ok(())
    }
}

/// A published file may contain anything, including control characters for the terminal.
fn plain(text: &str) -> String {
    text.replace(|c: char| c.is_control() && c != '\n', "\u{fffd}")
}

const CANNOT_BE_READ: &str = "can't be read";

fn datasets(paths: &[PathBuf], head: &Head) -> Result<Vec<PublishedFigures>> {
    let mut found: Vec<PublishedFigures> = Vec::new();
    let mut files: Vec<String> = Vec::new();
    for path in paths {
        let more = match crate::base::file::is_sqlite(path) {
            true => bundle::of_bundle(
                &bundles::facts(std::slice::from_ref(path), &Question::default())?.subjects,
                &bundles::facts(std::slice::from_ref(path), &Question::default())?.measured,
            ),
            false => {
                files.push(table::name(path));
                table::read(path, head)?
            }
        };
        for dataset in more {
            if found.iter().any(|d| d.name == dataset.name) {
                let what = format!(
                    "{} is a second table or step called '{}'",
                    path.display(),
                    dataset.name
                );
                return Err(failed(what, "statements refer to their data: rename the file"));
            }
            found.push(dataset);
        }
    }
    let is_given = |name: &String| files.contains(name) || found.iter().any(|d| d.name == *name);
    if let Some(name) = head.data.keys().find(|name| !is_given(name)) {
        let names: Vec<&str> = found.iter().map(|d| d.name.as_str()).collect();
        let help = format!("give it with --data; there are: {}", names.join(", "));
        return Err(failed(format!("[data.{name}] describes a table that was not given"), help));
    }
    Ok(found)
}

fn ready<'a>(
    entry: &'a ClaimEntry,
    head: &Head,
    datasets: &'a [PublishedFigures],
) -> std::result::Result<ReadableStatement<'a>, Unread> {
    let claim =
        entry.claim.as_ref().map_err(|what| (what.clone(), "see docs/audit.md".to_string()))?;
    let data = match &claim.data {
        Some(name) => datasets.iter().find(|d| d.name == *name),
        None if datasets.len() < 2 => datasets.first(),
        None => {
            let names: Vec<&str> = datasets.iter().map(|d| d.name.as_str()).collect();
            let next = format!("add data = \"…\" to it; there are: {}", names.join(", "));
            return Err(("it does not say which data it is of".to_string(), next));
        }
    };
    let stated = statement::read(claim, head, data)?;
    Ok(ReadableStatement { claim, data, stated })
}

/// In the order of the file; first individually, then compared with one another.
fn judge_all(
    head: &Head,
    made: &[std::result::Result<ReadableStatement<'_>, Unread>],
) -> Result<BTreeMap<usize, Judgement>> {
    let mut places = Vec::new();
    let (mut filed, mut judged) = (Vec::new(), Vec::new());
    for (number, ready) in made.iter().enumerate() {
        let Ok(ready) = ready else { continue };
        let metric = metric(head, ready)?;
        let table = ready.data.map(|d| d.table(&metric)).unwrap_or_default();
        judged.push(judge(&table, &ready.stated));
        let data =
            ready.claim.data.as_deref().or(ready.data.map(|d| d.name.as_str())).unwrap_or("");
        filed.push(Filed { data, metric: &ready.claim.metric, stated: &ready.stated });
        places.push(number);
    }
    let parts = |metric: &str| {
        let [over, under] = head.metric.get(metric)?.ratio.as_ref()?;
        Some([over.as_str(), under.as_str()])
    };
    derived::from_statements(&filed, &mut judged, &parts);
    contradictions(&filed, &mut judged);
    same_figure_elsewhere(&filed, &mut judged);
    for judged in &mut judged {
        let all = judged.others.iter_mut().chain(&mut judged.elsewhere);
        let derived = judged.derived.iter_mut().flat_map(|d| &mut d.statements);
        all.chain(derived).for_each(|other| *other = places[*other]);
    }
    Ok(places.into_iter().zip(judged).collect())
}

fn metric<'a>(head: &'a Head, ready: &ReadableStatement<'a>) -> Result<audit::AuditMetric<'a>> {
    let found = statement::metric(head, &ready.claim.metric, ready.data);
    found.map(|(metric, _)| metric).map_err(|(what, next)| failed(what, next))
}

fn finding(
    head: &Head,
    ready: &ReadableStatement<'_>,
    judged: &Judgement,
    words: &dyn Fn(usize) -> String,
) -> Result<(String, Vec<String>)> {
    let metric = metric(head, ready)?;
    let lacking = lacking(ready, &metric);
    let at_label = match ready.data {
        Some(data) => data.at_label.clone(),
        None => {
            let columns = head.columns(ready.claim.data.as_deref().unwrap_or(""));
            columns.label.unwrap_or(columns.at)
        }
    };
    let at_label = at_label.as_str();
    Ok(describe(&AuditFinding { stated: &ready.stated, judged, metric, at_label, lacking, words }))
}

/// What the data lack, if nothing can be computed.
fn lacking(ready: &ReadableStatement<'_>, metric: &audit::AuditMetric<'_>) -> String {
    let Some(data) = ready.data else {
        return match &ready.claim.data {
            Some(name) => format!("there are no data '{name}'"),
            None => "no data were given".to_string(),
        };
    };
    let (stated, table) = (&ready.stated, data.table(metric));
    let (subject, name, of) = (&stated.subject, &data.name, metric.name);
    let at = audit::labelled(&stated.points.join(", "), &data.at_label);
    let is_there = |who: &String| stated.points.iter().any(|at| table.figure(who, at).is_some());
    match () {
        _ if table.figures.is_empty() && table.differences.is_empty() => {
            format!("{name} has no {of}")
        }
        _ if table.figures.is_empty() => format!("{name} has only differences of {of}"),
        _ if !table.has(subject) => format!("{name} has no {of} of {subject}"),
        _ if stated.points.is_empty() => format!("{name} has no such point of {subject}"),
        _ if !is_there(subject) => format!("{name} has no {of} of {subject} at {at}"),
        _ if stated.rivals.is_empty() => format!("{name} has only {subject}"),
        _ if !stated.rivals.iter().any(is_there) => {
            format!("{name} has no {of} of {} at {at}", stated.rivals.join(", "))
        }
        _ => format!("a figure of {of} is zero or below at {at}: it has no ratio"),
    }
}

fn unread(entry: &ClaimEntry, why: Option<&Unread>) -> (String, Vec<String>) {
    let (what, next) = why.cloned().unwrap_or_default();
    let line =
        if what.starts_with("line ") { String::new() } else { format!("line {}: ", entry.line) };
    (CANNOT_BE_READ.to_string(), vec![format!("{line}{what}"), format!("try: {next}")])
}
