//! The slowest ops of a point, and the host's state meanwhile.

pub(in crate::run) mod account;
pub(in crate::run) mod standstill;
pub(in crate::run) mod stretches;
pub(in crate::run) mod wakeup_probes;
pub(in crate::run) mod witness;
