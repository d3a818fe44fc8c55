//! The resources of a database server that Dyno started, as reported by the kernel, stored as a
//! fact of each point.

use crate::record::Fact;

/// Heading of a point's facts, each named after its drive and server.
const SERVERS: &str = "Servers";
const UNLIMITED: &str = "memory not limited";

/// Processors and memory of one server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// The fact of a point.
    pub fn to_fact(&self) -> Fact {
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

    /// None if the fact is a different one.
    pub fn of_fact(fact: &Fact) -> Option<ServerShare> {
        if fact.group != SERVERS {
            return None;
        }
        let (drive, instance) = fact.name.strip_prefix("Drive ")?.split_once(", server ")?;
        let from_one = |text: &str| text.parse::<u32>().ok()?.checked_sub(1);
        let mut parts = fact.value.split("; ");
        let processors = parts.next()?.strip_prefix("processors ")?;
        let own = processors.strip_suffix(" (shared)");
        let bytes = |text: &str| {
            text.strip_suffix(" bytes in use").or(text.strip_suffix(" bytes"))?.parse::<u64>().ok()
        };
        let mut next = |prefix: &str| bytes(parts.next()?.strip_prefix(prefix)?);
        Some(ServerShare {
            drive: from_one(drive)?,
            instance: from_one(instance)?,
            processors: own.unwrap_or(processors).to_string(),
            shared: own.is_some(),
            memory_bytes: next("memory limit "),
            used_bytes: next("at the end ").unwrap_or(0),
            cache_bytes: next("of these page cache ").unwrap_or(0),
        })
    }
}

/// "Drive 1, server 2", for indices from 0.
fn name(drive: u32, instance: u32) -> String {
    format!("Drive {}, server {}", drive + 1, instance + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_servers_share_comes_back_from_its_fact() {
        let limited = ServerShare {
            drive: 3,
            instance: 1,
            processors: "0-3,8".into(),
            shared: true,
            memory_bytes: Some(64 << 30),
            used_bytes: 5_000,
            cache_bytes: 4_096,
        };
        let free = ServerShare { processors: "0".into(), ..ServerShare::default() };
        for share in [limited, free] {
            assert_eq!(ServerShare::of_fact(&share.to_fact()), Some(share.clone()), "{share:?}");
        }
        assert_eq!(ServerShare::of_fact(&Fact::new(SERVERS, "Drive 0, server 1", "x")), None);
        assert_eq!(ServerShare::of_fact(&Fact::new("CPU", "Drive 1, server 1", "x")), None);
    }
}
