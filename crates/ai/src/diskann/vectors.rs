//! Vectors in clusters, queries from the same distribution, and the true nearest neighbours of each
//! query.
//!
//! A vector is the centre of a cluster and a random combination of that cluster's 16 directions:
//! vectors of real embeddings also vary in far fewer directions than they have dimensions, and
//! without that a graph cannot be searched by following neighbours. Vector number `i` depends only
//! on `i` and the number of dimensions.

use std::io::{BufWriter, Write};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;

use diskann::utils::VectorRepr;
use diskann_vector::DistanceFunction;
use diskann_vector::distance::Metric;

use super::build_progress::{BuildPhase, BuildProgress};
use super::layout::{IndexKnobs, NEIGHBOURS, QUERIES, TRUTH, VECTORS, create};
use dyno_core::base::error::{Context, Result};
use dyno_core::base::rng::Seed;
use dyno_core::lab::folder::data::DatasetFolder;

const CLUSTERS: u64 = 64;
const DIRECTIONS: usize = 16;

/// Standard deviation along a direction, per dimension. Centres are uniform in a unit cube; with
/// this deviation, vectors of one cluster are about as far from each other as the centres.
const DEVIATION: f64 = 0.08;

/// Number of vectors that are generated, written and compared with all queries at a time.
const BATCH: usize = 4096;

/// Number of a family of random numbers.
const CENTRES: u64 = 0;
const DIRECTION: u64 = 1;
const OF_VECTORS: u64 = 2;
const OF_QUERIES: u64 = 3;

/// Generates vectors.
pub struct Generator {
    dimensions: usize,
    centres: Vec<f32>,
    directions: Vec<f32>,
}

impl Generator {
    pub fn new(dimensions: usize) -> Generator {
        let seed = |stream| Seed::new(dimensions as u64, stream, 0);
        let (mut centre, mut direction) = (seed(CENTRES).at(0), seed(DIRECTION).at(0));
        let clusters = CLUSTERS as usize;
        Generator {
            dimensions,
            centres: (0..clusters * dimensions).map(|_| centre.unit() as f32).collect(),
            directions: (0..clusters * DIRECTIONS * dimensions)
                .map(|_| (DEVIATION * direction.normal()) as f32)
                .collect(),
        }
    }

    fn fill(&self, stream: u64, number: u64, vector: &mut [f32]) {
        let n = self.dimensions;
        let mut rng = Seed::new(n as u64, stream, 0).at(number);
        let cluster = rng.below(CLUSTERS) as usize;
        vector.copy_from_slice(&self.centres[cluster * n..][..n]);
        let own = &self.directions[cluster * DIRECTIONS * n..][..DIRECTIONS * n];
        for direction in own.chunks(n) {
            let along = rng.normal() as f32;
            vector.iter_mut().zip(direction).for_each(|(sum, part)| *sum += along * part);
        }
    }

    /// Vectors from number `first` on.
    fn vectors(&self, first: u64, count: usize) -> Vec<f32> {
        self.many(OF_VECTORS, first, count)
    }

    /// All queries.
    fn queries(&self, count: usize) -> Vec<f32> {
        self.many(OF_QUERIES, 0, count)
    }

    fn many(&self, stream: u64, first: u64, count: usize) -> Vec<f32> {
        let mut all = vec![0.0; count * self.dimensions];
        let each = all.chunks_mut(self.dimensions).zip(first..);
        each.for_each(|(vector, number)| self.fill(stream, number, vector));
        all
    }
}

/// The nearest vectors of a query found so far, nearest first, with their squared distances.
#[derive(Clone, Default)]
struct Nearest(Vec<(f32, u32)>);

impl Nearest {
    fn offer(&mut self, distance: f32, number: u32) {
        if self.0.len() == NEIGHBOURS && self.0.last().is_some_and(|last| last.0 <= distance) {
            return;
        }
        let at = self.0.partition_point(|known| known.0 <= distance);
        self.0.insert(at, (distance, number));
        self.0.truncate(NEIGHBOURS);
    }
}

/// Writes the vectors, the queries and the true neighbours of each query, by comparing every query
/// with every vector.
pub fn write(folder: &DatasetFolder, knobs: IndexKnobs, progress: &BuildProgress) -> Result<()> {
    let generator = Generator::new(knobs.dimensions);
    let queries = generator.queries(knobs.queries);
    let mut nearest = vec![Nearest::default(); knobs.queries];
    let mut file = BufWriter::with_capacity(1 << 20, create(folder, VECTORS)?);
    let writing = || format!("writing {}", folder.shown().join(VECTORS).display());
    // The format of DiskANN's own files: the number of vectors, the number of dimensions, and the
    // values.
    for part in [knobs.vectors, knobs.dimensions] {
        file.write_all(&(part as u32).to_le_bytes()).with_context(writing)?;
    }
    for first in (0..knobs.vectors).step_by(BATCH) {
        let vectors = generator.vectors(first as u64, BATCH.min(knobs.vectors - first));
        file.write_all(&bytes(&vectors)).with_context(writing)?;
        compare(&queries, &vectors, first, knobs.dimensions, &mut nearest);
        progress.check()?;
        let done = first as f64 / knobs.vectors as f64;
        progress.reached(BuildPhase::Vectors, done);
    }
    file.flush().with_context(writing)?;
    let truth = nearest.iter().flat_map(|own| own.0.iter().map(|(_, number)| *number));
    let truth: Vec<u8> = truth.flat_map(u32::to_le_bytes).collect();
    for (name, bytes) in [(QUERIES, bytes(&queries)), (TRUTH, truth)] {
        let writing = || format!("writing {}", folder.shown().join(name).display());
        create(folder, name)?.write_all(&bytes).with_context(writing)?;
    }
    Ok(())
}

fn bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Compares each query with the vectors from number `first` on. The queries are divided among the
/// processors.
fn compare(
    queries: &[f32],
    vectors: &[f32],
    first: usize,
    dimensions: usize,
    nearest: &mut [Nearest],
) {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let each = nearest.len().div_ceil(processors);
    let distance = f32::distance(Metric::L2, Some(dimensions));
    let shares = Mutex::new(queries.chunks(each * dimensions).zip(nearest.chunks_mut(each)));
    let next = || shares.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        while let Some((queries, nearest)) = next() {
            for (query, nearest) in queries.chunks(dimensions).zip(nearest) {
                for (vector, number) in vectors.chunks(dimensions).zip(first as u32..) {
                    nearest.offer(distance.evaluate_similarity(query, vector), number);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        // If a thread cannot be started, the other threads do its share.
        (1..processors).for_each(|_| drop(Builder::new().spawn_scoped(scope, work)));
        work();
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_depends_on_its_number_alone_and_the_nearest_are_those_of_a_sort() {
        let generator = Generator::new(24);
        let all = generator.vectors(0, 3_000);
        assert_eq!(all[1_000 * 24..1_010 * 24], generator.vectors(1_000, 10));
        let queries = generator.queries(7);
        let mut nearest = vec![Nearest::default(); 7];
        for first in (0..3_000).step_by(1_000) {
            compare(&queries, &all[first * 24..][..1_000 * 24], first, 24, &mut nearest);
        }
        for (query, own) in queries.chunks(24).zip(&nearest) {
            let square =
                |v: &[f32]| v.iter().zip(query).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>();
            let mut sorted: Vec<(f64, u32)> = all.chunks(24).map(square).zip(0..).collect();
            sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
            let numbers: Vec<u32> = own.0.iter().map(|(_, number)| *number).collect();
            let expected: Vec<u32> = sorted.iter().take(NEIGHBOURS).map(|(_, n)| *n).collect();
            assert_eq!(numbers, expected);
        }
    }
}
