//! The brief before it is given a form: its cover, and the sections chosen, as blocks.

use super::block::Block;
use super::number_format;
use super::options::{Options, Page};
use super::{section, wording};
use crate::analysis::facts::Facts;
use crate::base::error::Result;
use crate::chart::{Palette, step};

/// A brief, ready to be set in any form.
pub struct Document {
    pub title: String,
    /// The protocol's name.
    pub kicker: String,
    pub byline: String,
    /// Of the Dyno that measured.
    pub version: String,
    /// In the order of the palette.
    pub subjects: Vec<String>,
    pub palette: Palette,
    pub headlines: Vec<Headline>,
    pub parts: Vec<Part>,
    pub logo_png: Option<Vec<u8>>,
    pub page: Page,
}

/// A number for the cover: the highest ops/s of one subject over all steps' values.
pub struct Headline {
    pub subject: usize,
    pub value: String,
    pub unit: &'static str,
    pub of: String,
}

/// A section as it stands in a brief.
pub struct Part {
    pub id: String,
    pub title: String,
    pub blocks: Vec<Block>,
}

/// How many steps the cover speaks of.
const ON_COVER: usize = 1;

impl Document {
    pub fn new(facts: &Facts, options: &Options) -> Result<Document> {
        Ok(Document {
            title: options.title(facts).to_string(),
            kicker: facts.protocol.clone(),
            byline: byline(facts),
            version: facts.runs.first().map_or(String::new(), |r| r.dyno_version.clone()),
            subjects: facts.subjects.clone(),
            palette: options.palette(facts)?,
            headlines: headlines(facts),
            parts: parts(facts, options),
            logo_png: options.logo_png.clone(),
            page: options.page,
        })
    }
}

/// The sections chosen that have something to say, and the brief's own paragraphs, in order.
fn parts(facts: &Facts, options: &Options) -> Vec<Part> {
    let made = |id: &str| {
        let section = section::ALL.iter().find(|s| s.id == id)?;
        let blocks = (section.blocks)(facts);
        (!blocks.is_empty()).then(|| Part { id: id.to_string(), title: section.title.to_string(), blocks })
    };
    let own = |place: &str| {
        let texts = options.texts_after(place);
        texts.map(|t| Part { id: t.id(), title: t.title.clone(), blocks: t.blocks() }).collect::<Vec<_>>()
    };
    let mut all = own("");
    for id in options.sections() {
        all.extend(made(&id));
        all.extend(own(&id));
    }
    all
}

/// When it was measured, by what, after which procedure.
fn byline(facts: &Facts) -> String {
    let started = facts.runs.iter().map(|r| r.started_unix_ns).max().unwrap_or(0);
    let version = facts.runs.first().map_or("", |r| r.dyno_version.as_str());
    let when = number_format::moment(started);
    let by = if facts.protocol.starts_with("imported") { "imported into" } else { "measured with" };
    let source = match facts.source.as_str() {
        "" => String::new(),
        own if own.starts_with("Ours") => " · a protocol of Dyno's own".to_string(),
        source => format!(" · after {source}"),
    };
    format!("{when} · {by} Dyno {version}{source}")
}

/// The highest ops/s of each subject in the first steps.
fn headlines(facts: &Facts) -> Vec<Headline> {
    let mut all = Vec::new();
    for step in facts.steps.iter().take(ON_COVER) {
        for subject in 0..facts.subjects.len() {
            let cells = step.cells.iter().filter(|c| c.subject == subject);
            let rates = cells.filter_map(|c| c.total.as_ref().map(|t| (t.ops_per_s.value, c)));
            let Some((most, cell)) = rates.max_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
            let of = format!("{}{}", step.title, wording::place(step, &[cell.value]));
            all.push(Headline { subject, value: step::marked(cell, number_format::count(most)), unit: "ops/s", of });
        }
    }
    all
}
