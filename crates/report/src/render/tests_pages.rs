//! Briefs of the built-in protocols as checked by an editor: full pages, summaries without empty
//! rows, and a first page of short sentences.

use super::paper::pages::MOST_EMPTY;
use super::tests_protocols::facts;
use crate::brief::block::{Block, Table, words};
use crate::brief::number_format::NONE;
use crate::brief::{Brief, BriefOptions, BriefSection, PaperSize};
use crate::language::Language;
use dyno_core::plan::protocols;

/// Maximum number of words of an easily readable sentence.
const MOST_WORDS: usize = 30;

fn tables(part: &BriefSection) -> impl Iterator<Item = &Table> {
    part.blocks.iter().filter_map(|block| match block {
        Block::Table(table) => Some(table),
        _ => None,
    })
}

/// The first page's sentences that are too long.
fn long_sentences(cover: &[Block]) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for block in cover {
        match block {
            Block::Text(_, line) => texts.push(words(line)),
            Block::List(items) => texts.extend(items.iter().map(words)),
            _ => {}
        }
    }
    let sentences = texts.iter().flat_map(|text| text.split(". ")).map(str::to_string);
    let long = |sentence: &String| {
        let own = sentence.split_whitespace().filter(|w| w.contains(char::is_alphanumeric));
        own.count() > MOST_WORDS
    };
    sentences.filter(long).collect()
}

/// Rows of the summary in which nothing was measured.
fn empty_rows(summary: &BriefSection) -> Vec<Vec<String>> {
    let rows = tables(summary).flat_map(|table| table.rows.iter().map(|row| (table.left, &row.1)));
    let is_empty = |(left, row): &(usize, &Vec<String>)| row[*left..].iter().all(|c| c == NONE);
    rows.filter(is_empty).map(|(_, row)| row.clone()).collect()
}

#[test]
fn no_page_of_any_built_in_protocol_s_brief_is_emptier_than_a_fifth_before_its_last() {
    for (protocol, _) in protocols() {
        let facts = facts(protocol);
        for language in Language::all() {
            let mut document =
                Brief::new(language, &facts, &BriefOptions::default()).expect("a brief");
            for page in [PaperSize::A4, PaperSize::Letter] {
                if page == PaperSize::Letter && language != Language::ENGLISH {
                    continue;
                }
                document.page = page;
                let filled = super::paper::pdf::filled(&document);
                let [full @ .., _] = &filled[..] else { continue };
                assert!(
                    full.iter().all(|filled| *filled >= 1.0 - MOST_EMPTY),
                    "{protocol}, {}: {filled:?}",
                    language.tag()
                );
            }
        }
    }
}

#[test]
fn first_pages_are_of_short_sentences_and_summaries_have_no_row_without_a_figure() {
    for (protocol, _) in protocols() {
        let facts = facts(protocol);
        let document =
            Brief::new(Language::ENGLISH, &facts, &BriefOptions::default()).expect("a brief");
        let long = long_sentences(&document.cover);
        assert!(long.is_empty(), "{protocol}: {long:?}");
        let summary = document.parts.iter().find(|part| part.id == "summary");
        let empty = summary.map(empty_rows).unwrap_or_default();
        assert!(empty.is_empty(), "{protocol}: {empty:?}");
    }
}

#[test]
fn alternative_texts_join_a_step_and_its_figure_as_the_language_does() {
    let ja = Language::parse("ja").expect("Japanese");
    let facts = facts("write-pressure");
    let document = Brief::new(ja, &facts, &BriefOptions::default()).expect("a brief");
    let of = |block: &Block| match block {
        Block::Figures(figures) => figures.iter().map(|figure| figure.label()).collect(),
        _ => Vec::new(),
    };
    let labels: Vec<String> =
        document.parts.iter().flat_map(|part| part.blocks.iter().flat_map(of)).collect();
    assert!(labels.iter().any(|label| label.contains('：')), "{labels:?}");
    assert!(labels.iter().all(|label| !label.contains(": ")), "{labels:?}");
}
