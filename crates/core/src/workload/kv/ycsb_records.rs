//! Which record a YCSB op addresses: uniform, zipfian or latest, by YCSB's own generators
//! (brianfrankcooper/YCSB, core/src/main/java/site/ycsb/generator), so that its skew is theirs.
//!
//! A record's key is a hash of its number, as with YCSB's `insertorder=hashed`: neighbours in
//! number are not neighbours in key order.

use crate::base::rng::{Rng, mix};
use crate::base::zipf::zeta;
use crate::workload::GeneratorInputs;

/// Number of items of YCSB's `ScrambledZipfianGenerator`, independent of the number of records.
const SCRAMBLED_ITEMS: u64 = 10_000_000_000;

/// The key number of a record. The hash is a bijection, so no two records share a key.
#[inline(always)]
pub fn key_of(record: u64) -> u64 {
    mix(record)
}

/// YCSB's `ZipfianGenerator`: the algorithm of Gray et al., "Quickly generating billion-record
/// synthetic databases", SIGMOD 1994.
#[derive(Clone, Copy, Debug)]
pub struct Zipfian {
    items: f64,
    theta: f64,
    zeta: f64,
    eta: f64,
}

impl Zipfian {
    /// `theta` below 1, as the algorithm requires.
    pub fn new(items: u64, theta: f64) -> Zipfian {
        let all = zeta(items, theta);
        let eta = (1.0 - (2.0 / items as f64).powf(1.0 - theta)) / (1.0 - zeta(2, theta) / all);
        Zipfian { items: items as f64, theta, zeta: all, eta }
    }

    /// A rank from 0, the most popular.
    #[inline(always)]
    pub fn rank(&self, rng: &mut Rng) -> u64 {
        let u = rng.unit();
        match u * self.zeta {
            first if first < 1.0 => 0,
            second if second < 1.0 + 0.5f64.powf(self.theta) => 1,
            _ => {
                (self.items * (self.eta * u - self.eta + 1.0).powf(1.0 / (1.0 - self.theta))) as u64
            }
        }
    }
}

/// A distribution over the records.
#[derive(Clone, Copy, Debug)]
pub enum Records {
    /// All records are equally popular.
    Uniform,
    /// Popular records are spread over all of them by a hash, as `ScrambledZipfianGenerator` does.
    Zipfian(Zipfian),
    /// The most recently inserted records are the most popular (`SkewedLatestGenerator`).
    Latest(Zipfian),
}

impl Records {
    /// The distribution `zipfian`, with exponent `theta`.
    pub fn zipfian(theta: f64) -> Records {
        Records::Zipfian(Zipfian::new(SCRAMBLED_ITEMS, theta))
    }

    /// The distribution `latest`, of this number of loaded records.
    pub fn latest(theta: f64, loaded: u64) -> Records {
        Records::Latest(Zipfian::new(loaded, theta))
    }
}

/// The records known to a thread: the records of the fill and its own inserts. Inserts are numbered
/// so that no two threads insert the same record.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Records that the fill wrote: 0 … loaded − 1.
    pub loaded: u64,
    /// Number of this thread, from 0.
    pub thread: u64,
    /// Threads of the stream.
    pub threads: u64,
}

impl Known {
    /// The records known to a thread of a stream.
    pub fn of(share: &GeneratorInputs<'_>, loaded: u64) -> Known {
        let (thread, threads) = (u64::from(share.thread), u64::from(share.threads));
        Known { loaded, thread, threads }
    }

    /// The record that this thread's insert number `i`, from 0, creates.
    #[inline(always)]
    pub fn inserted(&self, i: u64) -> u64 {
        self.loaded + i * self.threads + self.thread
    }

    /// The record of one op, after `inserts` inserts by this thread. It is never a record that
    /// another thread has yet to insert: a thread sees only its own inserts.
    #[inline(always)]
    pub fn draw(&self, records: &Records, inserts: u64, rng: &mut Rng) -> u64 {
        match records {
            Records::Uniform => rng.below(self.loaded),
            Records::Zipfian(zipfian) => {
                let hash = mix(zipfian.rank(rng).wrapping_add(1));
                ((u128::from(hash) * u128::from(self.loaded)) >> 64) as u64
            }
            Records::Latest(zipfian) => {
                let (rank, recent) = (zipfian.rank(rng), inserts * self.threads);
                if rank < recent {
                    self.inserted(inserts - 1 - rank / self.threads)
                } else {
                    (self.loaded - 1).saturating_sub(rank - recent)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Seed;
    use proptest::prelude::*;

    const DRAWS: u64 = 400_000;

    #[test]
    fn zeta_is_the_constant_of_ycsb() {
        // ScrambledZipfianGenerator.ZETAN, for 10^10 items at 0.99.
        assert!((zeta(SCRAMBLED_ITEMS, 0.99) - 26.469_028_201_783_02).abs() < 1e-6);
        let plain: f64 = (1..=50_000u64).map(|k| (k as f64).powf(-0.7)).sum();
        assert!((zeta(50_000, 0.7) - plain).abs() < 1e-6);
    }

    /// Chi-squared of draws in classes, compared with the shares from the distribution's
    /// definition.
    fn chi_squared(seen: &[u64], shares: &[f64]) -> f64 {
        let rest = 1.0 - shares.iter().sum::<f64>();
        let drawn: u64 = seen.iter().sum();
        let term = |seen: u64, share: f64| {
            let expected = share * DRAWS as f64;
            (seen as f64 - expected).powi(2) / expected
        };
        seen.iter().zip(shares).map(|(seen, share)| term(*seen, *share)).sum::<f64>()
            + term(DRAWS - drawn, rest)
    }

    #[test]
    fn zipfian_ranks_have_the_shares_of_ycsbs_generator() {
        // The first two ranks have exactly 1/zeta and 2^−theta/zeta; higher ranks have the
        // probability given by the algorithm's inverse: the rank is at least r if u is at least
        // ((r/n)^(1−theta) − 1 + eta) / eta.
        let (n, theta) = (1_000u64, 0.99);
        let zipfian = Zipfian::new(n, theta);
        let upto = |r: f64| ((r / n as f64).powf(1.0 - theta) - 1.0 + zipfian.eta) / zipfian.eta;
        let two = (1.0 + 0.5f64.powf(theta)) / zipfian.zeta;
        let edges = [3.0, 5.0, 10.0, 30.0, 100.0, 300.0];
        let mut shares = vec![1.0 / zipfian.zeta, 0.5f64.powf(theta) / zipfian.zeta];
        let mut last = two;
        for edge in edges {
            shares.push(upto(edge).max(last) - last);
            last = upto(edge).max(last);
        }
        let seed = Seed::new(1, 0, 0);
        let mut seen = vec![0u64; shares.len()];
        for n in 0..DRAWS {
            let rank = zipfian.rank(&mut seed.at(n));
            let class = match rank {
                0 | 1 => rank as usize,
                _ => 2 + edges.iter().filter(|edge| rank as f64 >= **edge).count(),
            };
            if let Some(class) = seen.get_mut(class) {
                *class += 1;
            }
        }
        let chi = chi_squared(&seen, &shares);
        assert!(chi < 26.1, "chi-squared with 8 degrees of freedom was {chi} (0.1 % limit 26.1)");
    }

    /// The counts of tests/data/ycsb-go-ycsb.txt: by name and number of items, draws in classes
    /// from each edge on.
    fn of_go_ycsb(name: &str, items: u64) -> Vec<(u64, u64)> {
        let text = include_str!("../../../../../tests/data/ycsb-go-ycsb.txt");
        let of_line = |line: &str| {
            let fields: Vec<&str> = line.split(' ').collect();
            let [kind, of, edge, count] = fields[..] else { panic!("{line}") };
            let number = |text: &str| text.parse::<u64>().unwrap();
            (kind == name && number(of) == items).then(|| (number(edge), number(count)))
        };
        text.lines().filter(|line| !line.starts_with('#')).filter_map(of_line).collect()
    }

    #[test]
    fn ranks_are_distributed_as_go_ycsb_s() {
        for items in [SCRAMBLED_ITEMS, 10_000] {
            let theirs = of_go_ycsb("zipfian", items);
            assert!(theirs.len() > 6, "{theirs:?}");
            let (zipfian, seed) = (Zipfian::new(items, 0.99), Seed::new(7, 0, 0));
            let mut ours = vec![0u64; theirs.len()];
            for n in 0..DRAWS {
                let rank = zipfian.rank(&mut seed.at(n));
                ours[theirs.partition_point(|(edge, _)| *edge <= rank) - 1] += 1;
            }
            // Two samples of different size (Press et al., "Numerical Recipes", 14.3.3).
            let drawn = theirs.iter().map(|(_, count)| count).sum::<u64>() as f64;
            let scale = (drawn / DRAWS as f64).sqrt();
            let term = |(ours, (_, theirs)): (&u64, &(u64, u64))| {
                let (ours, theirs) = (*ours as f64, *theirs as f64);
                (scale * ours - theirs / scale).powi(2) / (ours + theirs)
            };
            let chi: f64 = ours.iter().zip(&theirs).map(term).sum();
            // The 0.1 % limits of 6 to 10 degrees of freedom.
            let limit = [22.5, 24.3, 26.1, 27.9, 29.6][theirs.len() - 7];
            assert!(chi < limit, "{items} items: chi-squared {chi}, limit {limit}");
        }
    }

    #[test]
    fn the_latest_records_are_the_most_popular_and_all_of_them_exist() {
        let known = Known { loaded: 10_000, thread: 1, threads: 4 };
        let records = Records::latest(0.99, known.loaded);
        let seed = Seed::new(2, 0, 1);
        let inserts = 500;
        let mut newest = 0u64;
        for n in 0..DRAWS {
            let record = known.draw(&records, inserts, &mut seed.at(n));
            let own = record >= known.loaded;
            assert!(
                !own || (record - known.loaded) % 4 == 1,
                "record {record} is another thread's"
            );
            assert!(record <= known.inserted(inserts - 1));
            newest += u64::from(record == known.inserted(inserts - 1));
        }
        // The four latest ranks fall on this thread's latest record.
        let share = (1..=4).map(|k| f64::from(k).powf(-0.99)).sum::<f64>() / zeta(10_000, 0.99);
        let seen = newest as f64 / DRAWS as f64;
        assert!((seen - share).abs() < 0.02, "{seen} against {share}");
    }

    proptest! {
        #[test]
        fn every_record_drawn_is_one_that_exists(
            loaded in 2u64..1_000_000, threads in 1u64..64, inserts in 0u64..1000, seed: u64,
        ) {
            let known = Known { loaded, thread: threads - 1, threads };
            let kinds = [
                Records::Uniform, Records::zipfian(0.99), Records::latest(0.5, loaded),
            ];
            for records in kinds {
                let record = known.draw(&records, inserts, &mut Seed::new(seed, 0, 0).at(0));
                let newest = if inserts > 0 { known.inserted(inserts - 1) } else { loaded - 1 };
                prop_assert!(record <= newest, "{records:?}: {record} of {newest}");
            }
        }
    }
}
