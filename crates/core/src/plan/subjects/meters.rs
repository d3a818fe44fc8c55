//! Meters in a plan: `meters = ["rapl", { kind = "exec", command = ["…"], class = "drive" }]`, on a
//! subject or for the whole run; `meters = "none"` disables the permanent ones.

use crate::plan::Catalogue;
use crate::plan::model::{Component, Plan};
use crate::plan::steps::knobs;
use crate::plan::syntax::fields;
use crate::plan::syntax::mistakes::Mistakes;
use crate::plan::syntax::node::{Node, NodeValue};

/// `meters = "none"`
pub fn none(node: &Node) -> bool {
    matches!(&node.value, NodeValue::Text(word) if word == "none")
}

/// Reads a list of meters; empty if the plan has none.
pub fn meters(node: Option<&Node>, catalogue: &Catalogue, log: &mut Mistakes) -> Vec<Component> {
    let items = node.map(|n| fields::list(n, "meters, as in [\"rapl\"]", log)).unwrap_or_default();
    let resolve = |item: &Node| {
        let written = knobs::part(item, "meter", &catalogue.meters, &[], log)?;
        Some(knobs::resolve(written.info, &written.given, written.at, log))
    };
    items.iter().filter_map(resolve).collect()
}

/// Replaces values that are hidden in a bundle.
const HIDDEN: &str = "***";

/// Hides the meters' commands and requests in a bundle, because anything in them may be a secret of
/// unrecognisable form. A plan sets `public = true` if nothing is.
pub fn hide(plan: &mut Plan) {
    let of_subjects = plan.subjects.iter_mut().flat_map(|s| &mut s.meters);
    plan.meters.iter_mut().chain(of_subjects).for_each(hide_one);
}

fn hide_one(part: &mut Component) {
    if part.knobs.flag("public").unwrap_or(false) {
        return;
    }
    if let Ok(words) = part.knobs.words("command") {
        let program =
            words.first().map(|word| word.rsplit('/').next().unwrap_or_default().to_string());
        let hidden = program
            .into_iter()
            .chain(std::iter::repeat_n(HIDDEN.to_string(), words.len().max(2) - 1));
        part.knobs.0.insert("command".to_string(), hidden.collect());
    }
    if let Ok(url) = part.knobs.text("url") {
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = authority.rsplit('@').next().unwrap_or_default();
        part.knobs.0.insert("url".to_string(), format!("{scheme}://{host}/{HIDDEN}").into());
    }
}

/// Whether a bundle hides this meter's command or request.
pub fn is_hidden(part: &Component) -> bool {
    let command = part.knobs.words("command").unwrap_or_default();
    command.iter().any(|word| word == HIDDEN)
        || part.knobs.text("url").is_ok_and(|url| url.ends_with(HIDDEN))
}
