//! What all parts of a run have in common.

use super::progress::Progress;
use super::time::Time;
use crate::plan::Plan;

#[derive(Clone, Copy)]
pub struct RunContext<'a> {
    pub plan: &'a Plan,
    pub time: Time<'a>,
    /// What the user sees meanwhile.
    pub progress: &'a Progress,
}
