//! The load of `dyno bench`, by fio's option names. A list of values with commas measures each; of
//! several lists, every combination. The options become jobs of fio's, which are converted as
//! `dyno convert` converts them.

use std::ffi::OsString;

use clap::{Args, Command};

use crate::base::error::{Result, failed, misused};
use crate::base::units;
use crate::cmd::convert::draft::{self, ProtocolDraft};
use crate::cmd::convert::option_named;

/// The load.
#[derive(Args)]
#[command(next_help_heading = "Load (options of fio; a list such as 4k,16k measures each)")]
pub struct LoadOptions {
    /// read, write, randread, randwrite, rw, randrw, trim or randtrim [default: randread]
    #[arg(long, visible_alias = "readwrite", value_name = "PATTERN")]
    rw: Option<String>,
    /// Block size: 4k, 4K and 4KiB are 4,096 bytes [default: 4k]
    #[arg(long, visible_alias = "blocksize", value_name = "SIZE")]
    bs: Option<String>,
    /// Requests in flight for each job [default: 1]
    #[arg(long, value_name = "N")]
    iodepth: Option<String>,
    /// Jobs: threads that run the load [default: 1]
    #[arg(long, value_name = "N")]
    numjobs: Option<String>,
    /// Measured time of each repeat: 60 and 60s are a minute [default: 30s]
    #[arg(long, value_name = "TIME")]
    runtime: Option<String>,
    /// Load before the measured time, not counted [default: 0s]
    #[arg(long = "ramp_time", visible_alias = "ramp-time", value_name = "TIME")]
    ramp_time: Option<String>,
    /// Requests per second of each job, instead of as many as possible; k is 1,000
    #[arg(long = "rate_iops", visible_alias = "rate-iops", value_name = "N")]
    rate_iops: Option<String>,
    /// Percentage of reads of rw and randrw [default: 50]
    #[arg(long, value_name = "PERCENT")]
    rwmixread: Option<String>,
    /// Size of each job's file, or the part of a device that is used [default: 1g in a directory,
    /// all of a device]
    #[arg(long, value_name = "SIZE")]
    size: Option<String>,
    /// io_uring, libaio, psync … [default: io_uring]
    #[arg(long, value_name = "ENGINE")]
    ioengine: Option<String>,
    /// Bypass the page cache; --direct=0 uses it [default: 1]
    #[arg(long, value_name = "0|1", num_args = 0..=1, require_equals = true,
          default_missing_value = "1")]
    direct: Option<String>,
    /// Make writes durable (fdatasync) after every N of them
    #[arg(long, value_name = "N")]
    fsync: Option<String>,
    /// Zipf-distributed offsets with this exponent, as random_distribution=zipf:N
    #[arg(long, value_name = "THETA")]
    zipf: Option<String>,
    /// Any other option of fio, as NAME=VALUE.
    #[arg(long = "fio-option", value_name = "NAME=VALUE", hide = true)]
    other: Vec<String>,
}

/// An axis of the sweep: the field of the stream, and its values as TOML.
pub struct SweepAxis {
    field: &'static str,
    values: Vec<String>,
}

/// The options of fio and Dyno's axes that a command line means.
pub struct LoadDraft {
    /// The part of the load that is the same at every point.
    pub title: String,
    /// fio's command line, one job for each combination of lists that no sweep has.
    pub arguments: Vec<String>,
    /// The sweep of each job.
    axes: Vec<SweepAxis>,
}

/// Options whose lists are axes of a sweep: their fields.
const SWEPT: &[(&str, &str)] =
    &[("bs", "block"), ("numjobs", "threads"), ("rate_iops", "rate"), ("iodepth", "depth")];

impl LoadOptions {
    /// Whether any is given.
    pub fn are_given(&self) -> bool {
        self.given().iter().any(|(_, value)| value.is_some()) || !self.other.is_empty()
    }

    fn given(&self) -> [(&'static str, &Option<String>); 13] {
        [
            ("rw", &self.rw),
            ("bs", &self.bs),
            ("iodepth", &self.iodepth),
            ("numjobs", &self.numjobs),
            ("runtime", &self.runtime),
            ("ramp_time", &self.ramp_time),
            ("rate_iops", &self.rate_iops),
            ("rwmixread", &self.rwmixread),
            ("size", &self.size),
            ("ioengine", &self.ioengine),
            ("direct", &self.direct),
            ("fdatasync", &self.fsync),
            ("random_distribution", &self.zipf),
        ]
    }

    /// As jobs of fio's.
    pub fn draft(&self) -> Result<LoadDraft> {
        let mut all: Vec<(&str, Vec<String>)> = Vec::new();
        for (name, written) in self.given() {
            let default = match name {
                "rw" => Some("randread"),
                "runtime" => Some("30s"),
                "ioengine" => Some("io_uring"),
                "direct" => Some("1"),
                _ => None,
            };
            let Some(written) = written.as_deref().or(default) else { continue };
            let values: Vec<&str> = written.split(',').map(str::trim).collect();
            if values.iter().any(|value| value.is_empty()) {
                let what = format!("--{name}: '{written}' has an empty value");
                return Err(misused(what, "separate values by single commas, as in 4k,16k"));
            }
            let values = values.into_iter().map(|value| self.value(name, value));
            all.push((name, values.collect::<Result<_>>()?));
        }
        let title = self.title(&all);
        let is_swept = |name: &str| SWEPT.iter().any(|(own, _)| *own == name);
        let (swept, rest): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(name, values)| values.len() > 1 && is_swept(name));
        let axes = SWEPT.iter().filter_map(|(name, field)| {
            let (_, values) = swept.iter().find(|(own, _)| own == name)?;
            let values = values.iter().map(|value| self.axis_value(name, value)).collect();
            Some(SweepAxis { field, values })
        });
        let axes = axes.collect();
        let mut arguments = Vec::new();
        for combination in combinations(&rest) {
            let varied = combination.iter().zip(&rest).filter(|(_, (_, all))| all.len() > 1);
            let words: Vec<String> = varied.map(|((_, value), _)| value.clone()).collect();
            let name = if words.is_empty() { "bench".to_string() } else { words.join("-") };
            arguments.extend([format!("--name={name}"), "--stonewall".to_string()]);
            arguments.extend(combination.iter().map(|(name, value)| format!("--{name}={value}")));
            // The dataset suits the largest.
            let largest = |(name, values): &(&str, Vec<String>)| {
                let largest = values.iter().max_by_key(|value| value.parse::<u64>().ok());
                largest.map(|value| format!("--{name}={value}"))
            };
            arguments.extend(swept.iter().filter_map(largest));
            arguments.extend(self.other.iter().map(|other| format!("--{other}")));
        }
        Ok(LoadDraft { title, arguments, axes })
    }

    /// Whether --size is given.
    pub fn has_size(&self) -> bool {
        self.size.is_some()
    }

    /// "randread, 4 KiB, io_uring, 4 jobs, depth 32, 60 s": what no list varies.
    fn title(&self, all: &[(&str, Vec<String>)]) -> String {
        let of = |name: &str, default: &str| {
            let values = all.iter().find(|(own, _)| *own == name).map(|(_, values)| &values[..]);
            match values {
                Some([one]) => Some(one.clone()),
                Some(_) => None,
                None => (!default.is_empty()).then(|| default.to_string()),
            }
        };
        let number = |text: String| text.parse::<u64>().unwrap_or(0);
        let buffered = of("direct", "").filter(|direct| direct == "0").map(|_| "buffered".into());
        let parts = [
            of("rw", ""),
            of("rwmixread", "").map(|percent| format!("{percent} % reads")),
            of("bs", "4096").map(|bytes| units::bytes(number(bytes))),
            of("ioengine", ""),
            buffered,
            of("numjobs", "1").map(|jobs| units::plural(number(jobs) as usize, "job")),
            of("iodepth", "1").map(|depth| format!("depth {depth}")),
            of("rate_iops", "").map(|rate| format!("{} IOPS each", units::grouped(number(rate)))),
            of("random_distribution", ""),
            of("fdatasync", "").map(|every| format!("fdatasync every {every}")),
            of("size", "").map(|size| size.parse().map_or(size, units::bytes)),
            of("runtime", "").map(|time| {
                let unit = if time.ends_with(|c: char| c.is_ascii_digit()) { " s" } else { "" };
                format!("{time}{unit}")
            }),
        ];
        let other = self.other.iter().cloned().map(Some);
        parts.into_iter().chain(other).flatten().collect::<Vec<_>>().join(", ")
    }

    /// A value as fio reads it: numbers of bytes and of requests without units.
    fn value(&self, name: &str, value: &str) -> Result<String> {
        let wrong = |why: String| misused(format!("--{name}: {why}"), "see dyno bench --help");
        match name {
            "bs" => units::parse_block(value).map(|bytes| bytes.to_string()).map_err(wrong),
            "size" if !value.ends_with('%') => {
                units::parse_bytes(value).map(|bytes| bytes.to_string()).map_err(wrong)
            }
            "rate_iops" => match units::parse_rate(&format!("{value}/s")) {
                Ok(units::Rate::OpsPerSec(ops)) => Ok(ops.round().to_string()),
                _ => Err(wrong(format!("'{value}' is not a number of requests per second"))),
            },
            "iodepth" | "numjobs" => match value.parse::<u32>() {
                Ok(1..) => Ok(value.to_string()),
                _ => Err(wrong(format!("'{value}' is not a whole number from 1"))),
            },
            "random_distribution" => match value.parse::<f64>() {
                Ok(theta) => Ok(format!("zipf:{theta}")),
                Err(_) => Err(wrong(format!("'{value}' is not a number"))),
            },
            _ => Ok(value.to_string()),
        }
    }

    fn axis_value(&self, name: &str, value: &str) -> String {
        let number = value.parse::<u64>().unwrap_or(0);
        match name {
            "bs" => draft::quoted(&draft::size(number)),
            "rate_iops" => {
                let jobs = self.numjobs.as_deref().and_then(|jobs| jobs.parse().ok());
                draft::quoted(&format!("{}/s", number.saturating_mul(jobs.unwrap_or(1))))
            }
            _ => value.to_string(),
        }
    }
}

/// Every choice of one value for each option.
fn combinations<'a>(options: &[(&'a str, Vec<String>)]) -> Vec<Vec<(&'a str, String)>> {
    let mut all = vec![Vec::new()];
    for (name, values) in options {
        let extended = |chosen: &Vec<(&'a str, String)>| {
            let with = |value: &String| [&chosen[..], &[(*name, value.clone())]].concat();
            values.iter().map(with).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(extended).collect();
    }
    all
}

impl LoadDraft {
    /// Gives each step of the converted jobs the sweep.
    pub fn sweep(&self, draft: &mut ProtocolDraft) -> Result<()> {
        let rates = self.axes.iter().any(|axis| axis.field == "rate");
        if rates && self.axes.iter().any(|axis| axis.field == "threads") {
            let what = "--rate_iops is the rate of each job, and --numjobs is a list";
            return Err(misused(what, "give one of the two a single value"));
        }
        for step in draft.steps.iter_mut().filter(|_| !self.axes.is_empty()) {
            let [stream] = &mut step.streams[..] else {
                let what = "sequential jobs on one device are streams of their own, and a list \
                            varies one stream";
                return Err(failed(what, "use --numjobs 1, or one value for each option"));
            };
            let name = &stream.name;
            let table = |axis: &SweepAxis| {
                let values = axis.values.join(", ");
                format!("{{ axis = \"{name}.{}\", values = [{values}] }}", axis.field)
            };
            let tables: Vec<String> = self.axes.iter().map(table).collect();
            step.sweep = Some(match &tables[..] {
                [one] => one.clone(),
                several => format!("[{}]", several.join(", ")),
            });
            for axis in &self.axes {
                match axis.field {
                    "depth" => stream.depth = 1,
                    "threads" => stream.threads = 1,
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

/// The words of a command line, with options of fio that `dyno bench` does not list in the form in
/// which it takes them: `--invalidate=1` becomes `--fio-option invalidate=1`.
pub fn with_options_of_fio(bench: &Command, words: Vec<OsString>) -> Vec<OsString> {
    let is_bench = words.get(1).is_some_and(|word| word == bench.get_name());
    let own = |name: &str| {
        bench.get_arguments().any(|arg| {
            let all = arg.get_long_and_visible_aliases().unwrap_or_default();
            all.contains(&name) || arg.get_long() == Some(name)
        })
    };
    let mut out = Vec::new();
    let mut rest = words.into_iter().peekable();
    let mut is_over = !is_bench;
    while let Some(word) = rest.next() {
        is_over |= word == "--";
        let text = word.to_str().and_then(|word| word.strip_prefix("--")).unwrap_or_default();
        let (written, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_string())),
            None => (text, None),
        };
        let found = option_named(&written.replace('-', "_"));
        let Some(found) = found.filter(|_| !is_over && !written.is_empty() && !own(written)) else {
            out.push(word);
            continue;
        };
        let value = match value {
            None if found.flag => "1".to_string(),
            None => {
                let next = rest.next_if(|next| !next.to_string_lossy().starts_with("--"));
                next.map_or("1".to_string(), |next| next.to_string_lossy().into_owned())
            }
            Some(value) => value,
        };
        out.extend(["--fio-option".into(), format!("{}={value}", found.name).into()]);
    }
    out
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Typed {
        #[command(flatten)]
        load: LoadOptions,
    }

    fn drafted(words: &[&str]) -> Result<LoadDraft> {
        Typed::parse_from([&["bench"], words].concat()).load.draft()
    }

    #[test]
    fn lists_are_axes_or_jobs_of_their_own() {
        let made = drafted(&["--bs", "4k,16K", "--iodepth", "1,32", "--rw", "read,randread"]);
        let made = made.expect("a load");
        let axes: Vec<(&str, String)> =
            made.axes.iter().map(|axis| (axis.field, axis.values.join(" "))).collect();
        assert_eq!(axes, [("block", "\"4KiB\" \"16KiB\"".into()), ("depth", "1 32".into())]);
        let jobs = made.arguments.iter().filter(|word| word.starts_with("--name="));
        assert_eq!(jobs.collect::<Vec<_>>(), ["--name=read", "--name=randread"]);
        for word in ["--bs=16384", "--iodepth=32", "--ioengine=io_uring", "--direct=1"] {
            assert!(made.arguments.iter().any(|own| own == word), "{word}");
        }
    }

    #[test]
    fn sizes_have_the_units_of_the_trade() {
        for (written, bytes) in
            [("4k", "4096"), ("4K", "4096"), ("4KiB", "4096"), ("1m", "1048576")]
        {
            let made = drafted(&["--bs", written]).expect(written);
            assert!(made.arguments.contains(&format!("--bs={bytes}")), "{written}");
        }
        let refused = drafted(&["--bs", "4KB"]).err().expect("refused").to_string();
        assert!(refused.contains("4K is 4,096 bytes"), "{refused}");
        for wrong in [&["--iodepth", "0"][..], &["--bs", "4k,"], &["--rate_iops", "x"]] {
            assert!(drafted(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn other_options_of_fio_are_taken_as_fio_writes_them() {
        let bench = crate::cmd::command();
        let bench = bench.find_subcommand("bench").expect("the command");
        let changed = |words: &[&str]| {
            let words = ["dyno", "bench"].iter().chain(words).map(OsString::from).collect();
            let changed = with_options_of_fio(bench, words);
            changed[2..].iter().map(|w| w.to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(changed(&["--group_reporting"]), ["--fio-option", "group_reporting=1"]);
        assert_eq!(
            changed(&["--group-reporting", "/a"]),
            ["--fio-option", "group_reporting=1", "/a"]
        );
        assert_eq!(changed(&["--invalidate", "1"]), ["--fio-option", "invalidate=1"]);
        assert_eq!(changed(&["--random_distribution=zipf:1.1"]).len(), 2);
        for own in [&["--rw", "read"][..], &["--ramp-time=5"], &["--bogus"], &["--", "--thread"]] {
            assert_eq!(changed(own), own, "{own:?}");
        }
    }
}
