//! `training_read`: accelerators that read samples and compute on them, as in MLPerf Storage's
//! training workloads (docs/training.md).
//!
//! Each worker is one of an accelerator's reader threads. It reads one sample after the other, at
//! most `prefetch` batches ahead of the computation. The computation on a sample starts when the
//! sample has been read and the previous computation has ended.

use std::collections::VecDeque;

use dyno_core::base::error::{Result, failed};
use dyno_core::base::rng::{Seed, mix, spread};
use dyno_core::measure::{AddressSpace, Cycles, Op, OpGenerator, OpKind};
use dyno_core::plan::{DefaultValue, Info, Knob, KnobKind, Knobs, RequestFamily, Writes};
use dyno_core::record::{Accelerators, Class};
use dyno_core::workload::block::{FROM, SPAN, check_alignment, range};
use dyno_core::workload::{GeneratorInputs, Workload};

/// The workload `training_read`.
pub struct TrainingRead;

static INFO: Info = Info {
    name: "training_read",
    summary: "reads of training samples by accelerators that compute on each batch",
    family: RequestFamily::Block,
    writes: Writes::Never,
    max_depth: 1,
    knobs: &[
        Knob {
            name: "block",
            kind: KnobKind::Sizes,
            default: DefaultValue::Is("\"112KiB\""),
            doc: "The size of a sample, or sizes with weights.",
        },
        Knob {
            name: "file",
            kind: KnobKind::Int { min: 1, max: 1 << 20 },
            default: DefaultValue::Is("1"),
            doc: "Samples of a file, which are read in order; files are shuffled in each epoch.",
        },
        Knob {
            name: "batch",
            kind: KnobKind::Int { min: 1, max: 1 << 20 },
            default: DefaultValue::Is("400"),
            doc: "Samples of a batch of one accelerator.",
        },
        Knob {
            name: "compute",
            kind: KnobKind::Time,
            default: DefaultValue::Is("\"224ms\""),
            doc: "Computation time of a batch.",
        },
        Knob {
            name: "readers",
            kind: KnobKind::Int { min: 1, max: 1024 },
            default: DefaultValue::Is("1"),
            doc: "Reader threads of an accelerator; `threads` of the stream are accelerators \
                  times readers.",
        },
        Knob {
            name: "prefetch",
            kind: KnobKind::Int { min: 1, max: 1024 },
            default: DefaultValue::Is("2"),
            doc: "Batches that are read ahead of the computation.",
        },
        FROM,
        SPAN,
    ],
    source: "MLPerf Storage, dlio_benchmark",
};

impl Workload for TrainingRead {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn classes(&self, _knobs: &Knobs) -> Vec<Class> {
        vec![Class::READ]
    }

    fn mean_op_bytes(&self, knobs: &Knobs, _space: AddressSpace) -> Result<f64> {
        let sizes = knobs.sizes("block")?;
        let weights: f64 = sizes.iter().map(|size| size.1).sum();
        Ok(sizes.iter().map(|(bytes, weight)| *bytes as f64 * weight).sum::<f64>() / weights)
    }

    fn waits(&self, _knobs: &Knobs) -> bool {
        true
    }

    fn accelerators(&self, knobs: &Knobs, threads: u32) -> Result<Option<Accelerators>> {
        Ok(Some(Accelerators {
            stream: String::new(),
            accelerators: u64::from(threads) / knobs.int("readers")?,
            batch: knobs.int("batch")?,
            compute_ns: knobs.int("compute")?.max(1),
        }))
    }

    fn source(&self, share: &GeneratorInputs<'_>) -> Result<Box<dyn OpGenerator>> {
        let (knobs, space) = (share.knobs, share.space);
        let readers = knobs.int("readers")?;
        if !u64::from(share.threads).is_multiple_of(readers) {
            return Err(failed(
                format!(
                    "{} threads are not whole accelerators of {readers} readers",
                    share.threads
                ),
                format!("set `threads` to a multiple of {readers}, or change `readers`"),
            ));
        }
        let sizes = knobs.sizes("block")?;
        sizes.iter().try_for_each(|(bytes, _)| check_alignment(*bytes, space))?;
        let stride = sizes.iter().map(|(bytes, _)| *bytes).max().unwrap_or(0).max(1);
        let range = range(knobs, space, stride)?;
        let samples_of_file = knobs.int("file")?.min(range.len / stride);
        let ahead = knobs.int("prefetch")? * knobs.int("batch")? / readers;
        Ok(Box::new(SampleReader {
            files: range.len / stride / samples_of_file,
            samples_of_file,
            from: range.from,
            stride,
            sizes,
            thread: u64::from(share.thread),
            threads: u64::from(share.threads),
            order: share.stream_seed,
            compute_ns: sample_compute_ns(knobs)?,
            n: 0,
            begin_ns: 0,
            computed_ns: VecDeque::with_capacity(ahead.max(1) as usize + 1),
            ahead: ahead.max(1) as usize,
        }))
    }
}

/// Computation time on one sample, as seen by one reader: the accelerator takes its samples from
/// all readers in turn.
fn sample_compute_ns(knobs: &Knobs) -> Result<f64> {
    let (compute_ns, batch) = (knobs.int("compute")?, knobs.int("batch")?);
    Ok((compute_ns.max(1) * knobs.int("readers")?) as f64 / batch as f64)
}

/// One reader thread.
struct SampleReader {
    files: u64,
    samples_of_file: u64,
    from: u64,
    stride: u64,
    sizes: Vec<(u64, f64)>,
    thread: u64,
    threads: u64,
    /// Seed of the order of the files in each epoch, and of the sizes of the samples.
    order: Seed,
    compute_ns: f64,
    /// Number of samples started.
    n: u64,
    /// Earliest time of the next read.
    begin_ns: u64,
    /// End of the computation on each of the last samples, as many as may be read ahead.
    computed_ns: VecDeque<f64>,
    ahead: usize,
}

impl SampleReader {
    /// The global number of this reader's sample `n`.
    fn sample(&self, n: u64) -> u64 {
        let rank = n / self.samples_of_file * self.threads + self.thread;
        let key = self.order.at(rank / self.files).draw();
        let file = spread(rank % self.files, self.files, key);
        file * self.samples_of_file + n % self.samples_of_file
    }

    /// A sample has the same size in each epoch.
    fn bytes(&self, sample: u64) -> u64 {
        let weights: f64 = self.sizes.iter().map(|size| size.1).sum();
        let mut left = (mix(sample) >> 11) as f64 / (1u64 << 53) as f64 * weights;
        for (bytes, weight) in &self.sizes {
            left -= weight;
            if left < 0.0 {
                return *bytes;
            }
        }
        self.stride
    }
}

impl OpGenerator for SampleReader {
    fn op(&mut self, n: u64) -> Op {
        let sample = self.sample(n);
        let (at, len) = (self.from + sample * self.stride, self.bytes(sample) as u32);
        Op { kind: OpKind::Read, class: 0, len, at, salt: 0 }
    }

    fn cycles(&mut self) -> Option<&mut dyn Cycles> {
        Some(self)
    }
}

impl Cycles for SampleReader {
    fn start(&mut self, start_ns: u64) {
        self.begin_ns = start_ns;
    }

    fn due_ns(&self) -> u64 {
        self.begin_ns
    }

    fn overdue(&self, now_ns: u64) -> u64 {
        u64::from(self.begin_ns <= now_ns)
    }

    fn next(&mut self) -> Op {
        self.n += 1;
        self.op(self.n - 1)
    }

    fn completed(&mut self, completed_ns: u64) {
        let before_ns = self.computed_ns.back().copied().unwrap_or(0.0);
        self.computed_ns.push_back(before_ns.max(completed_ns as f64) + self.compute_ns);
        self.begin_ns = completed_ns;
        if self.computed_ns.len() > self.ahead {
            let computed_ns = self.computed_ns.pop_front().unwrap_or(0.0);
            self.begin_ns = completed_ns.max(computed_ns as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::HashSet;

    const MIB: u64 = 1 << 20;

    fn knobs(own: serde_json::Value) -> Knobs {
        let given = json!({
            "block": [[MIB, 1.0]], "file": 1, "batch": 8, "compute": 80_000_000, "readers": 4,
            "prefetch": 2, "from": 0.0, "span": 100.0,
        });
        let mut all = std::collections::BTreeMap::new();
        for value in [given, own] {
            let serde_json::Value::Object(value) = value else { panic!("an object") };
            all.extend(value);
        }
        Knobs(all)
    }

    fn reader(knobs: &Knobs, (thread, threads): (u32, u32)) -> Result<Box<dyn OpGenerator>> {
        let space = AddressSpace { bytes: 600 * MIB, align_bytes: 512, ..AddressSpace::default() };
        let (seed, stream_seed) = (Seed::new(1, 0, 0), Seed::new(1, 0, 9));
        TrainingRead.source(&GeneratorInputs { knobs, space, thread, threads, seed, stream_seed })
    }

    /// Samples per second of one reader whose reads take this long.
    fn samples_per_s(read_ns: u64) -> f64 {
        let mut source = reader(&knobs(json!({})), (0, 4)).unwrap();
        let cycles = source.cycles().unwrap();
        cycles.start(0);
        let (mut samples, mut completed_ns) = (0, 0);
        while completed_ns < 400_000_000_000 {
            let due_ns = cycles.due_ns();
            assert!(due_ns >= completed_ns, "a reader reads one sample after the other");
            cycles.next();
            completed_ns = due_ns + read_ns;
            cycles.completed(completed_ns);
            samples += 1;
        }
        f64::from(samples) / 400.0
    }

    #[test]
    fn a_fast_drive_is_read_at_the_pace_of_the_computation_and_a_slow_one_at_its_own() {
        // 8 samples in 80 ms from 4 readers: one in 40 ms for each.
        let full = TrainingRead.accelerators(&knobs(json!({})), 4).unwrap().expect("accelerators");
        assert_eq!((full.accelerators, full.most_samples_per_s()), (1, 100.0));
        for (read_ms, truth) in [(1, 25.0), (20, 25.0), (39, 25.0), (80, 12.5), (200, 5.0)] {
            let measured = samples_per_s(read_ms * 1_000_000);
            assert!((measured / truth - 1.0).abs() < 0.001, "{read_ms} ms: {measured}");
        }
    }

    #[test]
    fn each_sample_is_read_once_in_an_epoch_and_files_in_order() {
        let knobs = knobs(json!({ "file": 10 }));
        let mut seen = HashSet::new();
        let mut orders = Vec::new();
        for thread in 0..4 {
            let mut source = reader(&knobs, (thread, 4)).unwrap();
            let ops: Vec<Op> = (0..300).map(|n| source.op(n)).collect();
            for file in ops[..150].chunks(10) {
                assert!(file.windows(2).all(|pair| pair[1].at == pair[0].at + MIB));
            }
            seen.extend(ops[..150].iter().map(|op| op.at / MIB));
            orders.push(ops[..150].iter().zip(&ops[150..]).all(|(a, b)| a.at == b.at));
        }
        assert_eq!(seen.len(), 600);
        assert!(!orders.contains(&true), "the next epoch has another order");
    }

    #[test]
    fn sizes_have_their_shares_and_a_sample_keeps_its_size() {
        let knobs = knobs(json!({ "block": [[MIB, 3.0], [MIB / 4, 1.0]] }));
        let mut source = reader(&knobs, (0, 4)).unwrap();
        let ops: Vec<Op> = (0..1_500).map(|n| source.op(n)).collect();
        let small = ops.iter().filter(|op| u64::from(op.len) == MIB / 4).count() as f64 / 1_500.0;
        assert!((small - 0.25).abs() < 0.06, "{small}");
        let mut sizes = std::collections::HashMap::new();
        assert!(ops.iter().all(|op| *sizes.entry(op.at).or_insert(op.len) == op.len));
    }

    #[test]
    fn threads_that_are_no_whole_accelerators_are_refused() {
        let refused = reader(&knobs(json!({})), (0, 6)).err().expect("an error").to_string();
        assert!(refused.contains("6 threads"), "{refused}");
    }
}
