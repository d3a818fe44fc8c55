//! What all parts of a run have in common.

use crate::plan::Plan;
use crate::run::display::progress::Progress;
use crate::run::display::time::RunClock;

#[derive(Clone, Copy)]
pub struct RunContext<'a> {
    pub plan: &'a Plan,
    pub time: RunClock<'a>,
    /// What the user sees meanwhile.
    pub progress: &'a Progress,
}
