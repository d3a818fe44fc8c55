//! TPC-C's own account: New-Orders a minute, the mix, response times by transaction against the specification's limits,
//! and where Dyno departs from the specification.

use std::fmt::Write;

use super::{Info, Section};
use crate::analysis::facts::Facts;
use crate::analysis::point_summary::Summary;
use crate::base::units;
use crate::record::Class;
use crate::report::html::{Table, escape};
use crate::report::words::{self, NONE};

pub struct TpcC;

pub const NEW_ORDER: Class = Class::new("new-order");
const PAYMENT: Class = Class::new("payment");
const ORDER_STATUS: Class = Class::new("order-status");
const DELIVERY: Class = Class::new("delivery");
const DEFERRED: Class = Class::new("deferred-delivery");
const STOCK_LEVEL: Class = Class::new("stock-level");

/// Clause 5.2.5.3: 90 % of each kind must be answered in this time; a deferred Delivery within 80 s (clause 2.7.2.2).
const LIMITS_S: [(Class, u32); 6] =
    [(NEW_ORDER, 5), (PAYMENT, 5), (ORDER_STATUS, 5), (DELIVERY, 5), (DEFERRED, 80), (STOCK_LEVEL, 20)];

/// Where p95 is among the percentiles. If 95 % keep a limit, 90 % do.
const P95: usize = 1;

const LIMITS: &str = "<p class=note>Limits: 90 % of each kind must be answered in that time (clause 5.2.5.3), and 90 % of \
    deferred Deliveries be carried out within 80 s of entering the queue (clause 2.7.2.2). Times are response times where \
    terminals key and think, counted from when the terminal sent; a limit counts as kept where p95 or the slowest of all \
    lies within it. Least shares (clause 5.2.3): Payment 43 %, Order-Status, Delivery and Stock-Level 4 % each.</p>\n";

const DEVIATIONS: &str = "<p class=note>New-Orders a minute are no tpmC: this is not an audited result and not \
    comparable with published ones. Departures from the specification: no foreign keys are declared; transactions run \
    at the server's own isolation level (MariaDB and MySQL: repeatable read, PostgreSQL and SQL Server: \
    read committed), with rows locked before they are written; a deferred Delivery waits for its terminal's connection and is logged in the \
    latencies instead of a result file; inputs are made by the driver, there are no screens; checkpoints, durability and \
    180-day storage are not tested; without keying and think times (no-wait) each transaction takes a terminal drawn \
    anew. Rolled-back New-Orders are left out of New-Orders a minute.</p>\n";

impl Section for TpcC {
    fn info(&self) -> Info {
        Info { id: "tpcc", title: "TPC-C" }
    }

    fn html(&self, facts: &Facts) -> Option<String> {
        let mut out = String::new();
        for step in &facts.steps {
            for cell in &step.cells {
                for (name, _, summary) in &cell.streams {
                    if summary.classes.iter().any(|c| c.class == NEW_ORDER) {
                        let (subject, at) = (&facts.subjects[cell.subject], &step.values[cell.value].label);
                        let heading =
                            [subject, at, name].map(String::as_str).into_iter().filter(|part| !part.is_empty());
                        let heading = heading.collect::<Vec<_>>().join(", ");
                        let _ = writeln!(out, "<h3>{}: {}</h3>", escape(&step.title), escape(&heading));
                        out.push_str(&account(summary));
                    }
                }
            }
        }
        (!out.is_empty()).then(|| out + &conditions(facts) + LIMITS + DEVIATIONS)
    }
}

/// Which checks found the conditions kept; one that did not is a failed point, and listed there.
fn conditions(facts: &Facts) -> String {
    let mut out = String::new();
    for step in &facts.checks {
        let kept = step.cells.iter().map(|cell| {
            let times =
                if cell.repeats.len() == 1 { String::new() } else { format!(" ({} times)", cell.repeats.len()) };
            format!("{}{times}", facts.subjects[cell.subject])
        });
        let kept = words::list(&kept.collect::<Vec<_>>());
        let _ = writeln!(
            out,
            "<p>{}: all twelve conditions of clause 3.3.2 were kept on {}.</p>",
            escape(&step.title),
            escape(&kept)
        );
    }
    out
}

fn account(summary: &Summary) -> String {
    let asked: u64 = summary.classes.iter().filter(|c| c.class != DEFERRED).map(|c| c.ops).sum();
    let head = ["transaction", "number", "share", "rolled back", "mean", "p95", "slowest", "limit for 90 %", ""];
    let (mut table, mut rate) = (Table::new(1, &head), String::new());
    for (class, limit_s) in LIMITS_S {
        let Some(c) = summary.classes.iter().find(|c| c.class == class) else { continue };
        let committed = 1.0 - c.misses as f64 / c.ops.max(1) as f64;
        if class == NEW_ORDER {
            rate = format!("{} New-Orders a minute", words::count(c.ops_per_s.value * 60.0 * committed));
            if c.ops_per_s.has_interval() {
                rate = format!("{rate} {}", words::spread(&c.ops_per_s));
            }
        }
        let felt = c.user_latency();
        let p95 = felt.percentiles_ns[P95].as_ref();
        let limit_ns = f64::from(limit_s) * 1e9;
        let kept = match p95 {
            _ if c.ops == 0 => NONE,
            _ if felt.max_ns as f64 <= limit_ns => "kept by all",
            Some(p) if p.value <= limit_ns => "kept",
            Some(_) => "p95 above it",
            None => NONE,
        };
        let share = |part: u64| format!("{:.2} %", part as f64 / asked.max(1) as f64 * 100.0);
        table.row(
            "",
            &[
                class.name().to_string(),
                units::grouped(c.ops),
                if class == DEFERRED { String::new() } else { share(c.ops) },
                if class == NEW_ORDER { format!("{:.2} %", (1.0 - committed) * 100.0) } else { String::new() },
                words::latency(felt.mean_ns.as_ref()),
                words::latency(p95),
                units::latency(felt.max_ns as f64),
                format!("{limit_s} s"),
                kept.to_string(),
            ],
        );
    }
    format!("<p><b>{}</b>, committed.</p>\n{}", rate, table.html())
}
