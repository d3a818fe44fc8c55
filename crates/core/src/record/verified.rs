//! The number of blocks verified, stored as a fact of a point.

use super::Fact;

/// Heading of the facts.
const GROUP: &str = "Verification";

/// The name of a point's fact.
const READ: &str = "Blocks read";

/// The reads of a verified dataset. A block is 4 KiB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// The fact of a point.
    pub fn to_fact(&self) -> Fact {
        let Verified { checked, wrong, overlapped, undefined } = self;
        let value = format!(
            "{checked} blocks checked, {wrong} wrong; not judged: {overlapped} read during a write \
             of the same block, {undefined} undefined since a trim"
        );
        Fact::new(GROUP, READ, value)
    }

    /// None if the fact is a different one.
    pub fn of_fact(fact: &Fact) -> Option<Verified> {
        (fact.group == GROUP).then(|| Verified::of_value(&fact.value)).flatten()
    }

    fn of_value(value: &str) -> Option<Verified> {
        let numbers = value.contains(" checked, ").then(|| value.split(' '))?;
        let numbers: Vec<u64> = numbers.filter_map(|word| word.parse().ok()).collect();
        let [checked, wrong, overlapped, undefined] = numbers.try_into().ok()?;
        Some(Verified { checked, wrong, overlapped, undefined })
    }

    /// Combines two values of such facts; None if they are different ones.
    pub fn sum(one: &str, other: &str) -> Option<String> {
        let both = Verified::of_value(one)?.and(Verified::of_value(other)?);
        Some(both.to_fact().value)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_as_a_fact_comes_back_from_it() {
        let one = Verified { checked: 12_345_678, wrong: 1, overlapped: 7, undefined: 3 };
        assert_eq!(Verified::of_fact(&one.to_fact()), Some(one));
        assert_eq!(Verified::of_fact(&Verified::after_a_kill("A", "file", 5)), None);
        let sum = Verified::sum(&one.to_fact().value, &one.to_fact().value);
        assert_eq!(sum, Some(one.and(one).to_fact().value));
        assert_eq!(Verified::sum("4 threads", "4 threads"), None);
    }
}
