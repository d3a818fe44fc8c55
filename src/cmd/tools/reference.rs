//! `dyno completions` and `dyno man`: generated from the same definitions as the help.

use std::io::Write;
use std::path::Path;

use clap_complete::Shell;

use crate::base::error::{Context, Result};
use crate::base::folder::Folder;
use crate::base::output;

/// Prints a shell's completions.
pub fn completions(shell: Shell, out: &mut dyn Write) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut crate::cmd::command(), "dyno", &mut script);
    out.write_all(&script)?;
    Ok(())
}

/// Writes `dyno.1` and a page for each subcommand, `dyno-plan-check.1` and the like.
pub fn man(folder: &Path) -> Result<()> {
    let folder = Folder::make(folder)?;
    // A page's version, as far as it fits the footer.
    let command = crate::cmd::command().long_version(env!("CARGO_PKG_VERSION"));
    let mut command = command.disable_help_subcommand(true);
    command.build();
    pages(&command, &folder)
}

fn pages(command: &clap::Command, folder: &Folder) -> Result<()> {
    let page = clap_mangen::Man::new(command.clone());
    let mut text = Vec::new();
    page.render(&mut text).with_context(|| format!("describing {}", command.get_name()))?;
    output::write_in(folder, &page.get_filename(), &[], &text)?;
    let inner = command.get_subcommands().filter(|c| !c.is_hide_set());
    inner.into_iter().try_for_each(|inner| pages(inner, folder))
}
