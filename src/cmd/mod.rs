//! The subcommands, one file each. This file declares their names and arguments and dispatches to
//! them; `help` groups them.
//!
//! `json` prints the documents of `--json` with their schemas, `flags` recognises the flags of
//! other tools, `reference` writes completions and manual pages, `convert` reads jobs of fio and
//! vdbench, and `run` connects a run to its bundle.

pub mod audit;
pub mod catalogue;
pub mod claims;
pub mod compare;
mod consent;
pub mod convert;
pub mod drives;
pub mod export;
pub mod facts;
mod flags;
pub mod fleet;
pub mod gate;
pub mod help;
pub mod import;
pub mod init;
pub mod json;
pub mod list;
pub mod load;
pub mod plan;
pub mod plan_facts;
pub mod plan_numbers;
pub mod powercut;
pub mod protocols;
pub mod reference;
pub mod report;
pub mod run;
mod run_start;
pub mod schema;
mod screen;
pub mod selftest;
mod selftest_device;
pub mod selftest_result;
pub mod serve;
mod serve_run;
pub mod show;
mod signals;
pub mod trend;
pub mod version;

use std::io::{BufWriter, Write, stdout};
use std::path::PathBuf;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::base::error::{Error, Result, exit, failed};
use crate::base::text::{Shown, say};
use json::Json;
use load::Bundles;

/// A dynamometer for SSDs: which drive is faster, at what, and by how much
#[derive(Parser)]
#[command(name = "dyno", version, long_version = version::long(), arg_required_else_help = true)]
struct Dyno {
    #[command(subcommand)]
    command: Command,
}

// In the groups and the order of `help::GROUPS`.
#[derive(Subcommand)]
enum Command {
    /// Run a plan, a built-in protocol, or the plan of a bundle
    Run(Box<run::RunArgs>),
    /// Write a commented plan for this host's drives
    ///
    /// On a terminal it asks for what it cannot find out. It never adds `erase = true`.
    Init(init::InitArgs),
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
        format: Json,
    },
    /// List this host's block devices and whether each may be tested
    Drives(Json),
    /// Measure the limits of Dyno on this host
    ///
    /// False claims, detectable differences, pacing floor and generator ceilings. The result is
    /// stored and quoted in every later brief from this host.
    Selftest(selftest::SelftestArgs),
    /// Cut a host's power during durable writes, then look for losses
    Powercut {
        #[command(subcommand)]
        command: powercut::PowercutCommand,
    },
    /// Compare the subjects of bundles, with confidence intervals
    Compare {
        #[command(flatten)]
        bundles: Bundles,
        #[command(flatten)]
        format: Json,
    },
    /// Print every point of bundles as a table
    Show {
        #[command(flatten)]
        bundles: Bundles,
        #[command(flatten)]
        format: Json,
    },
    /// Print the claims that bundles support, with their calculation
    Claims {
        #[command(flatten)]
        bundles: Bundles,
        #[command(flatten)]
        format: Json,
    },
    /// Follow a metric over many runs and find change points
    Trend(trend::TrendArgs),
    /// List all bundles in a folder: title, drives, date, state
    Catalogue(catalogue::CatalogueArgs),
    /// Serve a folder's bundles and live runs to browsers, read-only
    Serve(serve::ServeArgs),
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
    Export(export::ExportArgs),
    /// Check published claims against the numbers behind them
    Audit {
        /// Claims file (docs/audit.md describes the format)
        claims: PathBuf,
        /// CSV table or bundle that the claims are based on; repeatable. Without one, statements
        /// are only compared with one another
        #[arg(long, value_name = "FILE")]
        data: Vec<PathBuf>,
        #[command(flatten)]
        format: Json,
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
    /// Import results of fio, db_bench, sysbench, vdbench, HammerDB, CSV
    Import(import::ImportArgs),
    /// Convert a fio job file or a vdbench parameter file to a protocol
    Convert(convert::ConvertArgs),
    /// List engines, workloads and meters with their knobs
    List(Json),
    /// Print what a run discloses about this host and its drives
    Facts {
        /// Directories or devices
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
        #[command(flatten)]
        format: Json,
    },
    /// Print JSON Schemas of plans, campaigns, protocols, --json output
    Schema(schema::SchemaArgs),
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
    Version(Json),
}

#[derive(Subcommand)]
enum PlanCommand {
    /// Print the resolved points, their duration, the bytes written, and what is erased
    ///
    /// Also prints the smallest difference that the plan's repeats can show on this host. Touches
    /// no drive.
    Check(plan::CheckArgs),
}

#[derive(Subcommand)]
enum ProtocolsCommand {
    /// Print a protocol's file
    Show {
        /// Name of a built-in protocol
        name: String,
    },
}

/// The command line, as help, completions and manual pages are made from it.
pub fn command() -> clap::Command {
    help::grouped(Dyno::command())
}

/// Parses the command line, executes the command, and returns the exit code.
pub fn main() -> Result<u8> {
    let parsed = command().try_get_matches();
    let command = match parsed.and_then(|matches| Dyno::from_arg_matches(&matches)) {
        Ok(dyno) => dyno.command,
        Err(said) => {
            // A pipe that closes before all of the help is written is no error.
            let _ = said.print();
            let words: Vec<String> = std::env::args().skip(1).collect();
            if let Some(meant) = flags::meant(&said, &command(), &words) {
                say(&format!("\n  {meant}"));
            }
            return Ok(if said.use_stderr() { exit::USAGE } else { 0 });
        }
    };
    if let Command::Run(args) = &command {
        return run::run(args);
    }
    let out = &mut BufWriter::new(Shown::new(stdout().lock()));
    let code = carry_out(command, out);
    let flushed = out.flush().map_err(Error::from);
    match (code, flushed) {
        // The reader of a pipe may have seen enough (`dyno show b | head`). Output that it does not
        // read changes no verdict.
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

fn carry_out(command: Command, out: &mut dyn Write) -> Result<u8> {
    match command {
        Command::Run(args) => run::run(&args),
        Command::Init(args) => init::init(&args).map(|()| 0),
        Command::Convert(args) => convert::convert(&args, out).map(|()| 0),
        Command::Plan { command: PlanCommand::Check(args) } => plan::check(&args, out).map(|()| 0),
        Command::Protocols { command: None, format } => protocols::list(format, out).map(|()| 0),
        Command::Protocols { command: Some(ProtocolsCommand::Show { name }), .. } => {
            protocols::show(&name, out).map(|()| 0)
        }
        Command::List(format) => list::list(format, out).map(|()| 0),
        Command::Drives(format) => drives::drives(format, out).map(|()| 0),
        Command::Facts { paths, format } => facts::facts(&paths, format, out).map(|()| 0),
        Command::Selftest(args) => selftest::selftest(&args, out),
        Command::Powercut { command } => powercut::powercut(&command, out),
        Command::Show { bundles, format } => show::show(&bundles, format, out).map(|()| 0),
        Command::Compare { bundles, format } => compare::compare(&bundles, format, out).map(|()| 0),
        Command::Claims { bundles, format } => claims::claims(&bundles, format, out).map(|()| 0),
        Command::Catalogue(args) => catalogue::list(&args, out).map(|()| 0),
        Command::Serve(args) => serve::serve(&args, out).map(|()| 0),
        Command::Fleet { command } => fleet::fleet(&command, out),
        Command::Trend(args) => trend::trend(&args, out).map(|()| 0),
        Command::Gate(args) => gate::gate(&args, out),
        Command::Report { bundles, output, brief, figures } => {
            if output.is_none() && figures.is_none() {
                return Err(failed(
                    "no output was named",
                    "add -o brief.html, --figures DIR, or both",
                ));
            }
            report::report(&bundles, output.as_deref(), figures.as_deref(), brief.as_deref())
                .map(|_| 0)
        }
        Command::Audit { claims, data, format } => audit::audit(&claims, &data, format, out),
        Command::Import(args) => import::import(&args, out).map(|()| 0),
        Command::Export(args) => export::export(&args, out),
        Command::Schema(args) => schema::schema(&args, out).map(|()| 0),
        Command::Completions { shell } => reference::completions(shell, out).map(|()| 0),
        Command::Man { output } => reference::man(&output).map(|()| 0),
        Command::Version(format) => version::version(format, out).map(|()| 0),
    }
}
