//! fio's options as a load: units resolved, defaults filled in, and options that only name, place
//! or record a run omitted.

use std::collections::BTreeMap;

use serde_json::Value;

use super::load::{Load, field};
use super::text::{leading, time_unit};

/// fio counts latencies up to about 17 s, and an op takes a nanosecond at least.
pub const MOST_OPS: u64 = 1 << 50;

/// The line that fio prints after a signal.
pub const TERMINATED: &str = "terminating on signal";

/// Options that do not define a load: names, places, logs, output and seeds.
const NOT_OF_THE_LOAD: &[&str] = &[
    "allow_file_create",
    "allow_mounted_write",
    "clat_percentiles",
    "create_fsync",
    "create_serialize",
    "description",
    "directory",
    "disable_bw_measurement",
    "disable_clat",
    "disable_lat",
    "disable_slat",
    "eta",
    "eta-newline",
    "filename",
    "filename_format",
    "group_reporting",
    "gtod_reduce",
    "hostname",
    "include",
    "lat_percentiles",
    "minimal",
    "name",
    "new_group",
    "opendir",
    "output",
    "output-format",
    "per_job_logs",
    "percentile_list",
    "random_generator",
    "randrepeat",
    "allrandrepeat",
    "randseed",
    "significant_figures",
    "slat_percentiles",
    "stats",
    "status-interval",
    "stonewall",
    "thread",
    "unified_rw_reporting",
    "unlink",
    "unlink_each_loop",
    "wait_for",
    "wait_for_previous",
];

/// Engines with one request in flight, regardless of `iodepth`.
const SYNCHRONOUS: &[&str] = &[
    "falloc",
    "filecreate",
    "filedelete",
    "filestat",
    "ftruncate",
    "mmap",
    "psync",
    "pvsync",
    "pvsync2",
    "splice",
    "sync",
    "vsync",
];

/// The options of a job over the global ones; None if the source has neither.
pub fn merged(global: &Value, job: &Value) -> Option<BTreeMap<String, String>> {
    if global.is_null() && job.is_null() {
        return None;
    }
    let mut all = BTreeMap::new();
    for options in [global, job] {
        for (key, value) in options.as_object().into_iter().flatten() {
            let text = match value {
                Value::String(text) => text.trim().to_string(),
                Value::Null => String::new(),
                other => other.to_string(),
            };
            all.insert(alias(key).to_string(), text);
        }
    }
    Some(all)
}

/// The primary name of an option in fio's manual.
fn alias(key: &str) -> &str {
    match key {
        "rw" | "readwrite" => "rw",
        "bs" | "blocksize" => "bs",
        "bsrange" | "blocksize_range" => "bsrange",
        "nrfiles" | "nr_files" => "nrfiles",
        "offset" | "file_offset" => "offset",
        "iodepth_batch" | "iodepth_batch_submit" => "iodepth_batch",
        "runtime" | "timeout" => "runtime",
        other => other,
    }
}

/// `rw`, without the suffixes of its sequence.
pub fn pattern(options: &BTreeMap<String, String>) -> String {
    let rw = options.get("rw").map_or("read", |rw| rw.split(':').next().unwrap_or(rw).trim());
    let name = match rw {
        "" => "read",
        "readwrite" => "rw",
        "randwriteread" => "randrw",
        other => other,
    };
    name.to_string()
}

/// The options that define the load of a job.
pub fn load(options: &BTreeMap<String, String>) -> Load {
    let mut load = Load::default();
    let get = |key: &str| options.get(key).map(String::as_str).filter(|value| !value.is_empty());
    let flag = |key: &str| options.get(key).is_some_and(|value| value != "0");
    let pattern = pattern(options);
    load.set(field::PATTERN, pattern.as_str());
    if let Some((_, every)) = get("rw").and_then(|rw| rw.split_once(':')) {
        load.set("requests before a jump", every);
    }
    set_size(&mut load, field::BLOCK, get("bs").unwrap_or("4k"));
    if get("bssplit").or(get("bsrange")).is_some() {
        load.forget(field::BLOCK);
    }
    let engine = get("ioengine").unwrap_or("psync").split(':').next().unwrap_or("psync");
    load.set(field::ENGINE, engine);
    let count = |key: &str| get(key).and_then(|n| n.parse::<f64>().ok()).unwrap_or(1.0);
    load.set(field::THREADS, count("numjobs"));
    let depth = if SYNCHRONOUS.contains(&engine) { 1.0 } else { count("iodepth") };
    load.set(field::DEPTH, depth);
    if pattern.ends_with("rw") {
        let written = get("rwmixwrite").and_then(|n| n.parse::<f64>().ok()).map(|n| 100.0 - n);
        let read = get("rwmixread").and_then(|n| n.parse::<f64>().ok());
        load.set(field::READS, read.or(written).unwrap_or(50.0));
    }
    let buffered = options.get("buffered").is_some_and(|value| value == "0");
    load.set("direct", if flag("direct") || buffered { "yes" } else { "no" });
    for (key, name) in
        [("size", field::SIZE), ("rate", field::BANDWIDTH), ("io_size", "moved bytes")]
    {
        if let Some(text) = get(key) {
            set_size(&mut load, name, text);
        }
    }
    if let Some(text) = get("rate_iops") {
        load.set_text(field::RATE, text);
    }
    if let Some(seconds) = get("runtime").and_then(seconds).filter(|s| *s > 0.0) {
        load.set("runtime", runtime_class(seconds));
    }
    if flag("time_based") {
        load.set("ends", "by time");
    }
    let taken = [
        "rw",
        "bs",
        "ioengine",
        "numjobs",
        "iodepth",
        "rwmixread",
        "rwmixwrite",
        "direct",
        "buffered",
        "size",
        "rate",
        "io_size",
        "rate_iops",
        "runtime",
        "time_based",
    ];
    for (key, value) in options {
        let of_a_log =
            key.starts_with("write_") && key.ends_with("_log") || key.starts_with("log_");
        let left = NOT_OF_THE_LOAD.contains(&key.as_str()) || of_a_log;
        // Off is fio's default for all of these.
        if left || taken.contains(&key.as_str()) || value == "0" {
            continue;
        }
        load.set(key, if value.is_empty() { "1" } else { value.as_str() });
    }
    load
}

/// Classes of runtimes between which a drive may behave differently.
fn runtime_class(seconds: f64) -> &'static str {
    match seconds {
        s if s < 10.0 => "below 10 s",
        s if s < 60.0 => "10 s to 1 min",
        s if s < 600.0 => "1 to 10 min",
        s if s < 3600.0 => "10 min to 1 h",
        _ => "1 h or longer",
    }
}

fn set_size(load: &mut Load, name: &str, text: &str) {
    // "4k,4k" and "4k-4k" are one size.
    let parts: Vec<Option<f64>> = text.split([',', '-']).map(bytes).collect();
    match parts[..] {
        [Some(first), ..] if parts.iter().all(|part| *part == Some(first)) => load.set(name, first),
        _ => load.set(name, text),
    }
}

/// A size as fio reads it with its default `kb_base=1024`: k is 1024, and ki is 1000.
pub fn bytes(text: &str) -> Option<f64> {
    let (number, unit) = leading(text)?;
    let unit = unit.trim().to_lowercase();
    let power = match unit.chars().next() {
        None | Some('b') => 0,
        Some(letter) => ['k', 'm', 'g', 't', 'p'].iter().position(|own| *own == letter)? + 1,
    };
    let base: f64 = match unit.get(1..) {
        Some("i" | "ib") => 1000.0,
        None | Some("" | "b") => 1024.0,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * base.powi(power as i32))
}

/// A time as fio reads it: seconds without a unit.
pub fn seconds(text: &str) -> Option<f64> {
    let mut rest = text.trim();
    let mut sum = 0.0;
    while !rest.is_empty() {
        let (number, after) = leading(rest)?;
        let end = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, next) = after.split_at(end);
        let scale = match unit.trim_matches([' ', ':']) {
            "" => 1e9,
            unit => time_unit(unit)?,
        };
        sum += number.parse::<f64>().ok()? * scale;
        rest = next;
    }
    Some(sum / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_are_what_fio_takes_them_for() {
        for (text, n) in
            [("4k", 4096.0), ("4K", 4096.0), ("1m", 1_048_576.0), ("512", 512.0), ("4KiB", 4000.0)]
        {
            assert_eq!(bytes(text), Some(n), "{text}");
        }
        assert_eq!((bytes("50%"), bytes("4k,64k")), (None, None));
        for (text, s) in [("60", 60.0), ("5m", 300.0), ("1h", 3600.0), ("500ms", 0.5)] {
            assert_eq!(seconds(text), Some(s), "{text}");
        }
    }

    #[test]
    fn a_synchronous_engine_has_one_request_in_flight() {
        for (engine, depth) in [("psync", 1.0), ("libaio", 32.0), ("io_uring", 32.0)] {
            let options =
                [("ioengine", engine), ("iodepth", "32")].map(|(k, v)| (k.into(), v.into()));
            let own = load(&BTreeMap::from(options));
            assert_eq!(own.number(field::DEPTH), Some(depth), "{engine}");
        }
    }
}
