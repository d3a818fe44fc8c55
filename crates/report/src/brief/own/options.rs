//! brief.toml: title, sections and their order, logo, colours and own texts of a brief.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::analysis::facts::{Facts, Subjects};
use crate::brief::own::own_text::OwnText;
use crate::brief::own::{references, specification};
use crate::brief::section;
use crate::chart::Palette;
use crate::language::Language;
use crate::say;
use dyno_core::base::error::{Context, Result, failed};
use dyno_core::base::file;
use dyno_core::plan::declaration::Declaration;
use dyno_core::plan::specification::Specifications;
use dyno_core::record::Mask;

/// The settings; all have defaults, so a brief needs no file.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub struct BriefOptions {
    title: Option<String>,
    /// The brief's subject; the plan's first by default.
    subject: Option<String>,
    /// Ids of sections, in order; all if empty.
    sections: Option<Vec<String>>,
    /// A PNG next to the brief's file.
    logo: Option<PathBuf>,
    /// Colours by subject: "#rrggbb".
    #[serde(default)]
    colours: BTreeMap<String, String>,
    #[serde(default)]
    text: Vec<OwnText>,
    /// The editor's verdict, at the beginning; its numbers are inserted by reference.
    verdict: Option<EditorVerdict>,
    /// Specifications of the drives, by subject.
    #[serde(default)]
    drive: Specifications,
    /// The publisher's statements.
    #[serde(default)]
    disclosure: Declaration,
    /// The paper size of a PDF.
    #[serde(default)]
    pub page: PaperSize,
    /// The logo's bytes.
    #[serde(skip)]
    pub logo_png: Option<Vec<u8>>,
    /// The file's text, from which a masked one is derived.
    #[serde(skip)]
    written: serde_json::Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EditorVerdict {
    title: Option<String>,
    markdown: String,
}

/// A paper size.
#[derive(Deserialize, Default, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum PaperSize {
    /// ISO 216: 210 mm × 297 mm.
    #[default]
    A4,
    /// US Letter: 8.5 in × 11 in.
    Letter,
}

impl BriefOptions {
    /// Reads brief.toml; an error states the line.
    pub fn load(path: &Path) -> Result<BriefOptions> {
        let text = file::read_text(path, file::MOST_TEXT)?;
        let mut brief = BriefOptions::parse(&path.display().to_string(), &text)?;
        if let Some(logo) = &brief.logo {
            let logo = path.parent().unwrap_or(Path::new("")).join(logo);
            brief.logo_png = Some(read_logo(&logo)?);
        }
        Ok(brief)
    }

    /// Reads the file's text; mistakes are reported with line and column.
    pub fn parse(file: &str, text: &str) -> Result<BriefOptions> {
        let wrong = |e: toml::de::Error| {
            failed(format!("{file}: {}", e.to_string().trim_end()), "docs/brief.md has every key")
        };
        let written = toml::from_str(text).map_err(wrong)?;
        let brief = BriefOptions { written, ..toml::from_str(text).map_err(wrong)? };
        references::check_number(file, &brief.written)?;
        let known: Vec<&str> = section::ALL.iter().map(|s| s.id).collect();
        let places = brief.text.iter().map(|t| &t.after).filter(|a| !a.is_empty());
        for id in brief.sections.iter().flatten().chain(places) {
            if !known.contains(&id.as_str()) {
                let line = text
                    .lines()
                    .position(|l| l.contains(&format!("\"{id}\"")))
                    .map_or(1, |i| i + 1);
                return Err(failed(
                    format!("{file}, line {line}: there is no section '{id}'"),
                    format!("the sections are {}", known.join(", ")),
                ));
            }
        }
        for (subject, colour) in &brief.colours {
            let hex = colour
                .strip_prefix('#')
                .filter(|h| h.len() == 6 && h.chars().all(|c| c.is_ascii_hexdigit()));
            if hex.is_none() {
                let line =
                    text.lines().position(|l| l.contains(colour.as_str())).map_or(1, |i| i + 1);
                let what = format!("{file}, line {line}: '{colour}' is not a colour for {subject}");
                return Err(failed(what, "write it as \"#0b5cad\""));
            }
        }
        specification::check(file, &brief.drive)?;
        if let Err((what, next)) = brief.disclosure.check() {
            return Err(failed(format!("{file}, [disclosure]: {what}"), next));
        }
        Ok(brief)
    }

    /// Subjects masked by it.
    pub fn masks(&self) -> Vec<String> {
        let masked = self.drive.iter().filter(|(_, drive)| drive.mask);
        masked.map(|(subject, _)| subject.clone()).collect()
    }

    /// A mask for an unknown subject would leave the intended one unmasked.
    pub fn check_masks(&self, subjects: &Subjects, mask: &Mask) -> Result<()> {
        let is_there = |name: &String| mask.text(name) != *name;
        let Some(name) = self.masks().into_iter().find(|name| !is_there(name)) else {
            return Ok(());
        };
        match subjects.named(&name) {
            // One of several subjects with the same name in their plans.
            Some(key) => Err(failed(
                format!("the brief masks only '{name}', but other bundles have the same subject"),
                format!("mask '{}', which applies to all of them", subjects[key].own_name),
            )),
            None => Err(failed(
                format!("the brief masks '{name}', which is not a subject"),
                format!("the subjects are {}", subjects.names().join(", ")),
            )),
        }
    }

    /// The same with masked names, and without hidden texts.
    pub fn masked(self, mask: &Mask) -> Result<BriefOptions> {
        // Without a file there is nothing to mask.
        if mask.is_empty() || self.written.is_null() {
            return Ok(self);
        }
        let mut written = self.written;
        mask.json(&mut written);
        let masked: BriefOptions =
            serde_json::from_value(written).context("masking what brief.toml says")?;
        let mut masked = BriefOptions { logo_png: self.logo_png, ..masked };
        masked.drive.values_mut().filter(|drive| drive.mask).for_each(|drive| drive.link = None);
        Ok(masked)
    }

    /// Its declarations, completed by the plans'.
    pub fn declared(&self, of_plans: &Declaration) -> Declaration {
        self.disclosure.clone().or(of_plans)
    }

    /// The editor's verdict as a text; None if brief.toml has none.
    pub fn verdict(&self, l: Language) -> Option<OwnText> {
        let verdict = self.verdict.as_ref()?;
        let (title, markdown) = (verdict.title.clone(), verdict.markdown.clone());
        Some(OwnText {
            title: title.unwrap_or_else(|| say!(l, "verdict")),
            after: String::new(),
            markdown,
        })
    }

    /// Completes the plans' specifications of the drives with those of brief.toml.
    pub fn state_drives(&self, facts: &mut Facts) {
        let stated = specification::stated(&facts.subjects, &facts.statements, &self.drive);
        facts.state_drives(stated);
    }

    /// The title: the file's, or the protocol's.
    pub fn title(&self, l: Language, facts: &Facts) -> String {
        self.title.clone().unwrap_or_else(|| title(l, facts))
    }

    /// The ids of the displayed sections, in order.
    pub fn sections(&self) -> Vec<String> {
        match &self.sections {
            Some(chosen) => chosen.clone(),
            None => section::ALL.iter().map(|s| s.id.to_string()).collect(),
        }
    }

    /// Whether the file names the sections.
    pub fn names_sections(&self) -> bool {
        self.sections.is_some()
    }

    /// The user's own texts that follow the section with this id.
    pub fn texts_after<'a>(&'a self, place: &'a str) -> impl Iterator<Item = &'a OwnText> {
        self.text.iter().filter(move |t| t.after == place)
    }

    /// Sets the brief's subject to the one named in the file, if any.
    pub fn choose_subject(&self, subjects: &mut Subjects) -> Result<()> {
        let Some(name) = &self.subject else { return Ok(()) };
        let chosen = subjects.named(name).ok_or_else(|| {
            let next = format!("the subjects are {}", subjects.names().join(", "));
            failed(format!("the brief is about '{name}', which is not a subject"), next)
        })?;
        subjects.headline = chosen;
        Ok(())
    }

    /// The subjects' colours: the default ones, replaced by selected ones.
    pub fn palette(&self, subjects: &Subjects) -> Result<Palette> {
        let mut palette = Palette::default();
        for (subject, chosen) in &self.colours {
            let key = subjects.named(subject).ok_or_else(|| {
                let next = format!("the subjects are {}", subjects.names().join(", "));
                failed(
                    format!("the brief sets a colour for '{subject}', which is not a subject"),
                    next,
                )
            })?;
            palette.set(key.0, chosen);
        }
        Ok(palette)
    }
}

/// A PNG within the size limits: bytes, and pixels per side.
const MOST_LOGO: u64 = 4 << 20;
const MOST_PIXELS: u32 = 4_096;

fn read_logo(path: &Path) -> Result<Vec<u8>> {
    let png = file::read(path, MOST_LOGO).context("the logo")?;
    // After the signature: the first chunk's length and type, then width and height.
    let side = |at: usize| Some(u32::from_be_bytes(png.get(at..at + 4)?.try_into().ok()?));
    let is_png = png.starts_with(b"\x89PNG\r\n\x1a\n") && png.get(12..16) == Some(b"IHDR");
    let (Some(width), Some(height), true) = (side(16), side(20), is_png) else {
        return Err(failed(format!("{} is not a PNG", path.display()), "save the logo as PNG"));
    };
    if width.max(height) > MOST_PIXELS || width.min(height) == 0 {
        let what = format!("{} has {width} × {height} pixels", path.display());
        return Err(failed(what, format!("let a logo have at most {MOST_PIXELS} to a side")));
    }
    Ok(png)
}

/// The title of a test's protocol; several tests of the same subjects are named by these.
pub fn title(l: Language, facts: &Facts) -> String {
    match facts.tests.len() > 1 {
        true => say!(l, "title-of-tests", subjects = l.list(&facts.subjects.names())),
        false => facts.protocol().title.text(l),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno_core::base::error::describe;

    #[test]
    fn mistakes_are_reported_with_their_line() {
        let cases = [
            ("titel = \"x\"", "line 1"),
            ("title = \"x\"\nsections = [\"fidings\"]", "line 2: there is no section 'fidings'"),
            ("title = \"x\"\n[colours]\nA = \"blue\"", "line 3: 'blue' is not a colour"),
            ("page = \"A5\"", "line 1"),
        ];
        for (text, says) in cases {
            let error = BriefOptions::parse("brief.toml", text)
                .err()
                .map(|e| describe(&e).0)
                .unwrap_or_default();
            assert!(error.contains(says), "{text}: {error}");
        }
    }

    #[test]
    fn a_file_has_no_more_references_than_a_brief_has_use_for() {
        let written = |number: usize| {
            let markdown = "{claims.best.gain} { figures.a.p99} {a: 1} ".repeat(number);
            format!("[[text]]\ntitle = \"t\"\nmarkdown = \"{markdown}\"\n")
        };
        assert!(BriefOptions::parse("brief.toml", &written(250)).is_ok());
        let refused = BriefOptions::parse("brief.toml", &written(10_000)).err().unwrap();
        let said = describe(&refused).0;
        assert!(said.contains("brief.toml has 20000 references"), "{said}");
        // Regardless of the notation of the brace.
        let escaped = written(10_000).replace('{', "\\u007b");
        assert!(BriefOptions::parse("brief.toml", &escaped).is_err());
    }
}
