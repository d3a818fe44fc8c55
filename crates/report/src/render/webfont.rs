//! The fonts of a page: subset to its characters, as WOFF 1.0 (W3C Recommendation, 13 December
//! 2012).

use std::collections::BTreeSet;
use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use subsetter::GlyphRemapper;

use crate::chart::canvas::fonts::{self, FONTS, Face, Font};
use dyno_core::base::error::{Result, failed};

/// Characters by face, and within it by font.
#[derive(Default)]
pub struct UsedCharacters([[BTreeSet<char>; FONTS]; 3]);

const FACES: [Face; 3] = [Face::Plain, Face::Bold, Face::Code];

impl UsedCharacters {
    /// A page's text outside its tags. The style sheet determines bold text, so all of it is
    /// included in both weights; code is the contents of `pre` and `code`. A character that no font
    /// has is an error.
    pub fn of_page(page: &str) -> Result<UsedCharacters> {
        let mut used = UsedCharacters::default();
        // ASCII is always included: a style may capitalise it, and a reader may edit it.
        let ascii: String = (' '..='~').collect();
        used.add(&[Face::Plain, Face::Bold], &ascii)?;
        let (mut rest, mut code) = (page, false);
        while let Some(at) = rest.find('<') {
            let text = unescaped(&rest[..at]);
            used.add(if code { &[Face::Code] } else { &[Face::Plain, Face::Bold] }, &text)?;
            let tag = &rest[at + 1..];
            let closing = ["style>", "script>"].into_iter().find(|name| tag.starts_with(name));
            let end = match closing {
                Some(name) => {
                    tag.find(&format!("</{name}")).map_or(tag.len(), |end| end + name.len() + 2)
                }
                None => tag.find('>').map_or(tag.len(), |end| end + 1),
            };
            match () {
                () if tag.starts_with("pre") || tag.starts_with("code") => code = true,
                () if tag.starts_with("/pre") || tag.starts_with("/code") => code = false,
                () => {}
            }
            rest = &tag[end..];
        }
        Ok(used)
    }

    fn add(&mut self, faces: &[Face], text: &str) -> Result<()> {
        fonts::require(text)?;
        for (own, face) in self.0.iter_mut().zip(FACES).filter(|(_, face)| faces.contains(face)) {
            fonts::used(face, text, own);
        }
        Ok(())
    }

    /// Each required font: (whether it is for code, its weight, WOFF).
    pub fn fonts(&self) -> Result<Vec<(bool, u16, Vec<u8>)>> {
        let mut all = Vec::new();
        for (own, face) in self.0.iter().zip(FACES) {
            for (chars, font) in
                own.iter().zip(fonts::of(face)).filter(|(chars, _)| !chars.is_empty())
            {
                let weight = if face == Face::Bold { 600 } else { 400 };
                all.push((face == Face::Code, weight, woff(font, chars)?));
            }
        }
        Ok(all)
    }
}

/// The five entities used in pages.
fn unescaped(text: &str) -> String {
    let plain = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'");
    plain
        .replace("&#60;", "<")
        .replace("&#62;", ">")
        .replace("&#34;", "\"")
        .replace("&#38;", "&")
        .replace("&amp;", "&")
}

/// A table of a font: its tag and contents.
type FontTable = ([u8; 4], Vec<u8>);

/// A font with only these characters.
pub fn woff(font: &Font, chars: &BTreeSet<char>) -> Result<Vec<u8>> {
    let broken =
        |what: String| failed(format!("{} cannot be cut: {what}", font.family), "please report it");
    let mut kept = GlyphRemapper::new();
    let placed = chars.iter().filter_map(|c| Some((u32::from(*c), font.glyph(*c)?)));
    let placed: Vec<(u32, u16)> = placed.map(|(code, glyph)| (code, kept.remap(glyph.0))).collect();
    let cut = subsetter::subset(font.data, 0, &kept).map_err(|e| broken(e.to_string()))?;
    let mut tables = tables(&cut).ok_or_else(|| broken("its tables cannot be read".into()))?;
    tables.push((*b"cmap", cmap(&placed)));
    // The line heights, which a subset font lacks.
    let whole = ttf_parser::RawFace::parse(font.data, 0).map_err(|e| broken(e.to_string()))?;
    if let Some(metrics) = whole.table(ttf_parser::Tag::from_bytes(b"OS/2")) {
        tables.push((*b"OS/2", metrics.to_vec()));
    }
    tables.sort();
    packed(&tables, &cut[..4]).map_err(|e| broken(e.to_string()))
}

fn number(data: &[u8], at: usize) -> Option<usize> {
    Some(u32::from_be_bytes(data.get(at..at + 4)?.try_into().ok()?) as usize)
}

/// The tables of an OpenType file.
fn tables(file: &[u8]) -> Option<Vec<FontTable>> {
    let count = usize::from(u16::from_be_bytes(file.get(4..6)?.try_into().ok()?));
    let table = |i: usize| {
        let at = 12 + 16 * i;
        let (from, long) = (number(file, at + 8)?, number(file, at + 12)?);
        Some((file.get(at..at + 4)?.try_into().ok()?, file.get(from..from + long)?.to_vec()))
    };
    (0..count).map(table).collect()
}

/// The mapping of characters to glyphs: a format 12 table, of runs of characters with consecutive
/// glyphs.
fn cmap(placed: &[(u32, u16)]) -> Vec<u8> {
    let mut runs: Vec<(u32, u32, u32)> = Vec::new();
    for &(code, glyph) in placed {
        let glyph = u32::from(glyph);
        match runs.last_mut() {
            Some((first, last, at)) if code == *last + 1 && glyph == *at + (code - *first) => {
                *last = code
            }
            _ => runs.push((code, code, glyph)),
        }
    }
    let mut out = Vec::new();
    // One subtable, for all of Unicode (platform 3, encoding 10).
    [0u16, 1, 3, 10].iter().for_each(|n| out.extend(n.to_be_bytes()));
    out.extend(12u32.to_be_bytes());
    [12u16, 0].iter().for_each(|n| out.extend(n.to_be_bytes()));
    let count = runs.len() as u32;
    [16 + 12 * count, 0, count].iter().for_each(|n| out.extend(n.to_be_bytes()));
    runs.iter()
        .for_each(|(from, to, at)| [from, to, at].iter().for_each(|n| out.extend(n.to_be_bytes())));
    out
}

fn packed(tables: &[FontTable], flavor: &[u8]) -> std::io::Result<Vec<u8>> {
    let (mut directory, mut body) = (Vec::new(), Vec::new());
    let begin = 44 + 20 * tables.len();
    let mut unpacked = 12 + 16 * tables.len();
    for (tag, data) in tables {
        let mut deflated = ZlibEncoder::new(Vec::new(), Compression::best());
        deflated.write_all(data)?;
        let deflated = deflated.finish()?;
        let stored = if deflated.len() < data.len() { &deflated } else { data };
        directory.extend(tag);
        let at = (begin + body.len()) as u32;
        let numbers = [at, stored.len() as u32, data.len() as u32, checksum(data)];
        numbers.iter().for_each(|n| directory.extend(n.to_be_bytes()));
        body.extend(stored);
        body.resize(body.len().next_multiple_of(4), 0);
        unpacked += data.len().next_multiple_of(4);
    }
    let mut out = b"wOFF".to_vec();
    out.extend(flavor);
    out.extend(((begin + body.len()) as u32).to_be_bytes());
    out.extend((tables.len() as u16).to_be_bytes());
    out.extend([0; 2]);
    out.extend((unpacked as u32).to_be_bytes());
    // Neither version nor metadata.
    out.resize(44, 0);
    out.extend(directory);
    out.extend(body);
    Ok(out)
}

/// The checksum of a table: the sum of its 32-bit numbers.
fn checksum(data: &[u8]) -> u32 {
    let part = |part: &[u8]| {
        let mut bytes = [0; 4];
        bytes[..part.len()].copy_from_slice(part);
        u32::from_be_bytes(bytes)
    };
    data.chunks(4).map(part).fold(0, u32::wrapping_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_core::base::error::describe;

    #[test]
    fn a_cut_font_is_small_and_has_what_was_asked_for() {
        let chars: BTreeSet<char> = "Dyno 0123456789 µs †".chars().collect();
        let [plain, ..] = fonts::of(Face::Plain);
        let file = woff(plain, &chars).expect("a font");
        assert!(
            file.starts_with(b"wOFF") && file.len() < plain.data.len() / 10,
            "{} bytes",
            file.len()
        );
        assert_eq!(number(&file, 8), Some(file.len()));
        let map = cmap(&[(65, 1), (66, 2), (0x20ac, 3)]);
        assert_eq!((map.len(), number(&map, 16)), (12 + 16 + 24, Some(40)));
    }

    #[test]
    fn a_page_names_the_character_that_no_font_has() {
        let page = "<p title=\"동\">Ω</p><style>p { content: '경' }</style><pre>▲ &lt;</pre>";
        let used = UsedCharacters::of_page(page).expect("what is in a tag is not set");
        assert!(
            used.0[0][0].contains(&'Ω')
                && used.0[2][1].contains(&'▲')
                && used.0[2][0].contains(&'<')
        );
        let said = UsedCharacters::of_page("<p>a <b>경</b></p>")
            .map(|_| ())
            .map_err(|e| describe(&e).0)
            .expect_err("missing");
        assert!(said.contains("'경' (U+ACBD)"), "{said}");
    }
}
