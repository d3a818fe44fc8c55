//! The languages of briefs. Text consists of complete messages with arguments (Project Fluent,
//! `locales/`), numbers and dates in the locale's form (ICU4X, CLDR).
//!
//! `say!(language, "id", name = value)` is text; `message!("id", name = value)` is the same before
//! a language is selected, for code that is independent of the language.

mod catalogue;
mod message;
mod numbers;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_words;

use catalogue::MessageCatalogue;
pub use message::{Message, MessageArg, Name, Number};

use dyno_core::base::error::{Result, failed};

/// A language and its messages.
struct LocaleSource {
    /// BCP 47 tag.
    tag: &'static str,
    /// In Fluent's syntax.
    messages: &'static str,
    /// Its own characters are written without spaces in between: Japanese.
    unspaced: bool,
}

/// The languages, English first: a file in `locales/` and a line here.
static ALL: [LocaleSource; 3] = [
    LocaleSource {
        tag: "en",
        messages: include_str!("../../../../locales/en.ftl"),
        unspaced: false,
    },
    LocaleSource {
        tag: "ja",
        messages: include_str!("../../../../locales/ja.ftl"),
        unspaced: true,
    },
    LocaleSource {
        tag: "pt-BR",
        messages: include_str!("../../../../locales/pt-BR.ftl"),
        unspaced: false,
    },
];

/// A language, by its index in the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Language(usize);

impl Language {
    /// The default language of briefs.
    pub const ENGLISH: Language = Language(0);

    /// English with brackets around the messages' own text, but not around arguments.
    #[cfg(test)]
    pub const BRACKETED: Language = Language(ALL.len());

    /// Every language, English first.
    pub fn all() -> impl Iterator<Item = Language> {
        (0..ALL.len()).map(Language)
    }

    /// The language of a tag: "ja", "pt-BR"; an error lists the available ones.
    pub fn parse(tag: &str) -> Result<Language> {
        let known: Vec<&str> = ALL.iter().map(|source| source.tag).collect();
        let found = known.iter().position(|known| known.eq_ignore_ascii_case(tag));
        found.map(Language).ok_or_else(|| {
            let next = format!("the languages are {}", known.join(", "));
            failed(format!("there is no language '{tag}'"), next)
        })
    }

    /// The tag as in BCP 47 and HTML.
    pub fn tag(self) -> &'static str {
        ALL.get(self.0).map_or("en-XA", |source| source.tag)
    }

    /// The ids of its messages.
    #[cfg(test)]
    pub fn ids(self) -> Vec<String> {
        tests::ids(&ALL[self.0])
    }

    /// A message in this language.
    pub fn text(self, message: &Message) -> String {
        let of = |language| MessageCatalogue::of(language).text(self, &message.id, &message.args);
        of(self).or_else(|| of(Language::ENGLISH)).unwrap_or_else(|| message.id.to_string())
    }

    /// The translation of a stored name; the name itself if there is none.
    pub fn name(self, name: &Name) -> String {
        self.keyed(&name.id(), [""; 4]).unwrap_or_else(|| name.stored().to_string())
    }

    /// A message whose id is composed of names, with its possible values; None if it does not
    /// exist.
    pub fn keyed(self, id: &str, values: [&str; 4]) -> Option<String> {
        let given = |value: &str| MessageArg::Number(Number(value.to_string()));
        let [first, second, third, fourth] = values.map(given);
        MessageCatalogue::of(self).text(
            self,
            id,
            &[("value", first), ("second", second), ("third", third), ("fourth", fourth)],
        )
    }

    /// "a, b": without a word before the last.
    pub fn sequence(self, items: &[String]) -> String {
        items.join(&self.text(&Message::new("list-comma")))
    }

    /// "a; b": clauses, which may contain commas.
    pub fn clauses(self, items: &[String]) -> String {
        items.join(&self.text(&Message::new("clause-break")))
    }

    /// "a, b and c".
    pub fn list(self, items: &[String]) -> String {
        match items {
            [] => String::new(),
            [one] => one.clone(),
            [first @ .., last] => {
                let args = vec![("first", self.sequence(first).into()), ("last", last.into())];
                self.text(&Message { id: "list-and".into(), args })
            }
        }
    }
}

/// A message in a language: `say!(language, "claim", subject = name, by)`, where `by` is `by = by`.
#[macro_export]
macro_rules! say {
    ($language:expr, $($message:tt)+) => { $language.text(&$crate::message!($($message)+)) };
}

/// A message before a language is selected: `message!("claim", subject = name)`.
#[macro_export]
macro_rules! message {
    (@ $name:ident) => { $name };
    (@ $name:ident $value:expr) => { $value };
    ($id:literal $(, $name:ident $(= $value:expr)?)* $(,)?) => {
        $crate::language::Message {
            id: ::std::borrow::Cow::Borrowed($id),
            args: vec![$((
                stringify!($name),
                $crate::language::MessageArg::from($crate::message!(@ $name $($value)?)),
            )),*],
        }
    };
}
