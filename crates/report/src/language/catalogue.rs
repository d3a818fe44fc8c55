//! The messages of a language, loaded once.

use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use unic_langid::LanguageIdentifier;

use super::{ALL, Language, LocaleSource, MessageArg};

/// The messages of a language.
pub struct MessageCatalogue {
    bundle: FluentBundle<FluentResource>,
    unspaced: bool,
}

/// Placeholder for a space in an argument while the message's own spaces are processed.
const GIVEN_SPACE: char = '\u{E000}';
const GIVEN: &str = "\u{E000}";

static CATALOGUES: LazyLock<Vec<MessageCatalogue>> = LazyLock::new(|| {
    let all = ALL.iter().map(MessageCatalogue::new);
    #[cfg(test)]
    let all = all.chain(std::iter::once(MessageCatalogue::bracketed()));
    all.collect()
});

impl MessageCatalogue {
    /// For a language; English if it does not exist.
    pub fn of(language: Language) -> &'static MessageCatalogue {
        let all: &'static Vec<MessageCatalogue> = &CATALOGUES;
        all.get(language.0).unwrap_or(&all[0])
    }

    fn new(source: &LocaleSource) -> MessageCatalogue {
        let locale: LanguageIdentifier = source.tag.parse().unwrap_or_default();
        let mut bundle = FluentBundle::new_concurrent(vec![locale]);
        // Direction marks around arguments would need glyphs in a PDF.
        bundle.set_use_isolating(false);
        // Errors in a file, which tests detect, must not stop a brief.
        let messages = match FluentResource::try_new(unwrapped(source.messages)) {
            Ok(all) | Err((all, _)) => all,
        };
        bundle.add_resource_overriding(messages);
        MessageCatalogue { bundle, unspaced: source.unspaced }
    }

    /// The text of a message; None if it does not exist.
    pub fn text(
        &self,
        language: Language,
        id: &str,
        given: &[(&'static str, MessageArg)],
    ) -> Option<String> {
        let pattern = self.bundle.get_message(id)?.value()?;
        let mut args = FluentArgs::with_capacity(given.len());
        for (name, value) in given {
            let text = match value {
                MessageArg::Text(text) => text.clone(),
                MessageArg::Number(number) => language.number(&number.0),
                MessageArg::Message(message) => language.text(message),
                MessageArg::Name(name) => language.name(name),
                MessageArg::Count(count) => {
                    args.set(*name, FluentValue::from(*count));
                    continue;
                }
            };
            args.set(*name, if self.unspaced { text.replace(' ', GIVEN) } else { text });
        }
        let text = self.bundle.format_pattern(pattern, Some(&args), &mut Vec::new());
        Some(if self.unspaced { tightened(&text) } else { text.into_owned() })
    }
}

/// Removes a message's spaces around arguments if both sides are Japanese: "A は p99 が" has them, "A
/// はレイテンシーが" does not. Spaces within arguments are kept.
fn tightened(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let between = is_wide(out.chars().next_back()) && is_wide(rest.peek().copied());
        match c {
            ' ' if between => {}
            GIVEN_SPACE => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Whether it is a Japanese character, or of another script written without spaces.
fn is_wide(c: Option<char>) -> bool {
    c.is_some_and(|c| c >= '\u{2E80}' && c != GIVEN_SPACE)
}

/// A message's text in one line: in the files it is wrapped, and a line that begins with four
/// spaces continues the previous one. Japanese is written without spaces.
pub fn unwrapped(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    for line in source.lines() {
        let continues = line.strip_prefix("    ").filter(|rest| !rest.starts_with([' ', '}']));
        match continues {
            Some(rest) => {
                let tight = is_wide(out.chars().next_back()) && is_wide(rest.chars().next());
                out.push_str(if tight { "" } else { " " });
                out.push_str(rest);
            }
            None => {
                out.push('\n');
                out.push_str(line);
            }
        }
    }
    out.push('\n');
    out
}

#[cfg(test)]
impl MessageCatalogue {
    /// English with brackets around the messages' own text, but not around arguments.
    fn bracketed() -> MessageCatalogue {
        let mut own = MessageCatalogue::new(&ALL[0]);
        own.bundle.set_transform(Some(|text| format!("⟦{text}⟧").into()));
        own
    }
}
