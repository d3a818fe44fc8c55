//! Commands about plans and protocols.

pub mod init;
pub mod list;
pub mod plan;
pub mod plan_facts;
pub mod protocols;
pub mod schema;
