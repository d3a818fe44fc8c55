//! What the host did beside the load.

pub(in crate::record) mod common_start;
pub(in crate::record) mod server_share;
pub(in crate::record) mod standstill;
