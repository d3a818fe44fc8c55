//! Scales: a protocol's own smaller variants. `[scale.small]` in a protocol is a table of values by
//! path, like an override, which `scale = "small"` in a plan (or `--scale small`) applies to the
//! protocol.

use crate::plan::steps::overrides;
use crate::plan::syntax::fields;
use crate::plan::syntax::mistakes::{Mistakes, remedy};
use crate::plan::syntax::node::{Node, NodeValue};

/// Removes the scales from a protocol's tree and applies the selected one's values; the plan's
/// overrides follow.
pub fn apply(tree: &mut Node, chosen: Option<&Node>, log: &mut Mistakes) {
    let scales = take(tree);
    let Some(node) = chosen else { return };
    let Some(name) = fields::text(node, log) else { return };
    let scales = scales.as_ref().map(Node::entries).unwrap_or_default();
    match scales.iter().find(|entry| entry.key == name) {
        Some(scale) => overrides::apply(tree, scale.node.entries(), log),
        None => {
            let help = match scales {
                [] => "leave it out: the protocol comes in one size".to_string(),
                _ => remedy(&name, "scales", scales.iter().map(|entry| entry.key.as_str())),
            };
            log.note(node.at, format!("the protocol has no scale '{name}'"), "unknown", help);
        }
    }
}

fn take(tree: &mut Node) -> Option<Node> {
    let NodeValue::Table(entries) = &mut tree.value else { return None };
    let at = entries.iter().position(|entry| entry.key == "scale")?;
    Some(entries.remove(at).node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::syntax::mistakes::SourceSpan;
    use crate::plan::syntax::node;

    fn scaled(chosen: &str) -> (Node, Mistakes) {
        let mut log = Mistakes::default();
        let text = "[[step]]\nname = \"a\"\nduration = \"1h\"\n[scale.small]\n\
                    \"step.a.duration\" = \"1s\"\n";
        let source = log.source("test", text);
        let mut tree = node::parse(text, source, &mut log).unwrap();
        apply(&mut tree, Some(&Node::text(SourceSpan::NOWHERE, chosen)), &mut log);
        (tree, log)
    }

    #[test]
    fn a_scale_replaces_values_and_an_unknown_one_is_a_mistake() {
        let (tree, log) = scaled("small");
        assert!(log.is_empty());
        let step = &tree.get("step").unwrap().items()[0];
        assert_eq!(step.get("duration").unwrap().as_text(), Some("1s"));
        assert!(tree.get("scale").is_none());
        assert!(!scaled("tiny").1.is_empty());
    }
}
