//! The brief of two drives of which everything is known: every table and figure of the section
//! "What a write costs", and the drives' own counts of slow commands.

use dyno::plan::specification::{Price, Specification};
use dyno::record::gauge::written::{CounterKind, CounterSource, DriveCounter};
use dyno::record::{IdlePower, Sample};

use crate::made;
use crate::support::dyno_well;

/// Rated DWPD and price of A and B.
const STATED: [(f64, f64); 2] = [(1.0, 200.0), (3.0, 320.0)];

fn stated((dwpd, amount): (f64, f64)) -> Specification {
    let price = Price {
        amount,
        currency: "EUR".into(),
        date: "2026-11-22".into(),
        source: "a shop".into(),
    };
    Specification {
        capacity: Some("1GB".into()),
        endurance: Some(format!("{dwpd} DWPD")),
        warranty: Some("5 years".into()),
        price: Some(price),
        source: Some("the maker's data sheet".into()),
        ..Specification::default()
    }
}

/// What the layers count over a window of a second: an application writes 1 GB, RocksDB three, the
/// kernel a tenth more, which the drive amplifies.
fn readings(amplification: f64, slow: f64) -> Vec<Sample> {
    let counter = |written| DriveCounter::name("nvme0n1", CounterSource::Ocp, written);
    let all = [
        ("engine", "user_written_bytes".to_string(), 1e9),
        ("engine", "wal_part_written_bytes".to_string(), 1e9),
        ("engine", "flush_part_written_bytes".to_string(), 0.8e9),
        ("engine", "compaction_part_written_bytes".to_string(), 1.2e9),
        ("diskstats", "nvme0n1_written_bytes".to_string(), 3.3e9),
        ("nvme", counter(CounterKind::Host), 3.3e9),
        ("nvme", counter(CounterKind::Media), 3.3e9 * amplification),
        ("nvme", "nvme0n1_from_5ms_reads".to_string(), slow),
        ("nvme", "nvme0n1_error_log_entries".to_string(), 2.0),
    ];
    // Every 2 ms of the second: the gaps between readings bound how rarely a counter is updated.
    let in_load = (0..=500).map(|step| (step * 2_000_000, step as f64 / 500.0));
    let times: Vec<(i64, f64)> =
        [(-1_000_000_000, 0.0)].into_iter().chain(in_load).chain([(2_000_000_000, 1.0)]).collect();
    let of = |(meter, name, grown): &(&str, String, f64)| {
        let sample = |(at_ns, share): &(i64, f64)| Sample {
            at_ns: *at_ns,
            meter: (*meter).into(),
            name: name.clone(),
            value: 1e12 + grown * share,
        };
        times.iter().map(sample).collect::<Vec<_>>()
    };
    all.iter().flat_map(of).collect()
}

#[test]
fn a_brief_of_two_drives_has_the_waterfall_life_cost_and_the_drives_counts_of_slow_commands() {
    let folder = made::folder();
    let headline = "headline = { step = \"writes\", metric = \"WAF\" }\n";
    let step = made::step("writes", "cooldown = \"1s\"\nfigures = [\"waterfall\", \"waf\"]", "");
    let mut plan = made::plan(folder.path(), &format!("{headline}{step}"), 2, 5);
    plan.stated = ["A", "B"].map(String::from).into_iter().zip(STATED.map(stated)).collect();
    let idle = ["A", "B"].map(|subject| IdlePower {
        subject: subject.into(),
        meter: "csv".into(),
        name: "drive_watts".into(),
        watts: 4.0,
        readings: 10,
    });
    made::write_with(
        &folder.path().join("b.dyno"),
        &plan,
        &made::observed(idle.into_iter().map(Into::into).collect()),
        &mut |key| {
            let (known, slow) = if key.subject == "A" { (2.0, 14.0) } else { (1.5, 0.0) };
            let scatter = 1.0 + 0.002 * (f64::from(key.repeat) - 3.0);
            Some(made::Figures {
                ops_per_s: 7_500.0,
                p99_ns: 2e6,
                watts: Some(8.0),
                readings: readings(known * scatter, slow),
                ..made::Figures::default()
            })
        },
    );
    // To be looked at.
    for (language, kind) in [("en", "html"), ("ja", "html"), ("pt-BR", "html"), ("en", "pdf")] {
        let page = format!("{}/write-cost-whole-{language}.{kind}", env!("CARGO_TARGET_TMPDIR"));
        dyno_well(folder.path(), &["report", "b.dyno", "-o", &page, "--language", language]);
    }
    dyno_well(folder.path(), &["report", "b.dyno", "-o", "b.md"]);
    let text = std::fs::read_to_string(folder.path().join("b.md")).unwrap();
    for row in [
        // GB of application, engine, host by the kernel and by the drive, and media; the seconds
        // counted; 0.4 % are the scatter, and what readings every 2 ms leave open.
        "| A | 5 | 15 | 16.5 | 16.5 | 33.0 | 5 | 2.00 | ±0.4 % | 3.30 × |",
        "| B | 5 | 15 | 16.5 | 16.5 | 24.8 | 5 | 1.50 | ±0.4 % | 3.30 × |",
        // 3.3 GB/s for a day are 285,120 GB; rated 1 × 1 GB × 365 × 5.
        "| A | 3,300 | 285,120 | 1 \\* | 1.82 \\* | 0.000 |",
        "| B | 3,300 | 285,120 | 3 \\* | 5.47 \\* | 0.000 |",
        // 8 W by 30.7 MB/s; 200 and 320 EUR by 7,500 ops/s, and by the rated writes.
        "| A | 260,417 | 4 | 26.7 EUR \\* | 109.6 EUR \\* |",
        "| B | 260,417 | 4 | 42.7 EUR \\* | 58.4 EUR \\* |",
        "| A | read | 5 | 70 | 75 |",
        "| B | read | 5 | 0 | 75 |",
    ] {
        assert!(text.contains(row), "{row}: {text}");
    }
    for said in [
        "B has 25.00 % \\[24.36, 25.63] lower write amplification than A",
        "A: the drive or its link counted errors: 10 entries of the error log",
        "A: data sheet values from the maker's data sheet",
        "price of 2026-11-22, source: a shop",
        "write amplification by layer",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
}
