//! `dyno --help`, with the subcommands in groups and the common ones first, and docs/commands.md,
//! the reference page of every subcommand. Both are generated from the definitions that parse the
//! command line.

use std::fmt::Write;

use clap::{Arg, Command};

/// Subcommands with a common purpose, each with its page in docs/.
pub struct CommandGroup {
    /// The group's name.
    pub heading: &'static str,
    /// Names and pages, most common first.
    pub commands: &'static [(&'static str, &'static str)],
}

/// The groups in display order. A test fails if a subcommand is in none.
pub const GROUPS: [CommandGroup; 6] = [
    CommandGroup {
        heading: "Measure",
        commands: &[
            ("bench", "fio.md"),
            ("run", "plans.md"),
            ("init", "plans.md"),
            ("plan", "plans.md"),
            ("protocols", "plans.md"),
            ("drives", "drives.md"),
            ("selftest", "claims.md"),
            ("powercut", "powercut.md"),
            ("trace", "trace.md"),
        ],
    },
    CommandGroup {
        heading: "Look",
        commands: &[
            ("compare", "claims.md"),
            ("show", "measuring.md"),
            ("claims", "claims.md"),
            ("trend", "trends.md"),
            ("catalogue", "catalogue.md"),
            ("serve", "serve.md"),
        ],
    },
    CommandGroup {
        heading: "Publish",
        commands: &[("report", "brief.md"), ("export", "export.md"), ("audit", "audit.md")],
    },
    CommandGroup { heading: "Gate", commands: &[("gate", "gate.md")] },
    CommandGroup { heading: "Fleet", commands: &[("fleet", "fleet.md")] },
    CommandGroup {
        heading: "Tools",
        commands: &[
            ("import", "import.md"),
            ("convert", "convert.md"),
            ("list", "plans.md"),
            ("facts", "measuring.md"),
            ("schema", "json.md"),
            ("completions", "json.md"),
            ("man", "json.md"),
            ("version", "release.md"),
        ],
    },
];

/// Width of the column of names in the help, including the space after the longest.
const NAME_WIDTH: usize = 13;

/// Adds the groups to the help of `dyno`, and its page to the help of each subcommand.
pub fn grouped(mut command: Command) -> Command {
    let heading = *command.get_styles().get_header();
    let literal = *command.get_styles().get_literal();
    let mut groups = String::new();
    for group in &GROUPS {
        let _ = writeln!(groups, "{heading}{}:{heading:#}", group.heading);
        for (name, page) in group.commands {
            let about = command.find_subcommand(name).map(about).unwrap_or_default();
            let _ = writeln!(groups, "  {literal}{name:NAME_WIDTH$}{literal:#}{about}");
            command = command.mut_subcommand(name, |inner| {
                inner.after_help(format!("Documentation: docs/{page}"))
            });
        }
        groups.push('\n');
    }
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}\
         {heading}Options:{heading:#}\n{{options}}\n\n\
         'dyno COMMAND --help' describes one command, docs/commands.md all of them.\n"
    ))
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

/// docs/commands.md.
pub fn page() -> String {
    let mut dyno = super::command().disable_help_subcommand(true);
    dyno.build();
    let mut page = String::from(PAGE_OPENING);
    for group in &GROUPS {
        let _ = writeln!(page, "\n## {}\n\n| Command | What it does |\n|---|---|", group.heading);
        for (name, file) in group.commands {
            let about = dyno.find_subcommand(name).map(about).unwrap_or_default();
            let _ =
                writeln!(page, "| [`dyno {name}`](#dyno-{name}) | {about} ([{file}]({file})) |");
        }
        for (name, _) in group.commands {
            if let Some(command) = dyno.find_subcommand(name) {
                describe(command, &mut page);
            }
        }
    }
    page
}

const PAGE_OPENING: &str = "\
# Commands

Every subcommand of `dyno` with its arguments and options. The page is made from the definitions
that parse the command line; a test fails if it differs from them. `dyno COMMAND --help` prints the
same in the terminal. A typical session:

```sh
dyno plan check quick --subject A=/mnt/a --subject B=/mnt/b    # what would be done; touches nothing
dyno run quick --subject A=/mnt/a --subject B=/mnt/b -o ab.dyno
dyno compare ab.dyno
dyno report ab.dyno -o brief.html
```

A command that takes bundles also takes folders of bundles. [exit-codes.md](exit-codes.md) lists the
exit codes.
";

/// A command's section, and those of its subcommands.
fn describe(command: &Command, page: &mut String) {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let long = command.get_long_about().or(command.get_about());
    let long = long.map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let _ = write!(page, "\n### `{name}`\n\n{long}\n\n```text\n{usage}\n```\n");
    let inherited = |arg: &&Arg| arg.is_hide_set() || matches!(arg.get_id().as_str(), "help");
    let args: Vec<&Arg> = command.get_arguments().filter(|arg| !inherited(arg)).collect();
    if !args.is_empty() {
        page.push_str("\n| Argument | Meaning |\n|---|---|\n");
    }
    for arg in args {
        let _ = writeln!(page, "| `{}` | {} |", cell(&spelling(arg)), cell(&meaning(arg)));
    }
    let inner = command.get_subcommands().filter(|inner| !inner.is_hide_set());
    inner.for_each(|inner| describe(inner, page));
}

/// `-o, --output <FILE>`, or a positional argument's name.
fn spelling(arg: &Arg) -> String {
    match (arg.get_short(), arg.get_long()) {
        (Some(short), Some(_)) => format!("-{short}, {arg}"),
        _ => arg.to_string(),
    }
}

/// The help of an argument, with its default and possible values.
fn meaning(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help());
    let mut text = help.map(ToString::to_string).unwrap_or_default();
    let takes_value = arg.get_action().takes_values();
    let defaults: Vec<_> = arg.get_default_values().iter().map(|v| v.to_string_lossy()).collect();
    if takes_value && defaults.iter().any(|value| !value.is_empty()) {
        let _ = write!(text, " [default: {}]", defaults.join(", "));
    }
    let values = arg.get_possible_values();
    if takes_value && !values.is_empty() {
        let names: Vec<&str> = values.iter().map(clap::builder::PossibleValue::get_name).collect();
        let _ = write!(text, " [one of: {}]", names.join(", "));
    }
    text
}

/// Text escaped for a table's cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subcommand_is_in_one_group_and_every_page_exists() {
        let command = super::super::command();
        let mut grouped: Vec<&str> =
            GROUPS.iter().flat_map(|group| group.commands).map(|(name, _)| *name).collect();
        let mut defined: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        grouped.sort_unstable();
        defined.sort_unstable();
        assert_eq!(grouped, defined);
        for (_, page) in GROUPS.iter().flat_map(|group| group.commands) {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(page);
            assert!(path.exists(), "docs/{page}");
        }
    }

    #[test]
    fn the_help_fits_80_columns_and_shows_the_common_commands_first() {
        let help = super::super::command().render_help().to_string();
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        let first = help.lines().position(|line| line == "Measure:").expect("the first group");
        assert!(help.lines().nth(first + 1).expect("a command").starts_with("  bench "), "{help}");
        for (name, _) in GROUPS.iter().flat_map(|group| group.commands) {
            assert_eq!(help.matches(&format!("\n  {name} ")).count(), 1, "{name}: {help}");
        }
    }
}
