//! The subcommands: one file each; here is only what they are called and what they take.

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

use clap::{CommandFactory, Parser, Subcommand};

use crate::base::error::{Error, Result, exit, failed};
use crate::base::text::{Shown, say};
use json::Json;
use load::Bundles;

/// A dynamometer for SSDs: the same load on every drive, and which is faster, at what and by how
/// much.
#[derive(Parser)]
#[command(name = "dyno", version, long_version = version::long(), arg_required_else_help = true)]
struct Dyno {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a plan file, a built-in protocol with --subject, or the plan of a bundle again
    Run(Box<run::RunArgs>),
    /// Write a commented plan for the drives of this host; interactive on a terminal
    Init(init::InitArgs),
    /// Convert a job file of fio or a parameter file of vdbench to a protocol
    Convert(convert::ConvertArgs),
    /// Check a plan and print what it would do
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
    /// List engines, workloads and meters with their knobs
    List(Json),
    /// List this host's block devices: identity, state, and whether each may be tested
    Drives(Json),
    /// Print the facts that a run discloses of this host and of the drives under these paths
    Facts {
        /// Directories or devices
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
        #[command(flatten)]
        format: Json,
    },
    /// Measure the limits of Dyno on this host: false claims, detectable differences, pacing floor,
    /// generator ceilings
    Selftest(selftest::SelftestArgs),
    /// Cut a host's power during durable writes, and check that acknowledged data are kept
    Powercut {
        #[command(subcommand)]
        command: powercut::PowercutCommand,
    },
    /// Print every point of bundles as a table
    Show {
        #[command(flatten)]
        bundles: Bundles,
        #[command(flatten)]
        format: Json,
    },
    /// Compare the subjects of bundles
    Compare {
        #[command(flatten)]
        bundles: Bundles,
        #[command(flatten)]
        format: Json,
    },
    /// Print the claims of each subject, with confidence interval and calculation
    Claims {
        #[command(flatten)]
        bundles: Bundles,
        #[command(flatten)]
        format: Json,
    },
    /// List all bundles below a folder: title, subjects, drives, date, state
    Catalogue(catalogue::CatalogueArgs),
    /// Serve pages of all bundles below a folder to browsers; read-only
    Serve(serve::ServeArgs),
    /// Measure many drives: campaigns on many hosts, acceptance of a delivery
    Fleet {
        #[command(subcommand)]
        command: fleet::FleetCommand,
    },
    /// Show figures over many runs: intervals, change points
    Trend(trend::TrendArgs),
    /// Check a new run for regressions from a base; exit code 0: not worse, 1: worse, 2: not shown
    Gate(gate::GateArgs),
    /// Write the brief: HTML that opens offline, PDF for print, or Markdown
    Report {
        #[command(flatten)]
        bundles: Bundles,
        /// Output file; its ending selects the form: .html, .pdf or .md
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Settings of the brief: title, sections, logo, colours, your own text (docs/brief.md)
        #[arg(long, value_name = "TOML")]
        brief: Option<PathBuf>,
        /// Also write every figure as SVG and PNG to this directory
        #[arg(long, value_name = "DIR")]
        figures: Option<PathBuf>,
    },
    /// Check published claims against the numbers that they are based on
    Audit {
        /// The claims file (docs/audit.md describes it)
        claims: PathBuf,
        /// A CSV table or a bundle; repeatable. Without any, statements are compared with one
        /// another
        #[arg(long, value_name = "FILE")]
        data: Vec<PathBuf>,
        #[command(flatten)]
        format: Json,
    },
    /// Import results of other tools into a bundle
    Import(import::ImportArgs),
    /// Export bundles as tables in CSV, JSON or Parquet, or as a part of a growing dataset
    Export(export::ExportArgs),
    /// Print the JSON Schema of plans, campaigns or protocols, or of what --json prints
    Schema(schema::SchemaArgs),
    /// Print a shell's completions: bash, elvish, fish, powershell or zsh
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual pages to a directory
    Man {
        /// Where to; made where it is missing
        #[arg(value_name = "DIR")]
        output: PathBuf,
    },
    /// Print version, commit, measuring method, RocksDB and features
    Version(Json),
}

#[derive(Subcommand)]
enum PlanCommand {
    /// Print the resolved points, their duration, the bytes written, and what is erased
    Check(plan::CheckArgs),
}

#[derive(Subcommand)]
enum ProtocolsCommand {
    /// Print a protocol's file
    Show { name: String },
}

/// The command line, as help, completions and manual pages are made from it.
pub fn command() -> clap::Command {
    Dyno::command()
}

/// Parses the command line and does what it says; the exit code.
pub fn main() -> Result<u8> {
    let command = match Dyno::try_parse() {
        Ok(dyno) => dyno.command,
        Err(said) => {
            // Help that a closed pipe does not take is no error.
            let _ = said.print();
            let words: Vec<String> = std::env::args().skip(1).collect();
            if let Some(meant) = flags::meant(&said, &Dyno::command(), &words) {
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
        // The reader of a pipe may have seen enough (`dyno show b | head`); what it reads no more
        // changes no verdict.
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
                    "nothing to make",
                    "say where: -o brief.html, --figures DIR, or both",
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
