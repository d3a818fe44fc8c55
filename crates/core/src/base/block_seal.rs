//! Self-identifying blocks: the contents state their address, the write that produced them, and a
//! checksum.
//!
//! A block is one or more sectors of 512 bytes, the smallest unit that a drive writes atomically,
//! and each sector has its own seal. A block of which only some sectors reached the medium is
//! therefore recognised, and any aligned part of it can be read and judged independently.
//! Little-endian:
//!
//! | bytes | contents |
//! |---|---|
//! | 0–7 | checksum: XXH3-64 (seed 0) of bytes 8–511 |
//! | 8–13 | `DYNOS1` |
//! | 14–15 | length of the payload, bytes |
//! | 16–23 | identity of the dataset or run |
//! | 24–31 | byte address of this sector |
//! | 32–39 | generation: number of the write of this block, from 1 |
//! | 40–47 | sequence: an arbitrary number chosen by the writer for this write |
//! | 48– | payload: pseudo-random words derived from the four numbers above, then zeros |
//!
//! A 64-bit checksum accepts a damaged sector once in 2^64. The payload is derived from the header,
//! so the intended contents of a damaged sector are known, and so are its differing bytes. Nothing
//! here allocates.

use std::ops::Range;

use twox_hash::XxHash3_64;

use super::rng::{Seed, follows};

/// The smallest unit that a drive writes atomically, bytes.
pub const SECTOR: usize = 512;

/// Bytes of a sector that are not payload.
pub const HEADER: usize = 48;

/// The maximum number of zero bytes in a sector: the whole payload.
pub const MOST_ZEROS: usize = SECTOR - HEADER;

const MARK: &[u8; 6] = b"DYNOS1";

/// The contents of a sector's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seal {
    /// The writer: a dataset or a run.
    pub dataset: u64,
    /// Its address, bytes from the start of the file or device.
    pub address: u64,
    /// The number of the write of its block.
    pub generation: u64,
    /// A number chosen by the writer.
    pub sequence: u64,
}

/// The contents of one sector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sector {
    /// Intact, and at its own address.
    Sealed(Seal),
    /// Only zeros.
    Zeroes,
    /// Intact, but of another dataset or for another address; or, without a seal, not written by
    /// Dyno.
    Foreign(Option<Seal>),
    /// Sealed for this address, and damaged since.
    Corrupt(Damage),
}

/// The damage to a sector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Its header as read, which may itself be damaged.
    pub header: Seal,
    /// The range from the first to after the last byte that differs from the contents implied by
    /// this header. A sector torn internally differs from some byte to its end.
    pub bytes: Range<usize>,
}

/// The contents of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockFinding {
    /// All sectors are from one write. The seal is the first sector's.
    Whole(Seal),
    /// Zeros alone.
    Zeroes,
    /// Sectors from different writes of this block; or some from one, and others with zeros or
    /// foreign contents. None is damaged.
    Torn {
        /// The latest write with a sector in the block, and the number of its first sector.
        newest: (usize, Seal),
        /// The first sector that is not from it.
        sector: usize,
        /// The contents of that sector.
        other: Sector,
    },
    /// No sector belongs here, and not all are zeros; the first that is neither.
    Foreign {
        /// Its number in the block, from 0.
        sector: usize,
        /// The owner, if the sector states it.
        found: Option<Seal>,
    },
    /// A sector is damaged; the first that is.
    Corrupt {
        /// Its number in the block, from 0.
        sector: usize,
        /// The damage.
        damage: Damage,
    },
}

/// Fills a block with sectors that carry `seal`, each with its own address. The last `zeros` bytes
/// of each sector are zeros. A block is a whole number of sectors; any remainder is unchanged.
#[inline]
pub fn seal(block: &mut [u8], seal: Seal, zeros: usize) {
    let mut own = seal;
    for sector in block.chunks_exact_mut(SECTOR) {
        write_sector(sector, own, SECTOR - HEADER - zeros.min(MOST_ZEROS));
        own.address += SECTOR as u64;
    }
}

fn write_sector(sector: &mut [u8], seal: Seal, payload: usize) {
    let (header, rest) = sector.split_at_mut(HEADER);
    header[8..14].copy_from_slice(MARK);
    header[14..16].copy_from_slice(&(payload as u16).to_le_bytes());
    let numbers = [seal.dataset, seal.address, seal.generation, seal.sequence];
    for (place, number) in header[16..].chunks_exact_mut(8).zip(numbers) {
        place.copy_from_slice(&number.to_le_bytes());
    }
    let (filled, zeros) = rest.split_at_mut(payload);
    let mut rng = Seed::new(seal.dataset, seal.address, seal.generation).at(seal.sequence);
    let mut words = filled.chunks_exact_mut(8);
    words.by_ref().for_each(|word| word.copy_from_slice(&rng.draw().to_le_bytes()));
    let last = words.into_remainder();
    last.copy_from_slice(&rng.draw().to_le_bytes()[..last.len()]);
    zeros.fill(0);
    let checksum = XxHash3_64::oneshot(&sector[8..]);
    sector[..8].copy_from_slice(&checksum.to_le_bytes());
}

/// Invalidates the checksums of a block's sectors, so that bytes of a buffer which a read did not
/// overwrite are not mistaken for data that was read.
#[inline]
pub fn spoil(block: &mut [u8]) {
    for sector in block.chunks_exact_mut(SECTOR) {
        sector[..16].fill(0xFF);
    }
}

/// The contents of a block read at `address`, for the dataset to which it should belong.
#[inline]
pub fn inspect(block: &[u8], dataset: u64, address: u64) -> BlockFinding {
    let mut sectors = block.chunks_exact(SECTOR);
    let Some(Sector::Sealed(first)) = sectors.next().map(|s| sector(s, dataset, address)) else {
        return sort_out(block, dataset, address);
    };
    let mut own = first;
    for found in sectors {
        own.address += SECTOR as u64;
        if sector(found, dataset, own.address) != Sector::Sealed(own) {
            return sort_out(block, dataset, address);
        }
    }
    BlockFinding::Whole(first)
}

/// The contents of the first 512 bytes of a buffer, read at `address`.
#[inline]
pub fn sector(found: &[u8], dataset: u64, address: u64) -> Sector {
    let header = header_of(found);
    let whole = number(found, 0) == XxHash3_64::oneshot(&found[8..SECTOR]);
    let here = header.dataset == dataset && header.address == address;
    match whole && &found[8..14] == MARK {
        true if here => Sector::Sealed(header),
        true => Sector::Foreign(Some(header)),
        false => what_is_wrong(found, header, here),
    }
}

/// Whether a sector has contents that Dyno writes, of any dataset and at any address: zeros, a
/// seal, or random numbers in a row after an op's own number, and then zeros.
pub fn is_dynos(found: &[u8]) -> bool {
    if matches!(sector(found, 0, 0), Sector::Sealed(_) | Sector::Foreign(Some(_)) | Sector::Zeroes)
    {
        return true;
    }
    let in_a_row = |at: &usize| follows(number(found, at - 8), number(found, *at));
    let drawn = (16..SECTOR).step_by(8).take_while(in_a_row).last().map_or(8, |last| last + 8);
    // The last number may be cut short; without any, there is hardly anything to recognise.
    let rest = if drawn == 8 { 16 } else { (drawn + 8).min(SECTOR) };
    found[rest..SECTOR].iter().all(|&byte| byte == 0)
}

#[cold]
fn what_is_wrong(found: &[u8], header: Seal, here: bool) -> Sector {
    if found[..SECTOR].iter().all(|&byte| byte == 0) {
        return Sector::Zeroes;
    }
    // Damage may have hit the magic bytes or the numbers, but hardly both.
    if &found[8..14] != MARK && !here {
        return Sector::Foreign(None);
    }
    let payload = usize::from(u16::from_le_bytes([found[14], found[15]]));
    let mut meant = [0; SECTOR];
    write_sector(&mut meant, header, payload.min(MOST_ZEROS));
    let differs = |&at: &usize| meant[at] != found[at];
    let from = (0..SECTOR).find(differs).unwrap_or(0);
    let to = (0..SECTOR).rfind(differs).map_or(SECTOR, |last| last + 1);
    Sector::Corrupt(Damage { header, bytes: from..to })
}

/// The finding for a block that is not intact.
#[cold]
fn sort_out(block: &[u8], dataset: u64, address: u64) -> BlockFinding {
    let all = || {
        let sectors = block.chunks_exact(SECTOR).enumerate();
        sectors.map(|(i, found)| (i, sector(found, dataset, address + (i * SECTOR) as u64)))
    };
    let damaged = all().find_map(|(i, found)| match found {
        Sector::Corrupt(damage) => Some((i, damage)),
        _ => None,
    });
    if let Some((sector, damage)) = damaged {
        return BlockFinding::Corrupt { sector, damage };
    }
    let sealed = all().filter_map(|(i, found)| match found {
        Sector::Sealed(seal) => Some((i, seal)),
        _ => None,
    });
    // The first of the sectors of one write.
    let newest = sealed.max_by_key(|&(i, seal)| (write_of(&seal), std::cmp::Reverse(i)));
    let Some(newest) = newest else {
        let foreign = all().find_map(|(i, found)| match found {
            Sector::Foreign(found) => Some((i, found)),
            _ => None,
        });
        return foreign.map_or(BlockFinding::Zeroes, |(sector, found)| BlockFinding::Foreign {
            sector,
            found,
        });
    };
    let of_it = |found: &Sector| match found {
        Sector::Sealed(seal) => write_of(seal) == write_of(&newest.1),
        _ => false,
    };
    match all().find(|(_, found)| !of_it(found)) {
        Some((sector, other)) => BlockFinding::Torn { newest, sector, other },
        None => BlockFinding::Whole(newest.1),
    }
}

fn write_of(seal: &Seal) -> (u64, u64) {
    (seal.generation, seal.sequence)
}

fn header_of(sector: &[u8]) -> Seal {
    Seal {
        dataset: number(sector, 16),
        address: number(sector, 24),
        generation: number(sector, 32),
        sequence: number(sector, 40),
    }
}

#[inline(always)]
fn number(sector: &[u8], at: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&sector[at..at + 8]);
    u64::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DATASET: u64 = 0xD1_00;
    const AT: u64 = 1 << 20;

    fn written(address: u64, generation: u64, sectors: usize) -> Vec<u8> {
        let mut block = vec![0xAA; sectors * SECTOR];
        seal(&mut block, Seal { dataset: DATASET, address, generation, sequence: 7 }, 0);
        block
    }

    fn found(block: &[u8]) -> BlockFinding {
        inspect(block, DATASET, AT)
    }

    #[test]
    fn what_was_written_is_found_whole_and_in_parts() {
        let block = written(AT, 3, 8);
        let seal = Seal { dataset: DATASET, address: AT, generation: 3, sequence: 7 };
        assert_eq!(found(&block), BlockFinding::Whole(seal));
        let part = inspect(&block[2048..], DATASET, AT + 2048);
        assert_eq!(part, BlockFinding::Whole(Seal { address: AT + 2048, ..seal }));
    }

    #[test]
    fn zeroes_something_else_and_other_places_are_distinguished() {
        assert_eq!(found(&[0; 4096]), BlockFinding::Zeroes);
        assert_eq!(found(&[0x5A; 4096]), BlockFinding::Foreign { sector: 0, found: None });
        let swapped = found(&written(AT + 4096, 3, 8));
        let BlockFinding::Foreign { sector: 0, found: Some(other) } = swapped else {
            panic!("{swapped:?}")
        };
        assert_eq!(other.address, AT + 4096);
        let of_another = inspect(&written(AT, 3, 8), DATASET + 1, AT);
        assert!(
            matches!(of_another, BlockFinding::Foreign { found: Some(_), .. }),
            "{of_another:?}"
        );
    }

    #[test]
    fn a_torn_block_names_the_first_sector_that_is_not_of_the_newest_write() {
        let (old, new) = (written(AT, 3, 8), written(AT, 4, 8));
        let head_only = [&new[..1024], &old[1024..]].concat();
        let BlockFinding::Torn { newest, sector, other: Sector::Sealed(other) } = found(&head_only)
        else {
            panic!("{:?}", found(&head_only))
        };
        assert_eq!((newest.0, newest.1.generation, sector, other.generation), (0, 4, 2, 3));
        let tail_only = [&old[..3584], &new[3584..]].concat();
        assert!(matches!(found(&tail_only), BlockFinding::Torn { newest: (7, _), sector: 0, .. }));
        for (rest, is) in [(0, Sector::Zeroes), (9, Sector::Foreign(None))] {
            let torn = found(&[&new[..512], &[rest; 3584]].concat());
            assert!(matches!(&torn, BlockFinding::Torn { sector: 1, other, .. } if *other == is));
        }
    }

    #[test]
    fn a_sector_torn_within_itself_is_corrupt_from_there_to_its_end() {
        let (old, new) = (written(AT, 3, 1), written(AT, 4, 1));
        let BlockFinding::Corrupt { sector: 0, damage } =
            found(&[&new[..200], &old[200..]].concat())
        else {
            panic!("not corrupt")
        };
        assert_eq!((damage.header.generation, damage.bytes), (4, 200..512));
    }

    #[test]
    fn what_a_read_left_untouched_is_not_taken_for_what_was_read() {
        let mut block = written(AT, 3, 8);
        spoil(&mut block);
        assert!(matches!(found(&block), BlockFinding::Corrupt { .. }));
        let mut zeroes = vec![0; 4096];
        spoil(&mut zeroes);
        assert_ne!(found(&zeroes), BlockFinding::Zeroes);
    }

    proptest! {
        #[test]
        fn a_block_is_whole_wherever_and_however_compressible(
            dataset: u64, block in 0u64..1 << 50, generation: u64, sequence: u64,
            sectors in 1usize..40, zeros in 0usize..600,
        ) {
            let own = Seal { dataset, address: block * 512, generation, sequence };
            let mut data = vec![0xAA; sectors * SECTOR];
            seal(&mut data, own, zeros);
            prop_assert_eq!(inspect(&data, dataset, own.address), BlockFinding::Whole(own));
            let tail = &data[SECTOR - zeros.min(MOST_ZEROS)..SECTOR];
            prop_assert!(tail.iter().all(|&byte| byte == 0));
        }

        #[test]
        fn every_flipped_bit_is_found_in_its_sector(
            sectors in 1usize..9, at: prop::sample::Index, bit in 0u8..8, zeros in 0usize..464,
        ) {
            let own = Seal { dataset: DATASET, address: AT, generation: 5, sequence: 6 };
            let mut data = vec![0; sectors * SECTOR];
            seal(&mut data, own, zeros);
            let at = at.index(data.len());
            data[at] ^= 1 << bit;
            match found(&data) {
                BlockFinding::Corrupt { sector, damage } => {
                    prop_assert_eq!(sector, at / SECTOR);
                    // Damage to the payload is located to the byte.
                    if at % SECTOR >= HEADER {
                        prop_assert_eq!(damage.bytes, at % SECTOR..at % SECTOR + 1);
                    }
                }
                other => prop_assert!(false, "{:?}", other),
            }
        }

        #[test]
        fn any_mixture_of_two_writes_is_torn(mixture in 1u8..255) {
            let (old, new) = (written(AT, 3, 8), written(AT, 4, 8));
            let of = |i: usize| if mixture >> i & 1 == 1 { &new } else { &old };
            let data: Vec<u8> = (0..8).flat_map(|i| of(i)[i * 512..][..512].to_vec()).collect();
            let first_new = mixture.trailing_zeros() as usize;
            let first_old = mixture.trailing_ones() as usize;
            match found(&data) {
                BlockFinding::Torn { newest, sector, .. } => {
                    prop_assert_eq!((newest.0, newest.1.generation), (first_new, 4));
                    prop_assert_eq!(sector, first_old);
                }
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }
}
