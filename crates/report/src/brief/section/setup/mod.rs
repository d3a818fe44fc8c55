//! The test setup and method.

pub mod conditions;
pub mod data;
pub mod database_servers;
pub mod disclosure;
pub mod drives;
pub mod fleet;
pub mod hosts;
pub mod method;
pub mod preparation;
pub mod server;
