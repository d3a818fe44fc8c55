//! The load of an observation as data: every option that defines it, with units resolved. Two
//! observations may share a point only if their loads are equal.

use std::collections::BTreeMap;

use dyno_core::plan::Field;

/// Fields with the same name in every importer.
pub mod field {
    /// Workers.
    pub const THREADS: &str = "threads";
    /// Requests in flight for each worker.
    pub const DEPTH: &str = "depth";
    /// Bytes per request.
    pub const BLOCK: &str = "block";
    /// Percent of reads.
    pub const READS: &str = "reads";
    /// Percent of random addresses.
    pub const RANDOM: &str = "random";
    /// Order and direction of the requests.
    pub const PATTERN: &str = "pattern";
    /// Target, ops per second; infinite if unlimited.
    pub const RATE: &str = "rate";
    /// Target, bytes per second.
    pub const BANDWIDTH: &str = "bandwidth";
    /// Percent of the maximum; infinite for the maximum itself.
    pub const LOAD: &str = "load";
    /// Bytes of the region or files.
    pub const SIZE: &str = "size";
    /// Means of issuing requests.
    pub const ENGINE: &str = "engine";
    /// Rows, keys or records of the data set.
    pub const RECORDS: &str = "records";
    /// Multiples of a benchmark's smallest data set.
    pub const SCALE: &str = "scale";
    /// Copies of the load.
    pub const INSTANCES: &str = "instances";
    /// Set only if the run was ended early.
    pub const RUN: &str = "run";
}

/// A number of threads or of requests in flight, at most the maximum of a bundle; None if it is
/// below 1.
pub fn workers(number: f64) -> Option<u32> {
    (number >= 1.0).then(|| number.min(65_536.0) as u32)
}

/// Fields that can be an axis; the first of several equivalent ones is used.
const AXES: [(&str, Field); 7] = [
    (field::LOAD, Field::LoadPercent),
    (field::RATE, Field::OpsPerSec),
    (field::BANDWIDTH, Field::BytesPerSec),
    (field::DEPTH, Field::Depth),
    (field::THREADS, Field::Threads),
    (field::BLOCK, Field::Block),
    (field::INSTANCES, Field::Instances),
];

/// The name of a field that can be an axis, and its priority among them.
pub fn axis_of(name: &str) -> Option<(usize, Field)> {
    let at = AXES.iter().position(|(own, _)| *own == name)?;
    Some((at, AXES[at].1))
}

/// The field's name in a load.
pub fn name_of(axis: Field) -> &'static str {
    match axis {
        Field::Threads => field::THREADS,
        Field::Depth => field::DEPTH,
        Field::OpsPerSec => field::RATE,
        Field::BytesPerSec => field::BANDWIDTH,
        Field::LoadPercent => field::LOAD,
        Field::Block => field::BLOCK,
        Field::Instances => field::INSTANCES,
        Field::Rates => "rates",
        Field::Scale => field::SCALE,
        Field::Knob => "knob",
    }
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum LoadValue {
    /// In the field's unit.
    Number(f64),
    /// A word, or a value without a number.
    Text(String),
}

impl From<f64> for LoadValue {
    fn from(value: f64) -> LoadValue {
        LoadValue::Number(value)
    }
}

impl From<&str> for LoadValue {
    fn from(text: &str) -> LoadValue {
        LoadValue::Text(text.trim().to_string())
    }
}

impl LoadValue {
    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            LoadValue::Number(number) => Some(*number),
            LoadValue::Text(_) => None,
        }
    }

    /// As text, with the field's unit.
    pub fn text(&self, name: &str) -> String {
        let number = match self {
            LoadValue::Text(text) => return text.clone(),
            LoadValue::Number(number) => *number,
        };
        let name = name.rsplit(": ").next().unwrap_or(name);
        match name {
            _ if number.is_infinite() => "unlimited".to_string(),
            field::BLOCK | field::SIZE => in_bytes(number),
            field::BANDWIDTH => format!("{}/s", in_bytes(number)),
            field::RATE => format!("{number}/s"),
            field::READS | field::RANDOM | field::LOAD => format!("{number} %"),
            _ => number.to_string(),
        }
    }
}

/// The largest binary unit that gives a whole number.
fn in_bytes(n: f64) -> String {
    let units = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let whole = |&&(_, shift): &&(&str, u32)| n > 0.0 && n % (1u64 << shift) as f64 == 0.0;
    match units.iter().find(whole) {
        Some((unit, shift)) => format!("{} {unit}", n / (1u64 << shift) as f64),
        None => format!("{n} bytes"),
    }
}

/// The fields that define a load. A field not given by the source is absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Load(BTreeMap<String, LoadValue>);

impl Load {
    /// Sets a field.
    pub fn set(&mut self, name: &str, value: impl Into<LoadValue>) {
        self.0.insert(name.to_string(), value.into());
    }

    /// Sets a field if the source gives it.
    pub fn set_if(&mut self, name: &str, value: Option<impl Into<LoadValue>>) {
        if let Some(value) = value {
            self.set(name, value);
        }
    }

    /// Sets a field to a number if its text is one, otherwise to the text.
    pub fn set_text(&mut self, name: &str, text: &str) {
        match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => self.set(name, number),
            _ => self.set(name, text),
        }
    }

    /// Adds the load of one of several streams.
    pub fn add_stream(&mut self, stream: &str, load: &Load) {
        for (name, value) in &load.0 {
            self.0.insert(format!("{stream}: {name}"), value.clone());
        }
    }

    /// Makes a field unknown.
    pub fn forget(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// A field's value; None if the source does not give it.
    pub fn get(&self, name: &str) -> Option<&LoadValue> {
        self.0.get(name)
    }

    /// A field's number; None if the source does not give one.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.number()
    }

    /// A field's number of threads or of requests in flight.
    pub fn workers(&self, name: &str) -> Option<u32> {
        workers(self.number(name)?)
    }

    /// The names of all fields, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Whether nothing is known about it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A field's value as text.
    pub fn text(&self, name: &str) -> String {
        self.get(name).map_or("not given".to_string(), |value| value.text(name))
    }

    /// All fields as text, except one.
    pub fn texts(&self, without: Option<&str>) -> BTreeMap<String, String> {
        let all = self.0.iter().filter(|(name, _)| Some(name.as_str()) != without);
        all.map(|(name, value)| (name.clone(), value.text(name))).collect()
    }
}
