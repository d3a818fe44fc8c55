//! Makes untrusted text safe to display: characters that could control a terminal or deceive the
//! reader are spelt out.

use std::borrow::Cow;
use std::io::{self, Write};

/// Whether a character is not visible: control characters (escapes, NUL, line ends), marks that
/// change the direction of writing, and those of zero width.
pub fn is_hidden(c: char) -> bool {
    // Nearly all are visible ASCII.
    !matches!(c, ' '..='~')
        && matches!(c,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}'
        | '\u{115f}' | '\u{1160}' | '\u{180b}'..='\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// The text with every such character spelt out, as in `\u{1b}`; a line end as `\n`.
pub fn visible(text: &str) -> Cow<'_, str> {
    spelt_out(text, is_hidden)
}

fn spelt_out(text: &str, hides: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&hides) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            c if !hides(c) => out.push(c),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c => out.extend(c.escape_unicode()),
        }
    }
    Cow::Owned(out)
}

/// "a, b and 3 more": a list of which at most `most` items are shown.
pub fn abridged<S: AsRef<str>>(items: &[S], most: usize) -> String {
    let shown: Vec<&str> = items.iter().take(most).map(AsRef::as_ref).collect();
    match items.len().saturating_sub(most) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// `visible` for every text of a JSON value.
pub fn visible_json(value: &mut serde_json::Value) {
    use serde_json::Value::{Array, Object, String};
    match value {
        String(text) => *text = visible(text).into_owned(),
        Array(items) => items.iter_mut().for_each(visible_json),
        Object(fields) => {
            let held = std::mem::take(fields);
            fields.extend(held.into_iter().map(|(name, mut field)| {
                visible_json(&mut field);
                (visible(&name).into_owned(), field)
            }));
        }
        _ => {}
    }
}

/// Text of any number of lines with every hidden character except ends of lines and tabs spelt out.
pub fn visible_document(text: &str) -> Cow<'_, str> {
    spelt_out(text, |c| is_hidden(c) && !matches!(c, '\n' | '\t' | '\r'))
}

/// `visible` for Dyno's own text of several lines.
fn visible_lines(text: &str) -> Cow<'_, str> {
    spelt_out(text, |c| is_hidden(c) && c != '\n')
}

/// A filter for terminal output: no hidden characters except line ends.
pub struct TerminalText<W: Write> {
    out: W,
    /// The beginning of an incomplete character.
    rest: Vec<u8>,
}

impl<W: Write> TerminalText<W> {
    /// Wraps a terminal writer.
    pub fn new(out: W) -> TerminalText<W> {
        TerminalText { out, rest: Vec::new() }
    }
}

impl<W: Write> Write for TerminalText<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.rest.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.rest) {
            Ok(text) => text.len(),
            Err(cut) if cut.error_len().is_none() => cut.valid_up_to(),
            Err(_) => self.rest.len(),
        };
        let text = String::from_utf8_lossy(&self.rest[..whole]);
        let written = self.out.write_all(visible_lines(&text).as_bytes());
        self.rest.drain(..whole);
        written.map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Writes lines for the user to standard error. If the terminal is gone, the pipe closed or the
/// disk full, they are dropped, because that must not end the run.
pub fn say(text: &str) {
    say_as_it_is(&visible_lines(text));
}

/// `say` for text that is already visible.
pub fn say_as_it_is(text: &str) {
    let _ = io::stderr().write_all(format!("{}\n", text.trim_end_matches('\n')).as_bytes());
}

/// The text with hidden characters (except line ends and tabs) replaced by marks of the same
/// length, so that positions in it remain valid.
pub fn masked(text: &str) -> Cow<'_, str> {
    let hides = |c: char| is_hidden(c) && !matches!(c, '\n' | '\t' | '\r');
    if !text.chars().any(hides) {
        return Cow::Borrowed(text);
    }
    let mask = |c: char| match c.len_utf8() {
        _ if !hides(c) => c,
        1 => '?',
        2 => '¿',
        3 => '\u{fffd}',
        _ => '\u{1f6c7}',
    };
    Cow::Owned(text.chars().map(mask).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_act_is_spelt_out_and_the_rest_stays() {
        for (text, shown) in [
            ("Micron 7600 “µs” ▲ 東京 é", "Micron 7600 “µs” ▲ 東京 é"),
            ("\u{1b}[31mred\u{7}", "\\u{1b}[31mred\\u{7}"),
            ("a\0b\r\nc\td", "a\\u{0}b\\u{d}\\nc\\td"),
            ("user\u{202e}gnp.exe", "user\\u{202e}gnp.exe"),
            ("A\u{200b}B\u{feff}\u{9b}2J", "A\\u{200b}B\\u{feff}\\u{9b}2J"),
        ] {
            assert_eq!(visible(text), shown);
        }
    }

    #[test]
    fn a_mask_moves_nothing() {
        let text = "a\u{1b}b\u{9b}c\u{202e}d\u{e0041}\n\te";
        assert_eq!(masked(text), "a?b¿c\u{fffd}d\u{1f6c7}\n\te");
        assert_eq!(masked(text).len(), text.len());
    }

    #[test]
    fn a_terminal_gets_lines_and_whole_characters_however_they_come() {
        let mut seen = Vec::new();
        let mut shown = TerminalText::new(&mut seen);
        for byte in "é\u{1b}]0;x\u{7}\n▲".bytes() {
            shown.write_all(&[byte]).unwrap();
        }
        assert_eq!(String::from_utf8(seen).unwrap(), "é\\u{1b}]0;x\\u{7}\n▲");
    }
}
