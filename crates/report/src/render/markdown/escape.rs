//! The only escaper for Markdown (CommonMark 0.31 with tables, footnotes, strikethrough and math of
//! GitHub): every text is shown literally, and nothing in it has an effect.

/// A text within a line.
pub fn inline(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | '~' | '^' | '|' | '$' | '{' => {
                out.push('\\');
                out.push(c);
            }
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            // Line ends begin blocks.
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// The text of a link, or the description of a picture.
pub fn in_brackets(text: &str) -> String {
    inline(text).replace(']', "\\]")
}

/// The same at the start of a block or of a list item, where some characters begin a heading, a
/// quotation, a list or a rule.
pub fn line(text: &str) -> String {
    at_start(&inline(text))
}

/// An escaped line whose first characters do not begin a block.
pub fn at_start(escaped: &str) -> String {
    let escaped = escaped.trim();
    let digits = escaped.bytes().take_while(u8::is_ascii_digit).count();
    match escaped[digits..].chars().next() {
        Some('#' | '+' | '-' | '=' | '>' | ':') if digits == 0 => format!("\\{escaped}"),
        Some('.' | ')') if digits > 0 => {
            format!("{}\\{}", &escaped[..digits], &escaped[digits..])
        }
        _ => escaped.to_string(),
    }
}

/// A heading's text. A trailing `#` would be taken for its end, and braces for its attributes,
/// which some readers support and a backslash does not prevent.
pub fn heading(text: &str) -> String {
    let line = line(text).replace("\\{", "&#123;");
    match line.strip_suffix('#').filter(|rest| !rest.ends_with('\\')) {
        Some(rest) => format!("{rest}\\#"),
        None => line,
    }
}

/// A code span. Nothing can be escaped in one, so its fence is longer than any in the text.
pub fn code(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.trim().is_empty() {
        return text;
    }
    let fence = "`".repeat(longest_run(&text) + 1);
    format!("{fence} {text} {fence}")
}

/// A block of code.
pub fn code_block(text: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    let text = text.replace('\r', "");
    format!("{fence}text\n{text}\n{fence}\n")
}

/// The address of a link or picture.
pub fn address(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            c if c.is_alphanumeric() || "-._~:/?#@!$'+,;=%".contains(c) => out.push(c),
            c if c.is_control() => {}
            c => {
                let mut bytes = [0; 4];
                c.encode_utf8(&mut bytes).bytes().for_each(|b| out.push_str(&format!("%{b:02X}")));
            }
        }
    }
    out
}

/// Strong or emphasised text: marks have no effect next to a space.
pub fn marked(marks: &str, escaped: &str) -> String {
    let inner = escaped.trim();
    if inner.is_empty() {
        return escaped.to_string();
    }
    let start = escaped.len() - escaped.trim_start().len();
    let (before, after) = (&escaped[..start], &escaped[start + inner.len()..]);
    format!("{before}{marks}{inner}{marks}{after}")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
