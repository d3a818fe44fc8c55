//! What all parts of a run have in common.

use super::progress::Progress;
use super::time::RunClock;
use crate::plan::Plan;

#[derive(Clone, Copy)]
pub struct RunContext<'a> {
    pub plan: &'a Plan,
    pub time: RunClock<'a>,
    /// What the user sees meanwhile.
    pub progress: &'a Progress,
}
