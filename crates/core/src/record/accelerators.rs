//! The accelerators whose reader threads are a stream's workers.

use serde::{Deserialize, Serialize};

use super::Fact;

/// The accelerators of a stream at a point, on all drives of the subject.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accelerators {
    /// The stream's name.
    pub stream: String,
    /// Number of accelerators.
    pub accelerators: u64,
    /// Samples of a batch of one accelerator.
    pub batch: u64,
    /// Computation time of a batch, nanoseconds.
    pub compute_ns: u64,
}

impl Accelerators {
    /// In a disclosure.
    pub fn disclosed(&self) -> Fact {
        let Accelerators { accelerators, batch, compute_ns, .. } = self;
        let value = format!(
            "{accelerators} accelerators, each with batches of {batch} samples and {} ms of \
             computation",
            *compute_ns as f64 / 1e6
        );
        Fact::new("Accelerators", &self.stream, value)
    }

    /// The samples per second of accelerators that never wait.
    pub fn most_samples_per_s(&self) -> f64 {
        (self.accelerators * self.batch) as f64 * 1e9 / self.compute_ns.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_computed_in_its_time_by_each_accelerator() {
        let (batch, compute_ns) = (7, 323_000_000);
        let four = Accelerators { stream: "io".into(), accelerators: 4, batch, compute_ns };
        assert!((four.most_samples_per_s() - 4.0 * 7.0 / 0.323).abs() < 1e-9);
    }
}
