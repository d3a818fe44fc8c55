//! Keys of the parts of facts: runs, subjects and their drives, steps and their axis values. Each
//! is a separate type, so that the position of a step or a drive cannot be used to look up a
//! subject.

use typed_index_collections::TiVec;

/// A list indexed by keys of one type.
pub type Keyed<K, T> = TiVec<K, T>;

macro_rules! key {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub usize);

        impl From<usize> for $name {
            fn from(index: usize) -> $name {
                $name(index)
            }
        }

        impl From<$name> for usize {
            fn from(key: $name) -> usize {
                key.0
            }
        }
    };
}

key! {
    /// A subject of the facts, in the order of the plans.
    SubjectKey
}
key! {
    /// A run of the facts, in the order of its bundles.
    RunKey
}
key! {
    /// A test of the facts, in the order of the bundles: bundles with common steps are of one test.
    TestKey
}
key! {
    /// A step of the facts, in the order of the tests and their protocols.
    StepKey
}

key! {
    /// A value on the axis of a step, in ascending order.
    ValueKey
}
key! {
    /// A drive of a subject, in the order of its plan.
    DriveKey
}

impl From<u32> for DriveKey {
    fn from(index: u32) -> DriveKey {
        DriveKey(index as usize)
    }
}

/// A pair in ascending order of its keys.
pub fn unordered<K: Ord + Copy>(a: K, b: K) -> (K, K) {
    (a.min(b), a.max(b))
}
