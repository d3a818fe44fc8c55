//! `dyno catalogue`: lists the bundles in a folder, in the terminal or as JSON.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::base::error::Result;
use crate::base::units::{moment, plural};
use crate::brief::block::Block;
use crate::catalogue::{BundleCatalogue, CatalogueEntry, Contents};
use crate::cmd::json::{self, OutputFormat};
use crate::cmd::screen::on_screen;

/// The folder, and the search.
#[derive(Args)]
pub struct CatalogueArgs {
    /// Folder of bundles, searched recursively
    folder: PathBuf,
    /// List only bundles that contain every word in their title, subjects, serial numbers, models,
    /// protocol, date, state or path
    #[arg(long, value_name = "TEXT", default_value = "")]
    search: String,
    #[command(flatten)]
    format: OutputFormat,
}

/// What `--json` prints (docs/catalogue.md).
#[derive(Serialize, JsonSchema)]
pub struct ListedBundles {
    /// The matching ones, newest run first, unreadable ones last.
    bundles: Vec<CatalogueEntry>,
    /// Files that were opened because their index entry was missing or outdated.
    opened: usize,
    /// Whether the index is stored in the folder.
    index_kept: bool,
}

/// Prints the folder's bundles, newest run first.
pub fn list(args: &CatalogueArgs, out: &mut dyn Write) -> Result<()> {
    let catalogue = BundleCatalogue::open(&args.folder)?;
    let found: Vec<&CatalogueEntry> = catalogue.search(&args.search).collect();
    if args.format.json {
        let (opened, index_kept) = (catalogue.opened, catalogue.is_kept);
        let bundles = found.into_iter().map(CatalogueEntry::shown).collect();
        return json::print(&ListedBundles { bundles, opened, index_kept }, out);
    }
    let count = format!("{} of {} bundles", found.len(), catalogue.entries.len());
    let mut blocks = vec![Block::chapter(count)];
    blocks.push(Block::list(found.into_iter().map(line)));
    if !catalogue.is_kept {
        blocks.push(Block::note(
            "The folder is not writable, so it has no index: every bundle is opened each time.",
        ));
    }
    out.write_all(on_screen(&blocks).as_bytes())?;
    Ok(())
}

/// "2026-11-22 20:15 UTC · whole · lab/a.dyno · Random reads (quick): A, B · 24 points · S1, S2"
fn line(entry: &CatalogueEntry) -> String {
    let summary = match &entry.contents {
        Contents::Bundle(summary) => summary,
        Contents::Broken(why) => return format!("broken · {} · {why}", entry.path),
    };
    let (state, subjects) = (summary.state.name(), summary.subjects.join(", "));
    let failed = match summary.failed {
        0 => String::new(),
        n => format!(", {n} failed"),
    };
    let title = format!("{} ({}): {subjects}", summary.title, summary.protocol);
    let mut parts = vec![moment(summary.started_unix_ns), state.to_string()];
    parts.push(entry.shown_path().to_string());
    parts.extend([title, format!("{}{failed}", plural(summary.points as usize, "point"))]);
    let drives = [&summary.models[..], &summary.serials].concat();
    parts.extend((!drives.is_empty()).then(|| drives.join(", ")));
    parts.join(" · ")
}
