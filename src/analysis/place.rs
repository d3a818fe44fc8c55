//! Where in the order of its block a point was measured: who comes second may meet another drive than who comes first.

use crate::plan::{Order, Plan, PointKey};

/// From 0; none where the subjects do not take turns.
pub fn of(plan: &Plan, key: &PointKey) -> Option<u32> {
    if plan.order != Order::Interleaved || plan.subjects.len() < 2 {
        return None;
    }
    let at = plan.subjects.iter().position(|s| s.name == key.subject)? as u32;
    let last = plan.subjects.len() as u32 - 1;
    Some(if key.repeat % 2 == 0 { last - at } else { at })
}
