//! Reads a fio job file: sections with their keys, global keys applied to each, sizes and times.

use super::draft::ProtocolDraft;

/// A value with its line number.
#[derive(Clone)]
pub struct JobValue {
    pub key: String,
    pub value: String,
    pub line: usize,
}

/// A job: global keys, then its own; the last value of a key counts.
pub struct JobSection {
    pub name: String,
    pub line: usize,
    pub set: Vec<JobValue>,
}

/// Aliases of keys.
const ALIASES: &[(&str, &str)] = &[
    ("readwrite", "rw"),
    ("blocksize", "bs"),
    ("blocksize_range", "bsrange"),
    ("io_limit", "io_size"),
    ("ba", "blockalign"),
    ("iodepth_low", "iodepth_batch"),
    ("buffer_compress_percentage", "compress"),
    ("wait_for_previous", "stonewall"),
];

pub fn jobs(text: &str, draft: &mut ProtocolDraft) -> Vec<JobSection> {
    let (mut global, mut jobs): (Vec<JobValue>, Vec<JobSection>) = (Vec::new(), Vec::new());
    let mut in_global = true;
    for (line, written) in text.lines().enumerate().map(|(i, l)| (i + 1, l.trim())) {
        let cut = [" ;", " #", "\t;", "\t#"].iter().filter_map(|mark| written.find(mark)).min();
        let written = written[..cut.unwrap_or(written.len())].trim();
        if written.is_empty() || written.starts_with([';', '#']) {
            continue;
        }
        if let Some(name) = written.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            in_global = name == "global";
            if in_global {
                // A second [global] applies to the jobs after it.
                continue;
            }
            jobs.push(JobSection { name: name.to_string(), line, set: global.clone() });
            continue;
        }
        let (key, value) = written.split_once('=').unwrap_or((written, "1"));
        let (key, value) = (key.trim().to_lowercase(), value.trim().to_string());
        if value.contains("${") {
            draft.lose(line, written, "environment variables are not expanded");
            continue;
        }
        let key = ALIASES.iter().find(|a| a.0 == key).map_or(key, |a| a.1.to_string());
        let set = JobValue { key, value, line };
        match jobs.last_mut().filter(|_| !in_global) {
            Some(job) => job.set.push(set),
            None => global.push(set),
        }
    }
    jobs
}

impl JobSection {
    pub fn find(&self, key: &str) -> Option<&JobValue> {
        self.set.iter().rev().find(|set| set.key == key)
    }

    pub fn get(&self, key: &str) -> Option<&str> {
        self.find(key).map(|set| set.value.as_str())
    }

    /// "1", or the key without a value.
    pub fn flag(&self, key: &str) -> bool {
        self.get(key).is_some_and(|value| !["0", "no", "false"].contains(&value))
    }

    pub fn lose(&self, draft: &mut ProtocolDraft, key: &str, why: &str) {
        if let Some(JobValue { value, line, .. }) = self.find(key) {
            draft.lose(*line, format!("{key}={value}"), why);
        }
    }

    pub fn count(&self, key: &str) -> u64 {
        self.get(key).and_then(|n| n.parse().ok()).unwrap_or(1).max(1)
    }

    /// fio's K is 1,024 and its Ki 1,000, or the reverse with kb_base=1000 (HOWTO, "Parameter
    /// types").
    pub fn bytes(&self, text: &str) -> Option<u64> {
        let text = text.trim().to_lowercase();
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (digits, unit) = text.split_at(end);
        let unit = unit.trim_end_matches('b');
        let (letter, other) = match unit.strip_suffix('i') {
            Some(letter) => (letter, true),
            None => (unit, false),
        };
        let binary = (self.get("kb_base") == Some("1000")) == other;
        let power = ["", "k", "m", "g", "t", "p"].iter().position(|u| *u == letter)?;
        let base: f64 = if binary { 1024.0 } else { 1000.0 };
        Some((digits.parse::<f64>().ok()? * base.powi(power as i32)) as u64)
    }
}

/// "30", "30s", "15m", "100ms".
pub fn seconds(text: &str) -> Option<f64> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let scale = match text[end..].trim() {
        "" | "s" => 1.0,
        "us" => 1e-6,
        "ms" => 1e-3,
        "m" => 60.0,
        "h" => 3600.0,
        "d" => 86400.0,
        _ => return None,
    };
    Some(text[..end].parse::<f64>().ok()? * scale)
}
