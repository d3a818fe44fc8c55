//! vdbench's flatfile.html: a text table; the rows of averages are imported.

use super::load::field;
use super::text::{number, written, wrong};
use super::{FormatInfo, ImportFormat, ImportedFile, Input, Observation, Written, cell};
use dyno_core::base::error::Result;
use dyno_core::plan::{Field, Timing};
use dyno_core::record::{Class, Reported};

pub struct Vdbench;

/// Rates from here on mean the maximum (vdbench prints 999977 to 999999).
const MAXIMUM: f64 = 999_900.0;

impl ImportFormat for Vdbench {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "vdbench",
            summary: "vdbench's flatfile.html, of raw devices or file systems; the averages of \
                      each run",
            missing: &[
                "all percentiles: vdbench gives means and maxima",
                "the length of the window",
                "waiting before an op was begun: all latencies are service times",
                "readings of meters",
            ],
        }
    }

    fn read(&self, input: &Input<'_>) -> Result<ImportedFile> {
        let mut found = ImportedFile::default();
        let mut head: Option<Vec<&str>> = None;
        let mut last = 1;
        for (at, line) in input.lines() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('*') || line.starts_with('<') {
                continue;
            }
            last = at;
            let words: Vec<&str> = line.split_whitespace().collect();
            if words[0] == "tod" {
                if head.as_ref().is_some_and(|h| *h != words) {
                    let next = "give the flat file of one version of vdbench at a time";
                    return Err(wrong(
                        input.file,
                        at,
                        "a second table begins here, with other columns",
                        next,
                    ));
                }
                head = Some(words);
                continue;
            }
            let Some(head) = &head else {
                let next = "use vdbench's complete flatfile.html";
                return Err(wrong(
                    input.file,
                    at,
                    "data precede the line of columns, which begins with 'tod'",
                    next,
                ));
            };
            if words.len() != head.len() {
                let what = format!("{} values for {} columns", words.len(), head.len());
                return Err(wrong(
                    input.file,
                    at,
                    what,
                    "the line may be truncated; use the complete file",
                ));
            }
            let row = VdbenchRow { file: input.file, at, head, words };
            if !row.get("Interval")?.starts_with("avg") {
                continue;
            }
            let run = row.get("Run")?;
            if is_format(run) {
                let what = "vdbench's own creation of its files, which is not a measurement";
                found.note(format!("{}: '{run}' was left out: {what}", input.file));
                continue;
            }
            found.observations.push(row.observation()?);
        }
        curves(&mut found);
        if found.observations.is_empty() {
            let next =
                "the run did not end, or the file is cut; give the flat file of a finished run";
            return Err(wrong(
                input.file,
                last,
                "no row of averages ('avg_2-5' under Interval)",
                next,
            ));
        }
        Ok(found)
    }
}

struct VdbenchRow<'a> {
    file: &'a str,
    at: usize,
    head: &'a [&'a str],
    words: Vec<&'a str>,
}

impl VdbenchRow<'_> {
    fn get(&self, column: &str) -> Result<&str> {
        let index = self.head.iter().position(|h| h.eq_ignore_ascii_case(column));
        let next = "give the flat file as vdbench 5.03 or later writes it";
        index.map(|i| self.words[i]).ok_or_else(|| {
            wrong(self.file, self.at, format!("there is no column '{column}'"), next)
        })
    }

    fn number(&self, column: &str) -> Result<f64> {
        number(self.file, self.at, column, self.get(column)?)
    }

    /// A number that is missing in older versions, or "n/a".
    fn maybe(&self, column: &str) -> Option<f64> {
        self.number(column).ok()
    }

    /// The same as written.
    fn written(&self, column: &str) -> Option<Written> {
        written(self.file, self.at, column, self.get(column).ok()?).ok()
    }

    fn observation(&self) -> Result<Observation> {
        let run = self.get("Run")?.to_string();
        let (step, share) = label(&run);
        let mut observation = Observation::new(step, None);
        observation.timing = Some(Timing::Service);
        for (column, name) in [
            ("xfersize", field::BLOCK),
            ("threads", field::THREADS),
            ("rdpct", field::READS),
            ("seekpct", field::RANDOM),
            ("rhpct", "read hits"),
            ("whpct", "write hits"),
        ] {
            observation.load.set_if(name, self.maybe(column));
        }
        if self.maybe("xfersize").is_none() {
            observation.load.set_if(field::BLOCK, self.maybe("bytes/io"));
        }
        let asked = self.maybe("reqrate").map(|r| if r >= MAXIMUM { f64::INFINITY } else { r });
        match share {
            // The rate follows from the maximum, which differs between subjects.
            Some(share) => observation.load.set(field::LOAD, share),
            None => observation.load.set_if(field::RATE, asked),
        }
        observation.axis = match share {
            Some(_) => Some(Field::LoadPercent),
            None => asked.filter(|rate| rate.is_finite()).map(|_| Field::OpsPerSec),
        };
        match self.get("read%").is_ok() {
            true => self.raw(&mut observation)?,
            false => self.files(&mut observation)?,
        }
        let threads = observation.load.workers(field::THREADS);
        observation.point.cells.push(cell(STREAM, 0, threads, None, Vec::new()));
        Ok(observation)
    }

    /// A run on raw devices.
    fn raw(&self, observation: &mut Observation) -> Result<()> {
        let rate = written(self.file, self.at, "rate", self.get("rate")?)?;
        let read = self.number("read%")?.min(100.0) / 100.0;
        let both = [(Class::READ, read, "read"), (Class::WRITE, 1.0 - read, "write")];
        for (class, share, name) in both {
            let ops = rate.times(share);
            if ops.value <= 0.0 {
                continue;
            }
            let of = (STREAM, class);
            observation.report(of, Reported::OPS_PER_S, ops, None);
            if let Some(size) = self.written("bytes/io").filter(|size| size.value > 0.0) {
                let digits = ops.digits.min(size.digits);
                let bytes = Written { digits, ..ops.times(size.value) };
                observation.report(of, Reported::BYTES_PER_S, bytes, None);
            }
            let alone = if share == 1.0 { self.written("resp") } else { None };
            if let Some(ms) = self.written(&format!("{name}_resp")).or(alone) {
                observation.report(of, "mean_ns", ms.times(1e6), None);
            }
            if let Some(ms) = self.written(&format!("{name}_max")) {
                observation.report(of, "max_ns", ms.times(1e6), None);
            }
        }
        Ok(())
    }

    /// A run on files (fsd, fwd): reads and writes have separate columns, and the rate of all
    /// operations may include others.
    fn files(&self, observation: &mut Observation) -> Result<()> {
        let rate = written(self.file, self.at, "rate", self.get("rate")?)?;
        let mut known = 0.0;
        for (class, name) in [(Class::READ, "read"), (Class::WRITE, "write")] {
            let Some(ops) = self.written(&format!("{name}_rate")).filter(|ops| ops.value > 0.0)
            else {
                continue;
            };
            known += ops.value;
            let of = (STREAM, class);
            observation.report(of, Reported::OPS_PER_S, ops, None);
            if let Some(mb) = self.written(&format!("MB_{name}")) {
                observation.report(of, Reported::BYTES_PER_S, mb.times(1_048_576.0), None);
            }
            for (column, figure) in [("resp", "mean_ns"), ("resp_max", "max_ns")] {
                if let Some(ms) = self.written(&format!("{name}_{column}")) {
                    observation.report(of, figure, ms.times(1e6), None);
                }
            }
        }
        if known == 0.0 && rate.value > 0.0 {
            let of = (STREAM, super::OPERATION);
            observation.report(of, Reported::OPS_PER_S, rate, None);
            for (column, figure) in [("resp", "mean_ns"), ("resp_max", "max_ns")] {
                if let Some(ms) = self.written(column) {
                    observation.report(of, figure, ms.times(1e6), None);
                }
            }
        }
        Ok(())
    }
}

/// The stream of a run.
const STREAM: &str = "io";

/// Whether a run is the creation of files before the first one.
fn is_format(run: &str) -> bool {
    run.eq_ignore_ascii_case("SD_format") || run.to_lowercase().starts_with("format_for_")
}

/// The run's name, and the share of its maximum: "run1_(10%)" is run1 at 10 %.
fn label(run: &str) -> (&str, Option<f64>) {
    let Some((name, rest)) = run.split_once("_(") else { return (run, None) };
    let share = rest.strip_suffix("%)").and_then(|text| text.parse::<f64>().ok());
    (name, share.filter(|share| share.is_finite() && *share > 0.0))
}

/// The run without a target whose shares follow is the maximum of their curve.
fn curves(found: &mut ImportedFile) {
    let of_curve = |o: &&Observation| o.load.get(field::LOAD).is_some();
    let curves: Vec<String> =
        found.observations.iter().filter(of_curve).map(|o| o.step.clone()).collect();
    for observation in &mut found.observations {
        let unlimited = observation.load.number(field::RATE);
        if curves.contains(&observation.step) && unlimited == Some(f64::INFINITY) {
            observation.load.forget(field::RATE);
            observation.load.set(field::LOAD, f64::INFINITY);
            observation.axis = Some(Field::LoadPercent);
        }
    }
}
