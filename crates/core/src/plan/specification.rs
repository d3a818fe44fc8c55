//! `[drive.NAME]`: properties of a subject's drives that are stated and not measured, from vendors
//! or other named sources. A plan may contain it, and brief.toml, which takes precedence.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::base::units;
use crate::plan::endurance::{self, Endurance};
use crate::plan::syntax::fields::{self, Fields};
use crate::plan::syntax::mistakes::{Mistakes, remedy};
use crate::plan::syntax::node::Node;

/// One subject's drive.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Specification {
    /// Of one drive: "7.68TB".
    pub capacity: Option<String>,
    /// "U.2", "E3.S"
    pub form_factor: Option<String>,
    /// "PCIe 5.0 x4, NVMe 2.0"
    pub interface: Option<String>,
    /// "1 DWPD"
    pub endurance: Option<String>,
    /// "5 years"
    pub warranty: Option<String>,
    /// The price of one drive.
    pub price: Option<Price>,
    /// The source of the figures.
    pub source: Option<String>,
    /// The maker's product page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Reports do not identify the drive: "Competitor A".
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mask: bool,
}

/// A price, meaningless without its date and source.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Of one drive.
    pub amount: f64,
    /// "EUR", "USD" …
    pub currency: String,
    /// "2026-11-22"
    pub date: String,
    /// The seller.
    pub source: String,
}

/// By subject.
pub type Specifications = BTreeMap<String, Specification>;

impl Specification {
    /// Whether it states nothing about the drive itself, as with only a mask or a link.
    pub fn states_nothing(&self) -> bool {
        Specification { mask: false, link: None, ..self.clone() } == Specification::default()
    }

    /// The capacity as a number, if stated as one.
    pub fn bytes(&self) -> Option<f64> {
        let parsed = self.capacity.as_deref().and_then(|text| units::parse_bytes(text).ok());
        parsed.map(|bytes| bytes as f64)
    }

    /// 1 of "1 DWPD", or of "1 DWPD over 5 years".
    pub fn drive_writes_per_day(&self) -> Option<f64> {
        self.rating()?.per_day
    }

    /// The total bytes written of "14 PBW" or "14,016 TBW".
    pub fn total_written_bytes(&self) -> Option<f64> {
        self.rating()?.total_bytes
    }

    /// 5 of "5 years": of the warranty, or of the stated endurance.
    pub fn warranty_years(&self) -> Option<f64> {
        let of_warranty = self.warranty.as_deref().and_then(endurance::years);
        of_warranty.or_else(|| self.rating()?.years)
    }

    fn rating(&self) -> Option<Endurance> {
        Endurance::read(self.endurance.as_deref()?)
    }

    /// What is wrong with it, and what to do: a price must be a number above zero, a capacity a
    /// size, an endurance a rating.
    pub fn check(&self) -> Result<(), (String, &'static str)> {
        if let Some(text) = self.capacity.as_ref().filter(|_| self.bytes().is_none()) {
            return Err((format!("'{text}' is not a capacity"), "write it as \"7.68TB\""));
        }
        if let Some(text) = self.endurance.as_ref().filter(|_| self.rating().is_none()) {
            return Err((format!("'{text}' is not an endurance"), endurance::FORMS));
        }
        let has_years = |text: &&String| endurance::years(text).is_some();
        if let Some(text) = self.warranty.as_ref().filter(|text| !has_years(text)) {
            let next = "write it as \"5 years\"; omit it if it is unknown";
            return Err((format!("'{text}' is not the length of a warranty"), next));
        }
        let is_page = |link: &String| {
            let rest = link.strip_prefix("https://").or(link.strip_prefix("http://"));
            rest.is_some_and(|r| !r.is_empty() && !r.contains(|c: char| c.is_whitespace()))
        };
        if let Some(link) = self.link.as_ref().filter(|link| !is_page(link)) {
            let next = "write it as \"https://example.com/drive\"";
            return Err((format!("'{link}' is not a web address"), next));
        }
        let Some(price) = &self.price else { return Ok(()) };
        if !(price.amount.is_finite() && price.amount > 0.0) {
            let next = "omit the price if it is unknown";
            return Err((format!("{} is not a price", price.amount), next));
        }
        if [&price.currency, &price.date, &price.source].iter().any(|t| t.trim().is_empty()) {
            let what = "the price lacks a currency, a date or a source";
            return Err((what.to_string(), "state when and where it was asked for"));
        }
        Ok(())
    }

    /// Its statements, completed by another's.
    pub fn or(self, other: &Specification) -> Specification {
        let other = other.clone();
        Specification {
            capacity: self.capacity.or(other.capacity),
            form_factor: self.form_factor.or(other.form_factor),
            interface: self.interface.or(other.interface),
            endurance: self.endurance.or(other.endurance),
            warranty: self.warranty.or(other.warranty),
            price: self.price.or(other.price),
            source: self.source.or(other.source),
            link: self.link.or(other.link),
            mask: self.mask || other.mask,
        }
    }
}

/// Reads a plan's `[drive.NAME]` tables.
pub fn specifications(
    node: Option<&Node>,
    subjects: &[&str],
    log: &mut Mistakes,
) -> Specifications {
    let mut all = Specifications::new();
    for entry in node.map(Node::entries).unwrap_or_default() {
        if !subjects.contains(&entry.key.as_str()) {
            let help = remedy(&entry.key, "the subjects are", subjects.iter().copied());
            let what = format!("[drive] states facts of '{}', which is not a subject", entry.key);
            log.note(entry.key_at, what, "no subject", help);
            continue;
        }
        let Some(mut table) = Fields::of(&entry.node, "[drive.NAME]", log) else { continue };
        let mut text = |key: &str| table.get(key).and_then(|n| fields::text(n, log));
        let mut own = Specification {
            capacity: text("capacity"),
            form_factor: text("form_factor"),
            interface: text("interface"),
            endurance: text("endurance"),
            warranty: text("warranty"),
            price: None,
            source: text("source"),
            link: text("link"),
            mask: false,
        };
        own.mask = table.get("mask").and_then(|n| fields::flag(n, log)).unwrap_or(false);
        own.price = table.get("price").and_then(|n| price(n, log));
        table.finish(log);
        if let Err((what, help)) = own.check() {
            log.note(entry.node.at, what, "not accepted", help);
        }
        all.insert(entry.key.clone(), own);
    }
    all
}

fn price(node: &Node, log: &mut Mistakes) -> Option<Price> {
    let mut table = Fields::of(node, "a price", log)?;
    let amount = table.need("amount", "800.0", log);
    let amount = amount.and_then(|n| fields::number(n, 0.01, 1e9, log));
    let mut text =
        |key: &str, example: &str| table.need(key, example, log).and_then(|n| fields::text(n, log));
    let currency = text("currency", "\"EUR\"");
    let date = text("date", "\"2026-11-22\"");
    let source = text("source", "\"a shop\"");
    table.finish(log);
    Some(Price { amount: amount?, currency: currency?, date: date?, source: source? })
}
