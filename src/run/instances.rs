//! Several database servers in one point: what each did, and the two figures that are both called
//! "p99" elsewhere, each under a name of its own.

use crate::base::histogram::Histogram;
use crate::base::units;
use crate::record::{Cell, Fact};
use crate::workload::TRANSACTION;

/// For each stream of transactions that ran on more than one server.
pub fn facts(cells: &[Cell], window_ns: u64) -> Vec<Fact> {
    let mut names: Vec<&str> = cells.iter().map(|cell| cell.stream.as_str()).collect();
    names.dedup();
    let mut facts = Vec::new();
    for stream in names {
        let servers: Vec<(&Cell, &Histogram)> = cells
            .iter()
            .filter(|cell| cell.stream == stream)
            .filter_map(|cell| {
                let tally = cell.tallies.iter().find(|tally| tally.class == TRANSACTION)?;
                Some((cell, &tally.service))
            })
            .collect();
        if servers.len() > 1 {
            facts.extend(of_stream(stream, &servers, window_ns));
        }
    }
    facts
}

fn of_stream(stream: &str, servers: &[(&Cell, &Histogram)], window_ns: u64) -> Vec<Fact> {
    let fact = |name: String, value: String| Fact::new(format!("Servers of {stream}"), name, value);
    let latency = |ns: Option<f64>| ns.map_or("not measured".to_string(), units::latency);
    let p99 = |histogram: &Histogram| histogram.percentile_ns(0.99).map(|ns| ns as f64);
    let mut pooled = Histogram::new();
    let mut facts = Vec::new();
    for (cell, service) in servers {
        pooled.merge(service);
        let tps = service.count as f64 / (window_ns.max(1) as f64 / 1e9);
        let (mean, p99) = (latency(service.mean_ns()), latency(p99(service)));
        let name = format!("Drive {}, server {}", cell.drive + 1, cell.instance + 1);
        facts.push(fact(name, format!("{tps:.1} transactions/s, mean {mean}, p99 {p99}")));
    }
    let each: Option<Vec<f64>> = servers.iter().map(|(_, service)| p99(service)).collect();
    let mean = each.map(|all| all.iter().sum::<f64>() / all.len() as f64);
    facts.push(fact("p99 of all transactions together".to_string(), latency(p99(&pooled))));
    facts.push(fact("Mean of the servers' p99s".to_string(), latency(mean)));
    facts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Tally;

    fn server(instance: u32, ns: u64) -> Cell {
        let mut service = Histogram::new();
        service.add_n(ns, 100_000);
        let ops = service.count;
        let tally = Tally {
            class: TRANSACTION,
            ops,
            bytes: 0,
            misses: 0,
            given_up: 0,
            service,
            response: None,
        };
        Cell {
            stream: "clients".into(),
            drive: 0,
            instance,
            headline: true,
            threads: 1,
            depth: 1,
            asked: None,
            late: 0,
            backlog_max: 0,
            backlog_end: 0,
            tallies: vec![tally],
        }
    }

    #[test]
    fn the_pooled_p99_and_the_mean_of_p99s_are_distinguished() {
        assert!(facts(&[server(0, 1_000_000)], 1_000_000_000).is_empty());
        let facts = facts(&[server(0, 1_000_000), server(1, 3_000_000)], 1_000_000_000);
        let value = |name: &str| facts.iter().find(|f| f.name == name).unwrap().value.clone();
        assert!(value("p99 of all transactions together").starts_with('3'), "{facts:?}");
        assert!(value("Mean of the servers' p99s").starts_with('2'), "{facts:?}");
        assert!(value("Drive 1, server 2").starts_with("100000.0 transactions/s"), "{facts:?}");
    }
}
