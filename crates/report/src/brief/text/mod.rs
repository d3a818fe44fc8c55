//! Sentences and numbers shared by sections.

pub mod bottleneck_text;
pub(in crate::brief) mod causes;
pub mod caveat_text;
pub mod condition_text;
pub(in crate::brief) mod leaders;
pub(in crate::brief) mod metric_text;
pub mod notes;
pub(in crate::brief) mod outcome;
pub mod plan_text;
pub mod published;
pub(in crate::brief) mod run_conditions;
pub mod setup_text;
pub mod table_cell;
pub mod wording;
