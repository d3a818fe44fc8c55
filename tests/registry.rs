//! What engines and workloads declare of themselves: help, plan checks and `dyno list` are made from it, so it must be
//! whole, and every default must be a value that its own knob accepts.

use std::collections::BTreeSet;

use dyno::base::units::{parse_bytes, parse_duration_ns};
use dyno::plan::{Default, Family, Info, Kind, Knob};

fn engines() -> Vec<&'static Info> {
    dyno::engine::ALL.iter().map(|e| e.info()).collect()
}

fn workloads() -> Vec<&'static Info> {
    dyno::workload::ALL.iter().map(|w| w.info()).collect()
}

fn is_word(name: &str, hyphen: char) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == hyphen)
}

#[test]
fn names_are_unique_words() {
    for registry in [engines(), workloads()] {
        let names: BTreeSet<&str> = registry.iter().map(|info| info.name).collect();
        assert_eq!(names.len(), registry.len(), "a name occurs twice");
        for info in registry {
            assert!(is_word(info.name, '-'), "'{}' is not lower case, digits and hyphens", info.name);
            let knobs: BTreeSet<&str> = info.knobs.iter().map(|knob| knob.name).collect();
            assert_eq!(knobs.len(), info.knobs.len(), "{}: a knob occurs twice", info.name);
            for knob in info.knobs {
                assert!(is_word(knob.name, '_'), "{}: the knob '{}' is no word", info.name, knob.name);
            }
        }
    }
}

#[test]
fn everything_says_what_it_is() {
    for info in engines().into_iter().chain(workloads()) {
        let summary = info.summary;
        assert!(!summary.is_empty() && !summary.ends_with('.') && !summary.contains('\n'), "{}: {summary}", info.name);
        for knob in info.knobs {
            assert!(knob.doc.contains(' '), "{}.{}: {}", info.name, knob.name, knob.doc);
        }
    }
}

#[test]
fn every_default_is_a_value_that_its_knob_accepts() {
    for info in engines().into_iter().chain(workloads()) {
        for knob in info.knobs {
            if let Default::Is(text) = knob.default {
                let table: toml::Table = toml::from_str(&format!("value = {text}"))
                    .unwrap_or_else(|e| panic!("{}.{}: {text} is no TOML: {e}", info.name, knob.name));
                assert!(accepts(knob, &table["value"]), "{}.{} does not accept {text}", info.name, knob.name);
            }
        }
    }
}

fn accepts(knob: &Knob, value: &toml::Value) -> bool {
    let is_size = |value: &toml::Value| match value {
        toml::Value::Integer(n) => *n >= 0,
        value => value.as_str().is_some_and(|text| parse_bytes(text).is_ok()),
    };
    match knob.kind {
        Kind::Bool => value.is_bool(),
        Kind::Int { min, max } => value.as_integer().is_some_and(|n| n >= 0 && (min..=max).contains(&(n as u64))),
        Kind::Float { min, max } => {
            let number = value.as_float().or_else(|| value.as_integer().map(|n| n as f64));
            number.is_some_and(|n| (min..=max).contains(&n))
        }
        Kind::Bytes => is_size(value),
        Kind::Time => value.as_str().is_some_and(|text| parse_duration_ns(text).is_ok()),
        Kind::Choice(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        Kind::Sizes => is_size(value) || value.is_array(),
        Kind::Options => value.is_table(),
    }
}

#[test]
fn every_workload_has_an_engine_that_carries_it_out() {
    for workload in workloads() {
        let real = engines().iter().any(|engine| engine.family == workload.family);
        assert!(real || workload.family == Family::Any, "no engine carries out {}", workload.name);
    }
}
