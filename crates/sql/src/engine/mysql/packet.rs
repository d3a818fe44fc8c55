//! Length-encoded integers of the MySQL protocol.

/// The number of bytes of a length-encoded integer.
pub fn width(packet: &[u8], at: usize) -> usize {
    match packet.get(at) {
        Some(0xfc) => 3,
        Some(0xfd) => 4,
        Some(0xfe) => 9,
        _ => 1,
    }
}

pub fn number(packet: &[u8], at: usize) -> u64 {
    let bytes = match width(packet, at) {
        1 => packet.get(at..=at),
        width => packet.get(at + 1..at + width),
    };
    bytes.unwrap_or_default().iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte))
}
