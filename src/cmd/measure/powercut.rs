//! `dyno powercut`: writes on one host, acknowledgements on another, a power cut, and the check
//! after it.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use schemars::JsonSchema;
use serde::Serialize;

use crate::base::clock::Clock;
use crate::base::error::{Context, Result, exit, failed};
use crate::base::stderr::note;
use crate::base::units::grouped;
use crate::base::{file, output};
use crate::cmd::json::{self, OutputFormat};
use crate::cmd::measure::consent;
use crate::cmd::signals::Signals;
use crate::plan;
use crate::powercut::checker::{self, CheckedCut};
use crate::powercut::judge::Fate;
use crate::powercut::listener::Listener;
use crate::powercut::session::WriteSession;
use crate::powercut::writer;
use crate::stats::never_seen::upper_bound;

/// Maximum size of a results file.
const MOST_RESULT: u64 = 1 << 20;

/// The command, and its machine.
#[derive(Subcommand)]
pub enum PowercutCommand {
    /// Write on the host that will lose power; erases the plan's drive
    Write {
        /// Plan with a [powercut] table
        plan: PathBuf,
    },
    /// On another machine: store the acknowledgements and cut the power as the plan says
    Listen {
        /// The same plan
        plan: PathBuf,
        /// Directory for the journals, one per cut
        #[arg(short, long, value_name = "DIR", alias = "journals", short_alias = 'j')]
        output: PathBuf,
    },
    /// After the cut: check every block acknowledged as durable; writes JOURNAL.result.json
    Check {
        /// Journal of the cut
        journal: PathBuf,
        /// The drive that was written to, or an image of it
        drive: PathBuf,
        /// Text or JSON
        #[command(flatten)]
        format: OutputFormat,
    },
    /// Summarise the results of checks for each drive
    Claim {
        /// Results of `dyno powercut check`
        #[arg(required = true, value_name = "RESULT")]
        results: Vec<PathBuf>,
        /// Text or JSON
        #[command(flatten)]
        format: OutputFormat,
    },
}

/// Executes the command; the exit code: 0 nothing lost, 2 something lost.
pub fn powercut(command: &PowercutCommand, out: &mut dyn Write) -> Result<u8> {
    match command {
        PowercutCommand::Write { plan } => write(plan),
        PowercutCommand::Listen { plan, output } => listen(plan, output),
        PowercutCommand::Check { journal, drive, format } => check(journal, drive, *format, out),
        PowercutCommand::Claim { results, format } => claim(results, *format, out),
    }
}

fn write(plan: &Path) -> Result<u8> {
    consent::must_be_own(plan)?;
    let plan = plan::load(plan, &crate::plan_catalogue())?;
    let signals = Signals::catch()?;
    writer::write(&plan, &signals.stop, Clock::for_pauses(), &mut note)?;
    Ok(0)
}

fn listen(path: &Path, journals: &Path) -> Result<u8> {
    consent::must_be_own(path)?;
    let (cuts, serials) = plan::cuts_elsewhere(path)?;
    std::fs::create_dir_all(journals).with_context(|| format!("making {}", journals.display()))?;
    let socket = TcpListener::bind(&cuts.listener).map_err(|cause| {
        failed(
            format!("cannot listen at {}: {cause}", cuts.listener),
            "let `listener` in [powercut] be an address of this machine and a free port",
        )
    })?;
    let signals = Signals::catch()?;
    let listener = Listener {
        socket,
        cut: &cuts.cut,
        serials: &serials,
        folder: journals,
        clock: Clock::for_pauses(),
        stop: &signals.stop,
    };
    note(&format!("Listening at {}", cuts.listener));
    for number in 1..=cuts.cuts {
        let Some(journal) = listener.one_cut(&mut note)? else {
            return Ok(signals.exit_code());
        };
        let journal = journal.display();
        note(&format!(
            "Cut {number} of {}: {journal}. Next, on the host: dyno powercut check {journal} DRIVE",
            cuts.cuts
        ));
    }
    Ok(0)
}

fn check(journal: &Path, drive: &Path, format: OutputFormat, out: &mut dyn Write) -> Result<u8> {
    let read = checker::read_journal(journal)?;
    let checked = checker::check(&read, drive)?;
    let mut result = journal.as_os_str().to_owned();
    result.push(".result.json");
    let result = PathBuf::from(result);
    let text = serde_json::to_vec_pretty(&checked).context("describing the result")?;
    output::write(&result, &[journal], &text)?;
    let CheckedCut { session, verdict, .. } = &checked;
    if format.json {
        json::print(&checked, out)?;
        return Ok(code(verdict.broken()));
    }
    let (serial, subject, cache) = (&session.serial, &session.subject, &session.write_cache);
    writeln!(out, "Drive {serial} ({subject}), volatile write cache: {cache}")?;
    let looked_for = grouped(verdict.looked_for());
    writeln!(out, "{looked_for} acknowledged, durable blocks checked")?;
    for fate in Fate::ALL {
        writeln!(out, "  {:<10}{:>12}", fate.name(), grouped(verdict.count(fate)))?;
    }
    for example in &verdict.examples {
        let (fate, at, promised) = (example.fate.name(), example.address, example.promised);
        writeln!(out, "{fate} at byte {at}: promised write {promised}, held {:?}", example.held)?;
    }
    writeln!(out, "Result: {}", result.display())?;
    Ok(code(verdict.broken()))
}

fn code(broken: u64) -> u8 {
    if broken > 0 { exit::NOT_ALL } else { 0 }
}

fn claim(results: &[PathBuf], format: OutputFormat, out: &mut dyn Write) -> Result<u8> {
    let mut drives: BTreeMap<(String, String), Vec<CheckedCut>> = BTreeMap::new();
    for path in results {
        let text = file::read_text(path, MOST_RESULT)?;
        let checked: CheckedCut = serde_json::from_str(&text)
            .with_context(|| format!("{} is not the result of a check", path.display()))?;
        let session = &checked.session;
        let of_drive = drives.entry((session.serial.clone(), session.subject.clone())).or_default();
        if of_drive.iter().any(|other| other.session.identity == session.identity) {
            return Err(failed(
                format!("{} belongs to a cut that was already given", path.display()),
                "specify each cut once: counting a cut twice would make the bound too narrow",
            ));
        }
        of_drive.push(checked);
    }
    let claimed: Vec<PowercutClaim> =
        drives.into_values().map(|cuts| PowercutClaim::new(&cuts)).collect();
    match format.json {
        true => json::print(&claimed, out)?,
        false => claimed.iter().try_for_each(|claimed| claimed.say(out))?,
    }
    Ok(code(claimed.iter().map(|claimed| claimed.not_kept).sum()))
}

/// The results of one drive's cuts.
#[derive(Serialize, JsonSchema)]
pub struct PowercutClaim {
    /// The subject's name in the plan.
    subject: String,
    /// The drive's serial number.
    serial: String,
    /// Number of checked cuts.
    cuts: usize,
    /// Those for which an image was examined, not the drive itself.
    images: usize,
    /// Cuts with a block that was not kept.
    cuts_with_loss: usize,
    /// Number of checked blocks acknowledged as durable.
    blocks: u64,
    /// Blocks that do not contain what was acknowledged.
    not_kept: u64,
    /// Number of blocks by fate.
    fates: BTreeMap<Fate, u64>,
    /// If nothing was lost: the maximum share of cuts that lose data, in percent, with 95 %
    /// confidence.
    bound_percent: Option<f64>,
}

impl PowercutClaim {
    /// For one or more cuts of the same drive.
    fn new(cuts: &[CheckedCut]) -> PowercutClaim {
        let WriteSession { subject, serial, .. } = &cuts[0].session;
        let mut fates = BTreeMap::new();
        for fate in Fate::ALL {
            fates.insert(fate, cuts.iter().map(|cut| cut.verdict.count(fate)).sum());
        }
        let not_kept = cuts.iter().map(|cut| cut.verdict.broken()).sum();
        PowercutClaim {
            subject: subject.clone(),
            serial: serial.clone(),
            cuts: cuts.len(),
            images: cuts.iter().filter(|cut| cut.image).count(),
            cuts_with_loss: cuts.iter().filter(|cut| cut.verdict.broken() > 0).count(),
            blocks: cuts.iter().map(|cut| cut.verdict.looked_for()).sum(),
            not_kept,
            fates,
            bound_percent: (not_kept == 0).then(|| 100.0 * upper_bound(cuts.len())),
        }
    }

    fn say(&self, out: &mut dyn Write) -> Result<()> {
        let PowercutClaim { subject, serial, cuts: n, images, .. } = self;
        let blocks = grouped(self.blocks);
        let cuts_word = if *n == 1 { "cut" } else { "cuts" };
        let of_images = if *images > 0 { format!(" ({images} of images)") } else { String::new() };
        if let Some(bound) = self.bound_percent {
            writeln!(
                out,
                "{subject} ({serial}): 0 lost in {n} {cuts_word}{of_images}, {blocks} \
                 acknowledged, durable blocks; 95 % bound: at most {bound:.1} % of cuts lose any \
                 (1 − 0.05^(1/{n}), about 3/{n})"
            )?;
            return Ok(());
        }
        let lost = self.fates.iter().filter(|(fate, _)| **fate != Fate::Kept);
        let fates: Vec<String> =
            lost.map(|(fate, blocks)| format!("{} {}", grouped(*blocks), fate.name())).collect();
        writeln!(
            out,
            "{subject} ({serial}): {} of {blocks} acknowledged, durable blocks not kept, in {} of \
             {n} {cuts_word}{of_images}: {}",
            grouped(self.not_kept),
            self.cuts_with_loss,
            fates.join(", ")
        )?;
        Ok(())
    }
}
