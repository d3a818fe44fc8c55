//! YCSB's mixes, and the records that its fill and its inserts write.

use std::collections::HashSet;

use super::*;

const KEYS: u64 = 10_000;

fn knobs(given: &[(&str, serde_json::Value)]) -> Knobs {
    let mut all: Vec<(String, serde_json::Value)> =
        ["update", "insert", "scan", "modify"].map(|name| (name.into(), 0.into())).into();
    all.push(("distribution".into(), "zipfian".into()));
    all.push(("theta".into(), 0.99.into()));
    all.push(("scan_length".into(), 100.into()));
    for (name, value) in given {
        all.retain(|(known, _)| known != name);
        all.push(((*name).into(), value.clone()));
    }
    Knobs(all.into_iter().collect())
}

fn source(workload: &dyn Workload, knobs: &Knobs, thread: u32) -> Result<Box<dyn OpGenerator>> {
    let space =
        AddressSpace { keys: KEYS, key_bytes: 24, value_bytes: 1000, ..AddressSpace::default() };
    workload.source(&GeneratorInputs {
        knobs,
        space,
        thread,
        threads: 3,
        seed: Seed::new(1, 0, u64::from(thread)),
        stream_seed: Seed::new(1, 0, u64::MAX),
    })
}

#[test]
fn the_mixes_are_those_of_workloads_a_to_f() {
    let mixes: [&[(&str, serde_json::Value)]; 6] = [
        &[("update", 50.into())],
        &[("update", 5.into())],
        &[],
        &[("insert", 5.into()), ("distribution", "latest".into())],
        &[("scan", 95.into()), ("insert", 5.into())],
        &[("modify", 50.into())],
    ];
    for mix in mixes {
        let knobs = knobs(mix);
        let classes = Ycsb.classes(&knobs);
        let mut source = source(&Ycsb, &knobs, 0).unwrap();
        let mut seen = vec![0u32; classes.len()];
        (0..100_000).for_each(|n| seen[source.op(n).class as usize] += 1);
        for (class, seen) in classes.iter().zip(seen) {
            let of = |name| knob_percent(&knobs, name).unwrap();
            let share = match class.name() {
                "read-modify-write" => of("modify"),
                "read" => 1.0 - ["update", "insert", "scan", "modify"].map(of).iter().sum::<f64>(),
                name => of(name),
            };
            let got = f64::from(seen) / 1e5;
            // Four standard deviations of a share of 100,000 draws.
            let allowed = 4.0 * (share * (1.0 - share) / 1e5).sqrt() + 1e-4;
            assert!((got - share).abs() < allowed, "{class:?}: {got} for {share}");
        }
    }
}

#[test]
fn the_fill_writes_each_record_once_and_inserts_create_new_ones() {
    let mut written = HashSet::new();
    for thread in 0..3 {
        let mut fill = source(&YcsbLoad, &knobs(&[]), thread).unwrap();
        for n in 0..fill.pass().unwrap() {
            assert!(written.insert(fill.op(n).at), "a record was written twice");
        }
    }
    assert_eq!(written.len() as u64, KEYS);
    let mix = knobs(&[("insert", 50.into()), ("distribution", "latest".into())]);
    let mut inserted = 0;
    for thread in 0..3 {
        let mut load = source(&Ycsb, &mix, thread).unwrap();
        for n in 0..2_000 {
            let op = load.op(n);
            if op.kind == OpKind::Put {
                inserted += 1;
                assert!(written.insert(op.at), "a record was inserted that was there");
            } else {
                assert!(written.contains(&op.at), "a record was read that is not there");
            }
        }
    }
    assert_eq!(inserted, 3_000);
}

#[test]
fn scans_have_every_length_up_to_the_longest() {
    let mut scans = source(&Ycsb, &knobs(&[("scan", 100.into())]), 0).unwrap();
    let lengths: HashSet<u32> = (0..20_000).map(|n| scans.op(n).len).collect();
    // A scan reads that many entries after the first.
    assert_eq!(lengths, (0..100).collect());
}

#[test]
fn shares_above_100_percent_are_refused() {
    let cause = source(&Ycsb, &knobs(&[("update", 90.into()), ("scan", 20.into())]), 0);
    assert!(cause.err().unwrap().to_string().contains("add up to 110.0000 %"));
}
