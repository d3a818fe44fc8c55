//! The publisher's statements: the class of the drives and the sponsor on the first page; links,
//! disclaimers and footnotes, which other texts cite by number, at the end.

use crate::analysis::facts::ReportStatements;
use crate::brief::block::{Block, Style, TextLine, TextSpan, plain};
use crate::language::Language;
use crate::say;
use dyno_core::base::error::{Result, failed};
use dyno_core::plan::declaration::raised;

/// The anchor of the last part.
pub const ID: &str = "notes";

/// A user's text with its citations as footnote numbers.
pub fn cited(statements: &ReportStatements, text: &str) -> Result<String> {
    let next = "docs/brief.md describes footnotes";
    statements.declared.cited(text).map_err(|what| failed(format!("the brief: {what}"), next))
}

/// The text for the first page.
pub fn lines(l: Language, statements: &ReportStatements) -> Result<Vec<Block>> {
    let declared = &statements.declared;
    let mut all = Vec::new();
    if let Some(class) = &declared.class {
        all.push(Block::note(say!(l, "declared-class", class = cited(statements, class)?)));
    }
    if let Some(sponsor) = &declared.sponsor {
        all.push(Block::note(say!(l, "declared-sponsor", sponsor = cited(statements, sponsor)?)));
    }
    Ok(all)
}

/// The last part; None without statements.
pub fn blocks(l: Language, statements: &ReportStatements) -> Result<Vec<Block>> {
    let declared = &statements.declared;
    let mut blocks = Vec::new();
    let links: Vec<TextLine> = statements
        .specifications
        .iter()
        .filter_map(|(subject, drive)| {
            let link = drive.link.clone()?;
            let to = TextSpan { text: link.clone(), style: Style::Link(link) };
            Some([plain(format!("{subject}: ")), vec![to]].concat())
        })
        .collect();
    if !links.is_empty() {
        blocks.extend([Block::part(say!(l, "declared-links")), Block::List(links)]);
    }
    if !declared.disclaimers.is_empty() {
        blocks.push(Block::part(say!(l, "declared-disclaimers")));
        for text in &declared.disclaimers {
            blocks.push(Block::text(cited(statements, text)?));
        }
    }
    if !declared.footnotes.is_empty() {
        blocks.push(Block::part(say!(l, "declared-footnotes")));
        let notes = declared.footnotes.iter().enumerate();
        blocks.extend(notes.map(|(i, text)| Block::note(format!("{} {text}", raised(i + 1)))));
    }
    Ok(blocks)
}
