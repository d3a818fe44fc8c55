//! brief.toml: what a brief is called, which sections it has in which order, its logo, colours and own paragraphs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use serde::Deserialize;

use super::section;
use crate::analysis::facts::Facts;
use crate::base::error::{Context, Result, failed};
use crate::base::file;
use crate::base::text::is_hidden;

/// The choices; all have defaults, so that a brief without a file is whole.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub struct Brief {
    title: Option<String>,
    /// Ids of sections, in order; all where none is named.
    sections: Option<Vec<String>>,
    /// A PNG, beside the brief's file.
    logo: Option<PathBuf>,
    /// By subject: "#rrggbb".
    #[serde(default)]
    colours: BTreeMap<String, String>,
    #[serde(default)]
    text: Vec<OwnText>,
    #[serde(default)]
    pub page: Page,
    /// The logo's bytes.
    #[serde(skip)]
    pub logo_png: Option<Vec<u8>>,
}

#[derive(Deserialize, Default, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Page {
    #[default]
    A4,
    Letter,
}

/// A section of the writer's own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnText {
    pub title: String,
    /// Where it stands: after this section; first where none is named.
    #[serde(default)]
    after: String,
    markdown: String,
}

impl Brief {
    pub fn load(path: &Path) -> Result<Brief> {
        let text = file::read_text(path, file::MOST_TEXT)?;
        let mut brief = Brief::parse(&path.display().to_string(), &text)?;
        if let Some(logo) = &brief.logo {
            let logo = path.parent().unwrap_or(Path::new("")).join(logo);
            brief.logo_png = Some(read_logo(&logo)?);
        }
        Ok(brief)
    }

    /// Reads the file's text; mistakes are told with line and column.
    pub fn parse(file: &str, text: &str) -> Result<Brief> {
        let brief: Brief = toml::from_str(text)
            .map_err(|e| failed(format!("{file}: {}", e.to_string().trim_end()), "docs/brief.md has every key"))?;
        let known: Vec<&str> = section::ALL.iter().map(|s| s.info().id).collect();
        let places = brief.text.iter().map(|t| &t.after).filter(|a| !a.is_empty());
        for id in brief.sections.iter().flatten().chain(places) {
            if !known.contains(&id.as_str()) {
                let line = text.lines().position(|l| l.contains(&format!("\"{id}\""))).map_or(1, |i| i + 1);
                return Err(failed(
                    format!("{file}, line {line}: there is no section '{id}'"),
                    format!("the sections are {}", known.join(", ")),
                ));
            }
        }
        for (subject, colour) in &brief.colours {
            let hex = colour.strip_prefix('#').filter(|h| h.len() == 6 && h.chars().all(|c| c.is_ascii_hexdigit()));
            if hex.is_none() {
                let line = text.lines().position(|l| l.contains(colour.as_str())).map_or(1, |i| i + 1);
                let what = format!("{file}, line {line}: '{colour}' is no colour for {subject}");
                return Err(failed(what, "write it as \"#0b5cad\""));
            }
        }
        Ok(brief)
    }

    pub fn title<'a>(&'a self, facts: &'a Facts) -> &'a str {
        self.title.as_deref().unwrap_or(&facts.title)
    }

    pub fn sections(&self) -> Vec<String> {
        match &self.sections {
            Some(chosen) => chosen.clone(),
            None => section::ALL.iter().map(|s| s.info().id.to_string()).collect(),
        }
    }

    pub fn texts_after<'a>(&'a self, place: &'a str) -> impl Iterator<Item = &'a OwnText> {
        self.text.iter().filter(move |t| t.after == place)
    }

    /// Puts the chosen colours in the place of the default ones, which are each subject's alone.
    pub fn coloured(&self, facts: &Facts, made: &str) -> Result<String> {
        let mut out = made.to_string();
        let mut marked = Vec::new();
        for (subject, chosen) in &self.colours {
            let index = facts.subjects.iter().position(|s| s == subject).ok_or_else(|| {
                let next = format!("the subjects are {}", facts.subjects.join(", "));
                failed(format!("the brief has a colour for '{subject}', which is no subject"), next)
            })?;
            // By way of a mark that no drawing holds, so that two subjects may exchange their colours.
            let mark = format!("#\u{1}{index}\u{1}");
            out = out.replace(super::html::colour(index), &mark);
            marked.push((mark, chosen));
        }
        for (mark, chosen) in marked {
            out = out.replace(&mark, chosen);
        }
        Ok(out)
    }
}

/// A PNG that a page can take: of so many bytes, and so many pixels to a side.
const MOST_LOGO: u64 = 4 << 20;
const MOST_PIXELS: u32 = 4_096;

fn read_logo(path: &Path) -> Result<Vec<u8>> {
    let png = file::read(path, MOST_LOGO).context("the logo")?;
    // After the signature: the first chunk's length and name, then width and height.
    let side = |at: usize| Some(u32::from_be_bytes(png.get(at..at + 4)?.try_into().ok()?));
    let is_png = png.starts_with(b"\x89PNG\r\n\x1a\n") && png.get(12..16) == Some(b"IHDR");
    let (Some(width), Some(height), true) = (side(16), side(20), is_png) else {
        return Err(failed(format!("{} is no PNG", path.display()), "save the logo as PNG"));
    };
    if width.max(height) > MOST_PIXELS || width.min(height) == 0 {
        let what = format!("{} has {width} × {height} pixels", path.display());
        return Err(failed(what, format!("let a logo have at most {MOST_PIXELS} to a side")));
    }
    Ok(png)
}

/// Whether a link leads to a page, and does not run anything.
fn leads(link: &str) -> bool {
    let seen: String = link.chars().filter(|c| !c.is_whitespace() && !is_hidden(*c)).collect();
    let seen = seen.to_ascii_lowercase();
    let scheme = seen.split_once(':').map(|(scheme, _)| scheme).filter(|s| !s.contains(['/', '#', '?']));
    scheme.is_none_or(|scheme| matches!(scheme, "http" | "https" | "mailto"))
}

impl OwnText {
    pub fn id(&self) -> String {
        self.title.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect()
    }

    /// CommonMark with tables. HTML in it stands as text, and a picture as its description: a brief is one file, which
    /// nothing in it may break or make load something from elsewhere.
    pub fn html(&self) -> String {
        let lower = |level| match level {
            HeadingLevel::H1 | HeadingLevel::H2 | HeadingLevel::H3 => HeadingLevel::H3,
            _ => HeadingLevel::H4,
        };
        let events = Parser::new_ext(&self.markdown, Options::ENABLE_TABLES).filter_map(|event| match event {
            Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => None,
            // What a link says stays, where it would run something.
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let dest_url = if leads(&dest_url) { dest_url } else { "".into() };
                Some(Event::Start(Tag::Link { link_type, dest_url, title, id }))
            }
            // Below the section's own heading.
            Event::Start(Tag::Heading { level, .. }) => {
                Some(Event::Start(Tag::Heading { level: lower(level), id: None, classes: vec![], attrs: vec![] }))
            }
            Event::End(TagEnd::Heading(level)) => Some(Event::End(TagEnd::Heading(lower(level)))),
            other => Some(other),
        });
        let mut out = String::new();
        pulldown_cmark::html::push_html(&mut out, events);
        out.replace("<table>", "<div class=scroll><table class=\"data left1\">").replace("</table>", "</table></div>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::error::describe;

    #[test]
    fn mistakes_are_told_with_their_line() {
        let cases = [
            ("titel = \"x\"", "line 1"),
            ("title = \"x\"\nsections = [\"fidings\"]", "line 2: there is no section 'fidings'"),
            ("title = \"x\"\n[colours]\nA = \"blue\"", "line 3: 'blue' is no colour"),
            ("page = \"A5\"", "line 1"),
        ];
        for (text, says) in cases {
            let error = Brief::parse("brief.toml", text).err().map(|e| describe(&e).0).unwrap_or_default();
            assert!(error.contains(says), "{text}: {error}");
        }
    }

    #[test]
    fn own_paragraphs_are_set_and_cannot_break_the_page() {
        let markdown =
            "# Why\na **b** <script>c</script> ![d](http://e/f.png)\n\n- g\n- h\n\n| i | j |\n|---|--:|\n| k | 1 |";
        let text = OwnText { title: "Why".into(), after: String::new(), markdown: markdown.into() };
        let html = text.html();
        let wanted = [
            "<h3>Why</h3>",
            "<p>a <strong>b</strong> &lt;script&gt;c&lt;/script&gt; d</p>",
            "<li>g</li>",
            "<table class=\"data left1\"><thead><tr><th>i</th>",
        ];
        wanted.iter().for_each(|part| assert!(html.contains(part), "{part} is not in {html}"));
        assert!(!html.contains("http:"));
    }

    #[test]
    fn a_link_leads_somewhere_and_runs_nothing() {
        for (link, survives) in [
            ("https://example.com/a", true),
            ("mailto:a@example.com", true),
            ("#reads", true),
            ("a/b:c", true),
            ("javascript:alert(1)", false),
            ("JaVa\u{200b}Script:alert(1)", false),
            ("\u{1}javascript:alert(1)", false),
            ("data:text/html,x", false),
            ("vbscript:x", false),
            ("file:///etc/passwd", false),
        ] {
            assert_eq!(leads(link), survives, "{link}");
        }
        let markdown =
            "[a](javascript:alert(1)) <javascript:alert(2)> [b]\n\n[b]: java&#115;cript:alert(3)".to_string();
        let html = OwnText { title: String::new(), after: String::new(), markdown }.html();
        assert!(!html.contains("href=\"javascript"), "{html}");
    }
}
