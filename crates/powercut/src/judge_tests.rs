//! The judge with drives of known behaviour: one that keeps everything, and others that lose, tear,
//! reorder and damage known blocks.

use proptest::prelude::*;

use super::*;
use crate::session::tests::small;
use dyno_core::base::rng::Seed;

const BLOCKS: u64 = 16;

/// A drive in memory with a session's writes, and their acknowledgements.
struct Bench {
    session: WriteSession,
    promises: Promises,
    /// By block, the writes that it received, in order.
    writes: Vec<Vec<u64>>,
    newest: [u64; 2],
}

impl Bench {
    fn new() -> Bench {
        let session = small(BLOCKS);
        let mut promises = Promises::new(&session);
        promises.acknowledge(JournalRecord::LaidOut).expect("laid out");
        let writes = vec![vec![LAYOUT]; BLOCKS as usize];
        Bench { session, promises, writes, newest: [LAYOUT; 2] }
    }

    /// The next write of a thread reaches the drive, acknowledged or not.
    fn write(&mut self, thread: usize, acknowledged: bool) -> u64 {
        self.newest[thread] += 1;
        let generation = self.newest[thread];
        let block = self.session.block_of(thread, generation);
        self.writes[block as usize].push(generation);
        let write = Write { thread: thread as u16, generation, block };
        let record =
            if thread == 0 { JournalRecord::Durable(write) } else { JournalRecord::Written(write) };
        if acknowledged {
            self.promises.acknowledge(record).expect("a write");
        }
        block
    }

    fn flush(&mut self) {
        self.promises.acknowledge(JournalRecord::FlushBegins { thread: 1 }).expect("a flush");
        self.promises.acknowledge(JournalRecord::Flushed { thread: 1 }).expect("a flush");
    }

    fn sealed(&self, block: u64, generation: u64) -> Vec<u8> {
        let mut bytes = vec![0; 4096];
        block_seal::seal(&mut bytes, self.session.seal(block, generation), 0);
        bytes
    }

    /// The drive's contents if it keeps everything.
    fn image(&self) -> Vec<Vec<u8>> {
        let last = |block: u64| *self.writes[block as usize].last().expect("laid out");
        (0..BLOCKS).map(|block| self.sealed(block, last(block))).collect()
    }

    fn judge(&self, image: &[Vec<u8>]) -> PowercutVerdict {
        judge(&self.promises, &mut |block, held| {
            let sectors = image[block as usize].chunks(SECTOR).enumerate();
            held.extend(sectors.map(|(i, bytes)| self.promises.look(block, i, bytes)));
            Ok(())
        })
        .expect("judged")
    }

    /// The verdict if one block has these contents.
    fn with(&self, block: u64, bytes: Vec<u8>) -> PowercutVerdict {
        let mut image = self.image();
        image[block as usize] = bytes;
        self.judge(&image)
    }
}

#[track_caller]
fn is(verdict: &PowercutVerdict, fate: Fate, blocks: u64) {
    assert_eq!(verdict.count(fate), blocks, "{fate:?}: {verdict:?}");
    assert_eq!(verdict.broken(), blocks, "{verdict:?}");
    assert_eq!(verdict.looked_for(), BLOCKS);
    assert_eq!(verdict.examples.len() as u64, blocks.min(MOST_EXAMPLES as u64));
    assert!(verdict.examples.iter().all(|e| e.fate == fate));
}

#[track_caller]
fn kept(verdict: &PowercutVerdict) {
    assert_eq!((verdict.broken(), verdict.looked_for()), (0, BLOCKS), "{verdict:?}");
    assert!(verdict.examples.is_empty());
}

#[test]
fn each_fate_is_said_of_the_block_that_has_it() {
    let mut bench = Bench::new();
    (0..5).for_each(|_| _ = bench.write(0, true));
    let block = bench.write(0, true);
    let [.., before, promised] = bench.writes[block as usize][..] else { panic!("two writes") };
    kept(&bench.with(block, bench.sealed(block, promised)));
    is(&bench.with(block, bench.sealed(block, before)), Fate::Lost, 1);
    is(&bench.with(block, vec![0; 4096]), Fate::Lost, 1);
    let (old, new) = (bench.sealed(block, before), bench.sealed(block, promised));
    is(&bench.with(block, [&new[..1024], &old[1024..]].concat()), Fate::Torn, 1);
    is(&bench.with(block, [&old[..3584], &new[3584..]].concat()), Fate::Torn, 1);
    // Within a sector, over the previously promised write.
    is(&bench.with(block, [&new[..200], &old[200..512], &new[512..]].concat()), Fate::Torn, 1);
    is(&bench.with(block, bench.sealed(block ^ 2, promised)), Fate::Corrupt, 1);
    let mut flipped = new.clone();
    flipped[700] ^= 4;
    is(&bench.with(block, flipped), Fate::Corrupt, 1);
    // Regardless of the first and the last byte: a single one may be equal in another write by
    // chance.
    for (at, xor) in [0, 511].into_iter().flat_map(|at| (1..=255).map(move |xor| (at, xor))) {
        let mut flipped = new.clone();
        flipped[at] ^= xor;
        is(&bench.with(block, flipped), Fate::Corrupt, 1);
    }
    is(&bench.with(block, vec![0x5A; 4096]), Fate::Corrupt, 1);
    // Another session's blocks were there before; this session never wrote others of its own at
    // another generation here.
    let mut other = small(BLOCKS);
    other.identity += 1;
    let mut bytes = vec![0; 4096];
    block_seal::seal(&mut bytes, other.seal(block, promised), 0);
    is(&bench.with(block, bytes), Fate::Lost, 1);
    let elsewhere = (2..).find(|&g| bench.session.block_of(0, g) != block).expect("one");
    is(&bench.with(block, bench.sealed(block, elsewhere)), Fate::Corrupt, 1);
}

#[test]
fn a_lost_block_is_reordered_where_the_thread_wrote_on_and_that_is_there() {
    let mut bench = Bench::new();
    let first = bench.write(0, true);
    let promised = bench.newest[0];
    while bench.write(0, true) == first {}
    let at = bench.writes[first as usize].iter().position(|&g| g == promised).expect("written");
    bench.writes[first as usize].truncate(at);
    is(&bench.judge(&bench.image()), Fate::Reordered, 1);
}

#[test]
fn what_was_not_flushed_may_be_lost_and_what_was_flushed_may_not() {
    let mut bench = Bench::new();
    let blocks: Vec<u64> = (0..6).map(|_| bench.write(1, true)).collect();
    let laid_out = |bench: &Bench| {
        let mut image = bench.image();
        blocks.iter().for_each(|&b| image[b as usize] = bench.sealed(b, LAYOUT));
        image
    };
    kept(&bench.judge(&laid_out(&bench)));
    bench.flush();
    let mut distinct = blocks.clone();
    distinct.sort_unstable();
    distinct.dedup();
    is(&bench.judge(&laid_out(&bench)), Fate::Lost, distinct.len() as u64);
    kept(&bench.judge(&bench.image()));
}

#[test]
fn an_atomic_write_is_there_completely_or_not_at_all_and_without_the_promise_in_part() {
    for (atomic_bytes, fate) in [(512, Fate::Kept), (4096, Fate::Torn)] {
        let mut bench = Bench::new();
        bench.promises.session.atomic_bytes = atomic_bytes;
        let block = bench.write(0, false);
        let [.., before, under_way] = bench.writes[block as usize][..] else { panic!("two") };
        let (old, new) = (bench.sealed(block, before), bench.sealed(block, under_way));
        let verdict = bench.with(block, [&new[..1024], &old[1024..]].concat());
        assert_eq!(verdict.count(fate), if fate == Fate::Kept { BLOCKS } else { 1 });
    }
}

#[test]
fn a_flush_covers_what_other_threads_had_written_when_it_began_and_nothing_later() {
    let threads = vec![ThreadDurability::ByOthers, ThreadDurability::Flush { every: 4 }];
    let session = WriteSession { threads, ..small(BLOCKS) };
    let mut promises = Promises::new(&session);
    let written = |generation: u64| {
        let block = session.block_of(0, generation);
        JournalRecord::Written(Write { thread: 0, generation, block })
    };
    let mut say = |record| promises.acknowledge(record).expect("a record of this session");
    say(JournalRecord::LaidOut);
    say(written(2));
    say(JournalRecord::FlushBegins { thread: 1 });
    // It completed while the flush was under way, which need not cover it.
    let late = (3..).take_while(|&g| session.block_of(0, g) == session.block_of(0, 2)).count();
    (3..=3 + late as u64).for_each(|generation| say(written(generation)));
    say(JournalRecord::Flushed { thread: 1 });
    let laid_out = |block: u64| {
        let mut bytes = vec![0; 4096];
        block_seal::seal(&mut bytes, session.seal(block, LAYOUT), 0);
        bytes
    };
    let verdict = judge(&promises, &mut |block, held| {
        let sectors = laid_out(block);
        let sectors = sectors.chunks(SECTOR).enumerate();
        held.extend(sectors.map(|(i, bytes)| promises.look(block, i, bytes)));
        Ok(())
    })
    .expect("judged");
    assert_eq!((verdict.count(Fate::Lost), verdict.broken()), (1, 1), "{verdict:?}");
    assert_eq!(verdict.examples[0].address, session.address(session.block_of(0, 2)));
}

#[test]
fn what_cannot_be_read_is_unreadable_with_its_places() {
    let bench = Bench::new();
    let image = bench.image();
    let verdict = judge(&bench.promises, &mut |block, held| {
        let sectors = image[block as usize].chunks(SECTOR).enumerate();
        held.extend(sectors.map(|(i, bytes)| match (block, i) {
            (3, 7) | (4, 0) | (9, _) => SectorContents::Unreadable,
            _ => bench.promises.look(block, i, bytes),
        }));
        Ok(())
    })
    .expect("judged");
    is(&verdict, Fate::Unreadable, 3);
    let at = |block: u64, blocks: u64| UnreadableRange {
        address: bench.session.address(block),
        bytes: blocks * 4096,
    };
    assert_eq!(verdict.unreadable, [at(3, 2), at(9, 1)]);
}

#[test]
fn a_write_under_way_may_be_there_in_part_and_not_within_a_sector() {
    let mut bench = Bench::new();
    (0..9).for_each(|_| _ = bench.write(0, true));
    let block = bench.write(0, false);
    let [.., before, under_way] = bench.writes[block as usize][..] else { panic!("two") };
    let (old, new) = (bench.sealed(block, before), bench.sealed(block, under_way));
    for cut in (0..=4096).step_by(8) {
        let verdict = bench.with(block, [&new[..cut], &old[cut..]].concat());
        if cut.is_multiple_of(SECTOR) {
            kept(&verdict);
        } else {
            is(&verdict, Fate::Torn, 1);
        }
    }
}

#[test]
fn a_logical_block_is_written_whole() {
    let mut bench = Bench::new();
    (bench.promises.session.logical_bytes, bench.promises.session.atomic_bytes) = (4096, 4096);
    let block = bench.write(0, false);
    let [.., before, under_way] = bench.writes[block as usize][..] else { panic!("two") };
    let (old, new) = (bench.sealed(block, before), bench.sealed(block, under_way));
    kept(&bench.with(block, old.clone()));
    kept(&bench.with(block, new.clone()));
    is(&bench.with(block, [&new[..1024], &old[1024..]].concat()), Fate::Torn, 1);
}

#[test]
fn a_journal_of_anybodys_is_refused_where_no_writer_would_say_so() {
    let bench = Bench::new();
    let good = Write { thread: 0, generation: 2, block: bench.session.block_of(0, 2) };
    let flushes = Write { thread: 1, generation: 2, block: bench.session.block_of(1, 2) };
    for record in [
        JournalRecord::Durable(Write { thread: 9, ..good }),
        JournalRecord::Durable(Write { generation: 3, ..good }),
        JournalRecord::Durable(Write { block: good.block + 2, ..good }),
        JournalRecord::Durable(Write { block: u64::MAX, ..good }),
        JournalRecord::Written(good),
        JournalRecord::Durable(flushes),
        JournalRecord::Flushed { thread: 2 },
        JournalRecord::Flushed { thread: 1 },
        JournalRecord::FlushBegins { thread: 0 },
    ] {
        assert!(bench.promises.clone().acknowledge(record).is_err(), "{record:?}");
    }
    let unlaid = &mut Promises::new(&bench.session);
    assert!(unlaid.acknowledge(JournalRecord::Durable(good)).is_err(), "before the layout");
    assert!(bench.promises.clone().acknowledge(JournalRecord::Durable(good)).is_ok());
}

proptest! {
    /// For any writes, acknowledgements and flushes: a drive that keeps what is durable, and any of
    /// the other sectors, has no findings; if it returns one durable block to an earlier write,
    /// that block is found.
    #[test]
    fn an_honest_drive_is_never_accused_and_a_lost_block_always_found(
        ops in prop::collection::vec(0u8..5, 1..120), draw: u64, victim: prop::sample::Index,
    ) {
        let mut bench = Bench::new();
        let mut durable = vec![LAYOUT; BLOCKS as usize];
        for op in ops {
            match op {
                0 | 1 => {
                    let block = bench.write(0, true);
                    durable[block as usize] = bench.newest[0];
                }
                2 | 3 => _ = bench.write(1, true),
                _ => {
                    bench.flush();
                    for block in (1..BLOCKS).step_by(2) {
                        let writes = &bench.writes[block as usize];
                        durable[block as usize] = *writes.last().expect("laid out");
                    }
                }
            }
        }
        bench.write(0, false);
        let mut rng = Seed::new(draw, 0, 0).at(0);
        let mut image = bench.image();
        for block in 0..BLOCKS {
            let writes = &bench.writes[block as usize];
            let from = writes.iter().position(|&g| g == durable[block as usize]).expect("there");
            for sector in 0..8 {
                let of = writes[from + rng.below((writes.len() - from) as u64) as usize];
                let bytes = bench.sealed(block, of);
                image[block as usize][sector * SECTOR..][..SECTOR]
                    .copy_from_slice(&bytes[sector * SECTOR..][..SECTOR]);
            }
        }
        let verdict = bench.judge(&image);
        prop_assert_eq!(verdict.broken(), 0, "{:?}", verdict);
        prop_assert_eq!(verdict.looked_for(), BLOCKS);

        let victims: Vec<u64> = (0..BLOCKS).filter(|&b| durable[b as usize] > LAYOUT).collect();
        if !victims.is_empty() {
            let block = victims[victim.index(victims.len())];
            image[block as usize] = bench.sealed(block, LAYOUT);
            let verdict = bench.judge(&image);
            let found = verdict.count(Fate::Lost) + verdict.count(Fate::Reordered);
            prop_assert_eq!((found, verdict.broken()), (1, 1), "{:?}", verdict);
            prop_assert_eq!(verdict.examples[0].address, bench.session.address(block));
        }
    }
}
