//! `null`: completes at once, or after a latency given in the plan. It measures the tool itself, and it is the known
//! truth that the tests hold the tool against.

use crate::base::clock::Clock;
use crate::base::error::{Result, bail};
use crate::base::rng::{Rng, Seed};
use crate::engine::{Engine, Site, Target};
use crate::load::{AnyLane, Done, Lane, Op, Space, Wait};
use crate::plan::{Default, Family, Info, Kind, Knob, Stream};

pub struct Null;

static INFO: Info = Info {
    name: "null",
    summary: "completes at once or after a stated latency, without I/O",
    family: Family::Any,
    writes: false,
    max_depth: 4096,
    knobs: &[
        Knob { name: "latency", kind: Kind::Time, default: Default::Is("\"0ns\""), doc: "How long each op takes." },
        Knob {
            name: "slow_share",
            kind: Kind::Float { min: 0.0, max: 100.0 },
            default: Default::Is("0"),
            doc: "Percent of ops that take `slow_latency` instead.",
        },
        Knob {
            name: "slow_latency",
            kind: Kind::Time,
            default: Default::Is("\"0ns\""),
            doc: "How long a slow op takes.",
        },
        Knob {
            name: "distribution",
            kind: Kind::Choice(&["fixed", "exponential"]),
            default: Default::Is("\"fixed\""),
            doc: "Whether each latency is exactly as given or drawn with that mean.",
        },
        Knob {
            name: "stall_at",
            kind: Kind::Time,
            default: Default::Absent,
            doc: "When, after a worker's first op, the engine stops for `stall`, once.",
        },
        Knob {
            name: "stall",
            kind: Kind::Time,
            default: Default::Is("\"0ns\""),
            doc: "How long the one stall lasts; every op that meets it completes at its end.",
        },
        Knob {
            name: "size",
            kind: Kind::Bytes,
            default: Default::Is("\"1TiB\""),
            doc: "The range that block workloads address.",
        },
        Knob {
            name: "keys",
            kind: Kind::Int { min: 1, max: u64::MAX },
            default: Default::Is("1000000000"),
            doc: "The keys that key-value workloads address.",
        },
    ],
    source: "",
};

impl Engine for Null {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn open(&self, site: &Site<'_>) -> Result<Box<dyn Target>> {
        let knobs = site.knobs;
        let share = knobs.float("slow_share")? / 100.0;
        let stall_at = knobs.get("stall_at").and_then(|v| v.as_u64());
        let model = Model {
            latency_ns: knobs.int("latency")?,
            slow_latency_ns: knobs.int("slow_latency")?,
            // A share of all 2^64 values of a random number; a float saturates at the top.
            slow_below: (share * 2f64.powi(64)) as u64,
            exponential: knobs.text("distribution")? == "exponential",
            stall: stall_at.map(|at| (at, knobs.int("stall"))).map(|(at, ns)| ns.map(|ns| (at, ns))).transpose()?,
        };
        let space = Space {
            from: 0,
            bytes: knobs.int("size")?,
            align_bytes: 512,
            keys: knobs.int("keys")?,
            key_bytes: 16,
            value_bytes: 100,
        };
        Ok(Box::new(NullTarget { model, space, clock: site.clock }))
    }
}

/// How long ops take.
#[derive(Clone, Copy)]
struct Model {
    latency_ns: u64,
    slow_latency_ns: u64,
    slow_below: u64,
    exponential: bool,
    /// (after the first op, for how long)
    stall: Option<(u64, u64)>,
}

impl Model {
    fn instant(&self) -> bool {
        self.latency_ns == 0 && self.slow_below == 0 && self.stall.is_none()
    }

    fn draw_ns(&self, mut rng: Rng) -> u64 {
        let slow = self.slow_below > 0 && rng.draw() < self.slow_below;
        let mean_ns = if slow { self.slow_latency_ns } else { self.latency_ns };
        if self.exponential { (mean_ns as f64 * rng.exponential()) as u64 } else { mean_ns }
    }
}

struct NullTarget {
    model: Model,
    space: Space,
    clock: Clock,
}

impl Target for NullTarget {
    fn space(&self) -> Space {
        self.space
    }

    fn lane(&self, stream: &Stream, thread: u32) -> Result<Box<dyn AnyLane>> {
        let (model, clock) = (self.model, self.clock);
        let depth = stream.depth as usize;
        if model.instant() {
            return Ok(Box::new(InstantLane { staged: Vec::with_capacity(depth) }));
        }
        if depth > 4096 {
            bail!("the null engine with a latency takes a depth of at most 4,096, not {depth}");
        }
        Ok(Box::new(TimedLane {
            model,
            clock,
            draws: Seed::new(0, 0, u64::from(thread)),
            ops: 0,
            first_ns: None,
            staged: Vec::with_capacity(depth),
            pending: Vec::with_capacity(depth),
        }))
    }
}

/// Completes everything at once.
struct InstantLane {
    staged: Vec<Done>,
}

impl Lane for InstantLane {
    #[inline(always)]
    fn stage(&mut self, slot: u32, op: &Op) -> Result<()> {
        self.staged.push(Done { slot, bytes: op.len, hit: true });
        Ok(())
    }

    #[inline(always)]
    fn run(&mut self, _wait: Wait, done: &mut Vec<Done>) -> Result<()> {
        // The worker hands in an empty list; swapping it for the staged one moves no element.
        std::mem::swap(done, &mut self.staged);
        Ok(())
    }
}

/// Completes each op its own latency after it was started, as a drive with unlimited parallelism would.
struct TimedLane {
    model: Model,
    clock: Clock,
    draws: Seed,
    ops: u64,
    first_ns: Option<u64>,
    staged: Vec<Done>,
    /// (due, op)
    pending: Vec<(u64, Done)>,
}

impl TimedLane {
    fn start(&mut self, now_ns: u64) {
        let first_ns = *self.first_ns.get_or_insert(now_ns);
        for done in self.staged.drain(..) {
            let mut due_ns = now_ns + self.model.draw_ns(self.draws.at(self.ops));
            self.ops += 1;
            if let Some((at_ns, stall_ns)) = self.model.stall {
                let (from_ns, until_ns) = (first_ns + at_ns, first_ns + at_ns + stall_ns);
                // An op that would complete during the stall completes at its end.
                if due_ns >= from_ns && now_ns < until_ns {
                    due_ns = due_ns.max(until_ns);
                }
            }
            self.pending.push((due_ns, done));
        }
    }
}

impl Lane for TimedLane {
    fn stage(&mut self, slot: u32, op: &Op) -> Result<()> {
        self.staged.push(Done { slot, bytes: op.len, hit: true });
        Ok(())
    }

    fn run(&mut self, wait: Wait, done: &mut Vec<Done>) -> Result<()> {
        let mut now_ns = self.clock.now_ns();
        self.start(now_ns);
        let first_due_ns = self.pending.iter().map(|p| p.0).min().unwrap_or(now_ns);
        let until_ns = match wait {
            Wait::No => now_ns,
            Wait::One => first_due_ns,
            Wait::Until(ns) => first_due_ns.min(ns),
        };
        // A sleep would end late by more than the 1 % that the tests allow, so only the bulk of a long wait is slept.
        const SPIN_NS: u64 = 1_000_000;
        if until_ns > now_ns + SPIN_NS {
            self.clock.sleep_until(until_ns - SPIN_NS);
        }
        while now_ns < until_ns {
            std::hint::spin_loop();
            now_ns = self.clock.now_ns();
        }
        self.pending.retain(|&(due_ns, op)| {
            if due_ns <= now_ns {
                done.push(op);
            }
            due_ns > now_ns
        });
        Ok(())
    }
}
