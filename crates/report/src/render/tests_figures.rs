//! The figures of golden briefs: labels and sizes; and names with characters missing in all fonts.

use std::path::PathBuf;

use super::tests_bundle::{Made, STARTED, bundle, cell, plan, point, small, stream, tally};
use super::{html, pdf};
use crate::analysis::Question;
use crate::analysis::facts::Facts;
use crate::analysis::keys::SubjectKey;
use crate::brief::{Brief, BriefOptions};
use crate::chart::tests::check;
use crate::chart::{self, Palette};
use crate::language::Language;
use dyno_core::record::{Class, Evidence, Run, Sample, Setup, Sink, SlowOp};
use dyno_core::store::BundleWriter;

fn facts(paths: &[PathBuf]) -> Facts {
    let question = Question { outliers: true, ..Question::default() };
    crate::bundles::facts(paths, &question).expect("facts")
}

/// Six neighbours, three of them readers, whose latency matters, with a power meter for each drive.
fn neighbours() -> Facts {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("made.dyno");
    let made = Made { values: vec![1.0], seconds: 20, fail: false, ..small() };
    let mut of = plan(&made);
    let names = ["writer-1", "writer-2", "writer-3", "reader-4", "reader-5", "reader-6"];
    of.protocol.steps[0].streams =
        names.iter().map(|name| stream(name, name.starts_with("reader"))).collect();
    of.protocol.steps[0].sweep = None;
    let run = Run { plan: of, started_unix_ns: STARTED, dyno_version: "0.1.0".into() };
    let mut writer = BundleWriter::create(&path, &run, &Setup::default()).expect("a bundle");
    for (repeat, subject) in
        (1..=3).flat_map(|repeat| ["Memory", "Disk"].map(|subject| (repeat, subject)))
    {
        let mut point = point(&made, subject, 1.0, repeat);
        point.key.axis = None;
        let slow = if subject == "Disk" { 3 } else { 1 };
        let stream = |name: &&str| match name.starts_with("reader") {
            true => cell(name, true, 8, tally(Class::READ, 4_000_000, 90_000 * slow)),
            false => cell(name, false, 1, tally(Class::WRITE, 200_000, 40_000 * slow)),
        };
        point.cells = names.iter().map(stream).collect();
        writer.begin(&point.key).expect("begun");
        for tenth in -35..=235 {
            let (meter, name, value) =
                ("exec".to_string(), "drive_watts".to_string(), 7.0 + slow as f64);
            writer
                .sample(&Sample { at_ns: tenth * 100_000_000, meter, name, value })
                .expect("a reading");
        }
        (0..1_000).for_each(|n| writer.slow_op(&slow_op(n, slow)).expect("a slow op"));
        writer.end(&point).expect("ended");
    }
    facts(&[path])
}

/// A thousand requests, slowest first, alternately caused by the drive, the host and others.
fn slow_op(n: u64, slow: u64) -> SlowOp {
    let response_ns = slow * 30_000_000 / (n + 3);
    let waited = if n % 3 == 1 { response_ns } else { 0 };
    SlowOp {
        stream: "reader-4".into(),
        drive: 0,
        instance: 0,
        worker: n as u32 % 8,
        class: Class::READ,
        at_ns: n * 7_919_000_000 % 20_000_000_000,
        late_ns: 0,
        response_ns,
        address: n * 4096,
        size: 4096,
        in_flight: 1,
        direct: n.is_multiple_of(3),
        evidence: Some(Evidence {
            waited_least_ns: waited,
            waited_most_ns: waited,
            device_idle_ns: Some(0),
            ..Evidence::default()
        }),
    }
}

pub fn golden() -> Vec<(&'static str, Facts)> {
    let of = |made: &Made| {
        let (_folder, paths) = bundle(made);
        facts(&paths)
    };
    let many =
        Made { values: (1..=60).map(f64::from).collect(), repeats: 2, seconds: 4, fail: false };
    vec![("small", of(&small())), ("many values", of(&many)), ("noisy neighbour", neighbours())]
}

#[test]
fn in_no_golden_figure_does_a_label_stand_on_another_or_is_too_small() {
    let palette = Palette::default();
    for (name, facts) in golden() {
        let figures = chart::all(Language::ENGLISH, &facts);
        assert!(figures.len() >= 4, "{name}: {figures:?}");
        for figure in figures {
            check(&figure.svg(&palette)).unwrap_or_else(|why| panic!("{name}, {figure:?}: {why}"));
            check(&figure.alone(&palette))
                .unwrap_or_else(|why| panic!("{name}, {figure:?}: {why}"));
        }
    }
}

#[test]
fn a_name_that_no_font_has_is_an_error_in_every_form_that_sets_type() {
    let (_folder, paths) = bundle(&small());
    let mut facts = facts(&paths);
    facts.subjects[SubjectKey(1)].name = "Disk 동".to_string();
    let document =
        Brief::new(Language::ENGLISH, &facts, &BriefOptions::default()).expect("a document");
    for made in [html(&document).map(|_| ()), pdf(&document).map(|_| ())] {
        let said = made.map_err(|e| dyno_core::base::error::describe(&e).0).expect_err("no glyph");
        assert!(said.contains("'동' (U+B3D9)") && said.contains("Disk 동"), "{said}");
    }
}
