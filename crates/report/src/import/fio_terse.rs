//! fio's terse output (`--output-format=terse`, `--minimal`), versions 3 to 5: one line for each
//! job, its values separated by semicolons.

use super::fio_options::TERMINATED;
use super::load::field;
use super::text::{number, percentile, written, wrong};
use super::{ImportedFile, Input, Observation, cell};
use dyno_core::base::error::Result;
use dyno_core::plan::Timing;
use dyno_core::record::{Class, Fact, Outcome, Reported};

/// Values before the first direction: version, fio's version, job, group, error.
const BEFORE: usize = 5;

/// Percentiles of a direction.
const PERCENTILES: usize = 20;

fn is_line(line: &str) -> bool {
    let mut words = line.splitn(3, ';');
    let version = words.next().and_then(|word| word.trim().parse::<u32>().ok());
    version.is_some_and(|v| (2..=5).contains(&v))
        && words.next().is_some_and(|word| word.starts_with("fio-"))
}

/// Whether a text has lines of terse output.
pub fn is_terse(text: &str) -> bool {
    text.lines().any(is_line)
}

/// The jobs of a text.
pub fn read(input: &Input<'_>) -> Result<ImportedFile> {
    let mut found = ImportedFile::default();
    let mut group = None;
    let mut version_known = false;
    for (at, line) in input.lines().filter(|(_, line)| is_line(line)) {
        let words: Vec<&str> = line.trim().split(';').collect();
        let line = TerseLine { file: input.file, at, words };
        let version = line.number(0, "version")? as u32;
        if version == 2 {
            return Err(wrong(
                input.file,
                at,
                "terse output of version 2, whose order of values differs between releases",
                "run fio with --terse-version=3 or 5, or give its JSON",
            ));
        }
        if !version_known {
            found.facts.push(Fact::new("Imported", "fio version", line.words[1]));
            version_known = true;
        }
        let own = Some(line.get(3, "group")?.to_string());
        let name = line.get(2, "job")?;
        if group != own || found.observations.is_empty() {
            group = own;
            let mut observation = Observation::new(name, None);
            observation.timing = Some(Timing::Service);
            found.observations.push(observation);
        }
        if let Some(observation) = found.observations.last_mut() {
            line.add_to(observation, version)?;
        }
    }
    let note = "terse output has no options of the jobs: of their load only the mean size of the \
                requests is known";
    found.note(note);
    if input.text.lines().any(|line| line.contains(TERMINATED)) {
        interrupted(&mut found);
    }
    Ok(found)
}

/// Marks all runs of a file as ended early.
pub fn interrupted(found: &mut ImportedFile) {
    for observation in &mut found.observations {
        observation.load.set(field::RUN, "interrupted");
        observation.title = format!("{} (interrupted)", observation.step);
    }
    found.note("fio was interrupted by a signal: the run did not take as long as planned");
}

struct TerseLine<'a> {
    file: &'a str,
    at: usize,
    words: Vec<&'a str>,
}

impl TerseLine<'_> {
    fn get(&self, at: usize, what: &str) -> Result<&str> {
        self.words.get(at).copied().ok_or_else(|| {
            let next = "the line is cut; use fio's complete output";
            wrong(self.file, self.at, format!("the line ends before its {what}"), next)
        })
    }

    fn number(&self, at: usize, what: &str) -> Result<f64> {
        number(self.file, self.at, what, self.get(at, what)?.trim_end_matches('%'))
    }

    fn add_to(&self, observation: &mut Observation, version: u32) -> Result<()> {
        let error = self.number(4, "error")?;
        let name = self.get(2, "job")?;
        let stream = observation.next_stream(name);
        if error != 0.0 {
            let cause = format!("fio: job {name} ended with error {error}");
            observation.point.outcome = Outcome::Failed { cause };
        }
        // Version 5 adds the samples of bandwidth, and five values of IOPS.
        let length = if version == 5 { 47 } else { 41 };
        let mut classes = vec![Class::READ, Class::WRITE];
        if version >= 4 {
            classes.push(Class::TRIM);
        }
        let mut longest = observation.point.window_ns.unwrap_or(0);
        for (i, class) in classes.into_iter().enumerate() {
            let from = BEFORE + i * length;
            let ns = self.direction(observation, (&stream, class), from)?;
            longest = longest.max(ns);
        }
        observation.point.window_ns = Some(longest).filter(|ns| *ns > 0);
        observation.point.cells.push(cell(&stream, 0, None, None, Vec::new()));
        Ok(())
    }

    /// Runtime of a direction, nanoseconds.
    fn direction(
        &self,
        observation: &mut Observation,
        of: (&str, Class),
        from: usize,
    ) -> Result<u64> {
        let class = of.1.name();
        let kib = self.number(from, "KiB")?;
        let runtime_ms = self.number(from + 3, "runtime")?;
        let rate = written(self.file, self.at, "IOPS", self.get(from + 2, "IOPS")?)?;
        if runtime_ms <= 0.0 || rate.value + kib <= 0.0 {
            return Ok(0);
        }
        observation.report(of, Reported::OPS_PER_S, rate, None);
        if of.1.moves_data() {
            let text = self.get(from + 1, "bandwidth")?;
            let kib_per_s = written(self.file, self.at, "bandwidth", text)?;
            observation.report(of, Reported::BYTES_PER_S, kib_per_s.times(1024.0), None);
            // The rate is truncated to a whole number.
            let size = kib_per_s.value * 1024.0 / rate.value.max(1.0);
            let block = 2f64.powf(size.max(1.0).log2().round());
            if rate.value >= 100.0 && (size / block - 1.0).abs() < 0.02 {
                observation.load.set(&format!("{class}: {}", field::BLOCK), block);
            }
        }
        let mean = written(self.file, self.at, "mean", self.get(from + 10, "mean latency")?)?;
        if mean.value > 0.0 {
            observation.report(of, "mean_ns", mean.times(1e3), None);
            let max = written(self.file, self.at, "maximum", self.get(from + 9, "maximum")?)?;
            observation.report(of, "max_ns", max.times(1e3), None);
            for at in from + 12..from + 12 + PERCENTILES {
                let Some((p, us)) = self.get(at, "percentile")?.split_once("%=") else { continue };
                let p = number(self.file, self.at, "percentile", p)?;
                let Some(name) = percentile(p) else { continue };
                let us = written(self.file, self.at, "latency", us)?;
                // Bins are 1/64 of an octave wide, and microseconds are truncated.
                let half = us.value / 128.0;
                let bounds = ((us.value - half).max(0.0) * 1e3, (us.value + half + 1.0) * 1e3);
                let figure = us.times(1e3).within(bounds);
                observation.report_within(of, &name, figure, None);
            }
        }
        Ok((runtime_ms * 1e6).min(1e18) as u64)
    }
}
