//! The host's state besides the load.

pub(in crate::record) mod common_start;
pub(in crate::record) mod server_share;
pub(in crate::record) mod standstill;
