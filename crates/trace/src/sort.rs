//! Sorts requests by time with bounded memory: replacement selection (Knuth, The Art of Computer
//! Programming, volume 3, 5.4.1) writes sorted runs, and a merge combines them. A trace in which
//! requests are at most `WINDOW` positions out of order gives one run.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Seek};
use std::path::{Path, PathBuf};

use super::layout::Summary;
use super::reader::Reader;
use super::request::Request;
use super::writer::Writer;
use dyno_core::base::error::{Context, Result};

/// Maximum number of requests in memory, of 48 bytes each; queue and heap are each large enough for
/// all of them.
const WINDOW: usize = 1 << 18;
/// Maximum number of runs merged at once, with one block of each in memory.
const MOST_RUNS: usize = 128;

/// Orders by time, and by order of arrival at equal times.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct SortKey {
    run: u64,
    at_ns: u64,
    number: u64,
}

/// Accepts requests in any order.
pub struct Sorter {
    folder: PathBuf,
    /// Maximum number of requests in memory.
    most: usize,
    /// Requests that arrived in order (most do), and requests that arrived late.
    ordered: VecDeque<(SortKey, Sorted)>,
    disordered: BinaryHeap<Reverse<(SortKey, Sorted)>>,
    devices: DeviceTable,
    runs: Vec<Reader>,
    writing: Option<Writer<BufWriter<File>>>,
    /// Number of the run that is being written.
    run: u64,
    last_ns: u64,
    number: u64,
}

/// The request that belongs to a key.
#[derive(Clone, Copy)]
struct Sorted(Request);

// Keys are unique, so the request is not compared.
impl PartialEq for Sorted {
    fn eq(&self, _: &Sorted) -> bool {
        true
    }
}
impl Eq for Sorted {}
impl PartialOrd for Sorted {
    fn partial_cmp(&self, other: &Sorted) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Sorted {
    fn cmp(&self, _: &Sorted) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

impl Sorter {
    /// Creates a sorter. Runs are unnamed files in `folder`.
    pub fn new(folder: &Path) -> Sorter {
        Sorter::with_window(folder, WINDOW)
    }

    fn with_window(folder: &Path, most: usize) -> Sorter {
        Sorter {
            folder: folder.to_path_buf(),
            most,
            ordered: VecDeque::new(),
            disordered: BinaryHeap::new(),
            devices: DeviceTable::default(),
            runs: Vec::new(),
            writing: None,
            run: 0,
            last_ns: 0,
            number: 0,
        }
    }

    /// Adds a device; `Request::device` is its index.
    pub fn add_device(&mut self, name: &str) {
        self.devices.add(name);
    }

    /// Number of requests added.
    pub fn requests(&self) -> u64 {
        self.number
    }

    /// Adds a request.
    pub fn push(&mut self, request: Request) -> Result<()> {
        if self.ordered.len() + self.disordered.len() == self.most {
            self.pop()?;
        }
        let run = self.run + u64::from(request.at_ns < self.last_ns);
        let key = SortKey { run, at_ns: request.at_ns, number: self.number };
        self.number += 1;
        match self.ordered.back() {
            Some((last, _)) if key < *last => {
                self.disordered.push(Reverse((key, Sorted(request))));
            }
            _ => self.ordered.push_back((key, Sorted(request))),
        }
        Ok(())
    }

    /// Writes the first request in memory; false if there is none.
    fn pop(&mut self) -> Result<bool> {
        let first = match (self.ordered.front(), self.disordered.peek()) {
            (Some((next, _)), Some(Reverse((late, _)))) if late < next => None,
            (None, _) => None,
            _ => self.ordered.pop_front(),
        };
        let first = first.or_else(|| self.disordered.pop().map(|Reverse(late)| late));
        let Some((key, Sorted(request))) = first else { return Ok(false) };
        if key.run > self.run {
            self.end_run()?;
            self.run = key.run;
        }
        self.last_ns = key.at_ns;
        let writer = match &mut self.writing {
            Some(writer) => writer,
            none => {
                self.devices.begin_file();
                none.insert(begin(&self.folder)?)
            }
        };
        self.devices.write(writer, &request)?;
        Ok(true)
    }

    fn end_run(&mut self) -> Result<()> {
        if let Some(writer) = self.writing.take() {
            self.runs.push(end(writer, &self.folder)?);
        }
        if self.runs.len() == MOST_RUNS {
            let runs = std::mem::take(&mut self.runs);
            self.runs.push(merge(runs, &self.folder)?);
        }
        Ok(())
    }

    /// Returns the whole sorted trace as an unnamed compiled file. `missing` is the number of
    /// requests known to be lost.
    pub fn finish(mut self, missing: u64) -> Result<Reader> {
        while self.pop()? {}
        let mut last = match self.writing.take() {
            Some(writer) => writer,
            None => begin(&self.folder)?,
        };
        last.add_missing(missing);
        let last = end(last, &self.folder)?;
        if self.runs.is_empty() {
            return Ok(last);
        }
        self.runs.push(last);
        merge(self.runs, &self.folder)
    }
}

/// Creates an unnamed compiled file, which leaves nothing behind even if the program is killed.
fn begin(folder: &Path) -> Result<Writer<BufWriter<File>>> {
    let writing = || format!("sorting a trace in {}", folder.display());
    for attempt in 0u64.. {
        let path = folder.join(format!(".dyno-trace.{}.{attempt}.run", std::process::id()));
        let opened = OpenOptions::new().read(true).write(true).create_new(true).open(&path);
        match opened {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            opened => {
                let file = opened.with_context(writing)?;
                std::fs::remove_file(&path).with_context(writing)?;
                return Writer::new(BufWriter::with_capacity(1 << 20, file));
            }
        }
    }
    unreachable!("numbers do not end")
}

fn end(writer: Writer<BufWriter<File>>, folder: &Path) -> Result<Reader> {
    let (out, _) = writer.finish()?;
    let mut file = out.into_inner().map_err(|error| error.into_error())?;
    file.rewind()?;
    Reader::over(file, folder)
}

/// Maps the requests' device numbers to the device numbers of the written file, whose table
/// contains only devices with requests.
#[derive(Default)]
struct DeviceTable(Vec<(String, Option<u16>)>);

impl DeviceTable {
    fn of(summary: &Summary) -> DeviceTable {
        DeviceTable(summary.devices.iter().map(|device| (device.name.clone(), None)).collect())
    }

    fn add(&mut self, name: &str) {
        self.0.push((name.to_string(), None));
    }

    fn begin_file(&mut self) {
        self.0.iter_mut().for_each(|(_, number)| *number = None);
    }

    /// Writes a request under the name of its device.
    fn write<W: std::io::Write>(
        &mut self,
        writer: &mut Writer<W>,
        request: &Request,
    ) -> Result<()> {
        let device = match self.0.get_mut(usize::from(request.device)) {
            Some((_, Some(number))) => *number,
            Some((name, number)) => *number.insert(writer.device(name)?),
            None => writer.device("")?,
        };
        writer.push(&Request { device, ..*request })
    }
}

fn merge(mut runs: Vec<Reader>, folder: &Path) -> Result<Reader> {
    let mut writer = begin(folder)?;
    let mut tables: Vec<DeviceTable> =
        runs.iter().map(|run| DeviceTable::of(run.summary())).collect();
    let mut heads = BinaryHeap::new();
    let next = |runs: &mut Vec<Reader>,
                run: usize|
     -> Result<Option<Reverse<(u64, usize, Sorted)>>> {
        let origin_ns = runs[run].summary().origin_ns;
        let request = runs[run].next_request()?;
        let by_source = |request: Request| Request { at_ns: request.at_ns + origin_ns, ..request };
        Ok(request.map(by_source).map(|request| Reverse((request.at_ns, run, Sorted(request)))))
    };
    for run in 0..runs.len() {
        writer.add_missing(runs[run].summary().missing);
        heads.extend(next(&mut runs, run)?);
    }
    while let Some(Reverse((_, run, Sorted(request)))) = heads.pop() {
        tables[run].write(&mut writer, &request)?;
        heads.extend(next(&mut runs, run)?);
    }
    end(writer, folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RequestKind;
    use dyno_core::base::rng::Seed;

    const SMALL: usize = 64;

    fn sorted(times: impl Iterator<Item = u64>) -> (u64, Vec<(u64, u64)>) {
        let folder = tempfile::tempdir().unwrap();
        let mut sorter = Sorter::with_window(folder.path(), SMALL);
        sorter.add_device("a");
        for (n, at_ns) in times.enumerate() {
            let offset = n as u64 * 512;
            let (kind, length) = (RequestKind::Read, 512);
            sorter.push(Request { at_ns, device: 0, kind, offset, length }).unwrap();
        }
        let runs = sorter.run;
        let (mut reader, mut all) = (sorter.finish(3).unwrap(), Vec::new());
        while let Some(request) = reader.next_request().unwrap() {
            all.push((request.at_ns, request.offset / 512));
        }
        assert_eq!(reader.summary().missing, 3);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left");
        (runs, all)
    }

    #[test]
    fn requests_come_out_in_order_and_those_of_one_time_as_they_came() {
        let seed = Seed::new(1, 0, 0);
        let count = 20_000;
        let random: Vec<u64> = (0..count).map(|n| seed.at(n).below(count / 4)).collect();
        let backwards: Vec<u64> = (0..count).rev().map(|n| n / 2).collect();
        for times in [random, backwards] {
            let (runs, all) = sorted(times.iter().copied());
            assert!(runs > MOST_RUNS as u64, "{runs} runs, more than are merged at once");
            let mut expected: Vec<(u64, u64)> = times.into_iter().zip(0..).collect();
            expected.sort_unstable();
            let origin = expected[0].0;
            expected.iter_mut().for_each(|(at_ns, _)| *at_ns -= origin);
            assert!(all == expected);
        }
    }

    #[test]
    fn what_is_nearly_in_order_is_one_run() {
        let seed = Seed::new(1, 0, 0);
        let count = 10_000;
        let (runs, all) = sorted((0..count).map(|n| n * 10 + seed.at(n).below(SMALL as u64 * 10)));
        assert_eq!((runs, all.len() as u64), (0, count));
        assert!(all.is_sorted_by_key(|(at_ns, _)| *at_ns));
    }
}
