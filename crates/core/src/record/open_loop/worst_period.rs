//! The shares of slow requests in the worst period of a window, such as the worst hour of a day:
//! limits that every period must keep are compared with them.

use serde::{Deserialize, Serialize};

use crate::plan::search::OVER_MS;
use crate::record::Fact;

/// The worst period of a stream's requests. Each share is that of its own worst period.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorstPeriod {
    /// The stream.
    pub stream: String,
    /// The length of a period, nanoseconds; a shorter window is one period.
    pub length_ns: u64,
    /// The largest shares that took each of `OVER_MS` or longer, 0 to 1; None if unknown.
    pub over: [Option<f64>; OVER_MS.len()],
}

impl WorstPeriod {
    /// In a disclosure.
    pub fn disclosed(&self) -> Fact {
        let share = |(ms, share): (u64, Option<f64>)| match share {
            Some(share) => format!("{ms} ms: {share}"),
            None => format!("{ms} ms: unknown"),
        };
        let shares: Vec<String> = OVER_MS.into_iter().zip(self.over).map(share).collect();
        let value = format!("{} ns; {}", self.length_ns, shares.join(", "));
        Fact::new("Worst period", &*self.stream, value)
    }
}
