//! The declaration of every engine and workload is complete, so that help and reference pages
//! generated from it are.

use dyno::plan::{DefaultValue, Info};

fn all() -> Vec<&'static Info> {
    dyno::register();
    let engines = dyno::engine::ALL.iter().map(|e| e.info());
    let meters = dyno::meter::ALL.iter().map(|m| m.info());
    engines.chain(dyno::workload::ALL.iter().map(|w| w.info())).chain(meters).collect()
}

#[test]
fn names_are_unique_and_plain() {
    let mut names: Vec<_> = all().iter().map(|i| i.name).collect();
    assert!(
        names
            .iter()
            .all(|n| n.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')),
        "{names:?}"
    );
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn everything_is_described() {
    for info in all() {
        assert!(
            !info.summary.is_empty() && !info.summary.ends_with('.'),
            "{}: {}",
            info.name,
            info.summary
        );
        for knob in info.knobs {
            assert!(!knob.doc.is_empty(), "{}.{} has no description", info.name, knob.name);
            assert_ne!(knob.default, DefaultValue::Is(""), "{}.{}", info.name, knob.name);
        }
    }
}

#[test]
fn every_built_in_protocol_resolves_with_the_engines_and_workloads_that_there_are() {
    let folder = tempfile::tempdir().unwrap();
    for (name, _) in dyno::plan::protocols() {
        let subject = [("A".to_string(), folder.path().to_path_buf())];
        let plan =
            dyno::plan::from_command_line(name, &subject, &[], None, &dyno::plan_catalogue());
        assert!(plan.is_ok_and(|plan| dyno::plan::points(&plan).next().is_some()), "{name}");
    }
}
