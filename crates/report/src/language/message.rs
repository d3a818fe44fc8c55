//! A message: its id and arguments.

use std::borrow::Cow;

/// A message by its id, with its arguments; text once a language is selected.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// The id in the files of `locales/`.
    pub id: Cow<'static, str>,
    /// By name in the message.
    pub args: Vec<(&'static str, MessageArg)>,
}

/// An argument of a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MessageArg {
    /// Unchanged: names, the user's own words, text already in the language.
    Text(String),
    /// A count, which may select the words of a message.
    Count(u64),
    /// Numbers in English form, which are formatted for the locale.
    Number(Number),
    /// Another message.
    Message(Message),
    /// A stored name, for which a language may have a translation.
    Name(Name),
}

/// Numbers with their units in English form ("1,234.5 MB/s"), which are formatted for the locale
/// once a language is selected.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number(pub String);

/// A name as stored in bundles and plans. The message whose id is the kind's prefix and the name
/// has its translation; a name without such a message is the user's own, and unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    kind: &'static str,
    stored: String,
}

impl Name {
    /// Prefixes of ids of messages that are found by a name.
    pub const KINDS: [&'static str; 5] =
        ["op-", "power-class-", "meter-kind-", "fact-", "tracked-"];

    /// A class of op: "read".
    pub fn op(stored: &str) -> Name {
        Name { kind: Name::KINDS[0], stored: stored.to_string() }
    }

    /// A class of power: "drive".
    pub fn power_class(stored: &str) -> Name {
        Name { kind: Name::KINDS[1], stored: stored.to_string() }
    }

    /// A kind of meter: "exec".
    pub fn meter_kind(stored: &str) -> Name {
        Name { kind: Name::KINDS[2], stored: stored.to_string() }
    }

    /// A fact about host, drive or engine, or its heading: "Operating system".
    pub fn fact(stored: &str) -> Name {
        Name { kind: Name::KINDS[3], stored: stored.to_string() }
    }

    /// The metric tracked until steady state: "iops".
    pub fn tracked(stored: &str) -> Name {
        Name { kind: Name::KINDS[4], stored: stored.to_string() }
    }

    /// The stored name.
    pub fn stored(&self) -> &str {
        &self.stored
    }

    /// The message that may translate it.
    pub fn id(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
        self.stored
            .chars()
            .map(plain)
            .fold(self.kind.to_string(), |id, c| id + c.encode_utf8(&mut [0; 4]))
    }
}

impl Message {
    /// A message without arguments.
    pub fn new(id: &'static str) -> Message {
        Message { id: Cow::Borrowed(id), args: Vec::new() }
    }
}

macro_rules! from {
    ($($kind:ty => |$value:ident| $made:expr),* $(,)?) => {
        $(impl From<$kind> for MessageArg {
            fn from($value: $kind) -> MessageArg {
                $made
            }
        })*
    };
}

from! {
    &str => |text| MessageArg::Text(text.to_string()),
    String => |text| MessageArg::Text(text),
    &String => |text| MessageArg::Text(text.clone()),
    u32 => |count| MessageArg::Count(u64::from(count)),
    u64 => |count| MessageArg::Count(count),
    usize => |count| MessageArg::Count(count as u64),
    Number => |number| MessageArg::Number(number),
    Message => |message| MessageArg::Message(message),
    &Message => |message| MessageArg::Message(message.clone()),
    Name => |name| MessageArg::Name(name),
}
