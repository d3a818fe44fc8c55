//! What is known of the drives and was not measured: the maker's figures and a price, as brief.toml
//! states them with their source; and what the measured figures come to for the money.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::block::{Block, Table};
use super::number_format::{self, NONE};
use super::{published, wording};
use crate::analysis::facts::{Facts, StepFacts};
use crate::analysis::lead;
use crate::base::error::{Result, failed};
use crate::base::units;
use crate::language::Language;
use crate::say;

pub const ID: &str = "specification";

/// One subject's drive.
#[derive(Deserialize, Default, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Specification {
    /// Of one drive: "7.68TB".
    pub capacity: Option<String>,
    pub form_factor: Option<String>,
    pub interface: Option<String>,
    pub endurance: Option<String>,
    pub warranty: Option<String>,
    pub price: Option<Price>,
    /// Where the figures come from.
    pub source: Option<String>,
}

#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Of one drive.
    pub amount: f64,
    /// "EUR", "USD" …
    pub currency: String,
    /// "2026-11-22"
    pub date: String,
    pub source: String,
}

/// By subject.
pub type Specifications = BTreeMap<String, Specification>;

/// Fields in the order of the table.
pub const FIELDS: [&str; 6] =
    ["capacity", "form_factor", "interface", "endurance", "warranty", "price"];

impl Specification {
    /// A field as it is printed.
    pub fn field(&self, l: Language, name: &str) -> Option<String> {
        match name {
            "capacity" => self.capacity.clone(),
            "form_factor" => self.form_factor.clone(),
            "interface" => self.interface.clone(),
            "endurance" => self.endurance.clone(),
            "warranty" => self.warranty.clone(),
            "price" => self
                .price
                .as_ref()
                .map(|p| format!("{} {}", number_format::count(l, p.amount), p.currency)),
            _ => None,
        }
    }

    fn bytes(&self) -> Option<f64> {
        self.capacity
            .as_deref()
            .and_then(|text| units::parse_bytes(text).ok())
            .map(|bytes| bytes as f64)
    }
}

/// What the file says must make sense: a price is a number above zero, a capacity a size.
pub fn check(file: &str, all: &Specifications) -> Result<()> {
    for (subject, own) in all {
        let wrong = |what: String, next: &str| {
            Err(failed(format!("{file}, [drive.\"{subject}\"]: {what}"), next))
        };
        if let Some(text) = own.capacity.as_ref().filter(|_| own.bytes().is_none()) {
            return wrong(format!("'{text}' is no capacity"), "write it as \"7.68TB\"");
        }
        if let Some(price) =
            own.price.as_ref().filter(|p| !(p.amount.is_finite() && p.amount > 0.0))
        {
            return wrong(
                format!("{} is no price", price.amount),
                "leave the price out where it is not known",
            );
        }
        if own
            .price
            .as_ref()
            .is_some_and(|p| [&p.currency, &p.date, &p.source].iter().any(|t| t.trim().is_empty()))
        {
            return wrong(
                "the price lacks a currency, a date or a source".into(),
                "say when and where it was asked",
            );
        }
    }
    Ok(())
}

/// The tables; nothing where nothing is stated.
pub fn blocks(facts: &Facts, all: &Specifications) -> Result<Vec<Block>> {
    if let Some(unknown) = all.keys().find(|name| !facts.subjects.contains(name)) {
        let next = format!("the subjects are {}", facts.subjects.join(", "));
        return Err(failed(
            format!("the brief specifies a drive of '{unknown}', which is no subject"),
            next,
        ));
    }
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let l = facts.language;
    let of = |subject: &String| all.get(subject);
    let head: Vec<String> =
        std::iter::once(String::new()).chain(facts.subjects.iter().cloned()).collect();
    let row = |name: &&str| {
        let cells: Vec<Option<String>> =
            facts.subjects.iter().map(|s| of(s).and_then(|own| own.field(l, name))).collect();
        cells.iter().any(Option::is_some).then(|| {
            let cells = cells.into_iter().map(|cell| cell.unwrap_or(NONE.to_string()));
            std::iter::once(field_name(l, name)).chain(cells).collect::<Vec<String>>()
        })
    };
    let rows: Vec<Vec<String>> = FIELDS.iter().filter_map(row).collect();
    let mut out = vec![
        Table::of(head.len(), &head, rows).block(),
        Block::note(say!(l, "stated-not-measured")),
    ];
    out.extend(sources(facts.language, all));
    let worth = for_the_money(facts, all);
    if !worth.is_empty() {
        out.extend([
            Block::chapter(say!(l, "for-the-money")),
            Table::of(1, &head, worth).block(),
            Block::note(say!(l, "for-the-money-how")),
        ]);
    }
    Ok(out)
}

/// Where each figure and price comes from.
fn sources(l: Language, all: &Specifications) -> Option<Block> {
    let mut items = Vec::new();
    for (subject, own) in all {
        items.extend(own.source.iter().map(|source| format!("{subject}: {source}")));
        let price = own.price.iter();
        items.extend(
            price.map(|p| {
                say!(l, "price-of", subject = subject, date = &p.date, source = &p.source)
            }),
        );
    }
    (!items.is_empty()).then(|| Block::list(items))
}

fn for_the_money(facts: &Facts, all: &Specifications) -> Vec<Vec<String>> {
    let l = facts.language;
    let price =
        |subject: usize| all.get(&facts.subjects[subject]).and_then(|own| own.price.as_ref());
    let subjects = 0..facts.subjects.len();
    let mut rows = Vec::new();
    let capacity: Vec<Option<String>> = subjects
        .clone()
        .map(|s| {
            let (bytes, price) = (all.get(&facts.subjects[s])?.bytes()?, price(s)?);
            Some(format!(
                "{} GB/{}",
                number_format::count(l, bytes / 1e9 / price.amount),
                price.currency
            ))
        })
        .collect();
    let mut push = |what: String, cells: Vec<Option<String>>| {
        if cells.iter().any(Option::is_some) {
            rows.push(
                std::iter::once(what)
                    .chain(cells.into_iter().map(|c| c.unwrap_or(NONE.to_string())))
                    .collect(),
            );
        }
    };
    push(say!(l, "spec-capacity"), capacity);
    for step in &facts.steps {
        let Some((what, figure)) = led(facts, step) else { continue };
        let worth = |s: usize| {
            let price = price(s)?;
            // A subject may be of several drives, and each has its price.
            let paid = price.amount * facts.drives.get(s).map_or(1, Vec::len).max(1) as f64;
            Some(format!("{} /{}", number_format::count(l, figure(s)? / paid), price.currency))
        };
        push(what, subjects.clone().map(worth).collect());
    }
    rows
}

/// What a step leads with, where it is a rate at one point, and each subject's figure.
fn led<'a>(
    facts: &'a Facts,
    step: &'a StepFacts,
) -> Option<(String, impl Fn(usize) -> Option<f64> + 'a)> {
    let (metric, value) = (lead::metric(facts, step), lead::value(step)?);
    if !metric.is_rate() || step.cells.is_empty() {
        return None;
    }
    let l = facts.language;
    let what = wording::metric(l, &metric, step) + &wording::place(l, step, &[value]);
    let what = say!(l, "of-step", step = &step.title, sentence = what);
    let imported = published::is_published(facts);
    let figure = move |subject: usize| {
        let cell = step
            .cell(subject, value)
            .filter(|c| !c.is_not_the_drives() && (imported || !c.is_barred()))?;
        Some(wording::printed(l, &metric, step, cell)?.0)
    };
    Some((what, figure))
}

/// A field's name in the table.
fn field_name(l: Language, name: &str) -> String {
    match name {
        "capacity" => say!(l, "spec-capacity"),
        "form_factor" => say!(l, "spec-form-factor"),
        "interface" => say!(l, "spec-interface"),
        "endurance" => say!(l, "spec-endurance"),
        "warranty" => say!(l, "spec-warranty"),
        "price" => say!(l, "spec-price"),
        _ => name.to_string(),
    }
}
