//! Drive specifications and prices, which are stated in brief.toml with their source, not measured;
//! and the measured figures per price.

use crate::analysis::facts::{MeasuredFacts, ReportStatements, StepFacts, SubjectFacts, Subjects};
use crate::analysis::keys::SubjectKey;
use crate::brief::block::{Block, Table};
use crate::brief::number_format::NONE;
use crate::brief::text::wording;
use crate::brief::{number_format, prose};
use crate::language::Language;
use crate::say;
use dyno_core::base::error::{Result, failed};
use dyno_core::plan::specification::{Specification, Specifications};

pub const ID: &str = "specification";

/// Fields in the order of the table.
pub const FIELDS: [&str; 6] =
    ["capacity", "form_factor", "interface", "endurance", "warranty", "price"];

/// A field as printed.
pub fn field(l: Language, own: &Specification, name: &str) -> Option<String> {
    match name {
        "capacity" => own.capacity.clone(),
        "form_factor" => own.form_factor.clone(),
        "interface" => own.interface.clone(),
        "endurance" => own.endurance.clone(),
        "warranty" => own.warranty.clone(),
        "price" => own
            .price
            .as_ref()
            .map(|p| format!("{} {}", number_format::count(l, p.amount), p.currency)),
        _ => None,
    }
}

/// An error unless the specifications in brief.toml are valid.
pub fn check(file: &str, all: &Specifications) -> Result<()> {
    for (subject, own) in all {
        if let Err((what, next)) = own.check() {
            return Err(failed(format!("{file}, [drive.\"{subject}\"]: {what}"), next));
        }
    }
    Ok(())
}

/// The plans' specifications, overridden by brief.toml field by field. A name in plans that is
/// common to several bundles refers to all their subjects of that name.
pub fn stated(
    subjects: &Subjects,
    statements: &ReportStatements,
    own: &Specifications,
) -> Specifications {
    let is_of_plans =
        |name: &str| subjects.named(name).is_none() && subjects.of_plans(name).next().is_some();
    let (of_plans, named): (Specifications, Specifications) =
        own.clone().into_iter().partition(|(name, _)| is_of_plans(name));
    let mut all = named;
    for (name, own) in &of_plans {
        for subject in subjects.of_plans(name) {
            let known = all.entry(subject.name.clone()).or_default();
            *known = std::mem::take(known).or(own);
        }
    }
    for (subject, of_plan) in &statements.specifications {
        let known = all.entry(subject.clone()).or_default();
        *known = std::mem::take(known).or(of_plan);
    }
    all
}

/// The tables; None without statements.
pub fn blocks(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    statements: &ReportStatements,
) -> Result<Vec<Block>> {
    let all = &statements.specifications;
    if let Some(unknown) = all.keys().find(|name| subjects.named(name).is_none()) {
        let next = format!("the subjects are {}", subjects.names().join(", "));
        return Err(failed(
            format!("the brief specifies a drive of '{unknown}', which is not a subject"),
            next,
        ));
    }
    if all.values().all(Specification::states_nothing) {
        return Ok(Vec::new());
    }
    let of = |subject: &SubjectFacts| all.get(&subject.name);
    let head: Vec<String> = std::iter::once(String::new()).chain(subjects.names()).collect();
    let row = |name: &&str| {
        let cells: Vec<Option<String>> =
            subjects.iter().map(|s| of(s).and_then(|own| field(l, own, name))).collect();
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
    let writes: Vec<String> = subjects
        .iter()
        .filter_map(|subject| prose::total_writes(l, &subject.name, of(subject)?))
        .collect();
    if !writes.is_empty() {
        out.push(Block::list(writes));
    }
    out.extend(sources(l, all));
    let worth = for_the_money(l, subjects, measured, all);
    if !worth.is_empty() {
        out.extend([
            Block::chapter(say!(l, "for-the-money")),
            Table::of(1, &head, worth).block(),
            Block::note(say!(l, "for-the-money-how")),
        ]);
    }
    Ok(out)
}

/// The source of each figure and price.
fn sources(l: Language, all: &Specifications) -> Option<Block> {
    let mut items = Vec::new();
    for (subject, own) in all {
        items.extend(
            own.source.iter().map(|source| say!(l, "named-value", name = subject, value = source)),
        );
        let price = own.price.iter();
        items.extend(
            price.map(|p| {
                say!(l, "price-of", subject = subject, date = &p.date, source = &p.source)
            }),
        );
    }
    (!items.is_empty()).then(|| Block::list(items))
}

fn for_the_money(
    l: Language,
    subjects: &Subjects,
    measured: &MeasuredFacts,
    all: &Specifications,
) -> Vec<Vec<String>> {
    let price =
        |subject: SubjectKey| all.get(&subjects[subject].name).and_then(|own| own.price.as_ref());
    let mut rows = Vec::new();
    let capacity: Vec<Option<String>> = subjects
        .keys()
        .map(|s| {
            let (bytes, price) = (all.get(&subjects[s].name)?.bytes()?, price(s)?);
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
    for step in &measured.steps {
        let Some((what, figure)) = led(l, step) else { continue };
        let worth = |s: SubjectKey| {
            let price = price(s)?;
            // A subject may have several drives, each with its price.
            let paid = price.amount * subjects[s].drive_count() as f64;
            Some(format!("{} /{}", number_format::count(l, figure(s)? / paid), price.currency))
        };
        push(what, subjects.keys().map(worth).collect());
    }
    rows
}

/// The headline of a step, if it is a rate at one point, and each subject's figure.
fn led<'a>(
    l: Language,
    step: &'a StepFacts,
) -> Option<(String, impl Fn(SubjectKey) -> Option<f64> + 'a)> {
    let (metric, value) = (&step.headline_metric, step.headline_value?);
    if !metric.is_rate() || step.cells.is_empty() {
        return None;
    }
    let what = wording::metric(l, metric, step) + &wording::place(l, step, &[value]);
    let what = say!(l, "of-step", step = &step.title, sentence = what);
    let figure = move |subject: SubjectKey| {
        let cell = step
            .cell(subject, value)
            .filter(|c| !c.is_not_the_drives() && (step.imported || !c.is_barred()))?;
        Some(wording::printed(l, metric, step, cell)?.0)
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
