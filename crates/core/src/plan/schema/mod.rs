//! JSON Schemas of plans, campaigns and protocols (draft 7, supported by editors' TOML plugins),
//! generated from the registries and the lists used in parsing. A schema covers what a single file
//! shows: only `dyno plan check` checks that a sweep's stream exists in its step.

mod campaign;
mod protocol;
mod value;

use serde_json::{Value, json};

use super::Catalogue;
use super::builtin::{comparisons, protocols};
use protocol::{definitions, protocol_keys};
use value::{choice, flag, list, object, one_of, text, time, whole};

const DRAFT: &str = "http://json-schema.org/draft-07/schema#";

/// The schema of a protocol file.
pub fn of_protocols(catalogue: &Catalogue) -> Value {
    let mut keys = protocol_keys();
    let scales = json!({ "type": "object", "additionalProperties": overrides("") });
    keys.push(("scale", about("The protocol's smaller forms: values by path.", scales)));
    let words = "Values for plans whose drives are all bare devices: by path.";
    keys.push(("on_devices", about(words, overrides(""))));
    whole_file("Dyno protocol", object(keys, &["step"]), catalogue)
}

/// The schema of a plan file.
pub fn of_plans(catalogue: &Catalogue) -> Value {
    let mut schema = object(plan_keys(), &[]);
    schema["oneOf"] = json!([{ "required": ["protocol"] }, { "required": ["protocols"] }]);
    whole_file("Dyno plan", schema, catalogue)
}

/// The schema of a campaign's file.
pub fn of_campaigns(catalogue: &Catalogue) -> Value {
    whole_file("Dyno campaign", campaign::campaign(), catalogue)
}

fn whole_file(title: &str, mut schema: Value, catalogue: &Catalogue) -> Value {
    schema["$schema"] = json!(DRAFT);
    schema["title"] = json!(title);
    schema["definitions"] = Value::Object(definitions(catalogue).into_iter().collect());
    schema
}

/// With its description for editors.
fn about(words: &str, mut schema: Value) -> Value {
    // Draft 7 ignores keywords next to a reference.
    if schema.get("$ref").is_some() {
        schema = json!({ "allOf": [schema] });
    }
    schema["description"] = json!(words);
    schema
}

/// A part by its definition.
fn defined(name: &str) -> Value {
    json!({ "$ref": format!("#/definitions/{name}") })
}

/// Values by path, or nested: the beginning of a path is known, the rest is the protocol's.
/// `before` matches the name of a test before it.
fn overrides(before: &str) -> Value {
    let tops = crate::plan::steps::overrides::TOPS.join("|");
    json!({ "type": "object", "propertyNames": { "pattern": format!("^{before}({tops})(\\.|$)") } })
}

type Keys = Vec<(&'static str, Value)>;

fn plan_keys() -> Keys {
    let names: Vec<&str> = protocols().iter().map(|(name, _)| *name).collect();
    let all: Vec<&str> = protocols().iter().chain(comparisons()).map(|(name, _)| *name).collect();
    let file = json!({ "type": "string", "pattern": "/|\\.toml$" });
    let until = object(
        vec![
            ("until", json!({ "type": "string", "pattern": "^\\s*[0-9.]+\\s*%\\s*$" })),
            ("at_least", whole(2, 10_000)),
            ("at_most", whole(1, 10_000)),
        ],
        &["until", "at_most"],
    );
    let meters = list(defined("meter"));
    let repeats = one_of([whole(1, 10_000), until]);
    let repeats = about("How often each point is measured.", repeats);
    let order = about(
        "interleaved: subjects take balanced turns; blocked: one after the other; returned: the \
         same, and the first one again after the last.",
        choice(&["interleaved", "blocked", "returned"]),
    );
    let test = object(
        vec![
            ("protocol", one_of([choice(&names), file.clone()])),
            ("scale", text()),
            ("repeats", repeats.clone()),
            ("order", order.clone()),
            ("vary", list(text())),
            ("override", overrides("")),
        ],
        &["protocol"],
    );
    vec![
        (
            "protocol",
            about("Built in, or the path of a file.", one_of([choice(&all), file.clone()])),
        ),
        (
            "protocols",
            about(
                "Several tests over the same subjects, in their order.",
                list(one_of([choice(&names), file.clone(), test])),
            ),
        ),
        ("repeats", repeats),
        ("order", order),
        ("seed", about("Every random choice follows from it.", whole(0, i64::MAX as u64))),
        ("scale", about("A smaller form of the protocol.", text())),
        ("vary", about("Fields whose difference is the question.", list(text()))),
        ("same_device", about("Control run: subjects may share a device.", flag())),
        (
            "meters",
            about(
                "Readings during the load; \"none\" disables all.",
                one_of([choice(&["none"]), meters]),
            ),
        ),
        ("idle", about("How long idle power is read.", time())),
        (
            "override",
            about(
                "Values of the protocol, by path; with several, the path begins with one's name.",
                overrides("([^.]+\\.)?"),
            ),
        ),
        ("subject", about("What is compared.", list(subject()))),
        ("drive", about("Facts that are stated of a subject's drives.", stated())),
        ("disclosure", about("What whoever publishes it declares.", disclosure())),
        ("powercut", about("Only read by `dyno powercut`.", powercut())),
    ]
}

fn subject() -> Value {
    let own = json!({ "type": "object" });
    let keys = vec![
        ("name", about("What the brief calls it.", text())),
        ("drives", about("Measured together, all at once.", list(drive()))),
        ("meters", about("For this subject only.", list(defined("meter")))),
        ("override", about("Knobs for this subject only.", own)),
    ];
    object(keys, &["name", "drives"])
}

/// Names of environment variables.
fn connection() -> Value {
    let name = || json!({ "type": "string", "pattern": "^[A-Za-z0-9_]+$" });
    about("The environment variable of each existing server.", one_of([name(), list(name())]))
}

fn drive() -> Value {
    let erase = one_of([flag(), text(), list(text())]);
    let keys = vec![
        ("path", about("A directory on the drive.", text())),
        ("device", about("A block device, best /dev/disk/by-id/…", text())),
        ("serial", about("The device's serial number: `dyno drives`.", text())),
        ("connection", connection()),
        (
            "erase",
            about("true: everything on the device may be lost; or what may be, \"xfs\".", erase),
        ),
    ];
    let mut drive = object(keys, &[]);
    drive["oneOf"] = json!([{ "required": ["path"] }, { "required": ["device"] }]);
    drive
}

fn stated() -> Value {
    let number = json!({ "type": "number", "exclusiveMinimum": 0 });
    let price = object(
        vec![("amount", number), ("currency", text()), ("date", text()), ("source", text())],
        &["amount", "currency", "date", "source"],
    );
    let texts = ["capacity", "form_factor", "interface", "endurance", "warranty", "source"];
    let mut keys: Keys = texts.into_iter().map(|key| (key, text())).collect();
    keys.push(("price", price));
    let page = json!({ "type": "string", "pattern": "^https?://\\S+$" });
    keys.push(("link", about("The maker's page.", page)));
    keys.push(("mask", about("Briefs and exports call it \"Competitor A\".", flag())));
    json!({ "type": "object", "additionalProperties": object(keys, &[]) })
}

fn disclosure() -> Value {
    let shown = about("Of the kernel's command line.", choice(&["relevant", "whole"]));
    let keys = vec![
        ("class", about("Class of the drives, and their market.", text())),
        ("sponsor", about("Who paid, and who supplied the drives.", text())),
        ("disclaimers", about("A paragraph each.", list(text()))),
        ("footnotes", about("Numbered from 1; cited as [^1].", list(text()))),
        ("kernel_command_line", shown),
    ];
    object(keys, &[])
}

fn powercut() -> Value {
    let keys = vec![
        ("listener", about("HOST:PORT of the machine that stores acknowledgements.", text())),
        ("cut", about("The command that cuts the power and gives it back.", list(text()))),
        ("cuts", about("How many cuts it takes.", whole(1, 1_000_000))),
    ];
    object(keys, &["listener", "cut"])
}

#[cfg(test)]
mod tests;
