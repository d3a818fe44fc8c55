//! (filled below)
pub mod plan;
pub mod protocols;
