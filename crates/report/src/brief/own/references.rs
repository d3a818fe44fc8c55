//! Numbers inserted into the user's own texts by reference, so that text and data cannot disagree:
//! `{claims.best.gain}` becomes the current claim, and a reference that no longer holds is an
//! error.

use serde_json::Value;

use crate::analysis::claim::compare::{Comparison, StepPlace};
use crate::analysis::facts::{Facts, StepFacts};
use crate::analysis::keys::StepKey;
use crate::analysis::points::metric::{Metric, MetricRequest};
use crate::brief::lead::Lead;
use crate::brief::own::specification::{self, FIELDS};
use crate::brief::text::wording;
use crate::language::Language;
use crate::say;
use dyno_core::base::error::{Error, Result, failed};

/// The fields of a claim available to references.
const OF_CLAIM: [&str; 9] =
    ["gain", "interval", "difference", "better", "worse", "metric", "where", "sentence", "repeats"];

/// Prefixes of references; other braces in a user's text are literal.
const ROOTS: [&str; 4] = ["lead", "claims.", "figures.", "drives."];

/// Maximum number of references in one file: each is a search of all claims.
const MOST: usize = 500;

/// An error if a file's texts have more references than a brief needs.
pub fn check_number(file: &str, written: &Value) -> Result<()> {
    match number(written) {
        found if found > MOST => Err(failed(
            format!("{file} has {found} references such as {{claims.best.gain}}, more than {MOST}"),
            "refer to fewer numbers, or divide the brief into several",
        )),
        _ => Ok(()),
    }
}

fn number(written: &Value) -> usize {
    match written {
        Value::String(text) => {
            let starts = |inner: &&str| ROOTS.iter().any(|r| inner.trim_start().starts_with(r));
            text.split('{').skip(1).filter(starts).count()
        }
        Value::Array(items) => items.iter().map(number).sum(),
        Value::Object(fields) => fields.values().map(number).sum(),
        _ => 0,
    }
}

/// Units of measured numbers, which a verdict must take from the data instead of typing them.
const UNITS: [&str; 13] = [
    "%",
    "percent",
    "×",
    "ops/s",
    "IOPS",
    "MB/s",
    "GB/s",
    "µs",
    "us",
    "ms",
    "ns",
    "W",
    "New-Orders",
];

/// The data for resolving references.
pub struct Sources<'a> {
    /// The brief's language.
    pub language: Language,
    pub facts: &'a Facts,
}

/// The text with each reference replaced. In a `strict` text every brace is one, and measured
/// numbers must not be typed.
pub fn resolve(l: Language, text: &str, sources: &Sources<'_>, strict: bool) -> Result<String> {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    let mut typed = String::new();
    while let Some(open) = rest.find('{') {
        let (before, from) = rest.split_at(open);
        out.push_str(before);
        typed.push_str(before);
        let inner = from[1..].split_once('}').map(|(inner, _)| inner);
        match inner {
            Some(inner) if strict || ROOTS.iter().any(|root| inner.starts_with(root)) => {
                out.push_str(&sources.value(l, inner.trim())?);
                typed.push(' ');
                rest = &from[inner.len() + 2..];
            }
            _ if strict => {
                return Err(failed(
                    "the verdict has an unclosed brace",
                    "write {claims.best.gain}, or no brace",
                ));
            }
            _ => {
                out.push('{');
                rest = &from[1..];
            }
        }
    }
    out.push_str(rest);
    typed.push_str(rest);
    match typed_by_hand(&typed).filter(|_| strict) {
        Some(number) => Err(failed(
            format!("the verdict has the number “{number}” typed by hand"),
            "insert it by reference, as in {claims.best.gain}, so that it follows the data",
        )),
        None => Ok(out),
    }
}

/// The first number with a unit of measurement.
fn typed_by_hand(text: &str) -> Option<String> {
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let bare = word.trim_matches(['(', ')', '*', '_', '“', '”', '"', ',', ';', ':', '.']);
        let digits = bare.trim_start_matches(['+', '−', '-', '<', '>', '≥', '≤', '~']);
        let end = digits
            .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ','))
            .unwrap_or(digits.len());
        if end == 0 {
            continue;
        }
        let (unit, next) = (&digits[end..], words.peek().copied().unwrap_or_default());
        let next = next.trim_matches(['(', ')', '*', '_', '“', '”', '"', ',', ';', ':', '.']);
        if UNITS.contains(&unit) || unit.is_empty() && UNITS.contains(&next) {
            return Some(if unit.is_empty() { format!("{bare} {next}") } else { bare.to_string() });
        }
    }
    None
}

/// " by METRIC", " at PLACE" and " of SUBJECT" after a reference, in this order.
#[derive(Default)]
struct Rest<'r> {
    by: Option<&'r str>,
    at: Option<&'r str>,
    of: Option<&'r str>,
}

impl<'r> Rest<'r> {
    fn split(text: &'r str) -> (&'r str, Rest<'r>) {
        let cut = |text: &'r str, word: &str| match text.split_once(word) {
            Some((before, after)) => (before, Some(after.trim())),
            None => (text, None),
        };
        let (text, of) = cut(text, " of ");
        let (text, at) = cut(text, " at ");
        let (text, by) = cut(text, " by ");
        (text.trim(), Rest { by, at, of })
    }
}

impl Sources<'_> {
    fn value(&self, l: Language, reference: &str) -> Result<String> {
        let (path, rest) = Rest::split(reference);
        let wrong =
            |why: String, next: &str| failed(format!("the reference {{{reference}}}: {why}"), next);
        match path.split_once('.') {
            None if path == "lead" => Ok(Lead::of(l, self.facts).sentence),
            Some(("claims", path)) => self.claim(path, &rest, &wrong),
            Some(("figures", path)) => self.figure(path, &rest, &wrong),
            Some(("drives", field)) => self.drive(field, &rest, &wrong),
            _ => Err(wrong(
                "there is no such thing".into(),
                "docs/brief.md lists what may be referred to",
            )),
        }
    }

    fn step(&self, name: &str, wrong: &dyn Fn(String, &str) -> Error) -> Result<StepKey> {
        let found = self.facts.measured.steps.position(|s| s.name == name);
        let names: Vec<&str> = self.facts.measured.steps.iter().map(|s| s.name.as_str()).collect();
        found.ok_or_else(|| {
            wrong(
                format!("there is no step '{name}'"),
                &format!("the steps are {}", names.join(", ")),
            )
        })
    }

    fn claim(
        &self,
        path: &str,
        rest: &Rest<'_>,
        wrong: &dyn Fn(String, &str) -> Error,
    ) -> Result<String> {
        let Some((which, field)) = path.split_once('.') else {
            return Err(wrong(
                "a claim has fields".into(),
                &format!("they are {}", OF_CLAIM.join(", ")),
            ));
        };
        let step = if which == "best" { None } else { Some(self.step(which, wrong)?) };
        let asked = rest.by.map(MetricRequest::parse).transpose()?;
        let fits = |c: &Comparison| {
            let own = &self.facts.measured.steps[c.step];
            let metric = asked.as_ref().is_none_or(|asked| asked.in_step(own).contains(&c.metric));
            let at = rest.at.is_none_or(|at| is_at(own, c.at, at));
            step.is_none_or(|step| step == c.step) && metric && at
        };
        // If a place is named, all claims are searched, not only the strongest of each kind.
        let strongest = match rest.at {
            Some(_) => {
                let all = self.facts.comparisons.all.iter().filter(|c| c.is_claimed() && fits(c));
                all.max_by(|a, b| a.weak_end().total_cmp(&b.weak_end()))
            }
            None => self.facts.comparisons.claims.iter().map(|c| &c.comparison).find(|c| fits(c)),
        };
        let Some(claim) = strongest else {
            let next = "nothing of the kind is claimed: change the words, or measure more repeats";
            return Err(wrong("it no longer holds".into(), next));
        };
        let better = &self.facts.subjects[claim.better].name;
        if let Some(subject) = rest.of.filter(|subject| *subject != better) {
            let next = "change the words, or the reference";
            return Err(wrong(
                format!("it no longer holds: the claim is for {better}, not for {subject}"),
                next,
            ));
        }
        let own = &self.facts.measured.steps[claim.step];
        let l = self.language;
        let difference = wording::difference(l, claim);
        let (gain, interval) = difference.split_once(" [").unwrap_or((&difference, ""));
        Ok(match field {
            "gain" => match gain.strip_prefix("≥ ") {
                Some(bare) => say!(l, "at-least", difference = bare),
                None => gain.to_string(),
            },
            "interval" => format!("[{interval}"),
            "difference" => difference,
            "better" => better.clone(),
            "worse" => self.facts.subjects[claim.worse].name.clone(),
            "metric" => wording::metric(l, &claim.metric, own),
            "where" => wording::at(l, own, claim).trim().to_string(),
            "sentence" => wording::sentence(l, &self.facts.subjects, own, claim),
            "repeats" => claim.repeats.to_string(),
            _ => {
                let next = format!("its fields are {}", OF_CLAIM.join(", "));
                return Err(wrong(format!("a claim has no '{field}'"), &next));
            }
        })
    }

    fn figure(
        &self,
        path: &str,
        rest: &Rest<'_>,
        wrong: &dyn Fn(String, &str) -> Error,
    ) -> Result<String> {
        let how = "write {figures.STEP.METRIC at PLACE of SUBJECT}";
        let Some((name, word)) = path.split_once('.') else {
            return Err(wrong("it names no metric".into(), how));
        };
        let step = &self.facts.measured.steps[self.step(name, wrong)?];
        let subject = rest.of.and_then(|of| self.facts.subjects.named(of));
        let Some(subject) = subject else {
            let next =
                format!("the subjects are {}", self.language.list(&self.facts.subjects.names()));
            return Err(wrong("it names no subject".into(), &next));
        };
        let metric: Option<Metric> = MetricRequest::parse(word)?.in_step(step).into_iter().next();
        let value = match rest.at {
            Some(at) => step.values.position(|v| v.label == at || v.number.to_string() == at),
            None => step.values.first_key().filter(|_| step.values.len() == 1),
        };
        let (Some(metric), Some(value)) = (metric, value) else {
            let labels: Vec<String> = step.values.iter().map(|v| v.label.clone()).collect();
            let next = format!("the step's places are {}", self.language.list(&labels));
            return Err(wrong("the step has no such figure".into(), &next));
        };
        let cell = step.cell(subject, value);
        if cell.is_some_and(|c| c.is_not_the_drives()) {
            let next = "omit it, or measure it where the drive is the bottleneck";
            return Err(wrong("the drive did not limit this number".into(), next));
        }
        let printed =
            cell.and_then(|cell| wording::printed_with_unit(self.language, &metric, step, cell));
        printed.ok_or_else(|| wrong("it was not measured".into(), "name another place"))
    }

    fn drive(
        &self,
        field: &str,
        rest: &Rest<'_>,
        wrong: &dyn Fn(String, &str) -> Error,
    ) -> Result<String> {
        let own = rest.of.and_then(|of| self.facts.statements.specifications.get(of));
        let l = self.language;
        let found = own.and_then(|own| specification::field(l, own, field));
        let next = format!("state it under [drive.\"NAME\"] in brief.toml: {}", FIELDS.join(", "));
        found.ok_or_else(|| wrong("nothing of the kind is stated of that drive".into(), &next))
    }
}

fn is_at(step: &StepFacts, at: StepPlace, wanted: &str) -> bool {
    match at {
        StepPlace::Value(value) => {
            step.values[value].label == wanted || step.values[value].number.to_string() == wanted
        }
        StepPlace::Mean => wanted == "mean",
        StepPlace::Limit => wanted == "limit",
        StepPlace::Load(_) | StepPlace::Latency(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_a_unit_of_something_measured_are_found_and_others_are_not() {
        for text in [
            "is 21 % faster",
            "about 21.5% more",
            "at 892,202 ops/s",
            "(169 µs)",
            "**12 ms**",
            "≥ 3 ×",
        ] {
            assert!(typed_by_hand(text).is_some(), "{text}");
        }
        for text in
            ["over PCIe 4.0 with 64 GB", "three drives, 5 repeats", "in 2026", "RocksDB 8.1.1"]
        {
            assert_eq!(typed_by_hand(text), None, "{text}");
        }
    }
}
