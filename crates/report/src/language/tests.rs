//! Every message exists in every language with the same arguments; every message used in the code
//! exists, and every existing one is used.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};
use fluent_syntax::parser;

use super::catalogue::unwrapped;
use super::*;

/// The names of a message's arguments.
type Arguments = BTreeSet<String>;

fn arguments(pattern: &Pattern<&str>, into: &mut Arguments) {
    for element in &pattern.elements {
        let PatternElement::Placeable { expression } = element else { continue };
        let inline = match expression {
            Expression::Inline(inline) => inline,
            Expression::Select { selector, variants } => {
                variants.iter().for_each(|variant| arguments(&variant.value, into));
                selector
            }
        };
        if let InlineExpression::VariableReference { id } = inline {
            into.insert(id.name.to_string());
        }
    }
}

fn messages(source: &LocaleSource) -> BTreeMap<String, Arguments> {
    let text = unwrapped(source.messages);
    let read = parser::parse(text.as_str()).unwrap_or_else(|(_, errors)| {
        panic!("{}: {errors:?}", source.tag);
    });
    let mut all = BTreeMap::new();
    for entry in &read.body {
        let Entry::Message(message) = entry else { continue };
        let mut own = Arguments::new();
        message.value.iter().for_each(|pattern| arguments(pattern, &mut own));
        let again = all.insert(message.id.name.to_string(), own);
        assert!(again.is_none(), "{} has {} twice", source.tag, message.id.name);
    }
    all
}

/// The ids of all messages.
pub fn ids(source: &LocaleSource) -> Vec<String> {
    messages(source).into_keys().collect()
}

fn rust_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            rust_files(&path, into);
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push(path);
        }
    }
}

/// The places where `message!(` or `say!(` is used: (file, id, arguments).
fn used() -> Vec<(String, String, Arguments)> {
    let (mut files, mut all) = (Vec::new(), Vec::new());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    ["src", "crates"].iter().for_each(|folder| rust_files(&root.join(folder), &mut files));
    let own = ["language/mod.rs", "language/tests.rs"];
    for path in files.iter().filter(|path| !own.iter().any(|own| path.ends_with(own))) {
        let text = std::fs::read_to_string(path).expect("a file");
        let text: String = text
            .lines()
            .filter(|l| !l.trim_start().starts_with("//"))
            .fold(String::new(), |all, line| all + line + "\n");
        for call in ["message!(", "say!("] {
            for (at, _) in text.match_indices(call) {
                let inside = within(&text[at + call.len()..]);
                let parts = split(inside);
                let parts = if call == "say!(" { &parts[1..] } else { &parts[..] };
                let file = path.display().to_string();
                let id = parts.first().map(|id| id.trim().trim_matches('"').to_string());
                let id = id.unwrap_or_default();
                let name = |part: &&str| part.split('=').next().unwrap_or(part).trim().to_string();
                all.push((file, id, parts[1..].iter().map(name).collect()));
            }
        }
        for (at, _) in text.match_indices("Message::new(\"") {
            let id = text[at + 14..].split('"').next().unwrap_or_default().to_string();
            all.push((path.display().to_string(), id, Arguments::new()));
        }
    }
    all.push(("language".into(), "list-and".into(), ["first", "last"].map(String::from).into()));
    for joint in ["list-comma", "clause-break"] {
        all.push(("language".into(), joint.into(), Arguments::new()));
    }
    all
}

/// The text up to the closing parenthesis.
fn within(text: &str) -> &str {
    let (mut depth, mut quoted, mut before) = (1, false, ' ');
    for (at, c) in text.char_indices() {
        match c {
            '"' if before != '\\' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[..at];
        }
        before = c;
    }
    text
}

/// The parts between commas outside nested brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut from, mut depth, mut quoted) = (Vec::new(), 0, 0, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

#[test]
fn every_message_is_in_every_language_with_the_same_arguments() {
    let english = messages(&ALL[0]);
    assert!(english.len() > 10);
    for source in &ALL[1..] {
        let own = messages(source);
        for (id, arguments) in &english {
            let found = own.get(id).unwrap_or_else(|| panic!("{} lacks {id}", source.tag));
            assert_eq!(found, arguments, "{}: {id}", source.tag);
        }
        let more: Vec<_> = own.keys().filter(|id| !english.contains_key(*id)).collect();
        assert!(more.is_empty(), "{} has {more:?}, which English lacks", source.tag);
    }
}

#[test]
fn every_message_that_the_code_names_is_there_with_its_arguments_and_every_one_there_is_named() {
    let (english, used) = (messages(&ALL[0]), used());
    for (file, id, arguments) in &used {
        let found = english.get(id).unwrap_or_else(|| panic!("{file}: there is no message {id}"));
        assert_eq!(found, arguments, "{file}: {id}");
    }
    // A stored name or a built-in protocol leads to these: see `terms::names`.
    let by_name = |id: &str| {
        let titles = ["protocol-", "source-of-", "step-of-", "action-", "outcome-"];
        Name::KINDS.iter().chain(&titles).any(|kind| id.starts_with(kind))
    };
    let named: BTreeSet<&String> = used.iter().map(|(_, id, _)| id).collect();
    let unused: Vec<_> = english.keys().filter(|id| !named.contains(id) && !by_name(id)).collect();
    assert!(unused.is_empty(), "no code names {unused:?}");
}

#[test]
fn japanese_has_a_space_beside_latin_letters_and_none_between_its_own() {
    let ja = Language::parse("ja").expect("Japanese");
    let drives = |first: &str| ja.text(&crate::message!("of-part", part = first, figure = "平均"));
    assert_eq!(drives("reader-4"), "reader-4 の平均");
    assert_eq!(drives("東芝 A"), "東芝 A の平均");
    let class = |name: &str| ja.text(&crate::message!("power-of", class = Name::power_class(name)));
    assert_eq!(class("cpu"), "CPU の消費電力");
    assert_eq!(class("drive"), "ドライブの消費電力");
}

#[test]
fn numbers_and_dates_are_in_the_form_of_the_locale() {
    let [en, ja, pt] = ["en", "ja", "pt-BR"].map(|tag| Language::parse(tag).expect("a language"));
    for (language, text) in [
        (en, "1,234.5 MB/s [−2.0, 3.0] 12345"),
        (ja, "1,234.5 MB/s [−2.0, 3.0] 12345"),
        (pt, "1.234,5 MB/s [−2,0, 3,0] 12345"),
    ] {
        assert_eq!(language.number("1,234.5 MB/s [−2.0, 3.0] 12345"), text);
    }
    let at = 1_770_127_500_000_000_000;
    assert_eq!(en.moment(at), "2026-02-03 14:05 UTC");
    assert_eq!(ja.moment(at), "2026/02/03 14:05 UTC");
    assert_eq!(pt.moment(at), "3 de fev. de 2026, 14:05 UTC");
    assert!(Language::parse("tlh").is_err());
}
