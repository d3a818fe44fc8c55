//! Everything that is known of the host, the drives, the engines and the plan, so that others can repeat the run.

use std::fmt::Write;

use super::{Info, Section};
use crate::analysis::facts::Facts;
use crate::report::html::escape;
use crate::report::words;

pub struct Disclosure;

/// The order of the headings; what is not named here follows in the order of the bundle.
const ORDER: [&str; 8] = ["Dyno", "Host", "CPU", "Memory", "Kernel", "Drive", "Filesystem", "RocksDB"];

impl Section for Disclosure {
    fn info(&self) -> Info {
        Info { id: "disclosure", title: "Full disclosure" }
    }

    fn html(&self, facts: &Facts) -> Option<String> {
        let mut out = String::from("<div class=groups>\n");
        out.push_str("<div class=group><h3>Runs</h3><table class=pairs>\n");
        for run in &facts.runs {
            let plural = if run.repeats == 1 { "" } else { "s" };
            let when = words::moment(run.started_unix_ns);
            let what = format!("{when}, dyno {}, {} repeat{}", run.dyno_version, run.repeats, plural);
            let _ = writeln!(out, "<tr><th>{}<td>{}", escape(&run.file), escape(&what));
        }
        out.push_str("</table></div>\n");
        let mut groups: Vec<_> = facts.disclosure.iter().collect();
        groups.sort_by_key(|g| ORDER.iter().position(|o| g.name.starts_with(o)).unwrap_or(ORDER.len()));
        for group in groups {
            let _ = writeln!(out, "<div class=group><h3>{}</h3><table class=pairs>", escape(&group.name));
            for (name, value) in &group.rows {
                let _ = writeln!(out, "<tr><th>{}<td>{}", escape(name), escape(value));
            }
            out.push_str("</table></div>\n");
        }
        out.push_str("</div>\n");
        for run in &facts.runs {
            let _ = writeln!(
                out,
                "<details><summary>Resolved plan of {}</summary><pre>{}</pre></details>",
                escape(&run.file),
                escape(&run.plan)
            );
        }
        Some(out)
    }
}
