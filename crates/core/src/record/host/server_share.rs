//! The resources of a database server that Dyno started, as reported by the kernel at each
//! point.

use serde::{Deserialize, Serialize};

use crate::record::Fact;

/// Heading of a point's facts, each named after its drive and server.
const SERVERS: &str = "Servers";
const UNLIMITED: &str = "memory not limited";

/// Processors and memory of one server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerShare {
    /// Index of its drive in the subject, from 0.
    pub drive: u32,
    /// The number of the server among the drive's servers, from 0.
    pub instance: u32,
    /// Its permitted processors, as in "0-3,8" (/proc/PID/status, `Cpus_allowed_list`).
    pub processors: String,
    /// Other servers or the load may use the same ones, if the plan permits it.
    pub shared: bool,
    /// The limit of its control group, bytes, page cache included; None: unlimited.
    pub memory_bytes: Option<u64>,
    /// Its use at the end of the window, bytes.
    pub used_bytes: u64,
    /// The page cache's share of it, bytes.
    pub cache_bytes: u64,
}

impl ServerShare {
    /// In a disclosure.
    pub fn disclosed(&self) -> Fact {
        let name = name(self.drive, self.instance);
        let shared = if self.shared { " (shared)" } else { "" };
        let memory = match self.memory_bytes {
            None => UNLIMITED.to_string(),
            Some(limit) => format!(
                "memory limit {limit} bytes; at the end {} bytes in use; of these page cache {} \
                 bytes",
                self.used_bytes, self.cache_bytes
            ),
        };
        Fact::new(SERVERS, name, format!("processors {}{shared}; {memory}", self.processors))
    }
}

/// "Drive 1, server 2", for indices from 0.
fn name(drive: u32, instance: u32) -> String {
    format!("Drive {}, server {}", drive + 1, instance + 1)
}
