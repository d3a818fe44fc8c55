//! All that can be known before a run touches anything, in the order in which it is refused. A run
//! begins with it, and `dyno plan check` does the same.

use crate::base::clock::Clock;
use crate::base::error::Result;
use crate::lab::folder::pin::Pins;
use crate::plan::{self, Plan};
use crate::run::admit::{self, Leftovers};
use crate::run::datasets::before::Before;
use crate::run::datasets::{dataset, servers};
use crate::run::points::verification;
use crate::run::{host_limits, load_memory, placement, planned, replay};

/// The checks of a plan of which nothing has been measured yet. Nothing is held or changed.
pub fn preflight(plan: &Plan, clock: Clock) -> Result<()> {
    planned::check_build(plan)?;
    let (plan, points) = replay::completed(plan, plan::points(plan).collect())?;
    let writes = points.iter().any(|point| dataset::writes(&point.step));
    look(&plan, &Before::default(), (writes, Leftovers::Leave), clock).map(drop)
}

/// The checks of a run. `writes`: whether the points to be measured write; its preparation is
/// looked at here. The drives are held until the result is dropped.
pub(super) fn look(
    plan: &Plan,
    before: &Before,
    (writes, leftovers): (bool, Leftovers),
    clock: Clock,
) -> Result<Pins> {
    verification::check(plan)?;
    placement::check(plan)?;
    servers::check(plan)?;
    load_memory::check(plan)?;
    host_limits::check(plan)?;
    admit::admit(plan, before, (writes, leftovers), clock)
}
