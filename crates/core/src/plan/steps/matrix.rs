//! A sweep along several axes: `sweep = [{ axis = "io.block", … }, { axis = "io.depth", … }]`. The
//! step is measured at every combination. It becomes one step for each combination of the leading
//! axes' values, each of which sweeps the last axis, so that everything that reads a step reads
//! these too.

use crate::plan::steps::overrides;
use crate::plan::steps::sweep::{KNOBS, WORDS};
use crate::plan::syntax::fields::{self, Fields};
use crate::plan::syntax::mistakes::{Mistakes, SourceSpan, remedy};
use crate::plan::syntax::node::{Node, NodeEntry, NodeValue};

/// Fields that are a stream's own keys; the others are knobs of its workload.
const OF_STREAM: &[&str] = &["threads", "depth", "rate", "instances"];

/// More combinations than an experiment needs.
const MOST_STEPS: usize = 1_000;

/// Replaces each step whose sweep is a list by its steps. A headline of such a step is that of the
/// first.
pub fn expand(tree: &mut Node, log: &mut Mistakes) {
    let NodeValue::Table(entries) = &mut tree.value else { return };
    let Some(NodeValue::List(steps)) =
        entries.iter_mut().find(|entry| entry.key == "step").map(|entry| &mut entry.node.value)
    else {
        return;
    };
    let mut first_of: Vec<(String, String)> = Vec::new();
    let mut all = Vec::new();
    for step in std::mem::take(steps) {
        let axes = step.get("sweep").map(Node::items).unwrap_or_default();
        if axes.is_empty() {
            all.push(step);
            continue;
        }
        // With a mistake, the step's other parts are checked along its last axis.
        let alone = || axes.last().map(|last| along(&step, last)).into_iter().collect();
        let made = combinations(&step, axes, log).unwrap_or_else(alone);
        let name = |step: &Node| step.get("name").and_then(Node::as_text).map(str::to_string);
        if let (Some(of), Some(first)) = (name(&step), made.first().and_then(name)) {
            first_of.push((of, first));
        }
        all.extend(made);
    }
    *steps = all;
    let headline = entries.iter_mut().find(|entry| entry.key == "headline");
    let step = headline.and_then(|entry| key(&mut entry.node, "step"));
    if let Some(NodeValue::Text(name)) = step.map(|node| &mut node.value)
        && let Some((_, first)) = first_of.iter().find(|(of, _)| of == name)
    {
        name.clone_from(first);
    }
}

/// A leading axis: the path of its field in a step, its word, and its values.
struct LeadingAxis<'n> {
    at: SourceSpan,
    path: String,
    word: &'n str,
    values: &'n [Node],
}

/// None if an axis cannot be one, which is a mistake.
fn combinations(step: &Node, axes: &[Node], log: &mut Mistakes) -> Option<Vec<Node>> {
    let (last, leading) = axes.split_last()?;
    let leading: Vec<Option<LeadingAxis<'_>>> =
        leading.iter().map(|node| leading_axis(node, log)).collect();
    let leading: Vec<LeadingAxis<'_>> = leading.into_iter().collect::<Option<_>>()?;
    let count = leading.iter().map(|axis| axis.values.len()).product::<usize>();
    if count > MOST_STEPS {
        let message = format!("the sweep has {count} combinations of its leading axes");
        let help = format!("at most {MOST_STEPS} are taken; list fewer values");
        log.note(axes[0].at, message, "too many", help);
        return None;
    }
    let mut made = vec![along(step, last)];
    for axis in &leading {
        let mut all = Vec::new();
        for step in &made {
            for value in axis.values {
                all.push(with(step, axis, value, log)?);
            }
        }
        made = all;
    }
    Some(made)
}

/// The step with this sweep.
fn along(step: &Node, sweep: &Node) -> Node {
    let mut step = step.clone();
    if let Some(own) = key(&mut step, "sweep") {
        *own = sweep.clone();
    }
    step
}

/// A leading axis has a list of values, and is a field that a stream or its workload states.
fn leading_axis<'n>(node: &'n Node, log: &mut Mistakes) -> Option<LeadingAxis<'n>> {
    let mut table = Fields::of(node, "a sweep", log)?;
    let axis = table.need("axis", "\"STREAM.threads\"", log);
    let values = table.need("values", "[1, 8, 32]", log);
    table.finish(log);
    let (axis, values) = (axis?, values?);
    let written = axis.as_text().unwrap_or_default();
    let word = written.rsplit_once('.');
    let fits = |word: &str| word != "load" && (WORDS.contains(&word) || KNOBS.contains(&word));
    let Some((stream, word)) = word.filter(|(_, word)| fits(word)) else {
        let known = WORDS.iter().chain(KNOBS).copied().filter(|word| fits(word));
        let help = match written {
            "rates" => "put it last".to_string(),
            _ => remedy(word.map_or(written, |(_, word)| word), "fields", known),
        };
        let message = format!("'{written}' cannot be an axis before the last");
        log.note(axis.at, message, "no such field", help);
        return None;
    };
    let values = fields::some_items(values, "values", log);
    let place = if OF_STREAM.contains(&word) { "" } else { "workload." };
    let path = format!("stream.{stream}.{place}{word}");
    Some(LeadingAxis { at: axis.at, path, word, values })
}

/// The step at one value of an axis; None if it has no such stream.
fn with(step: &Node, axis: &LeadingAxis<'_>, value: &Node, log: &mut Mistakes) -> Option<Node> {
    let mut step = step.clone();
    let text = match &value.value {
        NodeValue::Text(text) => text.clone(),
        NodeValue::Whole(n) => n.to_string(),
        NodeValue::Number(n) => n.to_string(),
        _ => String::new(),
    };
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '-' };
    let slug: String = text.chars().map(plain).collect();
    let title = step.get("title").or(step.get("name")).cloned();
    if let (Some(at), NodeValue::Table(entries)) = (title, &mut step.value) {
        let own = format!("{}, {} {text}", at.as_text().unwrap_or_default(), axis.word);
        entries.retain(|entry| entry.key != "title");
        let node = Node::text(at.at, own);
        entries.push(NodeEntry { key: "title".to_string(), key_at: at.at, node });
    }
    if let Some(NodeValue::Text(name)) = key(&mut step, "name").map(|node| &mut node.value) {
        *name = format!("{name}-{}-{slug}", axis.word);
    }
    let entry = NodeEntry { key: axis.path.clone(), key_at: axis.at, node: value.clone() };
    overrides::put_within(&mut step, &entry, log).then_some(step)
}

fn key<'n>(table: &'n mut Node, name: &str) -> Option<&'n mut Node> {
    let NodeValue::Table(entries) = &mut table.value else { return None };
    entries.iter_mut().find(|entry| entry.key == name).map(|entry| &mut entry.node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::syntax::node;

    fn expanded(sweep: &str) -> (Vec<Node>, Mistakes, Node) {
        let mut log = Mistakes::default();
        let text = format!(
            "headline = {{ step = \"a\", metric = \"ops/s\" }}\n[[step]]\nname = \"a\"\nsweep = \
             {sweep}\n[[step.stream]]\nname = \"io\"\nworkload = {{ kind = \"random\", block = \
             \"4KiB\" }}\n"
        );
        let source = log.source("test", &text);
        let mut tree = node::parse(&text, source, &mut log).expect("TOML");
        expand(&mut tree, &mut log);
        (tree.get("step").expect("steps").items().to_vec(), log, tree)
    }

    #[test]
    fn a_sweep_along_several_axes_is_every_combination_of_their_values() {
        let (steps, log, tree) = expanded(
            "[{ axis = \"io.block\", values = [\"4KiB\", \"16KiB\"] }, { axis = \"io.threads\", \
             values = [1, 2, 4] }, { axis = \"io.depth\", values = [1, 32] }]",
        );
        assert!(log.is_empty(), "{log}");
        let name = |step: &Node| step.get("name").and_then(Node::as_text).map(str::to_string);
        let names: Vec<String> = steps.iter().filter_map(name).collect();
        assert_eq!(names.len(), 6);
        assert_eq!(names[0], "a-block-4KiB-threads-1");
        assert_eq!(names[5], "a-block-16KiB-threads-4");
        let last = &steps[5];
        assert_eq!(last.get("title").and_then(Node::as_text), Some("a, block 16KiB, threads 4"));
        let stream = &last.get("stream").expect("streams").items()[0];
        let block = stream.get("workload").and_then(|workload| workload.get("block"));
        assert_eq!(block.and_then(Node::as_text), Some("16KiB"));
        assert!(matches!(stream.get("threads").map(|n| &n.value), Some(NodeValue::Whole(4))));
        let axis = last.get("sweep").and_then(|sweep| sweep.get("axis"));
        assert_eq!(axis.and_then(Node::as_text), Some("io.depth"));
        let headline = tree.get("headline").and_then(|headline| headline.get("step"));
        assert_eq!(headline.and_then(Node::as_text), Some("a-block-4KiB-threads-1"));
    }

    #[test]
    fn an_axis_that_is_not_a_field_of_a_stream_is_a_mistake_before_the_last() {
        for sweep in [
            "[{ axis = \"rates\", values = [1] }, { axis = \"io.depth\", values = [1] }]",
            "[{ axis = \"io.load\", values = [1] }, { axis = \"io.depth\", values = [1] }]",
            "[{ axis = \"io.dept\", values = [1] }, { axis = \"io.depth\", values = [1] }]",
            "[{ axis = \"oi.block\", values = [1, 2] }, { axis = \"io.depth\", values = [1] }]",
            "[{ axis = \"io.block\", values = [] }, { axis = \"io.depth\", values = [1] }]",
        ] {
            assert!(!expanded(sweep).1.is_empty(), "{sweep}");
        }
    }
}
