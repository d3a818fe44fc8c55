//! The table of words at the head of each file of messages: one word for each concept, which its
//! messages use, and the words that they do not use.

use fluent_syntax::ast::{Entry, Expression, Pattern, PatternElement};
use fluent_syntax::parser;

use super::catalogue::unwrapped;
use super::{ALL, LocaleSource};

/// A row of the table.
struct Term {
    concept: String,
    words: Vec<String>,
    never: Vec<String>,
}

/// The rows of a file's table; a cell lists words separated by commas.
fn table(source: &LocaleSource) -> Vec<Term> {
    let each = |cell: &str| -> Vec<String> {
        let words = cell.split([',', '、']).map(|word| word.trim().to_string());
        words.filter(|word| !word.is_empty()).collect()
    };
    let row = |line: &str| {
        let cells: Vec<&str> = line.strip_prefix("# |")?.trim_end_matches('|').split('|').collect();
        let [concept, word, never] = cells[..] else { panic!("{}: {line}", source.tag) };
        let (concept, words, never) = (concept.trim().to_string(), each(word), each(never));
        Some(Term { concept, words, never })
    };
    source.messages.lines().filter_map(row).skip(2).collect()
}

/// A message's own text, piece by piece, without arguments.
fn pieces(pattern: &Pattern<&str>, into: &mut Vec<String>) {
    for element in &pattern.elements {
        match element {
            PatternElement::TextElement { value } => into.push(value.to_string()),
            PatternElement::Placeable { expression: Expression::Select { variants, .. } } => {
                variants.iter().for_each(|variant| pieces(&variant.value, into));
            }
            PatternElement::Placeable { .. } => {}
        }
    }
}

/// (id, own text), without code.
fn said(source: &LocaleSource) -> Vec<(String, Vec<String>)> {
    let text = unwrapped(source.messages);
    let read = parser::parse(text.as_str()).unwrap_or_else(|(read, _)| read);
    let message = |entry: &Entry<&str>| {
        let Entry::Message(message) = entry else { return None };
        let mut own = Vec::new();
        message.value.iter().for_each(|pattern| pieces(pattern, &mut own));
        let prose = |piece: &String| piece.split('`').step_by(2).collect::<Vec<_>>().join(" ");
        Some((message.id.name.to_string(), own.iter().map(prose).collect()))
    };
    read.body.iter().filter_map(message).collect()
}

/// The positions of a word in a text, as (from, to). Words in Latin letters match whole words,
/// case-insensitively; `*` matches any ending.
fn places(text: &str, word: &str) -> Vec<(usize, usize)> {
    let (text, word) = (text.to_lowercase(), word.to_lowercase());
    let (stem, open) = word.strip_suffix('*').map_or((word.as_str(), false), |stem| (stem, true));
    let latin = |c: char| c.is_alphabetic() && c < '\u{2E80}';
    let whole = stem.chars().all(|c| c < '\u{2E80}') && stem.chars().any(latin);
    let stands = |at: usize| {
        let before = text[..at].chars().next_back().is_some_and(latin);
        let behind = text[at + stem.len()..].chars().next().is_some_and(latin);
        !whole || !(before || behind && !open)
    };
    text.match_indices(stem)
        .filter(|(at, _)| stands(*at))
        .map(|(at, _)| (at, at + stem.len()))
        .collect()
}

#[test]
fn no_message_has_another_word_for_a_concept_than_the_table_at_the_head_of_its_file() {
    for source in &ALL {
        let (terms, said) = (table(source), said(source));
        assert!(terms.len() >= 15, "{} has no table of words", source.tag);
        let mut found = Vec::new();
        for (id, pieces) in &said {
            for (text, term) in pieces.iter().flat_map(|text| terms.iter().map(move |t| (text, t)))
            {
                // "レイテンシ" is also the beginning of "レイテンシー".
                let right: Vec<_> = term.words.iter().flat_map(|word| places(text, word)).collect();
                let within = |(from, to): &(usize, usize)| {
                    right.iter().any(|(start, end)| start <= from && to <= end)
                };
                for wrong in &term.never {
                    if places(text, wrong).iter().any(|place| !within(place)) {
                        let word = term.words.join(", ");
                        found.push(format!("{id}: “{wrong}” in “{text}”: {word}"));
                    }
                }
            }
        }
        assert!(found.is_empty(), "{}:\n{}", source.tag, found.join("\n"));
    }
}

#[test]
fn every_word_of_a_table_is_used_by_a_message() {
    for source in &ALL {
        let said = said(source);
        let uses = |word: &String| {
            said.iter().flat_map(|(_, pieces)| pieces).any(|text| !places(text, word).is_empty())
        };
        let unused = |term: &Term| (!term.words.iter().all(uses)).then(|| term.concept.clone());
        let unused: Vec<String> = table(source).iter().filter_map(unused).collect();
        assert!(unused.is_empty(), "{}: no message has the word for {unused:?}", source.tag);
    }
}
