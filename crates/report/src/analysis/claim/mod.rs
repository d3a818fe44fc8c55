//! From comparisons to claims: `decision` has the rule, from data to sentence; `compare` makes each
//! comparison once, of figures at points and of values read from a curve (`curves`, `levels`,
//! `multiple`), `pairing` selects the cells; `claims` sorts the claims, `lead` picks the first;
//! `course` is who is better where; `published` is the arithmetic of imported figures, about which
//! nothing is claimed; `sizes` finds steps that differ only in block size.

pub mod claims;
pub mod compare;
pub mod course;
pub(in crate::analysis) mod curves;
pub(in crate::analysis) mod decision;
pub(in crate::analysis) mod lead;
pub(in crate::analysis) mod levels;
pub(in crate::analysis) mod multiple;
pub(in crate::analysis) mod pairing;
pub mod published;
pub(in crate::analysis) mod sizes;
