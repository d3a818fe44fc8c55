//! Any instrument with a command-line reader: a command that prints one reading per line, restarted
//! if it exits.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, Stdio};

use super::line::Lines;
use super::{Meter, MeterTarget, Probe, Reading, ReadingTime, info};
use crate::base::error::{Context, Result, anyhow, failed};
use crate::base::secret;
use crate::plan::{DefaultValue, Info, Knob, KnobKind, Knobs};
use crate::record::gauge::written;

/// The meter `exec`.
pub struct Exec;

/// The pause before an ended command is restarted.
const RESTART_NS: u64 = 500_000_000;

/// The units that a command's numbers can have: of power and its factors, and of counters
/// ([`written::UNITS`]).
pub const UNITS: [&str; 8] =
    ["watts", "amps", "volts", "celsius", "bytes", "sectors", "data_units", "mib"];

/// The knob `class`: what a power reading includes ([`crate::record::POWER_CLASSES`]), or what a
/// counter counts ([`written::CLASSES`]).
pub const CLASS: Knob = Knob {
    name: "class",
    kind: KnobKind::Choice(&["drive", "slot", "system", "cpu", "host_written", "media_written"]),
    default: DefaultValue::Required,
    doc: "what the power is of: the drive's rail, its slot, the whole system, or the CPU; classes \
          are never compared. Or what a counter counts: bytes that the drive received or that it \
          wrote to its flash",
};

/// The knob `unit`: the unit of the numbers, one of [`UNITS`].
pub const UNIT: Knob = Knob {
    name: "unit",
    kind: KnobKind::Choice(&UNITS),
    default: DefaultValue::Is("\"watts\""),
    doc: "the unit of the readings",
};

/// The name of an instrument's readings: class and unit, which must be of the same kind.
pub fn reading_name(knobs: &Knobs) -> Result<String> {
    let (class, unit) = (knobs.text("class")?, knobs.text("unit")?);
    let is_count = written::UNITS.iter().any(|(own, _)| *own == unit);
    match written::CLASSES.contains(&class) {
        true if !is_count => Err(failed(
            format!("a counter of class {class} does not count {unit}"),
            "unit = \"bytes\", or the unit in which the drive counts: sectors, data_units, mib",
        )),
        false if is_count => Err(failed(
            format!("power of class {class} is not measured in {unit}"),
            "class = \"host_written\" or \"media_written\" for a counter",
        )),
        _ => Ok(format!("{class}_{unit}")),
    }
}

/// The knob `public`: whether the command's arguments may be stored in a bundle.
pub const PUBLIC: Knob = Knob {
    name: "public",
    kind: KnobKind::Bool,
    default: DefaultValue::Is("false"),
    doc: "whether the bundle may contain this meter's command or request; otherwise it only \
        stores the program's or host's name",
};

static INFO: Info = info(
    "exec",
    "a command that prints one reading a line",
    &[
        Knob {
            name: "command",
            kind: KnobKind::Words,
            default: DefaultValue::Required,
            doc: "the command and its arguments; a word $NAME is taken from the environment, which \
                  is where secrets go",
        },
        PUBLIC,
        CLASS,
        UNIT,
        Knob {
            name: "timestamps",
            kind: KnobKind::Bool,
            default: DefaultValue::Is("false"),
            doc: "whether each line begins with the reading's own time, in seconds since 1970",
        },
        Knob {
            name: "clock_offset",
            kind: KnobKind::Float { min: -1e9, max: 1e9 },
            default: DefaultValue::Is("0.0"),
            doc: "seconds to add to those times",
        },
        Knob {
            name: "stall",
            kind: KnobKind::Time,
            default: DefaultValue::Is("\"0s\""),
            doc: "a silence longer than this is a gap; 0: longer than four of the command's own \
                  periods, and than 2 s",
        },
    ],
    "",
);

impl Meter for Exec {
    fn info(&self) -> &'static Info {
        &INFO
    }

    /// The polling interval for output, short enough to timestamp readings without their own time.
    fn every_ns(&self) -> u64 {
        20_000_000
    }

    fn open(&self, site: &MeterTarget<'_>) -> Result<Box<dyn Probe>> {
        let words = site.knobs.words("command")?;
        if site.knobs.flag("public").unwrap_or(false) && secret::in_command(&words) {
            return Err(failed(
                "the command of a meter is public but contains a secret, which would be stored in \
                 the bundle",
                "leave `public` out, or put the secret into the environment and write $NAME in its \
                 place",
            ));
        }
        Ok(Box::new(CommandOutput {
            words,
            lines: Lines {
                name: reading_name(site.knobs)?,
                timestamps: site.knobs.flag("timestamps")?,
                zone_s: None,
                offset_s: site.knobs.float("clock_offset")?,
                last_ns: i64::MIN,
            },
            silence: Silence::new(site.knobs.int("stall")?),
            child: None,
            rest: Vec::new(),
            start_after_ns: 0,
        }))
    }
}

/// Duration of a source's silence, compared with its own period.
pub struct Silence {
    /// Limit from the plan; 0 derives it from the period.
    stall_ns: u64,
    heard_ns: Option<u64>,
    /// The latest times between readings, a ring.
    periods_ns: Vec<u64>,
    readings: usize,
}

impl Silence {
    /// Minimum silence that counts as a gap, whatever the period.
    const LEAST_NS: u64 = 2_000_000_000;
    /// Limit for a source whose period is not known yet.
    const UNKNOWN_NS: u64 = 20_000_000_000;
    const PERIODS: u64 = 4;
    const REMEMBERED: usize = 15;

    /// `stall_ns` is the plan's limit; 0: by the source's own period.
    pub fn new(stall_ns: u64) -> Silence {
        Silence { stall_ns, heard_ns: None, periods_ns: Vec::new(), readings: 0 }
    }

    /// Starts the source, if it has not started yet.
    pub fn begin(&mut self, now_ns: u64) {
        self.heard_ns.get_or_insert(now_ns);
    }

    /// Notes a reading.
    pub fn end(&mut self, now_ns: u64) {
        let heard_ns = self.heard_ns.replace(now_ns);
        self.readings += 1;
        let Some(heard_ns) = heard_ns.filter(|_| self.readings > 1) else { return };
        let period_ns = now_ns.saturating_sub(heard_ns);
        match self.periods_ns.len() < Silence::REMEMBERED {
            true => self.periods_ns.push(period_ns),
            false => self.periods_ns[self.readings % Silence::REMEMBERED] = period_ns,
        }
    }

    /// An error, once for each limit, if the source has been silent for longer.
    pub fn check(&mut self, now_ns: u64) -> Result<()> {
        let limit_ns = self.limit_ns();
        if self.heard_ns.is_some_and(|heard| now_ns.saturating_sub(heard) > limit_ns) {
            self.heard_ns = Some(now_ns);
            return Err(anyhow!("no reading for {:.1} s", limit_ns as f64 / 1e9));
        }
        Ok(())
    }

    fn limit_ns(&self) -> u64 {
        if self.stall_ns > 0 {
            return self.stall_ns;
        }
        let mut sorted = self.periods_ns.clone();
        sorted.sort_unstable();
        let usual = sorted.get(sorted.len() / 2).map(|period| Silence::PERIODS * period);
        usual.map_or(Silence::UNKNOWN_NS, |usual| usual.max(Silence::LEAST_NS))
    }
}

/// A running command and its output so far.
struct CommandOutput {
    words: Vec<String>,
    lines: Lines,
    silence: Silence,
    child: Option<(Child, ChildStdout)>,
    /// The start of an incomplete line.
    rest: Vec<u8>,
    start_after_ns: u64,
}

impl CommandOutput {
    fn start(&mut self) -> Result<()> {
        let value = |word: &String| match word.strip_prefix('$') {
            Some(name) => std::env::var(name).map_err(|_| {
                failed(format!("${name} is not set"), "set it in the environment of `dyno run`")
            }),
            None => Ok(word.clone()),
        };
        let words = self.words.iter().map(value).collect::<Result<Vec<_>>>()?;
        let (program, arguments) =
            words.split_first().ok_or_else(|| anyhow!("the command is empty"))?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        // A terminal that disappears signals its whole process group; the meter continues with the
        // run.
        command.process_group(0);
        let name = program.rsplit('/').next().unwrap_or_default();
        let mut child = command.spawn().with_context(|| format!("starting {name}"))?;
        let pipe = child.stdout.take().ok_or_else(|| anyhow!("no pipe"))?;
        let flags = rustix::fs::fcntl_getfl(&pipe).context("looking at the pipe")?;
        rustix::fs::fcntl_setfl(&pipe, flags | rustix::fs::OFlags::NONBLOCK)
            .context("setting up the pipe")?;
        self.child = Some((child, pipe));
        Ok(())
    }

    /// Reads available output; true at its end.
    fn drain(&mut self) -> Result<bool> {
        let Some((_, pipe)) = &mut self.child else { return Ok(false) };
        let mut buffer = [0; 4096];
        loop {
            match pipe.read(&mut buffer) {
                Ok(0) => return Ok(true),
                Ok(n) => self.rest.extend_from_slice(&buffer[..n]),
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => return Ok(false),
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e).context("reading the command's output"),
            }
            if self.rest.len() > 1 << 20 {
                self.rest.clear();
                return Err(anyhow!("a megabyte without a line break"));
            }
        }
    }
}

impl Probe for CommandOutput {
    fn read(&mut self, now: ReadingTime, out: &mut Vec<Reading>) -> Result<()> {
        if self.child.is_none() {
            if now.ns < self.start_after_ns {
                return Ok(());
            }
            self.start_after_ns = now.ns + RESTART_NS;
            self.start()?;
            self.silence.begin(now.ns);
        }
        let ended = self.drain()?;
        let mut trouble = None;
        let whole = self.rest.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
        let printed: Vec<u8> = self.rest.drain(..whole).collect();
        for line in printed.split_inclusive(|b| *b == b'\n') {
            match self.lines.reading(&String::from_utf8_lossy(line), now) {
                Ok(reading) => {
                    self.silence.end(now.ns);
                    out.push(reading);
                }
                Err(error) => trouble = Some(error),
            }
        }
        if ended {
            let status = self.child.take().map(|(mut child, _)| child.wait());
            self.rest.clear();
            self.start_after_ns = now.ns + RESTART_NS;
            let how = status.and_then(|s| s.ok()).map_or(String::new(), |s| format!(" ({s})"));
            return Err(anyhow!("the command ended{how}; it is started again"));
        }
        self.silence.check(now.ns)?;
        trouble.map_or(Ok(()), Err)
    }
}

impl Drop for CommandOutput {
    fn drop(&mut self) {
        if let Some((mut child, _)) = self.child.take() {
            // It may have exited already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silence_is_a_gap_by_the_sources_own_period_or_the_plans_limit() {
        let s = |seconds: f64| (seconds * 1e9) as u64;
        let mut slow = Silence::new(0);
        slow.begin(0);
        assert!(slow.check(s(15.0)).is_ok(), "its period is not known");
        (1..=3).for_each(|n| slow.end(s(5.0 * f64::from(n))));
        assert!(slow.check(s(34.0)).is_ok() && slow.check(s(36.0)).is_err());
        assert!(slow.check(s(37.0)).is_ok(), "said once");
        let mut quick = Silence::new(0);
        (0..=20).for_each(|n| quick.end(s(0.1 * f64::from(n))));
        assert!(quick.check(s(3.9)).is_ok() && quick.check(s(4.1)).is_err());
        let mut planned = Silence::new(s(1.0));
        planned.begin(0);
        assert!(planned.check(s(0.9)).is_ok() && planned.check(s(1.1)).is_err());
    }
}
