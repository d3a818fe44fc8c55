//! The brief before rendering: its cover and the selected sections, as blocks.

use super::block::{Block, Role, with_code};
use super::lead::Lead;
use super::section;
use crate::analysis::facts::{Facts, ProtocolFacts, RunFacts, SetupFacts};
use crate::brief::own::options::{BriefOptions, PaperSize};
use crate::brief::own::own_text::OwnText;
use crate::brief::own::references::{Sources, resolve};
use crate::brief::own::{declared, specification};
use crate::brief::text::{run_conditions, wording};
use crate::chart::{self, Palette, StepDrawing, choice};
use crate::language::Language;
use crate::say;
use dyno_core::base::error::Result;

/// A brief, ready to be rendered.
pub struct Brief {
    /// Its language.
    pub language: Language,
    /// The title, from brief.toml or the protocol.
    pub title: String,
    /// The protocol's name.
    pub kicker: String,
    /// Date and program of the measurement.
    pub byline: String,
    /// Version of Dyno.
    pub version: String,
    /// Subjects in the order of the palette.
    pub subjects: Vec<String>,
    /// The subjects' colours.
    pub palette: Palette,
    /// The first page: the lead sentence, a few findings, one figure, the conditions.
    pub cover: Vec<Block>,
    /// The sections, in order.
    pub parts: Vec<BriefSection>,
    /// The logo of brief.toml, as PNG.
    pub logo_png: Option<Vec<u8>>,
    /// Text below the last section, instead of the one about bundles.
    pub footer: Option<String>,
    /// The paper size.
    pub page: PaperSize,
}

/// A section of a brief.
pub struct BriefSection {
    /// The section's id, which is its anchor.
    pub id: String,
    /// The section's title.
    pub title: String,
    /// It is reference material.
    pub appendix: bool,
    /// Its contents.
    pub blocks: Vec<Block>,
}

impl Brief {
    /// The brief of these facts; an error if brief.toml names an unknown section.
    pub fn new(l: Language, facts: &Facts, options: &BriefOptions) -> Result<Brief> {
        Ok(Brief {
            language: l,
            title: declared::cited(&facts.statements, &options.title(l, facts))?,
            kicker: kicker(l, facts),
            byline: byline(l, &facts.setup, facts.protocol()),
            version: facts.setup.runs.first().map_or(String::new(), |r| r.dyno_version.clone()),
            // A fleet's figures have no subject's colour.
            subjects: if facts.subjects.are_a_fleet() {
                Vec::new()
            } else {
                facts.subjects.names()
            },
            palette: options.palette(&facts.subjects)?,
            cover: [cover(l, facts), declared::lines(l, &facts.statements)?].concat(),
            parts: parts(l, facts, options)?,
            logo_png: options.logo_png.clone(),
            footer: None,
            page: options.page,
        })
    }
}

/// The selected non-empty sections and the brief's own texts, in order.
fn parts(l: Language, facts: &Facts, options: &BriefOptions) -> Result<Vec<BriefSection>> {
    // Sections of the appendix are lettered in order.
    let mut letters = (b'A'..=b'Z').map(char::from);
    let is_shortened = is_long(facts) && !options.names_sections();
    let mut made = |id: &str| {
        if is_shortened && section::ON_REQUEST.contains(&id) {
            return None;
        }
        // Hundreds of individual subjects do not make a brief; exports contain them.
        if facts.subjects.are_a_fleet() && !section::OF_FLEETS.contains(&id) {
            return None;
        }
        let section = section::ALL.iter().find(|s| s.id == id)?;
        let blocks = section.blocks.of(l, facts);
        if blocks.is_empty() {
            return None;
        }
        let letter = if section.appendix { letters.next() } else { None };
        let title = (section.title)(l);
        let title = match letter {
            Some(letter) => {
                say!(l, "appendix", letter = letter.to_string(), title = title)
            }
            None => title,
        };
        Some(BriefSection { id: id.to_string(), title, appendix: section.appendix, blocks })
    };
    let sources = Sources { language: l, facts };
    let own = |place: &str| -> Result<Vec<BriefSection>> {
        let part = |t: &OwnText| {
            let markdown =
                declared::cited(&facts.statements, &resolve(l, &t.markdown, &sources, false)?)?;
            let blocks = t.saying(markdown).blocks();
            Ok(BriefSection { id: t.id(), title: t.title.clone(), appendix: false, blocks })
        };
        options.texts_after(place).map(part).collect()
    };
    // The scoreboard and the conclusion precede the editor's verdict.
    let (first, others): (Vec<String>, Vec<String>) =
        options.sections().into_iter().partition(|id| {
            [section::summary::SECTION.id, section::conclusion::SECTION.id].contains(&&**id)
        });
    let mut all = Vec::new();
    for id in first {
        all.extend(made(&id));
        all.extend(own(&id)?);
    }
    if let Some(verdict) = options.verdict(l) {
        let markdown =
            declared::cited(&facts.statements, &resolve(l, &verdict.markdown, &sources, true)?)?;
        let blocks = verdict.saying(markdown).blocks();
        all.push(BriefSection {
            id: "verdict".to_string(),
            title: verdict.title,
            appendix: false,
            blocks,
        });
    }
    all.extend(own("")?);
    let stated = specification::blocks(l, &facts.subjects, &facts.measured, &facts.statements)?;
    if !stated.is_empty() {
        let (id, title) = (specification::ID.to_string(), say!(l, "specification"));
        all.push(BriefSection { id, title, appendix: false, blocks: stated });
    }
    for id in others {
        all.extend(made(&id));
        all.extend(own(&id)?);
    }
    if let (true, Some(last)) = (is_shortened, all.last_mut()) {
        last.blocks.push(Block::note(say!(l, "appendices-on-request")));
    }
    let blocks = declared::blocks(l, &facts.statements)?;
    if !blocks.is_empty() {
        let (id, title) = (declared::ID.to_string(), say!(l, "declared-notes"));
        all.push(BriefSection { id, title, appendix: false, blocks });
    }
    Ok(all)
}

/// Maximum number of points whose figures are listed in a brief.
const MOST_LISTED: usize = 24;

/// Whether appendices that list every point would be longer than the rest of the brief.
fn is_long(facts: &Facts) -> bool {
    let points: usize = facts.measured.steps.iter().map(|step| step.cells.len()).sum();
    facts.tests.len() > 1 || points > MOST_LISTED
}

/// The protocol's name; the protocol of imported figures is not known.
fn kicker(l: Language, facts: &Facts) -> String {
    match facts.setup.runs.first().is_some_and(RunFacts::is_imported) {
        true => say!(l, "imported-figures"),
        false => facts.protocol().name.clone(),
    }
}

/// Date, program and procedure of the measurement.
fn byline(l: Language, setup: &SetupFacts, protocol: &ProtocolFacts) -> String {
    let newest = setup.runs.iter().max_by_key(|r| r.started_unix_ns);
    let version = setup.runs.first().map_or("", |r| r.dyno_version.as_str());
    let when = newest.map_or_else(|| l.moment(0), |run| wording::when_measured(l, run));
    let by = match setup.is_imported() {
        true => say!(l, "imported-into", when = when, version = version),
        false => say!(l, "measured-with", when = when, version = version),
    };
    match protocol.source.written.as_str() {
        "" => by,
        "Dyno" => say!(l, "own-protocol", measured = by),
        _ if setup.is_imported() => {
            say!(l, "figures-after-source", measured = by, source = &protocol.source)
        }
        _ => say!(l, "after-source", measured = by, source = &protocol.source),
    }
}

/// Values with a mark are not printed here.
fn cover(l: Language, facts: &Facts) -> Vec<Block> {
    let lead = Lead::of(l, facts);
    let mut out = vec![Block::Text(Role::Lead, with_code(&lead.sentence))];
    if !lead.findings.is_empty() {
        out.push(Block::List(lead.findings.iter().map(|finding| with_code(finding)).collect()));
    }
    let Facts { subjects, measured, comparisons, .. } = facts;
    let figure = lead.step.and_then(|index| {
        let drawing = StepDrawing::of(l, subjects, comparisons, &measured.steps[index]);
        match subjects.are_a_fleet() {
            true => chart::of_step("fleet", &drawing).into_iter().next(),
            false => choice::headline(&drawing),
        }
    });
    out.extend(figure.map(|figure| Block::Figures(vec![figure])));
    out.push(Block::note(run_conditions::line(l, facts)));
    out
}
