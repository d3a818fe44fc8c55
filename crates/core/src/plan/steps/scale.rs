//! A protocol's own variants: tables of values by path, like an override. `[scale.small]` is
//! applied by `scale = "small"` in a plan (or `--scale small`), and before it `[on_devices]`, if
//! all drives of the plan are bare devices.

use crate::plan::steps::overrides;
use crate::plan::syntax::fields;
use crate::plan::syntax::mistakes::{Mistakes, remedy};
use crate::plan::syntax::node::{Node, NodeValue};

/// Removes the variants from a protocol's tree and applies the values of those that are selected;
/// the plan's overrides follow.
pub fn apply(tree: &mut Node, are_devices: bool, chosen: Option<&Node>, log: &mut Mistakes) {
    let scales = take(tree, "scale");
    if let Some(values) = take(tree, "on_devices").filter(|_| are_devices) {
        overrides::apply(tree, values.entries(), log);
    }
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

/// Whether all drives of these subjects, of a plan or a campaign, are bare devices.
pub fn are_devices(subjects: Option<&Node>) -> bool {
    let subjects = subjects.map(Node::items).unwrap_or_default();
    let is_bare = |subject: &Node| match subject.get("drives") {
        Some(drives) => drives.items().iter().all(|drive| drive.get("device").is_some()),
        None => subject.get("path").is_none(),
    };
    !subjects.is_empty() && subjects.iter().all(is_bare)
}

fn take(tree: &mut Node, key: &str) -> Option<Node> {
    let NodeValue::Table(entries) = &mut tree.value else { return None };
    let at = entries.iter().position(|entry| entry.key == key)?;
    Some(entries.remove(at).node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::syntax::mistakes::SourceSpan;
    use crate::plan::syntax::node;

    fn scaled(are_devices: bool, chosen: Option<&str>) -> (Node, Mistakes) {
        let mut log = Mistakes::default();
        let text = "[[step]]\nname = \"a\"\nduration = \"1h\"\n[scale.small]\n\
                    \"step.a.duration\" = \"1s\"\n[on_devices]\n\
                    \"step.a.duration\" = \"2h\"\n";
        let source = log.source("test", text);
        let mut tree = node::parse(text, source, &mut log).unwrap();
        let chosen = chosen.map(|name| Node::text(SourceSpan::NOWHERE, name));
        apply(&mut tree, are_devices, chosen.as_ref(), &mut log);
        (tree, log)
    }

    #[test]
    fn a_scale_replaces_values_and_an_unknown_one_is_a_mistake() {
        let (tree, log) = scaled(false, Some("small"));
        assert!(log.is_empty());
        assert_eq!(duration(&tree), "1s");
        assert!(tree.get("scale").is_none() && tree.get("on_devices").is_none());
        assert!(!scaled(false, Some("tiny")).1.is_empty());
    }

    fn duration(tree: &Node) -> String {
        let step = &tree.get("step").unwrap().items()[0];
        step.get("duration").unwrap().as_text().unwrap().to_string()
    }

    #[test]
    fn bare_devices_have_values_of_their_own_unless_a_scale_is_chosen() {
        assert_eq!(duration(&scaled(false, None).0), "1h");
        assert_eq!(duration(&scaled(true, None).0), "2h");
        assert_eq!(duration(&scaled(true, Some("small")).0), "1s");
        for (drives, bare) in [
            ("drives = [{ device = \"/dev/a\" }]", true),
            ("drives = [{ device = \"/dev/a\" }, { path = \"/a\" }]", false),
            ("serial = \"S1\"", true),
            ("path = \"/a\"", false),
        ] {
            let (text, mut log) = (format!("[[subject]]\n{drives}\n"), Mistakes::default());
            let source = log.source("test", &text);
            let tree = node::parse(&text, source, &mut log).unwrap();
            assert_eq!(are_devices(tree.get("subject")), bare, "{drives}");
        }
        assert!(!are_devices(None));
    }
}
