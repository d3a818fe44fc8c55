//! The fonts of briefs and figures. They are part of the program, so a brief looks the same
//! wherever it is produced; a character that none of them contains is an error, never an empty box.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use resvg::usvg::{Options, fontdb};
use ttf_parser::GlyphId;

use dyno_core::base::error::{Error, Result, failed};
use dyno_core::base::text::is_hidden;

/// The face of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Face {
    /// Regular weight.
    Plain,
    /// Bold weight.
    Bold,
    /// Monospaced.
    Code,
}

/// A font file, with the data for measuring text.
pub struct Font {
    /// The family's name in CSS and SVG.
    pub family: &'static str,
    /// The weight in CSS.
    pub weight: u16,
    /// The font file (TrueType or OpenType).
    pub data: &'static [u8],
    parsed: Option<ttf_parser::Face<'static>>,
}

/// The family in SVG files; pages embed their own fonts.
pub const FAMILIES: &str = "'IBM Plex Sans', 'DejaVu Sans', sans-serif";

fn font(family: &'static str, weight: u16, data: &'static [u8]) -> Font {
    Font { family, weight, data, parsed: ttf_parser::Face::parse(data, 0).ok() }
}

static PLAIN: LazyLock<Font> = LazyLock::new(|| {
    font("IBM Plex Sans", 400, include_bytes!("../../../../../fonts/IBMPlexSans-Regular.ttf"))
});
static BOLD: LazyLock<Font> = LazyLock::new(|| {
    font("IBM Plex Sans", 600, include_bytes!("../../../../../fonts/IBMPlexSans-SemiBold.ttf"))
});
static CODE: LazyLock<Font> = LazyLock::new(|| {
    font("IBM Plex Mono", 400, include_bytes!("../../../../../fonts/IBMPlexMono-Regular.ttf"))
});
/// The font for symbols and scripts that the others lack.
static REST: LazyLock<Font> = LazyLock::new(|| {
    font("DejaVu Sans", 400, include_bytes!("../../../../../fonts/DejaVuSans.ttf"))
});
/// The font for Japanese, subset to JIS X 0208.
static JAPANESE: LazyLock<Font> = LazyLock::new(|| {
    font("BIZ UDPGothic", 400, include_bytes!("../../../../../fonts/BIZUDPGothic-Regular.ttf"))
});
static JAPANESE_BOLD: LazyLock<Font> = LazyLock::new(|| {
    font("BIZ UDPGothic", 700, include_bytes!("../../../../../fonts/BIZUDPGothic-Bold.ttf"))
});

/// Number of fonts per face.
pub const FONTS: usize = 3;

impl Font {
    /// The glyph of a character; None if the font has none.
    pub fn glyph(&self, c: char) -> Option<GlyphId> {
        self.parsed.as_ref()?.glyph_index(c)
    }

    fn advance(&self, c: char) -> Option<f64> {
        let face = self.parsed.as_ref()?;
        let units = face.glyph_hor_advance(face.glyph_index(c)?)?;
        Some(f64::from(units) / f64::from(face.units_per_em()))
    }
}

/// The font of a face, then its fallbacks.
pub fn of(face: Face) -> [&'static Font; FONTS] {
    match face {
        Face::Plain => [&PLAIN, &REST, &JAPANESE],
        Face::Bold => [&BOLD, &REST, &JAPANESE_BOLD],
        Face::Code => [&CODE, &REST, &JAPANESE],
    }
}

/// The font of a character; `None` if no font has it.
pub fn of_char(face: Face, c: char) -> Option<&'static Font> {
    of(face).into_iter().find(|font| font.glyph(c).is_some())
}

/// The width of a text at a size, in the size's unit.
pub fn width(text: &str, size: f64, face: Face) -> f64 {
    let advance = |c: char| of(face).into_iter().find_map(|font| font.advance(c)).unwrap_or(0.6);
    text.chars().filter(|c| !is_hidden(*c)).map(advance).sum::<f64>() * size
}

/// The text, truncated with an ellipsis if necessary.
pub fn shortened(text: &str, size: f64, face: Face, most: f64) -> String {
    if width(text, size, face) <= most {
        return text.to_string();
    }
    let mut kept: String = text.to_string();
    while !kept.is_empty() && width(&kept, size, face) + width("…", size, face) > most {
        kept.pop();
    }
    format!("{}…", kept.trim_end())
}

/// Text in lines no wider than `most`; a wider word is split.
pub fn broken(text: &str, size: f64, face: Face, most: f64) -> Vec<String> {
    let (mut lines, mut line, mut reached) = (Vec::new(), String::new(), 0.0);
    let space = width(" ", size, face);
    for (word, spaced) in pieces(text) {
        let wide = width(word, size, face);
        let space = if spaced { space } else { 0.0 };
        if !line.is_empty() && reached + space + wide <= most {
            if spaced {
                line.push(' ');
            }
            line.push_str(word);
            reached += space + wide;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        reached = wide;
        line.push_str(word);
        while reached > most && line.chars().count() > 1 {
            let cut = cut_at(&line, size, face, most);
            let rest = line.split_off(cut);
            lines.push(std::mem::replace(&mut line, rest));
            reached = width(&line, size, face);
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// The pieces between which a line may break, each with whether a space precedes it. Japanese may
/// be broken after any character, but not before one that ends a phrase (JIS X 4051).
fn pieces(text: &str) -> Vec<(&str, bool)> {
    let wide = |c: char| c >= '\u{2E80}';
    let ends = |c: char| ENDS.contains(c);
    let opens = |c: char| "（「『【".contains(c);
    let mut all = Vec::new();
    for word in text.split(' ') {
        let (mut from, mut before, mut spaced) = (0, None, true);
        for (at, c) in word.char_indices() {
            let breaks = |b: char| (wide(b) || wide(c)) && !ends(c) && !opens(b);
            if before.is_some_and(breaks) {
                all.push((&word[from..at], spaced));
                (from, spaced) = (at, false);
            }
            before = Some(c);
        }
        all.push((&word[from..], spaced));
    }
    all
}

/// Characters that may not begin a line of Japanese.
const ENDS: &str = "、。，．：；）」』】！？ー～％ぁぃぅぇぉっゃゅょァィゥェォッャュョ";

/// The position at which a word that is too wide is split: after a joining character if possible,
/// otherwise after at least one letter.
fn cut_at(word: &str, size: f64, face: Face, most: f64) -> usize {
    let (mut reached, mut last, mut joint) = (0.0, 0, None);
    for (at, c) in word.char_indices() {
        let end = at + c.len_utf8();
        reached += width(c.encode_utf8(&mut [0; 4]), size, face);
        if reached > most && last > 0 {
            break;
        }
        last = end;
        if "/-_,;:=.".contains(c) {
            joint = Some(end);
        }
    }
    joint.filter(|end| *end * 3 > last).unwrap_or(last)
}

/// SVG text that begins at `x`. Characters missing in the first font are separate and name their
/// font, because a renderer's own fallback might apply to the whole line.
pub fn markup(text: &str, face: Face, size: f64, mut x: f64) -> String {
    let chars: Vec<char> = text.chars().filter(|c| !is_hidden(*c)).collect();
    let place = |c: &char| of(face).iter().position(|font| font.glyph(*c).is_some());
    if chars.iter().all(|c| place(c) == Some(0)) {
        return escape(text);
    }
    let run = |run: &[char]| {
        let text: String = run.iter().collect();
        let family = match run.first().and_then(place) {
            Some(0) => String::new(),
            at => {
                let name = of(face)[at.unwrap_or(1)].family;
                format!(" font-family=\"'{name}', 'Brief Sans', sans-serif\"")
            }
        };
        let placed = format!("<tspan x=\"{x:.1}\"{family}>{}</tspan>", escape(&text));
        x += width(&text, size, face);
        placed
    };
    chars.chunk_by(|a, b| place(a) == place(b)).map(run).collect()
}

/// Whether a text needs fallback fonts.
pub fn is_mixed(text: &str, face: Face) -> bool {
    text.chars().any(|c| !is_hidden(c) && of(face)[0].glyph(c).is_none())
}

/// Escaped for XML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// An error with the first character that no font has.
pub fn require(text: &str) -> Result<()> {
    match text.chars().find(|c| !is_hidden(*c) && of_char(Face::Plain, *c).is_none()) {
        Some(c) => Err(missing(c, text)),
        None => Ok(()),
    }
}

/// The same for the text of an SVG.
pub fn require_in(svg: &str) -> Result<()> {
    svg.split('<').filter_map(|part| part.split_once('>')).try_for_each(|(_, text)| require(text))
}

fn missing(c: char, text: &str) -> Error {
    let (code, text) = (c as u32, shortened(text, 1.0, Face::Plain, 40.0));
    failed(
        format!("the fonts have no glyph for '{c}' (U+{code:04X}), which stands in “{text}”"),
        "rename it, or make the brief as Markdown (-o brief.md), which needs no font",
    )
}

/// The characters of a text, grouped by font: (index in `of`, characters).
pub fn used(face: Face, text: &str, by_font: &mut [BTreeSet<char>; FONTS]) {
    for c in text.chars().filter(|c| !is_hidden(*c)) {
        if let Some(i) = of(face).iter().position(|font| font.glyph(c).is_some()) {
            by_font[i].insert(c);
        }
    }
}

/// The options for rendering SVG: with these fonts and no others.
pub fn options() -> Options<'static> {
    static ALL: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
        let mut all = fontdb::Database::new();
        for font in [&PLAIN, &BOLD, &CODE, &REST, &JAPANESE, &JAPANESE_BOLD] {
            all.load_font_source(fontdb::Source::Binary(Arc::new(font.data)));
        }
        all.set_sans_serif_family(PLAIN.family);
        Arc::new(all)
    });
    Options {
        fontdb: Arc::clone(&ALL),
        font_family: PLAIN.family.to_string(),
        ..Options::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_core::base::error::describe;

    #[test]
    fn a_missing_glyph_is_an_error_that_names_it() {
        assert!(require("p99 ≤ 5 µs ± 3 %, ▲ † Ω Диск ディスク 漢字（、。） \u{202e}").is_ok());
        let (said, _) =
            require("the disk 디스크").map_err(|e| describe(&e)).expect_err("no font has it");
        assert!(said.contains("'디' (U+B514)") && said.contains("the disk"), "{said}");
    }

    #[test]
    fn digits_of_one_face_are_equally_wide_so_that_columns_line_up() {
        for face in [Face::Plain, Face::Bold, Face::Code] {
            let widths: BTreeSet<u64> =
                ('0'..='9').map(|d| width(&d.to_string(), 1e3, face) as u64).collect();
            assert_eq!(widths.len(), 1, "{face:?}: {widths:?}");
        }
    }
}
