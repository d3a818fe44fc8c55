//! A protocol under construction from another tool's file: steps, streams and datasets, and lines
//! that could not be converted.

/// A line that could not be converted.
pub struct Loss {
    /// 0 if it does not belong to a single line.
    pub line: usize,
    /// The line as written in the file.
    pub text: String,
    pub why: String,
}

/// The dataset of a stream.
#[derive(Clone, PartialEq)]
pub struct DraftDataset {
    pub name: String,
    pub engine: &'static str,
    pub bytes: u64,
    /// Knobs as TOML.
    pub knobs: Vec<(&'static str, String)>,
}

/// One load.
pub struct DraftStream {
    pub name: String,
    pub engine: &'static str,
    pub direct: bool,
    /// Empty for the null engine.
    pub dataset: String,
    pub threads: u64,
    pub depth: u64,
    /// Keys as TOML: rate, arrival, cpus.
    pub keys: Vec<(&'static str, String)>,
    pub kind: &'static str,
    /// Knobs of the workload as TOML.
    pub knobs: Vec<(&'static str, String)>,
}

/// Streams that run together.
pub struct DraftStep {
    pub name: String,
    pub warmup_s: f64,
    pub duration_s: f64,
    /// The sweep as TOML.
    pub sweep: Option<String>,
    pub streams: Vec<DraftStream>,
}

/// A protocol.
#[derive(Default)]
pub struct ProtocolDraft {
    pub title: String,
    pub source: String,
    pub datasets: Vec<DraftDataset>,
    pub steps: Vec<DraftStep>,
    pub losses: Vec<Loss>,
}

impl ProtocolDraft {
    pub fn lose(&mut self, line: usize, text: impl Into<String>, why: impl Into<String>) {
        let (text, why) = (text.into(), why.into());
        if !self.losses.iter().any(|l| l.line == line && l.text == text && l.why == why) {
            self.losses.push(Loss { line, text, why });
        }
    }

    /// A unique name that override paths can contain.
    pub fn fresh(taken: &[&str], wanted: &str) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '-' };
        let name: String = wanted.chars().map(plain).collect();
        let name = if name.is_empty() { "load".to_string() } else { name };
        let other = |n: usize| if n == 1 { name.clone() } else { format!("{name}-{n}") };
        (1..).map(other).find(|n| !taken.contains(&n.as_str())).unwrap_or(name)
    }

    /// The protocol as `command` writes it.
    pub fn to_toml(&self, command: &str) -> String {
        let mut out = format!("# Made by `{command}`; {}.\n", comment(&self.source));
        if self.losses.is_empty() {
            out += "# Everything that defines the load was converted.\n";
        } else {
            out += "#\n# Not carried over:\n";
        }
        for Loss { line, text, why } in &self.losses {
            let place = if *line > 0 { format!("line {line}: ") } else { String::new() };
            out += &format!("#   {place}{}: {}\n", comment(text), comment(why));
        }
        out += &format!("\ntitle = {}\nsource = {}\n", quoted(&self.title), quoted(&self.source));
        for DraftDataset { name, engine, bytes, knobs } in &self.datasets {
            out += &format!("\n[dataset.{name}]\nengine = \"{engine}\"\nsize = \"{bytes}B\"\n");
            for (key, value) in knobs {
                out += &format!("{key} = {value}\n");
            }
            out += "fill = { kind = \"sequential\", read = 0, block = \"128KiB\" }\n";
        }
        self.steps.iter().for_each(|step| step.write(&mut out));
        out
    }
}

impl DraftStep {
    fn write(&self, out: &mut String) {
        let ms = |s: f64| format!("\"{}ms\"", (s * 1000.0).round());
        *out += &format!("\n[[step]]\nname = \"{}\"\n", self.name);
        if self.warmup_s > 0.0 {
            *out += &format!("warmup = {}\n", ms(self.warmup_s));
        }
        *out += &format!("duration = {}\n", ms(self.duration_s));
        self.sweep.iter().for_each(|sweep| *out += &format!("sweep = {sweep}\n"));
        for stream in &self.streams {
            stream.write(out);
        }
    }
}

impl DraftStream {
    fn write(&self, out: &mut String) {
        *out += &format!("\n[[step.stream]]\nname = \"{}\"\n", self.name);
        *out += &match self.engine {
            "null" => "engine = \"null\"\n".to_string(),
            engine => format!("engine = {{ kind = \"{engine}\", direct = {} }}\n", self.direct),
        };
        if !self.dataset.is_empty() {
            *out += &format!("dataset = \"{}\"\n", self.dataset);
        }
        let counts = [("threads", self.threads), ("depth", self.depth)];
        for (key, n) in counts.into_iter().filter(|(_, n)| *n > 1) {
            *out += &format!("{key} = {n}\n");
        }
        for (key, value) in &self.keys {
            *out += &format!("{key} = {value}\n");
        }
        let knobs: Vec<String> = self.knobs.iter().map(|(k, v)| format!(", {k} = {v}")).collect();
        *out += &format!("workload = {{ kind = \"{}\"{} }}\n", self.kind, knobs.concat());
    }
}

/// External text on a line of its own.
fn comment(text: &str) -> String {
    crate::base::text::visible(text).into_owned()
}

pub fn quoted(text: &str) -> String {
    toml::Value::String(text.to_string()).to_string()
}

/// Sizes in a workload's form: separate shares by size for reads and writes become one list of
/// weights and, if the sizes differ in it, the percentage of reads of each.
pub fn blocks(
    read_percent: f64,
    reads: &[(u64, f64)],
    writes: &[(u64, f64)],
) -> Vec<(&'static str, String)> {
    let mut sizes: Vec<u64> = reads.iter().chain(writes).map(|(bytes, _)| *bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let share = |of: &[(u64, f64)], bytes: u64| {
        let all: f64 = of.iter().map(|(_, weight)| weight).sum();
        let own: f64 = of.iter().filter(|(b, _)| *b == bytes).map(|(_, weight)| weight).sum();
        if all > 0.0 { own / all } else { 0.0 }
    };
    let weights: Vec<(u64, f64, f64)> = sizes
        .into_iter()
        .map(|bytes| {
            let read = share(reads, bytes) * read_percent;
            let all = read + share(writes, bytes) * (100.0 - read_percent);
            (bytes, all, if all > 0.0 { read / all * 100.0 } else { 0.0 })
        })
        .filter(|(_, all, _)| *all > 0.0)
        .collect();
    by_size(read_percent, &weights)
}

/// The same for (size, weight, percentage of reads).
pub fn by_size(read_percent: f64, weights: &[(u64, f64, f64)]) -> Vec<(&'static str, String)> {
    let list = |pick: &dyn Fn(&(u64, f64, f64)) -> f64| {
        // A share of zero is written as one that is never drawn.
        let pair = |w: &(u64, f64, f64)| format!("[\"{}B\", {}]", w.0, number(pick(w).max(1e-9)));
        format!("[{}]", weights.iter().map(pair).collect::<Vec<_>>().join(", "))
    };
    let mut knobs = vec![("read", number(read_percent))];
    match weights {
        [(bytes, ..)] => knobs.push(("block", format!("\"{bytes}B\""))),
        _ => knobs.push(("block", list(&|w| w.1))),
    }
    if weights.iter().any(|w| (w.2 - read_percent).abs() > 1e-6) {
        knobs.push(("read_by_size", list(&|w| w.2)));
    }
    knobs
}

/// A number without trailing zeros.
pub fn number(n: f64) -> String {
    let rounded = (n * 1e9).round() / 1e9;
    format!("{rounded}")
}
