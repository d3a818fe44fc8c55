//! TPC-C (standard specification, revision 5.11), each clause cited where it is implemented.
//! Results are New-Orders per minute, never tpmC, because they are not audited; docs/tpcc.md lists
//! the departures from the specification.

mod cards;
pub mod consistency;
mod found;
mod inputs;
pub mod load;
mod placed;
mod population;
mod profile;
mod random;
mod schema;
mod script;
mod spelling;
mod statements;
mod timing;

use self::cards::card;
use self::inputs::{Drawer, TpccTerminal};
use self::profile::Profile;
use self::random::Constants;
use self::script::TpccScript;
use self::timing::Terminals;
use dyno_core::base::error::{Error, Result, failed};
use dyno_core::base::rng::Seed;
use dyno_core::measure::sql::TransactionScript;
use dyno_core::measure::{AddressSpace, Cycles, Op, OpGenerator};
use dyno_core::plan::{DefaultValue, Info, Knob, KnobKind, Knobs, RequestFamily, Writes};
use dyno_core::record::Class;
use dyno_core::workload::{GeneratorInputs, Workload};

const SOURCE: &str = "TPC-C standard specification 5.11; tables as pingcap/go-tpc names them";

const WAREHOUSES: Knob = Knob {
    name: "warehouses",
    kind: KnobKind::Int { min: 1, max: 1_000_000 },
    default: DefaultValue::Is("1"),
    doc: "Warehouses, about 100 MB each; the same number for loading and running.",
};

/// The workload `tpcc`.
pub struct Tpcc;

static INFO: Info = Info {
    name: "tpcc",
    summary: "TPC-C's five transactions, with the specification's keying and think times or none",
    family: RequestFamily::Sql,
    writes: Writes::Always,
    max_depth: 1,
    knobs: &[
        WAREHOUSES,
        Knob {
            name: "timing",
            kind: KnobKind::Choice(&["spec", "no-wait"]),
            default: DefaultValue::Is("\"spec\""),
            doc: "spec: terminals key and think (clause 5.2.5), and workers are connections; \
                  no-wait: every worker sends one transaction after another.",
        },
        Knob {
            name: "terminals",
            kind: KnobKind::Int { min: 1, max: 10_000 },
            default: DefaultValue::Is("10"),
            doc: "Terminals for each warehouse.",
        },
    ],
    source: SOURCE,
};

fn no_bytes() -> Error {
    failed("a rate in bytes means nothing for transactions", "give the rate as \"100/s\"")
}

impl Workload for Tpcc {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn classes(&self, _knobs: &Knobs) -> Vec<Class> {
        profile::classes()
    }

    fn mean_op_bytes(&self, _knobs: &Knobs, _space: AddressSpace) -> Result<f64> {
        Err(no_bytes())
    }

    fn as_filled(&self) -> &'static [&'static str] {
        &["warehouses"]
    }

    fn source(&self, share: &GeneratorInputs<'_>) -> Result<Box<dyn OpGenerator>> {
        let terminals = share.knobs.int("warehouses")? * share.knobs.int("terminals")?;
        if share.knobs.text("timing")? == "no-wait" {
            return Ok(Box::new(NoWait { seed: share.seed, terminals, cards: 0, queued: None }));
        }
        let (thread, threads) = (u64::from(share.thread), u64::from(share.threads));
        let bound = |thread: u64| (terminals * thread / threads) as u32;
        let (first, next) = (bound(thread), bound(thread + 1));
        Ok(Box::new(Waiting { terminals: Terminals::new(share.stream_seed, first, next - first) }))
    }

    fn waits(&self, knobs: &Knobs) -> bool {
        knobs.text("timing").is_ok_and(|timing| timing == "spec")
    }

    fn script(&self, share: &GeneratorInputs<'_>) -> Result<Option<Box<dyn TransactionScript>>> {
        // Chosen once per run (clause 2.1.6), so all workers must agree.
        let constants = Constants::of_run(&mut share.stream_seed.at(0));
        let drawer = Drawer { warehouses: share.knobs.int("warehouses")?, constants };
        Ok(Some(Box::new(TpccScript::new(drawer, share.knobs.int("terminals")?))))
    }
}

/// Terminals with keying and think times.
struct Waiting {
    terminals: Terminals,
}

impl OpGenerator for Waiting {
    fn op(&mut self, _n: u64) -> Op {
        self.terminals.next()
    }

    fn cycles(&mut self) -> Option<&mut dyn Cycles> {
        Some(&mut self.terminals)
    }
}

/// One transaction after another, each from a randomly drawn terminal, so that few workers reach
/// all warehouses.
struct NoWait {
    seed: Seed,
    terminals: u64,
    cards: u64,
    /// The terminal with a queued Delivery, which is executed next.
    queued: Option<u64>,
}

impl OpGenerator for NoWait {
    fn op(&mut self, n: u64) -> Op {
        let mut rng = self.seed.at(n);
        let salt = rng.draw();
        if let Some(at) = self.queued.take() {
            return Profile::DeferredDelivery.op(at, salt);
        }
        let at = rng.below(self.terminals);
        let kind = card(self.seed, self.cards);
        self.cards += 1;
        if kind == Profile::Delivery {
            self.queued = Some(at);
        }
        kind.op(at, salt)
    }
}

impl TpccScript {
    /// The inputs of an op are derived from its salt and its terminal.
    fn inputs_of(drawer: &Drawer, per_warehouse: u64, op: &Op) -> inputs::TpccInputs {
        let mut rng = Seed::new(op.salt, 0, 0).at(0);
        drawer.draw(Profile::of(op), TpccTerminal::new(op.at, per_warehouse), &mut rng)
    }
}
