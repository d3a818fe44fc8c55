//! Conclusions from bundles: facts, comparisons, claims, bottlenecks, caveats. Pure and typed:
//! nothing here reads a file or writes a sentence; docs/claims.md has the rules.
//!
//! `merged` finds the tests of several bundles and the drives that did several of them, `sessions`
//! joins bundles of one subject; `gathering` turns points into `facts`, grouped by what
//! a reader needs and joined by `keys`;
//! `conclusions` draws every comparison, claim and note from them once (`comparison`,
//! `facts::concluded`). `metric` defines what is compared; `alike` and `conditions` determine which
//! subjects may be compared, `caveats` what rules out a claim; `compare` makes every comparison,
//! with `curves` for values read from a curve; `claims` selects claims, `lead` the headline of a
//! step and a brief; `together` finds repeats in which all subjects moved, `specimens` outlying
//! drives of a group, `fleet` treats all drives as samples of their models, and `notes` has what
//! these find; `outliers` sorts the slowest ops by cause; `multiple` is the largest multiple of a
//! load that a subject sustains, `levels` what is concluded over a whole axis, `cost` what the work
//! costs, `durability` which steps differ only in how their writes become durable; `hosts` combines
//! simultaneous loads of several hosts; `gate` judges a new run by its base, `acceptance` delivered
//! drives by a sample of their model; `trend` follows a figure over many runs; `published` is the
//! arithmetic of figures imported without repeats. `terms` and `brief` word all of it.

mod bare_step;
mod caveat;
pub mod claim;
pub mod comparability;
pub mod comparison;
mod conclusions;
pub mod cost;
pub mod difference;
pub mod facts;
mod gathering;
pub mod hosts;
pub mod keys;
pub mod limits;
pub mod merged;
pub mod metric_values;
pub mod notes;
pub mod outlier_cause;
pub mod outliers;
pub mod plan_difference;
pub mod points;
mod question;
mod sessions;
pub mod title;
pub mod verdicts;

pub use claim::compare::{Comparison, Standing, StepPlace};
pub use facts::Facts;
pub use gathering::Gathering;
pub use points::metric::Metric;
pub use question::Question;
