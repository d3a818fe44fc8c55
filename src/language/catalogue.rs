//! The messages of a language, read once.

use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use unic_langid::LanguageIdentifier;

use super::{ALL, Language, Source, Value};

/// The messages of a language.
pub struct Catalogue {
    bundle: FluentBundle<FluentResource>,
}

static CATALOGUES: LazyLock<Vec<Catalogue>> = LazyLock::new(|| {
    let all = ALL.iter().map(Catalogue::new);
    #[cfg(test)]
    let all = all.chain(std::iter::once(Catalogue::bracketed()));
    all.collect()
});

impl Catalogue {
    /// Of a language; English where there is none of it.
    pub fn of(language: Language) -> &'static Catalogue {
        let all: &'static Vec<Catalogue> = &CATALOGUES;
        all.get(language.0).unwrap_or(&all[0])
    }

    fn new(source: &Source) -> Catalogue {
        let locale: LanguageIdentifier = source.tag.parse().unwrap_or_default();
        let mut bundle = FluentBundle::new_concurrent(vec![locale]);
        // Marks of direction around each argument would be glyphs to a PDF.
        bundle.set_use_isolating(false);
        // What the tests find faulty in a file must not stop a brief.
        let messages = match FluentResource::try_new(unwrapped(source.messages)) {
            Ok(all) | Err((all, _)) => all,
        };
        bundle.add_resource_overriding(messages);
        Catalogue { bundle }
    }

    /// The text of a message; none where there is no such one.
    pub fn text(
        &self,
        language: Language,
        id: &str,
        given: &[(&'static str, Value)],
    ) -> Option<String> {
        let pattern = self.bundle.get_message(id)?.value()?;
        let mut args = FluentArgs::with_capacity(given.len());
        for (name, value) in given {
            let value: FluentValue<'_> = match value {
                Value::Text(text) => text.as_str().into(),
                Value::Count(count) => (*count).into(),
                Value::Number(number) => language.number(&number.0).into(),
                Value::Message(message) => language.text(message).into(),
                Value::Name(name) => language.name(name).into(),
            };
            args.set(*name, value);
        }
        let text = self.bundle.format_pattern(pattern, Some(&args), &mut Vec::new());
        Some(text.into_owned())
    }
}

/// A message's text in one line: in the files it is wrapped, and a line that begins with four
/// spaces continues the one before. Japanese is written without spaces.
pub fn unwrapped(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    for line in source.lines() {
        let continues = line.strip_prefix("    ").filter(|rest| !rest.starts_with([' ', '}']));
        match continues {
            Some(rest) => {
                let wide = |c: Option<char>| c.is_some_and(|c| c >= '\u{2E80}');
                let tight = wide(out.chars().next_back()) && wide(rest.chars().next());
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
impl Catalogue {
    /// English in which what the messages say stands in brackets, and arguments do not.
    fn bracketed() -> Catalogue {
        let mut own = Catalogue::new(&ALL[0]);
        own.bundle.set_transform(Some(|text| format!("⟦{text}⟧").into()));
        own
    }
}
