//! Schemas and parsers have the same keys: the keys queried when parsing each table, over every
//! built-in protocol and the campaign in `examples/`, are compared with the schema's.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::super::campaign::Campaign;
use super::*;
use crate::plan::file;
use crate::plan::syntax::fields::asked;

fn keys_of(schema: &Value) -> Vec<String> {
    schema["properties"].as_object().expect("a table").keys().cloned().collect()
}

/// Each table with its keys.
type Known = BTreeMap<&'static str, BTreeSet<String>>;

fn in_schema() -> Known {
    let catalogue = crate::plan_catalogue();
    let plan = object(plan_keys(), &[]);
    let (defined, protocol) = (definitions(&catalogue), object(protocol_keys(), &[]));
    let named = [
        ("a step", "step"),
        ("a stream", "stream"),
        ("a sweep", "sweep"),
        ("a search", "search"),
        ("a headline", "headline"),
        ("prepare", "prepare"),
        ("a conditioning load", "condition"),
        ("the steady state", "steady"),
    ];
    let named = named.iter().map(|(table, name)| (*table, keys_of(&defined[*name])));
    let own = [
        ("a plan", keys_of(&plan)),
        ("a subject", keys_of(&subject())),
        ("a drive", keys_of(&drive())),
        ("[drive.NAME]", keys_of(&stated()["additionalProperties"])),
        ("[powercut]", keys_of(&powercut())),
        ("a protocol", keys_of(&protocol)),
    ];
    named.chain(own).map(|(name, keys)| (name, keys.into_iter().collect())).collect()
}

#[test]
fn the_schema_has_the_keys_that_parsing_asks_for_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let catalogue = crate::plan_catalogue();
    for (name, _) in protocols() {
        let plan = format!(
            "protocol = \"{name}\"\n[[subject]]\nname = \"A\"\ndrives = [{{ path = \".\" }}]\n\
             [drive.A]\ncapacity = \"1TB\"\n[powercut]\nlistener = \"a:1\"\ncut = [\"x\"]\n"
        );
        let path = folder.path().join("plan.toml");
        std::fs::write(&path, plan).unwrap();
        // Whether it resolves (a bare device may be required) does not matter here.
        let _ = file::load(&path, &catalogue);
    }
    let known = in_schema();
    assert!(known.len() > 10);
    compare(known);
}

/// Fails if other keys of a table were queried than its schema has.
fn compare(known: Known) {
    let asked = asked::all();
    for (table, keys) in &known {
        let Some(asked) = asked.get(table) else { panic!("{table} was not read") };
        assert_eq!(asked, keys, "{table}");
    }
}

#[test]
fn the_schema_of_campaigns_has_the_keys_that_parsing_asks_for_and_no_others() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/campaign.toml");
    let read = Campaign::load(Path::new(example), &crate::plan_catalogue());
    assert!(read.is_ok(), "{}", read.err().map(|m| m.render(false)).unwrap_or_default());
    let known = [
        ("a campaign", campaign::campaign()),
        ("a host", campaign::host()),
        ("[slurm]", campaign::slurm()),
        ("a subject of a campaign", campaign::subject()),
    ];
    compare(known.map(|(table, schema)| (table, keys_of(&schema).into_iter().collect())).into());
}
