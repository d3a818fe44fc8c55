//! Sweeps: the field of a stream that varies, and its values.

use crate::base::units::Rate;
use crate::plan::info::KnobKind;
use crate::plan::model::{Field, Load, Sweep, SweptKnob};
use crate::plan::search;
use crate::plan::steps::knobs::{self, check_depth};
use crate::plan::steps::stream::{MOST_INSTANCES, StreamSpec};
use crate::plan::syntax::fields::{self, Fields};
use crate::plan::syntax::mistakes::{Mistakes, SourceSpan, remedy};
use crate::plan::syntax::node::Node;

/// The axis that multiplies the rates of all streams of a step that have one.
const RATES: &str = "rates";

/// Fields of streams.
pub const WORDS: &[&str] = &["threads", "depth", "rate", "load", "block", "instances", "scale"];

/// Knobs of workloads whose values are words, times or whole numbers. No knob is among them that
/// decides what may be read or written.
pub const KNOBS: &[&str] = &["device", "start", "remap", "pace", "search_list", "beam"];

/// More points than a sweep needs.
const MOST_VALUES: usize = 10_000;

impl Field {
    /// Its name in an axis.
    fn word(self, knob: Option<&SweptKnob>) -> &str {
        match self {
            Field::Threads => "threads",
            Field::Depth => "depth",
            Field::OpsPerSec | Field::BytesPerSec => "rate",
            Field::LoadPercent => "load",
            Field::Block => "block",
            Field::Instances => "instances",
            Field::Scale => "scale",
            Field::Rates => RATES,
            Field::Knob => knob.map_or("", |knob| &knob.name),
        }
    }
}

impl Sweep {
    /// The axis in the plan's notation: "read.threads"; "rates" for all streams.
    pub fn axis_name(&self) -> String {
        match self.field {
            Field::Rates => RATES.to_string(),
            field => format!("{}.{}", self.stream, field.word(self.knob.as_ref())),
        }
    }
}

/// Reads a sweep. `names` are all streams of the step, including unresolved ones.
pub fn sweep(
    node: &Node,
    streams: &[StreamSpec],
    names: &[String],
    log: &mut Mistakes,
) -> Option<Sweep> {
    let mut table = Fields::of(node, "a sweep", log)?;
    let axis_node = table.need("axis", "\"STREAM.threads\"", log);
    let values_node = table.get("values");
    let percent_node = table.get("percent");
    let range = [table.get("from"), table.get("to"), table.get("by")];
    let search_node = table.get("search");
    table.finish(log);
    let axis_node = axis_node?;
    let (stream, word) = axis(axis_node, names, log)?;
    let spec = streams.iter().find(|s| s.stream.name == stream);
    if KNOBS.contains(&word) {
        if let Some(node) = search_node {
            let help = "search among rates, instances or threads, or leave search out";
            log.note(node.at, "a knob of a workload cannot be searched", "here", help);
        }
        let listed = [percent_node, range[0], range[1], range[2]].iter().all(Option::is_none);
        let values = values_node.filter(|_| listed);
        let Some(values) = values else {
            let help = format!("as in sweep = {{ axis = \"{stream}.{word}\", values = [ … ] }}");
            log.note(node.at, format!("a sweep of '{word}' takes 'values'"), "here", help);
            return None;
        };
        return swept_knob((stream, word), spec, (axis_node, values), log);
    }
    let reading = SweepReader { at: node.at, word };
    let values = match (word, values_node, percent_node, range) {
        ("load", None, Some(percent), [None, None, None]) => reading.list(percent, log)?,
        ("load", ..) => {
            let help = "as in sweep = { axis = \"io.load\", percent = [10, 50, 100] }";
            log.note(node.at, "a load sweep takes 'percent', and nothing else", "here", help);
            return None;
        }
        (_, Some(values), None, [None, None, None]) => reading.list(values, log)?,
        (_, None, None, [Some(from), Some(to), Some(by)]) => reading.range(from, to, by, log)?,
        _ => {
            let help = "give values = [ … ], or all of from, to and by; percent is for load";
            log.note(
                node.at,
                "a sweep takes either 'values' or 'from', 'to' and 'by'",
                "here",
                help,
            );
            return None;
        }
    };
    let (field, values) = reading.checked(values, log)?;
    let mut sweep = Sweep { stream: stream.to_string(), field, values, knob: None, search: None };
    if let Some(spec) = spec {
        check_stream(spec, &sweep, values_node.unwrap_or(node), axis_node, log);
    }
    if field == Field::Rates && !streams.iter().any(|s| matches!(s.stream.load, Load::Rate(_))) {
        let help = "give at least one stream a rate, as in rate = \"2000/s\"";
        log.note(axis_node.at, "no stream of the step has a rate to multiply", "here", help);
    }
    sweep.search = search_node.and_then(|node| search::search(node, names, log));
    if let (Some(node), Field::LoadPercent) = (search_node, field) {
        let help = "search among rates, instances or threads, or leave search out";
        log.note(node.at, "a share of the maximum cannot be searched", "needs the maximum", help);
    }
    Some(sweep)
}

/// A sweep of a knob of the stream's workload.
fn swept_knob(
    (stream, name): (&str, &str),
    spec: Option<&StreamSpec>,
    (axis, values): (&Node, &Node),
    log: &mut Mistakes,
) -> Option<Sweep> {
    let workload = spec?.workload;
    let Some(knob) = workload.knobs.iter().find(|knob| knob.name == name) else {
        let message = format!("the workload '{}' has no '{name}' to sweep", workload.name);
        log.note(axis.at, message, "no such knob", "sweep a knob that the workload has");
        return None;
    };
    let mut swept = SweptKnob { name: name.to_string(), values: Vec::new() };
    for item in fields::some_items(values, "values", log) {
        let Some(value) = knobs::json(knob, item, log) else { continue };
        if swept.values.iter().any(|(_, known)| *known == value) {
            twice(item, log);
            continue;
        }
        let written = match &value {
            serde_json::Value::Number(number) if item.as_text().is_none() => number.to_string(),
            _ => item.as_text().unwrap_or_default().to_string(),
        };
        swept.values.push((written, value));
    }
    let count = (1..=swept.values.len()).map(|n| n as f64).collect::<Vec<_>>();
    let (stream, field) = (stream.to_string(), Field::Knob);
    (!count.is_empty()).then_some(Sweep {
        stream,
        field,
        values: count,
        knob: Some(swept),
        search: None,
    })
}

fn twice(item: &Node, log: &mut Mistakes) {
    let help = "leave one out; use repeats to measure again";
    log.note(item.at, "this value is swept twice", "again", help);
}

/// The stream and the field that an axis names.
fn axis<'n>(node: &'n Node, names: &[String], log: &mut Mistakes) -> Option<(&'n str, &'n str)> {
    fields::text(node, log)?;
    let axis = node.as_text()?;
    if axis == RATES {
        return Some(("", RATES));
    }
    let Some((stream, word)) = axis.rsplit_once('.') else {
        let help = format!(
            "write STREAM.FIELD, or \"{RATES}\" for those of all streams; streams: {}; fields: {}",
            names.join(", "),
            [WORDS, KNOBS].concat().join(", ")
        );
        log.note(node.at, format!("'{axis}' is not a field of a stream"), "no field", help);
        return None;
    };
    if !names.iter().any(|n| n == stream) {
        let help = remedy(stream, "streams of this step", names.iter().map(String::as_str));
        log.note(
            node.at,
            format!("the step has no stream '{stream}' to sweep"),
            "unknown stream",
            help,
        );
        return None;
    }
    if !WORDS.contains(&word) && !KNOBS.contains(&word) {
        let help = remedy(word, "fields", WORDS.iter().chain(KNOBS).copied());
        log.note(
            node.at,
            format!("a stream has no field '{word}' to sweep"),
            "unknown field",
            help,
        );
        return None;
    }
    Some((stream, word))
}

/// The requirements for the swept stream.
fn check_stream(
    spec: &StreamSpec,
    Sweep { field, values, .. }: &Sweep,
    at: &Node,
    axis: &Node,
    log: &mut Mistakes,
) {
    if *field == Field::Depth {
        check_depth(spec.engine, values.iter().copied().fold(0.0, f64::max), at.at, log);
    }
    let has_block =
        spec.workload.knobs.iter().any(|k| k.name == "block" && k.kind == KnobKind::Sizes);
    if *field == Field::Block && !has_block {
        let message = format!("the workload '{}' has no block size to sweep", spec.workload.name);
        log.note(axis.at, message, "no such knob", "sweep the block of random or sequential");
    }
    if *field == Field::Scale && !spec.workload.knobs.iter().any(|knob| knob.name == "scale") {
        let message = format!("the workload '{}' has no recorded times", spec.workload.name);
        log.note(axis.at, message, "no such knob", "sweep the rate, or the scale of a trace");
    }
}

/// How one sweep's values are read.
struct SweepReader<'a> {
    at: SourceSpan,
    word: &'a str,
}

impl SweepReader<'_> {
    fn one(&self, node: &Node, log: &mut Mistakes) -> Option<(Field, f64)> {
        match self.word {
            "threads" => fields::count(node, 65_536, log).map(|n| (Field::Threads, f64::from(n))),
            "instances" => {
                fields::count(node, MOST_INSTANCES, log).map(|n| (Field::Instances, f64::from(n)))
            }
            "depth" => fields::count(node, u32::MAX, log).map(|n| (Field::Depth, f64::from(n))),
            "load" => fields::number(node, 0.001, 1000.0, log).map(|n| (Field::LoadPercent, n)),
            RATES => fields::number(node, 0.001, 1e6, log).map(|n| (Field::Rates, n)),
            "scale" => fields::number(node, 0.01, 1000.0, log).map(|n| (Field::Scale, n)),
            "rate" => fields::rate(node, log).map(|rate| match rate {
                Rate::OpsPerSec(ops) => (Field::OpsPerSec, ops),
                Rate::BytesPerSec(bytes) => (Field::BytesPerSec, bytes),
            }),
            _ => match fields::block_bytes(node, log)? {
                0 => {
                    log.note(
                        node.at,
                        "a size of zero moves nothing",
                        "zero",
                        "write a size, for example \"4KiB\"",
                    );
                    None
                }
                bytes => Some((Field::Block, bytes as f64)),
            },
        }
    }

    fn list(&self, node: &Node, log: &mut Mistakes) -> Option<Vec<(Field, f64)>> {
        let items = fields::list(node, "values", log);
        if items.is_empty() && matches!(node.value, crate::plan::syntax::node::NodeValue::List(_)) {
            log.note(
                node.at,
                "the sweep is empty",
                "no values",
                "give at least one value, or leave the sweep out",
            );
        }
        let mut values: Vec<(Field, f64)> = Vec::new();
        for item in items {
            let Some(value) = self.one(item, log) else { continue };
            if values.contains(&value) {
                twice(item, log);
                continue;
            }
            values.push(value);
        }
        (!values.is_empty()).then_some(values)
    }

    fn range(
        &self,
        from: &Node,
        to: &Node,
        by: &Node,
        log: &mut Mistakes,
    ) -> Option<Vec<(Field, f64)>> {
        let all = (self.one(from, log), self.one(to, log), self.one(by, log));
        let ((field, first), (to_field, last), (by_field, step)) = (all.0?, all.1?, all.2?);
        if field != to_field || field != by_field {
            self.mixed(log);
            return None;
        }
        if last < first {
            log.note(
                to.at,
                "the sweep is empty: it ends below its start",
                "below 'from'",
                "let 'to' be above 'from'",
            );
            return None;
        }
        let count = ((last - first) / step * (1.0 + 1e-12)).floor() as usize + 1;
        if count > MOST_VALUES {
            let help = format!("let 'by' be larger; at most {MOST_VALUES} values are taken");
            log.note(by.at, format!("the sweep has {count} values"), "too small", help);
            return None;
        }
        Some((0..count).map(|i| (field, first + i as f64 * step)).collect())
    }

    fn mixed(&self, log: &mut Mistakes) {
        let help = "write all rates in bytes (10MB/s) or all in requests (300k/s)";
        log.note(self.at, "the sweep mixes bytes per second and requests per second", "here", help);
    }

    /// The field, and the values without it.
    fn checked(&self, values: Vec<(Field, f64)>, log: &mut Mistakes) -> Option<(Field, Vec<f64>)> {
        let field = values.first()?.0;
        if values.iter().any(|v| v.0 != field) {
            self.mixed(log);
            return None;
        }
        Some((field, values.into_iter().map(|v| v.1).collect()))
    }
}
