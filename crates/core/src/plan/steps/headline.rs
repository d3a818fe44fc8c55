//! The headline of a protocol, and the figures printed by each step's source.

use crate::base::units::{Rate, parse_bytes, parse_rate};
use crate::plan::model::headline::{AxisPlace, Headline};
use crate::plan::model::{Field, Step, Sweep};
use crate::plan::search::PERCENTILES;
use crate::plan::syntax::fields::{self, Fields};
use crate::plan::syntax::mistakes::{Mistakes, remedy};
use crate::plan::syntax::node::{Node, NodeValue};

/// The metrics of comparisons, besides the percentiles and ops of one class per minute
/// ("new-orders/min").
pub const METRICS: &[&str] = &["ops/s", "MB/s", "mean", "ops/s/W", "MB/s/W", "J/op", "J/TB", "WAF"];

/// The figures that a step may name, as their files are called.
pub const FIGURES: &[&str] = &[
    "ops",
    "mb",
    "mean",
    "p99",
    "mean-against-ops",
    "p99-against-ops",
    "mean-against-rate",
    "p99-against-rate",
    "per-minute",
    "neighbours",
    "percentiles",
    "over-time",
    "drives",
    "instances",
    "watts",
    "ops-per-watt",
    "watts-against-ops",
    "power-over-time",
    "waf",
    "waf-over-time",
    "waterfall",
    "response-over-time",
];

/// More than this belongs in the appendix.
const MOST_FIGURES: usize = 4;

const PLACES: [(&str, AxisPlace); 5] = [
    ("top", AxisPlace::Top),
    ("mean", AxisPlace::Mean),
    ("equal-load", AxisPlace::EqualLoad),
    ("equal-latency", AxisPlace::EqualLatency),
    ("limit", AxisPlace::Limit),
];

/// Whether a step's sweep has this place.
fn suits(place: AxisPlace, step: &Step) -> bool {
    let field = step.sweep.as_ref().map(|s| s.field);
    match place {
        AxisPlace::Top => true,
        AxisPlace::Mean | AxisPlace::Value(_) => field.is_some(),
        AxisPlace::EqualLoad => field == Some(Field::LoadPercent),
        AxisPlace::EqualLatency => matches!(field, Some(Field::LoadPercent | Field::OpsPerSec)),
        AxisPlace::Limit => step.sweep.as_ref().is_some_and(|s| s.search.is_some()),
    }
}

/// Whether a word names a metric.
pub fn is_metric(word: &str) -> bool {
    let mut known = METRICS.iter().copied().chain(PERCENTILES.iter().map(|(name, _)| *name));
    let plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
    let class = |class: &str| !class.is_empty() && class.len() <= 64 && class.bytes().all(plain);
    known.any(|known| known == word) || word.strip_suffix("s/min").is_some_and(class)
}

/// Reads the headline of a protocol with these steps. One of the `written` steps that has a mistake
/// is not missing.
pub fn headline(
    node: &Node,
    (steps, written): (&[Step], &[&str]),
    log: &mut Mistakes,
) -> Option<Headline> {
    let mut table = Fields::of(node, "a headline", log)?;
    let step_node = table.need("step", "the name of a step", log);
    let metric_node = table.need("metric", "\"ops/s\"", log);
    let at_node = table.get("at");
    table.finish(log);
    let (step_node, metric_node) = (step_node?, metric_node?);
    let name = fields::text(step_node, log)?;
    let Some(step) = steps.iter().find(|s| s.name == name) else {
        if written.contains(&name.as_str()) {
            return None;
        }
        let help = remedy(&name, "steps", steps.iter().map(|s| s.name.as_str()));
        log.note(
            step_node.at,
            format!("there is no step '{name}' for the headline"),
            "unknown step",
            help,
        );
        return None;
    };
    let metric = fields::text(metric_node, log)?;
    let (stream, word) =
        metric.rsplit_once(':').map_or((None, metric.as_str()), |(s, word)| (Some(s), word));
    if !is_metric(word) {
        let known = METRICS.iter().copied().chain(PERCENTILES.iter().map(|(name, _)| *name));
        let help = remedy(word, "metrics", known);
        log.note(metric_node.at, format!("there is no metric '{word}'"), "unknown metric", help);
    }
    if let Some(stream) = stream.filter(|stream| !step.streams.iter().any(|s| s.name == **stream)) {
        let help = remedy(stream, "streams", step.streams.iter().map(|s| s.name.as_str()));
        log.note(
            metric_node.at,
            format!("the step has no stream '{stream}'"),
            "unknown stream",
            help,
        );
    }
    let at = match at_node {
        Some(node) => place(node, step, log)?,
        None => AxisPlace::of_step(step),
    };
    Some(Headline { step: name, metric, at })
}

fn place(node: &Node, step: &Step, log: &mut Mistakes) -> Option<AxisPlace> {
    let words = || PLACES.iter().map(|(word, _)| *word);
    let found = match &node.value {
        NodeValue::Whole(n) => Some(AxisPlace::Value(*n as f64)),
        NodeValue::Number(n) => Some(AxisPlace::Value(*n)),
        NodeValue::Text(text) => match PLACES.iter().find(|(word, _)| word == text) {
            Some((_, place)) => Some(*place),
            None => value(text, step.sweep.as_ref()?).map(AxisPlace::Value),
        },
        _ => None,
    };
    match found {
        Some(place) if suits(place, step) => Some(place),
        Some(_) => {
            let message = format!("the sweep of step '{}' has no such place", step.name);
            let help =
                "equal-load and equal-latency need a sweep of load, limit a search, mean any sweep";
            log.note(node.at, message, "does not suit the sweep", help);
            None
        }
        None => {
            let help = format!(
                "write {}, or one of the sweep's values",
                words().collect::<Vec<_>>().join(", ")
            );
            log.note(node.at, "this is not a place on the step's axis", "unknown place", help);
            None
        }
    }
}

fn value(text: &str, sweep: &Sweep) -> Option<f64> {
    match sweep.field {
        Field::Knob => {
            let at = sweep.knob.as_ref()?.values.iter().position(|(written, _)| written == text)?;
            sweep.values.get(at).copied()
        }
        Field::Block => parse_bytes(text).ok().map(|bytes| bytes as f64),
        Field::OpsPerSec | Field::BytesPerSec => Some(match parse_rate(text).ok()? {
            Rate::OpsPerSec(rate) | Rate::BytesPerSec(rate) => rate,
        }),
        _ => text.parse().ok(),
    }
}

/// Reads `figures = ["ops", "p99-against-ops"]` of a step.
pub fn figures(node: &Node, log: &mut Mistakes) -> Option<Vec<String>> {
    let items = fields::some_items(node, "figures", log);
    if items.len() > MOST_FIGURES {
        let help = format!("use at most {MOST_FIGURES}; all others are in the appendix");
        log.note(node.at, "a step leads with a few figures", "too many", help);
    }
    items.iter().map(|item| fields::choice(item, FIGURES, log).map(str::to_string)).collect()
}
