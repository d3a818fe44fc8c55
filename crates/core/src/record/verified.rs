//! The number of blocks verified at a point.

use serde::{Deserialize, Serialize};

use super::Fact;

/// Heading of the facts.
const GROUP: &str = "Verification";

/// The name of a point's fact.
const READ: &str = "Blocks read";

/// The reads of a verified dataset. A block is 4 KiB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    /// Blocks compared with what was acknowledged.
    pub checked: u64,
    /// Wrong blocks among them.
    pub wrong: u64,
    /// Blocks that were not intact and not judged, because a write to them was in flight.
    pub overlapped: u64,
    /// Blocks not judged, because the drive guarantees nothing for them after a trim.
    pub undefined: u64,
}

impl Verified {
    /// In a disclosure.
    pub fn disclosed(&self) -> Fact {
        let Verified { checked, wrong, overlapped, undefined } = self;
        let value = format!(
            "{checked} blocks checked, {wrong} wrong; not judged: {overlapped} read during a write \
             of the same block, {undefined} undefined since a trim"
        );
        Fact::new(GROUP, READ, value)
    }

    /// The fact about a complete check after a run that wrote the blocks did not end.
    pub fn after_a_kill(subject: &str, dataset: &str, blocks: u64) -> Fact {
        let name = format!("{subject}, dataset {dataset}, after a run that did not end");
        Fact::new(GROUP, name, format!("{blocks} blocks checked, 0 wrong"))
    }

    /// The sum of both.
    pub fn and(self, other: Verified) -> Verified {
        Verified {
            checked: self.checked + other.checked,
            wrong: self.wrong + other.wrong,
            overlapped: self.overlapped + other.overlapped,
            undefined: self.undefined + other.undefined,
        }
    }
}
