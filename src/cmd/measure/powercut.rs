//! `dyno powercut`: writes on one host, acknowledgements on another, a power cut, and the check
//! after it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use schemars::JsonSchema;
use serde::Serialize;

use crate::base::clock::Clock;
use crate::base::error::{Context, Result, exit, failed};
use crate::base::folder::Folder;
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
use crate::powercut::session::{ThreadDurability, WriteSession};
use crate::powercut::writer;
use crate::stats::never_seen::{interval, upper_bound};

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
    signals.end_in_time()?;
    writer::write(&plan, &signals.stop, Clock::for_pauses(), &mut note)?;
    Ok(0)
}

fn listen(path: &Path, journals: &Path) -> Result<u8> {
    consent::must_be_own(path)?;
    let (cuts, serials) = plan::cuts_elsewhere(path)?;
    Folder::make(journals)?;
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
    let result = result_of(journal);
    let text = serde_json::to_vec_pretty(&checked).context("describing the result")?;
    output::write(&result, &[journal], &text)?;
    let CheckedCut { session, verdict, absent, requests, .. } = &checked;
    if format.json {
        json::print(&checked, out)?;
        return Ok(code(&checked));
    }
    let (serial, subject, cache) = (&session.serial, &session.subject, &session.write_cache);
    let kernel = &session.kernel_cache;
    writeln!(out, "Drive {serial} ({subject}), volatile write cache: {cache}; kernel: {kernel}")?;
    let looked_for = grouped(verdict.looked_for());
    writeln!(out, "{looked_for} acknowledged, durable blocks checked")?;
    for fate in Fate::ALL {
        writeln!(out, "  {:<10}{:>12}", fate.name(), grouped(verdict.count(fate)))?;
    }
    match requests {
        Some(sent) => writeln!(
            out,
            "Reached the drive: {} flushes, {} writes with FUA",
            grouped(sent.flushes),
            grouped(sent.fua_writes)
        )?,
        None => writeln!(out, "Flushes that reached the drive: not counted by this kernel")?,
    }
    if !checked.is_tested() {
        writeln!(out, "Not tested: {NOTHING_ASKED}")?;
    }
    if let Some(why) = absent {
        let place = drive.display();
        writeln!(
            out,
            "{place} cannot be opened ({why}): a drive that did not come back is \
                       unreadable. If the path is wrong, check again with the right one"
        )?;
    }
    for place in &verdict.unreadable {
        let (at, bytes) = (grouped(place.address), grouped(place.bytes));
        writeln!(out, "unreadable: {bytes} bytes from byte {at} on")?;
    }
    for example in verdict.examples.iter().filter(|e| e.fate != Fate::Unreadable) {
        let (fate, at, promised) = (example.fate.name(), example.address, example.promised);
        writeln!(out, "{fate} at byte {at}: promised write {promised}, held {:?}", example.held)?;
    }
    writeln!(out, "Result: {}", result.display())?;
    Ok(code(&checked))
}

fn code(checked: &CheckedCut) -> u8 {
    if checked.broken() > 0 || !checked.is_tested() { exit::NOT_ALL } else { 0 }
}

const NOTHING_ASKED: &str = "neither a flush nor a write with FUA reached the drive, and it does \
                             not report that it needs none";

/// The file with the result of a journal's check.
fn result_of(journal: &Path) -> PathBuf {
    output::with_end(journal, RESULT)
}

/// The end of the name of a result.
const RESULT: &str = ".result.json";

/// The end of the name of a journal.
const JOURNAL: &str = "journal";

fn claim(results: &[PathBuf], format: OutputFormat, out: &mut dyn Write) -> Result<u8> {
    let mut groups: Vec<Vec<CheckedCut>> = Vec::new();
    let mut seen = BTreeSet::new();
    for path in results {
        let checked = read_result(path)?;
        if !seen.insert(checked.session.identity) {
            return Err(failed(
                format!("{} belongs to a cut that was already given", path.display()),
                "specify each cut once: counting a cut twice would make the bound too narrow",
            ));
        }
        let like = |cut: &CheckedCut| (cut.session.conditions(), cut.is_tested());
        let own = like(&checked);
        match groups.iter_mut().find(|cuts| like(&cuts[0]) == own) {
            Some(cuts) => cuts.push(checked),
            None => groups.push(vec![checked]),
        }
    }
    let left_out = beside(results, &seen)?;
    let claimed: Vec<PowercutClaim> =
        groups.iter().map(|cuts| PowercutClaim::new(cuts, &left_out)).collect();
    match format.json {
        true => json::print(&claimed, out)?,
        false => claimed.iter().try_for_each(|claimed| claimed.say(out))?,
    }
    let is_well = claimed.iter().all(|claimed| claimed.tested && claimed.not_kept == 0);
    Ok(if is_well { 0 } else { exit::NOT_ALL })
}

fn read_result(path: &Path) -> Result<CheckedCut> {
    let text = file::read_text(path, MOST_RESULT)?;
    serde_json::from_str(&text)
        .with_context(|| format!("{} is not the result of a check", path.display()))
}

/// The cuts next to the given results whose results were not given. Refuses a journal that has a
/// cut and no result, because a drive that could not be checked would be missing from the claim.
fn beside(results: &[PathBuf], given: &BTreeSet<u64>) -> Result<Vec<CheckedCut>> {
    let folders: BTreeSet<&Path> = results.iter().map(|result| file::folder_of(result)).collect();
    let mut left_out = Vec::new();
    for folder in folders {
        let entries = std::fs::read_dir(folder);
        let entries = entries.with_context(|| format!("looking into {}", folder.display()))?;
        let mut journals: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        journals.retain(|path| path.extension().is_some_and(|end| end == JOURNAL));
        journals.sort();
        for journal in journals {
            // Files that are not journals, and journals without a cut, have no result.
            let Ok(read) = checker::read_journal(&journal) else { continue };
            let identity = read.promises.session().identity;
            if !read.has_cut() || given.contains(&identity) {
                continue;
            }
            match read_result(&result_of(&journal)) {
                Ok(result) => left_out.push(result),
                Err(_) => {
                    let shown = journal.display();
                    return Err(failed(
                        format!("{shown} has a cut, but no result: the claim would leave it out"),
                        format!(
                            "dyno powercut check {shown} DRIVE; a drive that cannot be read, or \
                             is missing, is a result too"
                        ),
                    ));
                }
            }
        }
    }
    Ok(left_out)
}

/// The results of cuts under the same conditions: one drive, one load.
#[derive(Serialize, JsonSchema)]
pub struct PowercutClaim {
    /// The subject's name in the plan.
    subject: String,
    /// The drive's serial number.
    serial: String,
    /// The conditions that all cuts have in common; what differs from cut to cut is empty.
    conditions: WriteSession,
    /// Whether the drive was asked to make anything durable, or says that it needs not be. If not,
    /// only damage that no missing flush explains counts, and there is no bound.
    tested: bool,
    /// Number of checked cuts.
    cuts: usize,
    /// Those for which an image was examined, not the drive itself.
    images: usize,
    /// Cuts under the same conditions whose results lie beside these but were not given.
    left_out: usize,
    /// Cuts with a block that was not kept.
    cuts_with_loss: usize,
    /// Number of checked blocks acknowledged as durable.
    blocks: u64,
    /// Blocks that do not contain what was acknowledged.
    not_kept: u64,
    /// Number of blocks by fate.
    fates: BTreeMap<Fate, u64>,
    /// Flushes that reached the drive, over all cuts; None if one of them has no count.
    flushes: Option<u64>,
    /// Writes with FUA that reached the drive, over all cuts.
    fua_writes: Option<u64>,
    /// If nothing was lost: the maximum share of cuts that lose data, in percent, with 95 %
    /// confidence.
    bound_percent: Option<f64>,
    /// If something was lost: the 95 % interval of the share of cuts that lose data, in percent.
    interval_percent: Option<(f64, f64)>,
}

impl PowercutClaim {
    /// For one or more cuts under the same conditions.
    fn new(cuts: &[CheckedCut], left_out: &[CheckedCut]) -> PowercutClaim {
        let conditions = cuts[0].session.conditions();
        let mut fates = BTreeMap::new();
        for fate in Fate::ALL {
            fates.insert(fate, cuts.iter().map(|cut| cut.verdict.count(fate)).sum());
        }
        let tested = cuts[0].is_tested();
        let not_kept = cuts.iter().map(CheckedCut::broken).sum();
        let with_loss = cuts.iter().filter(|cut| cut.broken() > 0).count();
        let percent = |(low, high)| (100.0 * low, 100.0 * high);
        PowercutClaim {
            subject: conditions.subject.clone(),
            serial: conditions.serial.clone(),
            tested,
            cuts: cuts.len(),
            images: cuts.iter().filter(|cut| cut.image).count(),
            left_out: left_out.iter().filter(|c| c.session.conditions() == conditions).count(),
            cuts_with_loss: with_loss,
            blocks: cuts.iter().map(|cut| cut.verdict.looked_for()).sum(),
            not_kept,
            fates,
            flushes: cuts.iter().map(|cut| Some(cut.requests?.flushes)).sum(),
            fua_writes: cuts.iter().map(|cut| Some(cut.requests?.fua_writes)).sum(),
            bound_percent: (not_kept == 0 && tested).then(|| 100.0 * upper_bound(cuts.len())),
            interval_percent: (not_kept > 0).then(|| percent(interval(with_loss, cuts.len()))),
            conditions,
        }
    }

    fn say(&self, out: &mut dyn Write) -> Result<()> {
        let PowercutClaim { subject, serial, conditions, cuts: n, images, .. } = self;
        let blocks = grouped(self.blocks);
        let cuts_word = if *n == 1 { "cut" } else { "cuts" };
        let of_images = if *images > 0 { format!(" ({images} of images)") } else { String::new() };
        if !self.tested {
            writeln!(
                out,
                "{subject} ({serial}): not tested in {n} {cuts_word}{of_images}: {NOTHING_ASKED}"
            )?;
        }
        if let Some(bound) = self.bound_percent {
            writeln!(
                out,
                "{subject} ({serial}): 0 lost in {n} {cuts_word}{of_images}, {blocks} \
                 acknowledged, durable blocks; 95 % bound: at most {bound:.1} % of cuts lose any \
                 (1 − 0.05^(1/{n}), about 3/{n})"
            )?;
        }
        if let Some((low, high)) = self.interval_percent {
            let counts = |fate: Fate| {
                let is_loss = [Fate::Lost, Fate::Reordered].contains(&fate);
                fate != Fate::Kept && (self.tested || !is_loss)
            };
            let lost = self.fates.iter().filter(|(fate, n)| counts(**fate) && **n > 0);
            let fates: Vec<String> = lost
                .map(|(fate, blocks)| format!("{} {}", grouped(*blocks), fate.name()))
                .collect();
            writeln!(
                out,
                "{subject} ({serial}): {} of {blocks} acknowledged, durable blocks not kept, in \
                 {} of {n} {cuts_word}{of_images}: {}; 95 % interval: {low:.1} to {high:.1} % of \
                 cuts lose some (Clopper and Pearson)",
                grouped(self.not_kept),
                self.cuts_with_loss,
                fates.join(", ")
            )?;
        }
        writeln!(out, "  {}", described(conditions))?;
        match self.flushes.zip(self.fua_writes) {
            Some((flushes, fua)) => writeln!(
                out,
                "  reached the drive: {} flushes, {} writes with FUA",
                grouped(flushes),
                grouped(fua)
            )?,
            None => writeln!(out, "  flushes that reached the drive: not counted")?,
        }
        if self.left_out > 0 {
            let (n, word) = (self.left_out, if self.left_out == 1 { "cut" } else { "cuts" });
            writeln!(
                out,
                "  left out: {n} {word} under the same conditions, with results beside these"
            )?;
        }
        Ok(())
    }
}

/// Drive and load in one line.
fn described(of: &WriteSession) -> String {
    let known = |text: &Option<String>| text.clone().unwrap_or("not reported".to_string());
    let mut kinds: Vec<(ThreadDurability, usize)> = Vec::new();
    for manner in &of.threads {
        match kinds.iter_mut().find(|(kind, _)| kind == manner) {
            Some((_, count)) => *count += 1,
            None => kinds.push((*manner, 1)),
        }
    }
    let threads: Vec<String> = kinds
        .into_iter()
        .map(|(kind, count)| match kind {
            ThreadDurability::Fua => format!("{count} × FUA"),
            ThreadDurability::Flush { every } => format!("{count} × flush every {every}"),
            ThreadDurability::ByOthers => format!("{count} × without a flush of its own"),
        })
        .collect();
    format!(
        "model {}, firmware {}, write cache {} (kernel: {}), {} B blocks, {} B from byte {} on, \
         threads: {}",
        known(&of.model),
        known(&of.firmware),
        of.write_cache,
        of.kernel_cache,
        grouped(of.block_bytes.into()),
        grouped(of.blocks * u64::from(of.block_bytes)),
        grouped(of.offset),
        threads.join(", ")
    )
}
