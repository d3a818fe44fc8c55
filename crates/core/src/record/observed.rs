//! What engines, workloads, meters and the run itself observe beyond latencies, as typed data: of a
//! point, or of the run as a whole. A new observation is a variant here and the section that shows
//! it.

use serde::{Deserialize, Serialize};

use super::{
    Accelerators, CachedBlocks, Ceiling, CommonStart, Fact, IdlePower, IoLimit, OwnLateness,
    PacingFloor, RemappedTrace, Replayed, SelfTest, ServerShare, VectorSearch, Verified,
    WorkerProcessors, WorstPeriod,
};

/// An observation that is a variant of `Observed`.
pub trait Observation: Sized + 'static {
    /// None if it is a different one.
    fn of(observed: &Observed) -> Option<&Self>;
}

/// Those of one kind, in order of recording.
pub fn all<T: Observation>(observed: &[Observed]) -> impl Iterator<Item = &T> {
    observed.iter().filter_map(T::of)
}

/// The enum with its variants, their names in a bundle, and their types.
macro_rules! observations {
    ($($(#[$about:meta])* $variant:ident($type:ident) = $kind:literal,)+) => {
        /// An observation.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub enum Observed {
            $($(#[$about])* #[serde(rename = $kind)] $variant(Box<$type>),)+
        }

        impl Observed {
            /// Its kind, as in table `observation`.
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Observed::$variant(_) => $kind,)+
                }
            }
        }

        $(
            impl Observation for $type {
                fn of(observed: &Observed) -> Option<&$type> {
                    match observed {
                        Observed::$variant(own) => Some(own),
                        _ => None,
                    }
                }
            }

            impl From<$type> for Observed {
                fn from(own: $type) -> Observed {
                    Observed::$variant(Box::new(own))
                }
            }
        )+
    };
}

observations! {
    /// Blocks compared with what was acknowledged.
    Verified(Verified) = "verified",
    /// Processors and memory of a database server.
    Server(ServerShare) = "server",
    /// The processors of a stream's workers.
    Workers(WorkerProcessors) = "workers",
    /// A recorded load.
    Replayed(Replayed) = "replayed",
    /// How a trace was brought onto a smaller drive.
    Remapped(RemappedTrace) = "remapped",
    /// A cache of keys and values in front of the drive.
    CachedBlocks(CachedBlocks) = "cached_blocks",
    /// Results of queries of a vector index.
    VectorSearch(VectorSearch) = "vector_search",
    /// The accelerators whose samples are read.
    Accelerators(Accelerators) = "accelerators",
    /// A control group's limit of I/O.
    IoLimit(IoLimit) = "io_limit",
    /// The rate at which Dyno generates a stream's load.
    Ceiling(Ceiling) = "ceiling",
    /// Shares of slow requests in the worst period of a window.
    WorstPeriod(WorstPeriod) = "worst_period",
    /// Lateness that Dyno caused.
    Lateness(OwnLateness) = "lateness",
    /// Response times of ops that take no time.
    PacingFloor(PacingFloor) = "pacing_floor",
    /// Power before any load.
    IdlePower(IdlePower) = "idle_power",
    /// A start shared with other hosts.
    CommonStart(CommonStart) = "common_start",
    /// The host's self-test.
    SelfTest(SelfTest) = "self_test",
}

impl Observed {
    /// The stream to which it belongs, if it belongs to one.
    pub fn stream(&self) -> Option<&str> {
        match self {
            Observed::Workers(own) => Some(&own.stream),
            Observed::Replayed(own) => Some(&own.stream),
            Observed::Remapped(own) => Some(&own.stream),
            Observed::CachedBlocks(own) => Some(&own.stream),
            Observed::VectorSearch(own) => Some(&own.stream),
            Observed::Accelerators(own) => Some(&own.stream),
            Observed::Ceiling(own) => Some(&own.stream),
            Observed::Lateness(own) => Some(&own.stream),
            Observed::WorstPeriod(own) => Some(&own.stream),
            Observed::Verified(_)
            | Observed::Server(_)
            | Observed::IoLimit(_)
            | Observed::PacingFloor(_)
            | Observed::IdlePower(_)
            | Observed::CommonStart(_)
            | Observed::SelfTest(_) => None,
        }
    }

    /// Its rows in a disclosure.
    pub fn disclosed(&self) -> Vec<Fact> {
        match self {
            Observed::Verified(own) => vec![own.disclosed()],
            Observed::Server(own) => vec![own.disclosed()],
            Observed::Workers(own) => vec![own.disclosed()],
            Observed::Replayed(own) => own.disclosed().into(),
            Observed::Remapped(own) => vec![own.disclosed()],
            Observed::CachedBlocks(own) => vec![own.disclosed()],
            Observed::VectorSearch(own) => vec![own.disclosed()],
            Observed::Accelerators(own) => vec![own.disclosed()],
            Observed::IoLimit(own) => vec![own.disclosed()],
            Observed::Ceiling(own) => vec![own.disclosed()],
            Observed::Lateness(own) => vec![own.disclosed()],
            Observed::WorstPeriod(own) => vec![own.disclosed()],
            Observed::PacingFloor(own) => vec![own.disclosed()],
            Observed::IdlePower(own) => vec![own.disclosed()],
            Observed::CommonStart(own) => own.disclosed(),
            Observed::SelfTest(own) => own.disclosed(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{ClockOffset, LatenessCause, RecordedKind};

    #[test]
    fn every_observation_survives_a_bundle_whatever_its_texts_contain() {
        let stream = || "a; b, 7 of \"c\" (2)".to_string();
        let offset = Some(ClockOffset { offset_ns: -50_000_001, bound_ns: 12_345 });
        let observed: Vec<Observed> = vec![
            Verified { checked: u64::MAX, wrong: 1, overlapped: 7, undefined: 3 }.into(),
            ServerShare { drive: 3, processors: "0-3,8".into(), ..ServerShare::default() }.into(),
            WorkerProcessors {
                stream: stream(),
                drive: 1,
                processors: "0-3".into(),
                one_each: true,
            }
            .into(),
            Replayed {
                stream: stream(),
                file: "day, XXH3 of its requests 7.csv".into(),
                checksum: u64::MAX - 1,
                reads: RecordedKind { requests: 5, bytes: 20_480 },
                ..Replayed::default()
            }
            .into(),
            CachedBlocks { model: "m; 9 hits".into(), memory: 3, ..CachedBlocks::default() }.into(),
            VectorSearch { stream: stream(), checksum: u64::MAX, ..VectorSearch::default() }.into(),
            Accelerators { stream: stream(), ..Accelerators::default() }.into(),
            Ceiling { stream: stream(), ops_per_s: 1 }.into(),
            OwnLateness {
                cause: LatenessCause::Unread,
                stream: stream(),
                times: 1,
                total_ns: 2,
                longest_ns: 3,
            }
            .into(),
            PacingFloor { median_ns: 900, p95_ns: 5_000, ops: 2_000, ops_per_s: 10_000 }.into(),
            IdlePower {
                subject: "A: B".into(),
                meter: "exec 2".into(),
                name: "drive_watts".into(),
                watts: 5.25,
                readings: 40,
            }
            .into(),
            CommonStart {
                first_unix_ns: 1_763_868_000_123_456_789,
                every_ns: 1,
                reference: "lab1:7123".into(),
                limit_ns: 10,
                before: offset,
                after: None,
            }
            .into(),
        ];
        for one in observed {
            let stored = serde_json::to_string(&one).expect("JSON");
            assert!(stored.starts_with(&format!("{{\"{}\":", one.kind())), "{stored}");
            assert_eq!(serde_json::from_str::<Observed>(&stored).expect("read"), one);
            assert!(!one.disclosed().is_empty());
        }
    }
}
