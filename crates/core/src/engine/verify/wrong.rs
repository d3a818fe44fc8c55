//! The contents of a wrong block, compared with its permitted contents.

use std::fmt;

use crate::base::block_seal::{self, BlockFinding, Damage, SECTOR, Seal, Sector};

/// The permitted contents of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// The earliest generation.
    pub lowest: u64,
    /// The latest.
    pub highest: u64,
    /// Zeroes are permitted too.
    pub zeroes: bool,
    /// The record ends before the latest write: later generations are also right.
    pub later: bool,
}

impl Allowed {
    #[inline(always)]
    fn generation(&self, generation: u64) -> bool {
        generation >= self.lowest && (generation <= self.highest || self.later)
    }

    fn sector(&self, sector: &Sector) -> bool {
        match sector {
            Sector::Sealed(seal) => self.generation(seal.generation),
            Sector::Zeroes => self.zeroes,
            Sector::Foreign(_) | Sector::Corrupt(_) => false,
        }
    }

    /// Whether sectors of several writes may be mixed, because the latest overlapped.
    fn mixture(&self) -> bool {
        self.lowest < self.highest || self.later
    }
}

/// Classes of wrong blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corruption {
    /// It contains an earlier write than the last acknowledged one.
    Old,
    /// It contains data for another address, or of another dataset.
    Foreign,
    /// It contains sectors of different writes.
    Torn,
    /// Its checksum shows damage.
    Corrupt,
    /// It contains zeroes, but data were written.
    Zeroes,
}

impl fmt::Display for Corruption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Corruption::Old => "old",
            Corruption::Foreign => "foreign",
            Corruption::Torn => "torn",
            Corruption::Corrupt => "corrupt",
            Corruption::Zeroes => "zeroes",
        })
    }
}

/// A wrong block.
#[derive(Debug)]
pub struct Wrong {
    /// Class of the error.
    pub class: Corruption,
    /// Its address in the file or device, bytes.
    pub address: u64,
    allowed: Allowed,
    found: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Allowed { lowest, highest, zeroes, .. } = self.allowed;
        write!(f, "the block at offset {} is {}: expected ", self.address, self.class)?;
        match (lowest == highest, zeroes) {
            (true, true) => f.write_str("zeroes")?,
            (true, false) => write!(f, "generation {highest}")?,
            (false, zeroes) => {
                write!(f, "generation {lowest} to {highest}")?;
                f.write_str(if zeroes { " or zeroes" } else { "" })?;
            }
        }
        write!(f, ", found {}", self.found)
    }
}

/// The contents of a correct block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Entirely from one write, of this generation.
    Whole(u64),
    /// Zeroes.
    Zeroes,
    /// Sectors from several, up to this generation.
    Mixture(u64),
}

/// Compares a block read at `address` with its permitted contents. Allocates nothing.
#[inline]
pub fn judge(
    block: &[u8],
    dataset: u64,
    address: u64,
    allowed: Allowed,
) -> Result<Right, BlockFinding> {
    match block_seal::inspect(block, dataset, address) {
        BlockFinding::Whole(seal) if allowed.generation(seal.generation) => {
            Ok(Right::Whole(seal.generation))
        }
        BlockFinding::Zeroes if allowed.zeroes => Ok(Right::Zeroes),
        BlockFinding::Torn { newest, .. }
            if allowed.mixture() && all_allowed(block, dataset, address, allowed) =>
        {
            Ok(Right::Mixture(newest.1.generation))
        }
        finding => Err(finding),
    }
}

impl Wrong {
    /// The class of a finding that is not right.
    #[cold]
    pub fn of(finding: BlockFinding, dataset: u64, address: u64, allowed: Allowed) -> Wrong {
        let (class, found) = match finding {
            BlockFinding::Whole(seal) if seal.generation < allowed.lowest => {
                (Corruption::Old, format!("generation {}", seal.generation))
            }
            BlockFinding::Whole(seal) => {
                let generation = seal.generation;
                (
                    Corruption::Foreign,
                    format!("generation {generation}, which this journal never began"),
                )
            }
            BlockFinding::Zeroes => (Corruption::Zeroes, "zeroes".to_string()),
            BlockFinding::Torn { newest, sector, other } => {
                (Corruption::Torn, torn(newest, sector, &other))
            }
            BlockFinding::Foreign { found, .. } => (Corruption::Foreign, foreign(found, dataset)),
            BlockFinding::Corrupt { sector, damage } => {
                (Corruption::Corrupt, corrupt(sector, &damage))
            }
        };
        Wrong { class, address, allowed, found }
    }
}

fn corrupt(sector: usize, damage: &Damage) -> String {
    let (from, to) = (sector * SECTOR + damage.bytes.start, sector * SECTOR + damage.bytes.end);
    format!(
        "a wrong checksum in sector {sector}: bytes {from} to {} of the block differ from its \
         generation {}",
        to - 1,
        damage.header.generation
    )
}

fn all_allowed(block: &[u8], dataset: u64, address: u64, allowed: Allowed) -> bool {
    block.chunks_exact(SECTOR).enumerate().all(|(i, found)| {
        allowed.sector(&block_seal::sector(found, dataset, address + (i * SECTOR) as u64))
    })
}

fn torn((first, seal): (usize, Seal), sector: usize, other: &Sector) -> String {
    let rest = match other {
        Sector::Sealed(other) => format!("generation {}", other.generation),
        Sector::Zeroes => "zeroes".to_string(),
        Sector::Foreign(Some(other)) => format!("what belongs at offset {}", other.address),
        Sector::Foreign(None) | Sector::Corrupt(_) => "what is not Dyno's".to_string(),
    };
    format!("generation {} in sector {first} and {rest} in sector {sector}", seal.generation)
}

fn foreign(found: Option<Seal>, dataset: u64) -> String {
    match found {
        Some(seal) if seal.dataset == dataset => {
            let (address, generation) = (seal.address, seal.generation);
            format!("the block that belongs at offset {address}, generation {generation}")
        }
        Some(seal) => format!("a block of another dataset, for offset {}", seal.address),
        None => "what is not Dyno's".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATASET: u64 = 9;
    const AT: u64 = 40960;

    fn written(address: u64, generation: u64) -> Vec<u8> {
        let mut block = vec![0; 4096];
        let seal = Seal { dataset: DATASET, address, generation, sequence: generation };
        block_seal::seal(&mut block, seal, 0);
        block
    }

    fn exactly(generation: u64) -> Allowed {
        Allowed { lowest: generation, highest: generation, zeroes: false, later: false }
    }

    fn class(block: &[u8], allowed: Allowed) -> Option<Corruption> {
        judge(block, DATASET, AT, allowed).err().map(|found| wrong(found, allowed).class)
    }

    fn wrong(found: BlockFinding, allowed: Allowed) -> Wrong {
        Wrong::of(found, DATASET, AT, allowed)
    }

    fn message(block: &[u8], allowed: Allowed) -> String {
        wrong(judge(block, DATASET, AT, allowed).expect_err("wrong"), allowed).to_string()
    }

    #[test]
    fn every_kind_of_wrong_block_has_its_class() {
        let good = written(AT, 5);
        assert_eq!(class(&good, exactly(5)), None);
        assert_eq!(class(&written(AT, 4), exactly(5)), Some(Corruption::Old));
        assert_eq!(class(&written(AT, 6), exactly(5)), Some(Corruption::Foreign));
        assert_eq!(class(&written(AT + 4096, 5), exactly(5)), Some(Corruption::Foreign));
        assert_eq!(class(&[1; 4096], exactly(5)), Some(Corruption::Foreign));
        assert_eq!(class(&[0; 4096], exactly(5)), Some(Corruption::Zeroes));
        let torn = [&good[..1024], &written(AT, 4)[1024..]].concat();
        assert_eq!(class(&torn, exactly(5)), Some(Corruption::Torn));
        let mut flipped = good;
        flipped[3000] ^= 4;
        assert_eq!(class(&flipped, exactly(5)), Some(Corruption::Corrupt));
    }

    #[test]
    fn the_message_has_the_place_what_was_expected_and_what_was_found() {
        let text = "the block at offset 40960 is old: expected generation 5, found generation 4";
        assert_eq!(message(&written(AT, 4), exactly(5)), text);
        let mut flipped = written(AT, 5);
        flipped[3000] ^= 4;
        let text = message(&flipped, exactly(5));
        assert!(text.contains("bytes 3000 to 3000 of the block"), "{text}");
        let text = message(&written(AT, 5), Allowed { zeroes: true, ..exactly(6) });
        assert!(text.contains("expected zeroes, found generation 5"), "{text}");
    }

    #[test]
    fn what_overlapping_writes_may_leave_is_right() {
        let both = Allowed { lowest: 4, highest: 5, zeroes: false, later: false };
        let mixed = [&written(AT, 5)[..1024], &written(AT, 4)[1024..]].concat();
        assert_eq!(class(&mixed, both), None);
        assert_eq!(class(&written(AT, 4), both), None);
        assert_eq!(class(&written(AT, 3), both), Some(Corruption::Old));
        let older = [&written(AT, 5)[..1024], &written(AT, 3)[1024..]].concat();
        assert_eq!(class(&older, both), Some(Corruption::Torn));
        let trimmed = Allowed { zeroes: true, ..both };
        let half = [&written(AT, 5)[..1024], &[0; 3072][..]].concat();
        assert_eq!((class(&half, both), class(&half, trimmed)), (Some(Corruption::Torn), None));
        assert_eq!(class(&[0; 4096], trimmed), None);
        let lagging = Allowed { later: true, ..exactly(5) };
        assert_eq!(class(&written(AT, 9), lagging), None);
        assert_eq!(class(&written(AT, 4), lagging), Some(Corruption::Old));
    }
}
