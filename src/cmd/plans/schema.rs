//! `dyno schema`: the JSON Schema of plans, campaigns and protocols, for editors, and of the output
//! of each command with `--json`.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use schemars::{Schema, schema_for};
use serde_json::{Value, json};

use crate::base::error::{Context, Result, failed};
use crate::base::folder::Folder;
use crate::base::output;
use crate::cmd::json;
use crate::lab;
use crate::plan::{Catalogue, schema};
use crate::powercut::checker::CheckedCut;

/// A command that prints JSON.
pub struct JsonDocument {
    /// Its name: "show", "plan check".
    pub command: &'static str,
    /// The schema of its output.
    pub schema: fn() -> Schema,
}

/// Every command with `--json`, in the order of the help.
pub static ALL: &[JsonDocument] = &[
    JsonDocument {
        command: "plan check",
        schema: || schema_for!(crate::cmd::plans::plan_facts::PlanCheck),
    },
    JsonDocument {
        command: "protocols",
        schema: || schema_for!(Vec<crate::cmd::plans::protocols::ListedProtocol>),
    },
    JsonDocument { command: "list", schema: || schema_for!(crate::cmd::plans::list::Catalogued) },
    JsonDocument {
        command: "drives",
        schema: || schema_for!(Vec<lab::drive::drives::ListedDrive>),
    },
    JsonDocument { command: "facts", schema: || schema_for!(crate::cmd::tools::facts::Disclosed) },
    JsonDocument {
        command: "selftest",
        schema: || schema_for!(crate::cmd::tools::facts::Disclosed),
    },
    JsonDocument { command: "powercut check", schema: || schema_for!(CheckedCut) },
    JsonDocument {
        command: "powercut claim",
        schema: || schema_for!(Vec<crate::cmd::measure::powercut::PowercutClaim>),
    },
    JsonDocument { command: "show", schema: || schema_for!(crate::cmd::look::show::ShownBundle) },
    JsonDocument {
        command: "compare",
        schema: || schema_for!(crate::cmd::look::compare::ComparedSubjects),
    },
    JsonDocument {
        command: "claims",
        schema: || schema_for!(crate::export::claims::ClaimsDocument),
    },
    JsonDocument { command: "trend", schema: || schema_for!(crate::cmd::look::trend::Trended) },
    JsonDocument {
        command: "catalogue",
        schema: || schema_for!(crate::cmd::look::catalogue::ListedBundles),
    },
    JsonDocument { command: "gate", schema: || schema_for!(crate::cmd::gate::document::Gated) },
    JsonDocument { command: "audit", schema: || schema_for!(crate::cmd::publish::audit::Audited) },
    JsonDocument {
        command: "fleet plan",
        schema: || schema_for!(crate::cmd::fleet::PlannedCampaign),
    },
    JsonDocument {
        command: "fleet status",
        schema: || schema_for!(crate::cmd::fleet::FleetStatus),
    },
    JsonDocument { command: "fleet collect", schema: || schema_for!(crate::cmd::fleet::Collected) },
    JsonDocument { command: "fleet accept", schema: || schema_for!(crate::cmd::fleet::Accepted) },
    JsonDocument {
        command: "fleet clock",
        schema: || schema_for!(Vec<crate::cmd::fleet::ComparedClock>),
    },
    JsonDocument { command: "fleet together", schema: || schema_for!(crate::cmd::fleet::Brought) },
    JsonDocument {
        command: "import",
        schema: || schema_for!(crate::cmd::publish::import::Imported),
    },
    JsonDocument {
        command: "version",
        schema: || schema_for!(crate::cmd::tools::version::ProgramVersion),
    },
];

/// Generates the schema of a file.
type OfFile = fn(&Catalogue) -> Value;

/// The files written by users.
pub static FILES: &[(&str, OfFile)] = &[
    ("plan", schema::of_plans),
    ("campaign", schema::of_campaigns),
    ("protocol", schema::of_protocols),
];

/// The schemas, and the destination.
#[derive(Args)]
pub struct SchemaArgs {
    /// Schema to print: plan, campaign, protocol, or a command with --json: show, claims,
    /// "plan check" …
    #[arg(value_name = "NAME", num_args = 1.., required_unless_present = "all")]
    name: Vec<String>,
    /// Write every schema to this directory: plan.json, campaign.json, show.json …
    #[arg(long, value_name = "DIR", conflicts_with = "name")]
    all: Option<PathBuf>,
}

/// Prints one, or writes them all.
pub fn schema(args: &SchemaArgs, out: &mut dyn Write) -> Result<()> {
    if let Some(folder) = &args.all {
        return write_all(folder);
    }
    let name = args.name.join(" ");
    let Some(schema) = named(&name) else {
        let known: Vec<&str> = names().collect();
        return Err(failed(
            format!("there is no schema '{name}'"),
            format!("there are: {}", known.join(", ")),
        ));
    };
    json::print(&schema, out)
}

fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name).chain(ALL.iter().map(|document| document.command))
}

fn named(name: &str) -> Option<Value> {
    if let Some((_, of)) = FILES.iter().find(|(file, _)| *file == name) {
        return Some(of(&crate::plan_catalogue()));
    }
    let document = ALL.iter().find(|document| document.command == name)?;
    let mut schema = Value::from((document.schema)());
    schema["title"] = json!(format!("dyno {name} --json"));
    Some(schema)
}

fn write_all(folder: &Path) -> Result<()> {
    let folder = Folder::make(folder)?;
    for name in names() {
        let Some(schema) = named(name) else { continue };
        let mut text = serde_json::to_vec_pretty(&schema).context("writing a schema")?;
        text.push(b'\n');
        output::write_in(&folder, &format!("{}.json", name.replace(' ', "-")), &[], &text)?;
    }
    Ok(())
}
