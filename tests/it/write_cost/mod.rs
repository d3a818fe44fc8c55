//! What a write costs: the drive of known write amplification against theory, and Dyno against that
//! drive.

mod brief;
mod closed_form;
mod ftl;
mod mounted;
mod placement;
mod run;
mod theory;
mod two;
mod whole;
mod witness;
