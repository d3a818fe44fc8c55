//! A message: which one, and what stands in its places.

/// A message by its id, with its arguments; text once a language is chosen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// As the files of `locales/` have it.
    pub id: &'static str,
    /// By their names in the message.
    pub args: Vec<(&'static str, Value)>,
}

/// What stands in a place of a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// As it is: names, the user's own words, text that is in the language already.
    Text(String),
    /// A count, by which a message may choose its words.
    Count(u64),
    /// Numbers in their English form, which are written as the locale does.
    Number(Number),
    /// Another message.
    Message(Message),
}

/// Numbers with their units in the English form ("1,234.5 MB/s"), which are written as a locale
/// does once a language is chosen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number(pub String);

impl Message {
    /// A message without arguments.
    pub fn new(id: &'static str) -> Message {
        Message { id, args: Vec::new() }
    }
}

macro_rules! from {
    ($($kind:ty => |$value:ident| $made:expr),* $(,)?) => {
        $(impl From<$kind> for Value {
            fn from($value: $kind) -> Value {
                $made
            }
        })*
    };
}

from! {
    &str => |text| Value::Text(text.to_string()),
    String => |text| Value::Text(text),
    &String => |text| Value::Text(text.clone()),
    u32 => |count| Value::Count(u64::from(count)),
    u64 => |count| Value::Count(count),
    usize => |count| Value::Count(count as u64),
    Number => |number| Value::Number(number),
    Message => |message| Value::Message(message),
    &Message => |message| Value::Message(message.clone()),
}
