//! The tests' own drive does what theory says of it.

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
