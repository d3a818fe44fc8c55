//! The direction in which a figure is better.

/// Which way a figure is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Throughput.
    Higher,
    /// Latency, energy for each op.
    Lower,
}
