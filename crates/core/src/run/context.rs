//! Shared by all parts of a run.

use crate::plan::Plan;
use crate::run::display::progress::Progress;
use crate::run::display::time::RunClock;

#[derive(Clone, Copy)]
pub struct RunContext<'a> {
    pub plan: &'a Plan,
    pub time: RunClock<'a>,
    /// The display.
    pub progress: &'a Progress,
}
