//! vdbench's flatfile.html: a text table; the rows of averages are imported.

use super::text::{number, written, wrong};
use super::{FormatInfo, ImportFormat, ImportedFile, ImportedPoint, Input, Written, cell};
use crate::base::error::Result;
use crate::plan::{Field, Timing};
use crate::record::{Class, Reported};

pub struct Vdbench;

/// Rates from here on mean the maximum (vdbench prints 999977 to 999999).
const MAXIMUM: f64 = 999_900.0;

impl ImportFormat for Vdbench {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "vdbench",
            summary: "vdbench's flatfile.html; the averages of each run",
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
        for (index, line) in input.text.lines().enumerate() {
            let at = index + 1;
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
            if row.get("Interval")?.starts_with("avg") {
                found.entries.push(row.entry()?);
            }
        }
        if found.entries.is_empty() {
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

    fn entry(&self) -> Result<ImportedPoint> {
        let run = self.get("Run")?.to_string();
        let rate = written(self.file, self.at, "rate", self.get("rate")?)?;
        let asked = self.maybe("reqrate").map(|r| if r >= MAXIMUM { f64::INFINITY } else { r });
        let step = run.split("_(").next().unwrap_or(&run).to_string();
        let mut entry = ImportedPoint::new(&step, asked.map(|r| (Field::OpsPerSec, r)), None);
        entry.timing = Some(Timing::Service);
        let read = self.number("read%")?.min(100.0) / 100.0;
        let threads = self.maybe("threads").map(|n| n.clamp(1.0, 65_536.0) as u32);
        let both = [(Class::READ, read, "read"), (Class::WRITE, 1.0 - read, "write")];
        for (class, share, name) in both {
            let ops = rate.times(share);
            if ops.value <= 0.0 {
                continue;
            }
            entry.report(("io", class), Reported::OPS_PER_S, ops, None);
            if let Some(size) = self.written("bytes/io").filter(|size| size.value > 0.0) {
                let digits = ops.digits.min(size.digits);
                let bytes = Written { digits, ..ops.times(size.value) };
                entry.report(("io", class), Reported::BYTES_PER_S, bytes, None);
            }
            let alone = if share == 1.0 { self.written("resp") } else { None };
            if let Some(ms) = self.written(&format!("{name}_resp")).or(alone) {
                entry.report(("io", class), "mean_ns", ms.times(1e6), None);
            }
            if let Some(ms) = self.written(&format!("{name}_max")) {
                entry.report(("io", class), "max_ns", ms.times(1e6), None);
            }
        }
        entry.point.cells.push(cell("io", 0, threads, None, Vec::new()));
        Ok(entry)
    }
}
