//! Repeats of each point: a number, or until its estimate is narrow enough.

use crate::plan::model::{Protocol, Until};
use crate::plan::syntax::fields::{self, Fields};
use crate::plan::syntax::mistakes::Mistakes;
use crate::plan::syntax::node::{Node, NodeValue};

/// The maximum number of repeats.
const MOST: u32 = 10_000;

/// A longer point is repeated less often by default.
pub const LONG_POINT_NS: u64 = 600_000_000_000;

/// The default number of repeats: three is the minimum for a comparison, and five detect
/// differences that three do not, if they take minutes and not hours.
pub fn default(protocol: &Protocol) -> u32 {
    let longest_ns = protocol.steps.iter().map(|step| step.point_ns()).max();
    if longest_ns.unwrap_or(0) > LONG_POINT_NS { 3 } else { 5 }
}

/// Reads `repeats = 3` or `repeats = { until = "2%", at_least = 3, at_most = 10 }`: the maximum,
/// and the condition for fewer.
pub fn repeats(node: &Node, log: &mut Mistakes) -> Option<(u32, Option<Until>)> {
    if !matches!(node.value, NodeValue::Table(_)) {
        return fields::count(node, MOST, log).map(|n| (n, None));
    }
    let mut table = Fields::of(node, "repeats", log)?;
    let until = table.need("until", "\"2%\"", log);
    let (least, most) = (table.get("at_least"), table.need("at_most", "10", log));
    table.finish(log);
    let percent = until.and_then(|n| percent(n, log));
    let at_least =
        least.map_or(Some(3), |n| fields::whole(n, 2, u64::from(MOST), log).map(|n| n as u32));
    let at_most = most.and_then(|n| fields::count(n, MOST, log));
    let (percent, at_least, at_most) = (percent?, at_least?, at_most?);
    if at_most < at_least {
        let message = format!("at_most = {at_most} is below at_least = {at_least}");
        log.note(
            most?.at,
            message,
            "too few",
            format!("write {at_least} or more, or lower at_least"),
        );
        return None;
    }
    Some((at_most, Some(Until { percent, at_least })))
}

fn percent(node: &Node, log: &mut Mistakes) -> Option<f64> {
    let written = fields::text(node, log)?;
    let number = written.trim().strip_suffix('%').and_then(|n| n.trim().parse::<f64>().ok());
    let fit = number.filter(|p| *p > 0.0 && *p < 100.0);
    if fit.is_none() {
        let help = "half the width of the 95 % interval, of the figure: as in \"2%\"";
        log.note(
            node.at,
            format!("'{written}' is not a percentage above 0 and below 100"),
            "not a percentage",
            help,
        );
    }
    fit
}
