//! The golden briefs in every language: no glyph is missing, and all texts come from messages,
//! except names, numbers, units and the user's own words.

use std::collections::BTreeSet;

use super::tests_figures::golden;
use super::{html, markdown, pdf};
use crate::analysis::facts::{Facts, ProtocolFacts};
use crate::brief::block::{Block, words};
use crate::brief::{Brief, BriefOptions, screens};
use crate::chart::{Chart, Palette};
use crate::language::Language;

#[test]
fn golden_briefs_in_every_language_miss_no_glyph_and_say_their_language() {
    for language in Language::all() {
        for (name, facts) in golden() {
            let document =
                Brief::new(language, &facts, &BriefOptions::default()).expect("a document");
            let page = html(&document).unwrap_or_else(|e| panic!("{name}: {e:#}"));
            assert!(page.contains(&format!("<html lang=\"{}\">", language.tag())), "{name}");
            assert!(pdf(&document).unwrap_or_else(|e| panic!("{name}: {e:#}")).len() > 10_000);
            assert!(markdown(&document, "figures").0.len() > 1_000, "{name}");
        }
    }
}

/// Units, symbols and names of metrics that are the same in all languages, and names of the
/// bundles' streams that occur inside other words.
const UNTRANSLATED: &str = "B KB MB GB TB KiB MiB GiB s ms µs ns m h d W J mJ µJ kJ op ops r NONE \
    p50 p90 p95 p99 p99.9 p99.99 p99.999 p99.9999 UTC FUA WAF UUID xfs mkfs.xfs noatime \
    dyno Dyno";

/// The text outside brackets.
fn outside(text: &str) -> String {
    let (mut depth, mut out) = (0, String::new());
    for c in text.chars() {
        match c {
            '⟦' => depth += 1,
            '⟧' => {
                depth -= 1;
                out.push(' ');
            }
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

/// A figure's caption, and the texts in its drawing and tooltips.
fn drawn(figure: &Chart, into: &mut Vec<String>) {
    into.push(figure.caption());
    let svg = figure.svg(&Palette::default());
    for element in ["text", "title"] {
        let (opened, closed) = (format!("<{element}"), format!("</{element}>"));
        let inner = svg.split(&opened).skip(1).filter_map(|rest| rest.split(&closed).next());
        // Without the tags around runs in another font.
        into.extend(inner.map(|text| {
            text.split('<').filter_map(|run| Some(run.split_once('>')?.1)).collect::<String>()
        }));
    }
}

/// Every text of some blocks except bundle contents: plans, and facts about hosts and drives.
fn texts(blocks: &[Block], into: &mut Vec<String>) {
    for block in blocks {
        match block {
            Block::Heading(heading) => into.push(heading.text.clone()),
            Block::Text(_, line) => into.push(words(line)),
            Block::List(items) => into.extend(items.iter().map(words)),
            Block::Terms(terms) => {
                into.extend(terms.iter().flat_map(|(term, text)| [term.clone(), text.clone()]));
            }
            Block::Pairs(title, _) | Block::Code(title, _) => into.push(title.clone()),
            Block::Table(table) => {
                into.push(table.caption.clone());
                into.extend(table.head.iter().cloned());
                into.extend(table.rows.iter().flat_map(|(_, cells)| cells.iter().cloned()));
            }
            Block::Figures(figures) => figures.iter().for_each(|figure| drawn(figure, into)),
        }
    }
}

fn is_built_in(protocol: &ProtocolFacts) -> bool {
    dyno_core::plan::protocols().iter().any(|(name, toml)| {
        *name == protocol.name
            && toml.contains(&format!("title = \"{}\"", protocol.title.text.written))
    })
}

/// Words from the plan, the drives or the run.
fn names(facts: &Facts) -> BTreeSet<String> {
    let mut own: Vec<&str> = vec![&facts.protocol().name];
    if !is_built_in(facts.protocol()) {
        own.extend([
            facts.protocol().title.text.written.as_str(),
            facts.protocol().source.written.as_str(),
        ]);
        own.extend(facts.measured.steps.iter().map(|step| step.title.written.as_str()));
    }
    own.extend(
        facts.subjects.iter().flat_map(|s| s.drives.iter().chain([&s.name])).map(String::as_str),
    );
    own.extend(facts.setup.runs.iter().flat_map(|r| [r.file.as_str(), r.dyno_version.as_str()]));
    for step in &facts.measured.steps {
        own.push(step.name.as_str());
        own.extend(step.axis.iter().map(|axis| axis.name.as_str()));
        own.extend(step.values.iter().map(|value| value.label.as_str()));
        for cell in &step.cells {
            own.extend(cell.streams.iter().map(|(name, ..)| name.as_str()));
        }
    }
    own.extend(facts.measured.failures.iter().map(|failure| failure.cause.as_str()));
    let disclosed = facts.setup.disclosure.iter().flat_map(|group| {
        let rows = group.rows.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]);
        rows.chain([group.name.as_str()])
    });
    own.extend(disclosed);
    let hosts = facts.setup.runs.iter().flat_map(|run| run.host.disclosed());
    let hosts = hosts.flat_map(|(field, value)| {
        [field.heading().name().to_string(), field.name().to_string(), value.to_string()]
    });
    let drives = facts.subjects.iter().flat_map(|subject| &subject.setups);
    let drives = drives.flat_map(|drive| drive.disclosed());
    let drives = drives.flat_map(|(field, value)| [field.name().to_string(), value.to_string()]);
    let set_up: Vec<String> = hosts.chain(drives).collect();
    own.extend(set_up.iter().map(String::as_str));
    // A knob's text in the title of a step; the other languages have their own.
    if facts.protocol().name.starts_with("tpcc") {
        own.push("with");
    }
    own.push(UNTRANSLATED);
    own.iter().flat_map(|text| split(text)).collect()
}

fn split(text: &str) -> Vec<String> {
    let apart = |c: char| !(c.is_alphanumeric() || c == '.');
    text.split(apart).map(|word| word.trim_matches('.').to_string()).collect()
}

#[test]
fn in_a_bracketed_language_no_text_is_outside_of_brackets_but_names_numbers_and_units() {
    for (name, facts) in golden() {
        let foreign = foreign(facts);
        assert!(foreign.is_empty(), "{name}:\n{}", foreign.join("\n"));
    }
}

/// Texts outside brackets in a brief of these facts and in terminal output that are not names from
/// them.
pub fn foreign(facts: Facts) -> Vec<String> {
    let names = names(&facts);
    let document =
        Brief::new(Language::BRACKETED, &facts, &BriefOptions::default()).expect("a document");
    let mut all = vec![document.byline.clone()];
    texts(&document.cover, &mut all);
    for part in &document.parts {
        all.push(part.title.clone());
        texts(&part.blocks, &mut all);
    }
    for screen in [
        screens::show(Language::BRACKETED, &facts),
        screens::compare(Language::BRACKETED, &facts),
        screens::claims(Language::BRACKETED, &facts),
    ] {
        texts(&screen, &mut all);
    }
    let foreign = |text: &String| {
        let words = split(&outside(text)).into_iter();
        let words: Vec<String> = words
            .filter(|word| word.chars().any(char::is_alphabetic) && !names.contains(word))
            // Numbers with their units, and letters of appendices.
            .filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()) && word.len() > 1)
            .collect();
        (!words.is_empty()).then(|| format!("{words:?} in “{text}”"))
    };
    assert!(all.iter().any(|text| text.contains('⟦')));
    let found: BTreeSet<String> = all.iter().filter_map(foreign).collect();
    found.into_iter().collect()
}
