//! The brief before it is given a form: its title and the sections chosen, as HTML bodies and as blocks.

use super::blocks::{self, Block};
use super::brief::Brief;
use super::{html, section, words};
use crate::analysis::facts::Facts;
use crate::base::error::Result;

/// A brief, ready to be set as Markdown or PDF.
pub struct Document {
    pub title: String,
    pub byline: String,
    /// With the colours of the figures: "#rrggbb".
    pub subjects: Vec<(String, String)>,
    /// The cover's numbers: (subject, number with its unit, of what).
    pub headlines: Vec<[String; 3]>,
    /// (id, title, pieces)
    pub sections: Vec<(String, String, Vec<Block>)>,
}

impl Document {
    pub fn new(facts: &Facts, brief: &Brief) -> Result<Document> {
        let taken = |(id, title, html): (String, String, String)| {
            Ok((id, title, blocks::of_html(&brief.coloured(facts, &html)?)))
        };
        let coloured = |(i, name): (usize, &String)| Ok((name.clone(), brief.coloured(facts, html::colour(i))?));
        let headline = |h: section::findings::Headline| [h.subject, format!("{} {}", h.value, h.unit), h.of];
        Ok(Document {
            title: brief.title(facts).to_string(),
            byline: byline(facts),
            subjects: facts.subjects.iter().enumerate().map(coloured).collect::<Result<_>>()?,
            headlines: section::findings::headlines(facts).into_iter().map(headline).collect(),
            sections: bodies(facts, brief).into_iter().map(taken).collect::<Result<_>>()?,
        })
    }
}

/// The sections chosen and the brief's own paragraphs, in order: (id, title, HTML).
pub fn bodies(facts: &Facts, brief: &Brief) -> Vec<(String, String, String)> {
    let made = |id: &str| {
        let section = section::ALL.iter().find(|s| s.info().id == id)?;
        let body = section.html(facts)?;
        Some((id.to_string(), section.info().title.to_string(), body))
    };
    let own = |place: &str| brief.texts_after(place).map(|t| (t.id(), t.title.clone(), t.html())).collect::<Vec<_>>();
    let mut all = own("");
    for id in brief.sections() {
        all.extend(made(&id));
        all.extend(own(&id));
    }
    all
}

/// When it was measured, by what, after which procedure.
pub fn byline(facts: &Facts) -> String {
    let started = facts.runs.iter().map(|r| r.started_unix_ns).max().unwrap_or(0);
    let version = facts.runs.first().map_or("", |r| r.dyno_version.as_str());
    let when = words::moment(started);
    let by = if facts.protocol.starts_with("imported") { "imported into" } else { "measured with" };
    let source = match facts.source.as_str() {
        "" => String::new(),
        own if own.starts_with("Ours") => " · a protocol of Dyno's own".to_string(),
        source => format!(" · after {source}"),
    };
    format!("{when} · {by} Dyno {version}{source}")
}
