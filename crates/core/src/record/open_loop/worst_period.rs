//! The shares of slow requests in the worst period of a window, such as the worst hour of a day,
//! stored as a fact of the point: limits that every period must keep are compared with them.

use crate::plan::search::OVER_MS;
use crate::record::Fact;

/// Heading of a point's facts, each named after its stream.
const HEADING: &str = "Worst period";

/// The worst period of a stream's requests. Each share is that of its own worst period.
#[derive(Clone, Debug, PartialEq)]
pub struct WorstPeriod {
    /// The stream.
    pub stream: String,
    /// The length of a period, nanoseconds; a shorter window is one period.
    pub length_ns: u64,
    /// The largest shares that took each of `OVER_MS` or longer, 0 to 1; None if unknown.
    pub over: [Option<f64>; OVER_MS.len()],
}

impl WorstPeriod {
    /// The fact of a point.
    pub fn to_fact(&self) -> Fact {
        let share = |(ms, share): (u64, Option<f64>)| match share {
            Some(share) => format!("{ms} ms: {share}"),
            None => format!("{ms} ms: unknown"),
        };
        let shares: Vec<String> = OVER_MS.into_iter().zip(self.over).map(share).collect();
        Fact::new(HEADING, &*self.stream, format!("{} ns; {}", self.length_ns, shares.join(", ")))
    }

    /// None if the fact is a different one.
    pub fn of_fact(fact: &Fact) -> Option<WorstPeriod> {
        if fact.group != HEADING {
            return None;
        }
        let (length, shares) = fact.value.split_once(" ns; ")?;
        let mut shares = shares.split(", ");
        let mut over = [None; OVER_MS.len()];
        for (share, ms) in over.iter_mut().zip(OVER_MS) {
            let (at, value) = shares.next()?.split_once(" ms: ")?;
            if at != ms.to_string() {
                return None;
            }
            *share = match value {
                "unknown" => None,
                value => Some(value.parse().ok().filter(|share| (0.0..=1.0).contains(share))?),
            };
        }
        let length_ns = length.parse().ok()?;
        Some(WorstPeriod { stream: fact.name.clone(), length_ns, over })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worst_period_comes_back_from_its_fact() {
        let mut over = [Some(0.051), Some(0.02), None, Some(0.0), Some(1.0), None, None];
        let worst = WorstPeriod { stream: "small-reads".into(), length_ns: 3_600, over };
        assert_eq!(WorstPeriod::of_fact(&worst.to_fact()), Some(worst.clone()));
        over[0] = Some(1.5);
        let impossible = WorstPeriod { over, ..worst };
        assert_eq!(WorstPeriod::of_fact(&impossible.to_fact()), None);
        assert_eq!(WorstPeriod::of_fact(&Fact::new(HEADING, "io", "60 ns; 1 ms")), None);
    }
}
