//! Titles and sources of protocols as plans write them. A built-in protocol has them in every
//! language, under a key.

use dyno_core::plan::Plan;

/// A text of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanText {
    /// Its key in the languages, for a built-in protocol; otherwise empty.
    pub key: String,
    /// The text as written by the author of the plan.
    pub written: String,
}

/// The title of a bundle's protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProtocolTitle {
    /// The title in the plan.
    pub text: PlanText,
    /// The tool or publication from which figures were imported, if nothing else names it.
    pub imported_from: Option<String>,
    /// The subjects share a device.
    pub is_control: bool,
}

impl PlanText {
    /// The source of a plan's protocol.
    pub fn source(plan: &Plan) -> PlanText {
        let key = format!("source-of-{}", plan.protocol.name);
        PlanText { key, written: plan.protocol.source.clone() }
    }

    /// The title of a protocol's step.
    pub fn step(protocol: &str, step: &str, title: &str) -> PlanText {
        let written = if title.is_empty() { step } else { title }.to_string();
        PlanText { key: format!("step-of-{protocol}-{step}"), written }
    }
}

impl ProtocolTitle {
    /// The title of a plan's protocol, and whether the subjects share a device.
    pub fn of(plan: &Plan, is_control: bool) -> ProtocolTitle {
        let (key, written) = (format!("protocol-{}", plan.protocol.name), &plan.protocol.title);
        let tool = plan.imported.as_ref().and_then(|_| written.strip_prefix("Imported from "));
        ProtocolTitle {
            imported_from: tool.map(str::to_string),
            is_control,
            text: PlanText { key, written: written.clone() },
        }
    }
}

impl From<&str> for PlanText {
    fn from(written: &str) -> PlanText {
        PlanText { key: String::new(), written: written.to_string() }
    }
}
