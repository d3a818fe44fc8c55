//! A message: which one, and what stands in its places.

/// A message by its id, with its arguments; text once a language is chosen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// As the files of `locales/` have it.
    pub id: &'static str,
    /// By their names in the message.
    pub args: Vec<(&'static str, MessageArg)>,
}

/// What stands in a place of a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MessageArg {
    /// As it is: names, the user's own words, text that is in the language already.
    Text(String),
    /// A count, by which a message may choose its words.
    Count(u64),
    /// Numbers in their English form, which are written as the locale does.
    Number(Number),
    /// Another message.
    Message(Message),
    /// A stored name, for which a language may have a word.
    Name(Name),
}

/// Numbers with their units in the English form ("1,234.5 MB/s"), which are written as a locale
/// does once a language is chosen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number(pub String);

/// A name as bundles and plans store it. The message whose id is the kind's prefix and the name has
/// the language's word for it; a name without such a message is a user's own, and stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    kind: &'static str,
    stored: String,
}

impl Name {
    /// What ids of messages that are found by a name begin with.
    pub const KINDS: [&'static str; 5] =
        ["op-", "power-class-", "meter-kind-", "fact-", "tracked-"];

    /// A class of op: "read".
    pub fn op(stored: &str) -> Name {
        Name { kind: Name::KINDS[0], stored: stored.to_string() }
    }

    /// What power is of: "drive".
    pub fn power_class(stored: &str) -> Name {
        Name { kind: Name::KINDS[1], stored: stored.to_string() }
    }

    /// A kind of meter: "exec".
    pub fn meter_kind(stored: &str) -> Name {
        Name { kind: Name::KINDS[2], stored: stored.to_string() }
    }

    /// A fact of host, drive or engine, or the heading that it is under: "Operating system".
    pub fn fact(stored: &str) -> Name {
        Name { kind: Name::KINDS[3], stored: stored.to_string() }
    }

    /// What is tracked from round to round until it is steady: "iops".
    pub fn tracked(stored: &str) -> Name {
        Name { kind: Name::KINDS[4], stored: stored.to_string() }
    }

    /// The name as it is stored.
    pub fn stored(&self) -> &str {
        &self.stored
    }

    /// The message that may have a word for it.
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
        Message { id, args: Vec::new() }
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
