//! The subcommands, one file each. This file declares their names and arguments and dispatches to
//! them; `help` groups them.
//!
//! `bench` measures without a plan file, `json` prints the documents of `--json` with their
//! schemas, `flags` recognises the flags of other tools, `reference` writes completions and manual
//! pages, `convert` reads jobs of fio and vdbench, and `run` connects a run to its bundle.

pub mod bench;
pub mod convert;
pub mod fleet;
pub mod gate;
pub mod help;
pub mod json;
pub mod load;
pub mod look;
pub mod measure;
pub mod plan_numbers;
pub mod plans;
pub mod publish;
mod screen;
pub mod selftest_result;
mod signals;
pub mod stream_shape;
pub mod tools;
pub mod trace;

use std::io::{BufWriter, Write, stdout};
use std::path::PathBuf;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::base::error::{Error, Result, exit, failed};
use crate::base::text::{TerminalText, say};
use json::OutputFormat;
use load::Bundles;

/// A dynamometer for SSDs: which drive is faster, at what, and by how much
#[derive(Parser)]
#[command(name = "dyno", version, long_version = tools::version::long())]
#[command(arg_required_else_help = true)]
struct Dyno {
    #[command(subcommand)]
    command: Command,
}

// In the groups and the order of `help::GROUPS`.
#[derive(Subcommand)]
enum Command {
    /// Run a plan, a built-in protocol, or the plan of a bundle
    Run(Box<measure::run::RunArgs>),
    /// Measure one load on directories or devices, by fio's options
    ///
    /// Prints IOPS, MB/s, latencies with their intervals, processor use and the bottleneck. A list
    /// of values (--bs 4k,16k --iodepth 1,32) measures each combination. Every option of fio is
    /// taken, with underscores or hyphens; docs/fio.md compares them.
    Bench(Box<bench::BenchArgs>),
    /// Write a commented plan for this host's drives
    ///
    /// On a terminal, it prompts for anything it cannot determine. It never adds `erase = true`.
    Init(plans::init::InitArgs),
    /// Check a plan and print what it would do, without doing it
    Plan {
        #[command(subcommand)]
        command: PlanCommand,
    },
    /// List the built-in protocols, or print one
    Protocols {
        #[command(subcommand)]
        command: Option<ProtocolsCommand>,
        #[command(flatten)]
        format: OutputFormat,
    },
    /// List this host's block devices and whether each may be tested
    Drives(OutputFormat),
    /// Measure the limits of Dyno on this host
    ///
    /// False claims, detectable differences, pacing floor and generator ceilings. The result is
    /// stored and quoted in every later brief from this host.
    Selftest(measure::selftest::SelftestArgs),
    /// Cut a host's power during durable writes, then check for losses
    Powercut {
        #[command(subcommand)]
        command: measure::powercut::PowercutCommand,
    },
    /// Record, describe, model and generate block traces
    Trace {
        #[command(subcommand)]
        command: trace::TraceCommand,
    },
    /// Compare the subjects of bundles, with confidence intervals
    Compare {
        #[command(flatten)]
        bundles: Bundles,
        #[command(flatten)]
        format: OutputFormat,
    },
    /// Print every point of bundles as a table
    Show {
        #[command(flatten)]
        bundles: Bundles,
        #[command(flatten)]
        format: OutputFormat,
    },
    /// Print the claims that bundles support, with their calculation
    Claims {
        #[command(flatten)]
        bundles: Bundles,
        #[command(flatten)]
        format: OutputFormat,
    },
    /// Follow a metric over many runs and find change points
    Trend(look::trend::TrendArgs),
    /// List all bundles in a folder: title, drives, date, state
    Catalogue(look::catalogue::CatalogueArgs),
    /// Serve a folder's bundles and live runs to browsers, read-only
    Serve(look::serve::ServeArgs),
    /// Write the brief as HTML, PDF or Markdown
    Report {
        #[command(flatten)]
        bundles: Bundles,
        /// Output file; the extension selects the format: .html, .pdf or .md
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Settings of the brief: title, sections, logo, colours, your own text (docs/brief.md)
        #[arg(long, value_name = "TOML")]
        brief: Option<PathBuf>,
        /// Also write every figure as SVG and PNG to this directory
        #[arg(long, value_name = "DIR")]
        figures: Option<PathBuf>,
    },
    /// Export bundles as CSV, JSON or Parquet, or add them to a dataset
    Export(publish::export::ExportArgs),
    /// Check published claims against the underlying figures
    Audit {
        /// Claims file (docs/audit.md describes the format)
        claims: PathBuf,
        /// CSV table or bundle that the claims are based on; repeatable. Without one, statements
        /// are only compared with one another
        #[arg(long, value_name = "FILE")]
        data: Vec<PathBuf>,
        #[command(flatten)]
        format: OutputFormat,
    },
    /// Check a new run for regressions; the exit code is for CI jobs
    ///
    /// Exit code 0: not worse than the base; 1: worse by more than the limit; 2: not shown.
    Gate(gate::GateArgs),
    /// Measure many drives on many hosts, or accept a delivery of drives
    Fleet {
        #[command(subcommand)]
        command: fleet::FleetCommand,
    },
    /// Import results of fio, db_bench, sysbench, vdbench and others
    Import(publish::import::ImportArgs),
    /// Convert a fio job file or a vdbench parameter file to a protocol
    Convert(convert::ConvertArgs),
    /// List engines, workloads and meters with their knobs
    List(OutputFormat),
    /// Print what a run discloses about this host and its drives
    Facts {
        /// Directories or devices
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
        #[command(flatten)]
        format: OutputFormat,
    },
    /// Print JSON Schemas of plans, campaigns, protocols, --json output
    Schema(plans::schema::SchemaArgs),
    /// Print shell completions: bash, elvish, fish, powershell or zsh
    Completions {
        /// Shell to complete for
        shell: clap_complete::Shell,
    },
    /// Write the manual pages to a directory
    Man {
        /// Output directory; created if missing
        #[arg(value_name = "DIR")]
        output: PathBuf,
    },
    /// Print version, commit, measuring method, RocksDB and features
    Version(OutputFormat),
}

#[derive(Subcommand)]
enum PlanCommand {
    /// Print the resolved points, their duration, the bytes written, and what is erased
    ///
    /// Also prints the smallest difference that the plan's repeats can show on this host. Touches
    /// no drive.
    Check(plans::plan::CheckArgs),
}

#[derive(Subcommand)]
enum ProtocolsCommand {
    /// Print a protocol's file
    Show {
        /// Name of a built-in protocol
        name: String,
    },
}

/// The command line, from which help, completions and manual pages are generated.
pub fn command() -> clap::Command {
    help::grouped(Dyno::command())
}

/// Parses the command line, executes the command, and returns the exit code.
pub fn main() -> Result<u8> {
    dyno_loads::register();
    let root = command();
    let words: Vec<_> = std::env::args_os().collect();
    let words = match root.find_subcommand("bench") {
        Some(own) => bench::with_options_of_fio(own, words),
        None => words,
    };
    let parsed = command().try_get_matches_from(words);
    let command = match parsed.and_then(|matches| Dyno::from_arg_matches(&matches)) {
        Ok(dyno) => dyno.command,
        Err(mut said) => {
            let words: Vec<String> = std::env::args().skip(1).collect();
            let meant = tools::flags::meant(&said, &command(), &words);
            // Dyno's suggestion replaces the parser's own, which only knows similar names.
            said.remove(clap::error::ContextKind::SuggestedSubcommand);
            // A pipe that closes before all of the help is written is not an error.
            let _ = said.print();
            if let Some(meant) = meant {
                say(&format!("\n  {meant}"));
            }
            return Ok(if said.use_stderr() { exit::USAGE } else { 0 });
        }
    };
    let command = match command {
        Command::Run(args) if args.is_dry_run() => {
            let checked = plans::plan::CheckArgs::of_run(args.into_plan());
            Command::Plan { command: PlanCommand::Check(checked) }
        }
        Command::Run(args) => return measure::run::run(&args),
        other => other,
    };
    let out = &mut BufWriter::new(TerminalText::new(stdout().lock()));
    let code = execute(command, out);
    let flushed = out.flush().map_err(Error::from);
    match (code, flushed) {
        // The reader of a pipe may have seen enough (`dyno show b | head`). Unread output changes
        // no verdict.
        (Ok(code), Err(error)) if is_closed_pipe(&error) => Ok(code),
        (Err(error), _) if is_closed_pipe(&error) => Ok(0),
        (code, flushed) => code.and_then(|code| flushed.map(|()| code)),
    }
}

fn is_closed_pipe(error: &Error) -> bool {
    let closed = |e: &std::io::Error| e.kind() == std::io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| match cause.downcast_ref::<csv::Error>().map(csv::Error::kind) {
        Some(csv::ErrorKind::Io(error)) => closed(error),
        _ => cause.downcast_ref::<std::io::Error>().is_some_and(closed),
    })
}

fn execute(command: Command, out: &mut dyn Write) -> Result<u8> {
    match command {
        Command::Run(args) => measure::run::run(&args),
        Command::Bench(args) => bench::bench(&args, out),
        Command::Init(args) => plans::init::init(&args).map(|()| 0),
        Command::Convert(args) => convert::convert(&args, out),
        Command::Plan { command: PlanCommand::Check(args) } => {
            plans::plan::check(&args, out).map(|()| 0)
        }
        Command::Protocols { command: None, format } => {
            plans::protocols::list(format, out).map(|()| 0)
        }
        Command::Protocols { command: Some(ProtocolsCommand::Show { name }), .. } => {
            plans::protocols::show(&name, out).map(|()| 0)
        }
        Command::List(format) => plans::list::list(format, out).map(|()| 0),
        Command::Drives(format) => tools::drives::drives(format, out).map(|()| 0),
        Command::Facts { paths, format } => tools::facts::facts(&paths, format, out).map(|()| 0),
        Command::Selftest(args) => measure::selftest::selftest(&args, out),
        Command::Powercut { command } => measure::powercut::powercut(&command, out),
        Command::Trace { command } => trace::trace(&command, out).map(|()| 0),
        Command::Show { bundles, format } => look::show::show(&bundles, format, out).map(|()| 0),
        Command::Compare { bundles, format } => {
            look::compare::compare(&bundles, format, out).map(|()| 0)
        }
        Command::Claims { bundles, format } => {
            look::claims::claims(&bundles, format, out).map(|()| 0)
        }
        Command::Catalogue(args) => look::catalogue::list(&args, out).map(|()| 0),
        Command::Serve(args) => look::serve::serve(&args, out).map(|()| 0),
        Command::Fleet { command } => fleet::fleet(&command, out),
        Command::Trend(args) => look::trend::trend(&args, out),
        Command::Gate(args) => gate::gate(&args, out),
        Command::Report { bundles, output, brief, figures } => {
            if output.is_none() && figures.is_none() {
                return Err(failed(
                    "no output was named",
                    "add -o brief.html, --figures DIR, or both",
                ));
            }
            publish::report::report(
                &bundles,
                output.as_deref(),
                figures.as_deref(),
                brief.as_deref(),
            )
            .map(|_| 0)
        }
        Command::Audit { claims, data, format } => {
            publish::audit::audit(&claims, &data, format, out)
        }
        Command::Import(args) => publish::import::import(&args, out).map(|()| 0),
        Command::Export(args) => publish::export::export(&args, out),
        Command::Schema(args) => plans::schema::schema(&args, out).map(|()| 0),
        Command::Completions { shell } => tools::reference::completions(shell, out).map(|()| 0),
        Command::Man { output } => tools::reference::man(&output).map(|()| 0),
        Command::Version(format) => tools::version::version(format, out).map(|()| 0),
    }
}
