//! The tests' own drive does what theory says of it, with one placement handle and with two.

use dyno::base::rng::Seed;

use super::closed_form::greedy;
use super::ftl::Ftl;

/// A drive of which a share of the pages is the host's, filled once in order.
fn filled(share: f64) -> Ftl {
    let (blocks, pages) = (1_000, 64);
    let mut ftl = Ftl::new((share * f64::from(blocks * pages)) as u32, blocks, pages);
    (0..ftl.logical_pages()).for_each(|page| ftl.write(page));
    ftl
}

#[test]
fn sequential_writes_are_not_amplified() {
    let mut ftl = filled(0.9);
    for _ in 0..4 {
        (0..ftl.logical_pages()).for_each(|page| ftl.write(page));
    }
    assert_eq!(ftl.amplification_since((0, 0)), 1.0);
}

#[test]
fn uniform_random_writes_are_amplified_as_the_closed_form_for_greedy_cleaning_says() {
    for share in [0.70, 0.80, 0.89] {
        let mut ftl = filled(share);
        let seed = Seed::new(crate::support::seed(), 0, 0);
        let pages = u64::from(ftl.logical_pages());
        let mut write = |ops: std::ops::Range<u64>| {
            ops.for_each(|n| ftl.write(seed.at(n).below(pages) as u32));
            ftl.counts()
        };
        let before = write(0..3 * pages);
        write(3 * pages..7 * pages);
        let measured = ftl.amplification_since(before);
        let expected = greedy(ftl.used_pages() / pages as f64, 64.0);
        let off = measured / expected - 1.0;
        assert!(off.abs() < 0.01, "{share}: {measured:.4} for {expected:.4}, {off:+.4}");
    }
}

/// The writes of a flash cache, as the protocol `placement` has them: of 32 pages, 8 small objects
/// anywhere in the first part of the drive, and 24 of the log of large ones in the rest.
pub fn cache_writes(ftl: &mut Ftl, small_pages: u32, turns: std::ops::Range<u64>) {
    let seed = Seed::new(crate::support::seed(), 2, 0);
    let large_pages = u64::from(ftl.logical_pages() - small_pages);
    for turn in turns {
        let small = (8 * turn..8 * turn + 8).map(|n| seed.at(n).below(u64::from(small_pages)));
        small.for_each(|page| ftl.write(page as u32));
        let large = (24 * turn..24 * turn + 24).map(|n| u64::from(small_pages) + n % large_pages);
        large.for_each(|page| ftl.write(page as u32));
    }
}

#[test]
fn objects_of_different_lifetimes_are_amplified_less_by_a_placement_handle_for_each() {
    let (blocks, pages) = (1_000, 64);
    let logical = blocks * pages * 93 / 100;
    let small = logical / 25;
    let amplification = |ranges: &[u32]| {
        let mut ftl = Ftl::placing(logical, blocks, pages, ranges);
        (0..logical).for_each(|page| ftl.write(page));
        let turns = u64::from(logical / 32);
        cache_writes(&mut ftl, small, 0..4 * turns);
        let before = ftl.counts();
        cache_writes(&mut ftl, small, 4 * turns..8 * turns);
        (ftl.amplification_since(before), ftl.used_pages())
    };
    let (mixed, _) = amplification(&[]);
    let (apart, used) = amplification(&[small]);
    // Apart, blocks of the log are empty when they are cleaned, so that all spare pages are those
    // of the small objects, a quarter of the writes.
    let factor = (used - f64::from(logical - small)) / f64::from(small);
    let expected = 0.75 + 0.25 * greedy(factor, f64::from(pages));
    assert!((apart / expected - 1.0).abs() < 0.01, "{apart:.4} for {expected:.4}");
    assert!(mixed > 3.0 * apart, "{mixed:.4} with one handle, {apart:.4} with two");
}

#[test]
fn the_closed_form_for_large_blocks_has_the_published_values() {
    // Desnoyers 2012, table of section 4: spare factor (flash pages beyond the host's, of all flash
    // pages) and write amplification.
    for (spare, published) in [(0.10, 5.18), (0.20, 2.69), (0.28, 1.99), (0.50, 1.26)] {
        let large = greedy(1.0 / (1.0 - spare), 1e7);
        assert!((large - published).abs() < 0.005 + 1e-3, "{spare}: {large} for {published}");
    }
    // Xiang and Kurkoski 2012, abstract: 30 % more flash than the host sees.
    let large = greedy(1.3, 1e7);
    assert!((large - 2.36).abs() < 0.005, "{large}");
    // Small blocks leave greedy cleaning better choices.
    assert!(greedy(1.0 / 0.9, 64.0) < 5.1);
}
