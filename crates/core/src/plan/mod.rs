//! The plan: the user's input, checked and resolved into points before any drive is touched.
//!
//! `model` is the resolved plan, which the rest of the program uses and a bundle stores. `info` is
//! the declaration of engines and workloads, the single source for parsing, help and reference
//! pages. In between, `node` reads TOML and records the position of each value, `overrides` edits
//! that tree, `knobs`, `stream`, `sweep`, `protocol` and `subject` resolve it, `mistakes` collects
//! all errors and shows them, and `file` combines these.
//!
//! `comparison` makes one plan of each of several listed protocols. `order` determines the order of
//! subjects at a point, `own` holds knobs of a single subject,
//! `vary` the fields that may differ, `campaign` plans for several hosts, `schema` the JSON Schemas
//! for editors, generated from the registries.

mod builtin;
pub mod campaign;
mod comparison;
mod cpus;
pub mod declaration;
mod elsewhere;
pub mod endurance;
mod file;
pub mod info;
pub mod model;
pub mod planned;
mod planned_steps;
pub mod schema;
pub mod search;
pub mod sequence;
pub mod specification;
pub mod steps;
pub mod subjects;
pub mod syntax;
mod target;

pub use crate::plan::cpus::{Cpus, read_list, shown_list};
pub use crate::plan::elsewhere::cuts_elsewhere;
pub use crate::plan::file::{
    CommandLineValues, files_of, from_command_line, is_plan, load, load_tests,
    tests_from_command_line,
};
pub use crate::plan::target::PlannedSlice;
pub use builtin::{comparisons, protocols};
pub use info::{DefaultValue, Info, Knob, KnobKind, RequestFamily, Writes};
pub use model::*;
pub use sequence::cells::axes_of;
pub use sequence::order::{PointIndex, order};
pub use sequence::points::{points, points_where, steps_at};
pub use sequence::recheck::recheck;
pub use syntax::fields::unprintable;
pub use syntax::mistakes::{Mistakes, nearest, remedy};

/// The engines, workloads and meters that a plan may name, and their constraints. Supplied by the
/// caller, because plans do not depend on their code.
pub struct Catalogue {
    /// Valid values of a stream's or dataset's `engine`.
    pub engines: Vec<&'static Info>,
    /// Valid values of a stream's or fill's `workload`.
    pub workloads: Vec<&'static Info>,
    /// Valid values of `meters`.
    pub meters: Vec<&'static Info>,
    /// The constraints of each workload that its knobs do not state.
    pub check: planned::LoadCheck,
}
