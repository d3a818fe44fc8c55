//! From comparisons to claims: every comparison is made once, and a claim is decided here.

pub mod claims;
pub mod compare;
pub mod curves;
pub mod lead;
pub mod levels;
pub mod multiple;
pub(in crate::analysis) mod pairing;
pub mod published;
