//! Writes that a drive guarantees to be all or nothing on power failure.

use serde_json::Value;

use crate::lab::guard::disk::{Disk, read};
use crate::lab::nvme;

/// The guarantee, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtomicWrites {
    /// Maximum size of an atomic write; at least a logical block.
    pub bytes: u32,
    /// Writes across a multiple of this are not atomic; 0: no such boundary.
    pub boundary_bytes: u64,
    /// The first boundary.
    pub offset_bytes: u64,
}

impl AtomicWrites {
    /// The guarantee of a whole device: that of an NVMe namespace (NAWUPF, NABSPF, NABO), or of its
    /// controller (AWUPF); NVM Command Set Specification 1.0, 2.1.4. At most the size that the
    /// kernel sends as one request.
    pub fn of_drive(disk: &Disk, logical_bytes: u32) -> AtomicWrites {
        let none = AtomicWrites { bytes: logical_bytes, boundary_bytes: 0, offset_bytes: 0 };
        if !disk.name().starts_with("nvme") {
            return none;
        }
        let node = disk.node();
        let controller = nvme::ask(&nvme::ID_CTRL, &node).unwrap_or_default();
        let namespace = nvme::ask(&nvme::ID_NS, &node).unwrap_or_default();
        let own = of_identity(&controller, &namespace, logical_bytes);
        let request_kib = read(&disk.sysfs.join("queue/max_sectors_kb"));
        let request_bytes = request_kib.and_then(|kib| kib.trim().parse::<u32>().ok());
        let most = request_bytes.map_or(u32::MAX, |kib| kib.saturating_mul(1024));
        AtomicWrites { bytes: own.bytes.min(most).max(logical_bytes), ..own }
    }
}

/// Parses the answers to Identify Controller and Identify Namespace.
fn of_identity(controller: &Value, namespace: &Value, logical_bytes: u32) -> AtomicWrites {
    /// NSFEAT bit 1: NAWUN, NAWUPF, NABSPF are defined for the namespace.
    const OWN: u64 = 2;
    let number = |of: &Value, name: &str| of.get(name).and_then(Value::as_u64).unwrap_or(0);
    let logical = u64::from(logical_bytes);
    // All are 0's based counts of logical blocks, except for the offset.
    let bytes = |count: u64| (count + 1).saturating_mul(logical).min(1 << 30) as u32;
    if number(namespace, "nsfeat") & OWN == 0 {
        return AtomicWrites {
            bytes: bytes(number(controller, "awupf")),
            boundary_bytes: 0,
            offset_bytes: 0,
        };
    }
    let (boundary, offset) = (number(namespace, "nabspf"), number(namespace, "nabo"));
    AtomicWrites {
        bytes: bytes(number(namespace, "nawupf")),
        boundary_bytes: if boundary == 0 { 0 } else { (boundary + 1) * logical },
        offset_bytes: offset.saturating_mul(logical),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atomic_writes_are_the_namespaces_where_it_has_its_own_and_counts_begin_at_zero() {
        let of = |controller: &str, namespace: &str| {
            let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            let AtomicWrites { bytes, boundary_bytes, offset_bytes } =
                of_identity(&json(controller), &json(namespace), 4096);
            (bytes, boundary_bytes, offset_bytes)
        };
        assert_eq!(of("{}", "{}"), (4096, 0, 0));
        assert_eq!(of(r#"{"awun": 255, "awupf": 0}"#, "{}"), (4096, 0, 0));
        assert_eq!(of(r#"{"awupf": 7}"#, r#"{"nawupf": 31, "nabspf": 31}"#), (32_768, 0, 0));
        let own = r#"{"nsfeat": 2, "nawupf": 31, "nabspf": 31, "nabo": 2}"#;
        assert_eq!(of(r#"{"awupf": 7}"#, own), (131_072, 131_072, 8192));
    }
}
