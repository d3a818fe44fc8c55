//! `dyno report`: bundles as one HTML file, and its figures as separate files.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::analysis::facts::ReportStatements;
use crate::base::error::{Context, Result, failed, refused};
use crate::base::folder::{Folder, short};
use crate::base::output::{Output, write_in};
use crate::brief::{Brief, BriefOptions};
use crate::chart;
use crate::cmd::load::Bundles;
use crate::render::{html, markdown, pdf};

/// Pixels per unit of the drawing, enough for print.
const PNG_SCALE: f32 = 3.0;
/// Maximum length of a figure's or folder's name in bytes; they are derived from names in the plan
/// or of the page.
const LONGEST_NAME: usize = 200;

/// Writes the page to `output`, by default next to the first bundle, and the figures to `figures`.
/// Returns the page's path.
pub fn report(
    bundles: &Bundles,
    output: Option<&Path>,
    figures: Option<&Path>,
    brief: Option<&Path>,
) -> Result<PathBuf> {
    // Before anything else: without the folder for its figures, no page is written.
    let figures = figures.map(Folder::make).transpose()?;
    let inputs: Vec<&Path> = bundles.paths.iter().map(PathBuf::as_path).chain(brief).collect();
    let options = brief.map(BriefOptions::load).transpose()?.unwrap_or_default();
    let l = bundles.language()?;
    let mut facts = bundles.facts_of_brief(options.masks())?;
    options.check_masks(&facts.subjects, &facts.statements.mask)?;
    let options = options.masked(&facts.statements.mask)?;
    options.choose_subject(&mut facts.subjects)?;
    options.state_drives(&mut facts);
    facts.statements.declared = options.declared(&facts.statements.declared);
    let document = Brief::new(l, &facts, &options)?;
    check_masked(&document, &facts.statements)?;
    let page = match output {
        Some(path) => path.to_path_buf(),
        None => bundles.paths[0].with_extension("html"),
    };
    write_as_named(&document, &page, &inputs)?;
    if let Some(folder) = &figures {
        for figure in chart::all(l, &facts) {
            let svg = figure.alone(&document.palette);
            let name = |end: &str| format!("{}.{end}", short(&figure.file, LONGEST_NAME));
            write_in(folder, &name("svg"), &inputs, svg.as_bytes())?;
            let png = chart::png(&svg, PNG_SCALE)?;
            write_in(folder, &name("png"), &inputs, &png)?;
        }
    }
    Ok(page)
}

/// All forms have the same contents, and Markdown is plain text. Masked words were removed earlier,
/// so this would find a bug in Dyno.
fn check_masked(document: &Brief, statements: &ReportStatements) -> Result<()> {
    if statements.mask.is_empty() {
        return Ok(());
    }
    match statements.mask.found_in(&markdown(document, "figures").0) {
        None => Ok(()),
        Some(word) => Err(refused(
            format!("the brief would say '{word}', which is masked"),
            "look for it in brief.toml, and report it: this is a bug in Dyno",
        )),
    }
}

/// HTML, PDF or Markdown, depending on the extension; Markdown has its figures in a folder next to
/// it.
pub fn write_as_named(document: &Brief, page: &Path, inputs: &[&Path]) -> Result<()> {
    let kind =
        page.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let writing = |path: &Path| format!("writing {}", path.display());
    if !["html", "htm", "pdf", "md"].contains(&kind.as_str()) {
        let what = format!("the name of {} does not determine the format", page.display());
        return Err(failed(what, "choose a name that ends in .html, .pdf or .md"));
    }
    // First of all: if the file name may not be written to, neither may its figures.
    let mut output = Output::begin(page, inputs)?;
    let made = match kind.as_str() {
        "pdf" => pdf(document)?,
        "md" => {
            let stem = page.file_stem().unwrap_or_default().to_string_lossy();
            let name = format!("{}.figures", short(&stem, LONGEST_NAME));
            let (text, figures) = markdown(document, &name);
            let folder = Folder::make(&page.with_file_name(&name))?;
            for (name, svg) in figures {
                write_in(&folder, &name, inputs, svg.as_bytes())?;
            }
            text.into_bytes()
        }
        _ => html(document)?.into_bytes(),
    };
    output.write_all(&made).with_context(|| writing(page))?;
    output.finish(inputs)
}
