//! vdbench parameter files: storage definitions (sd), workload definitions (wd), run definitions
//! (rd). Each rd becomes a step; its workloads become one stream with a share for each size,
//! because vdbench's skew is a share of the ops.

use std::collections::BTreeMap;

use super::draft::{DraftDataset, DraftStep, DraftStream, ProtocolDraft, by_size, number};
use crate::base::error::Result;

/// One definition: its name and its parameters in lower case, lists still in parentheses.
#[derive(Clone, Default)]
struct Definition {
    line: usize,
    name: String,
    set: BTreeMap<String, String>,
}

/// Parameters that define the load, by kind of definition; others are reported.
const KNOWN: &[(&str, &[&str])] = &[
    ("sd", &["lun", "size", "openflags", "threads"]),
    ("wd", &["sd", "rdpct", "xfersize", "seekpct", "skew", "threads", "range"]),
    ("rd", &["wd", "iorate", "curve", "elapsed", "warmup", "interval", "threads", "forthreads"]),
];

/// vdbench's defaults (Vdbench Users Guide, "Run Definition"): 30 s, and 8 threads for each sd.
const ELAPSED_S: f64 = 30.0;
const THREADS: u64 = 8;

/// Default points of a curve (RD_entry.insertCurveRuns).
const CURVE: &[f64] = &[10.0, 50.0, 70.0, 80.0, 90.0, 100.0];

pub fn draft(name: &str, text: &str) -> Result<ProtocolDraft> {
    let mut draft = ProtocolDraft {
        title: name.to_string(),
        source: format!("vdbench parameter file {name}"),
        ..ProtocolDraft::default()
    };
    let mut file = File::default();
    for (line, statement) in statements(text) {
        file.add(line, &statement, &mut draft);
    }
    file.convert(&mut draft);
    Ok(draft)
}

/// Comments are removed; a line that ends with a comma continues on the next.
fn statements(text: &str) -> Vec<(usize, String)> {
    let mut all: Vec<(usize, String)> = Vec::new();
    for (line, written) in text.lines().enumerate().map(|(i, l)| (i + 1, l.trim())) {
        if written.is_empty() || written.starts_with(['*', '/', '#']) {
            continue;
        }
        // Text after a blank is also a comment.
        let written = written.split_whitespace().next().unwrap_or_default();
        match all.last_mut().filter(|(_, before)| before.ends_with(',')) {
            Some((_, before)) => *before += written,
            None => all.push((line, written.to_string())),
        }
    }
    all
}

/// Split at commas outside parentheses.
fn parts(text: &str) -> Vec<String> {
    let (mut all, mut depth) = (vec![String::new()], 0);
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        match (c, all.last_mut()) {
            (',', _) if depth == 0 => all.push(String::new()),
            (c, Some(last)) => last.push(c),
            _ => {}
        }
    }
    all.retain(|part| !part.is_empty());
    all
}

/// "(1,2,3)" or "1".
fn list(text: &str) -> Vec<&str> {
    text.trim_start_matches('(').trim_end_matches(')').split(',').map(str::trim).collect()
}

#[derive(Default)]
struct File {
    defaults: BTreeMap<String, BTreeMap<String, String>>,
    all: BTreeMap<String, Vec<Definition>>,
}

impl File {
    fn add(&mut self, line: usize, statement: &str, draft: &mut ProtocolDraft) {
        let parts = parts(statement);
        let first = parts.first().and_then(|part| part.split_once('='));
        let Some((kind, name)) = first.filter(|(kind, _)| KNOWN.iter().any(|k| k.0 == *kind))
        else {
            return draft.lose(line, statement, "nothing here corresponds to it");
        };
        let known = KNOWN.iter().find(|k| k.0 == kind).map_or(&[][..], |k| k.1);
        let mut set = BTreeMap::new();
        for part in &parts[1..] {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let key = key.to_lowercase();
            if !known.contains(&key.as_str()) {
                draft.lose(line, part.clone(), "nothing here corresponds to it");
            }
            set.insert(key, value.to_string());
        }
        if name == "default" {
            self.defaults.entry(kind.to_string()).or_default().extend(set);
            return;
        }
        let mut whole = self.defaults.get(kind).cloned().unwrap_or_default();
        whole.extend(set);
        let definition = Definition { line, name: name.to_string(), set: whole };
        self.all.entry(kind.to_string()).or_default().push(definition);
    }

    fn of(&self, kind: &str) -> &[Definition] {
        self.all.get(kind).map_or(&[], Vec::as_slice)
    }

    /// The names that match a list; "sd*" matches every name with that prefix.
    fn named(&self, kind: &str, names: &str) -> Vec<&Definition> {
        let meant = |definition: &&Definition| {
            list(names).iter().any(|name| match name.strip_suffix('*') {
                Some(start) => definition.name.starts_with(start),
                None => definition.name == *name,
            })
        };
        self.of(kind).iter().filter(meant).collect()
    }

    fn convert(&self, draft: &mut ProtocolDraft) {
        let sds = self.of("sd");
        let Some(first) = sds.first() else {
            return draft.lose(1, "no sd", "there is no target for the load");
        };
        let size = first.set.get("size").and_then(|text| bytes(text)).unwrap_or_else(|| {
            let why = "no size: 1 GiB is taken; set dataset.sd.size, 0 for all of a device";
            draft.lose(first.line, format!("sd={}", first.name), why);
            1 << 30
        });
        if sds.len() > 1 {
            let why = "each sd is a drive of a subject: specify them with --subject or in a plan";
            draft.lose(first.line, format!("{} sds", sds.len()), why);
        }
        let dataset = DraftDataset {
            name: "sd".to_string(),
            engine: "psync",
            bytes: size,
            knobs: Vec::new(),
        };
        draft.datasets.push(dataset);
        for rd in self.of("rd") {
            let mut wds = self.named("wd", rd.set.get("wd").map_or("*", String::as_str));
            if wds.is_empty() {
                wds = self.of("wd").iter().collect();
            }
            match self.step(rd, &wds, first, draft) {
                Ok(step) => draft.steps.push(step),
                Err(why) => draft.lose(rd.line, format!("rd={} is left out", rd.name), why),
            }
        }
    }

    fn step(
        &self,
        rd: &Definition,
        wds: &[&Definition],
        sd: &Definition,
        draft: &mut ProtocolDraft,
    ) -> std::result::Result<DraftStep, String> {
        let get = |key: &str| rd.set.get(key).map(String::as_str);
        let direct = sd.set.get("openflags").is_some_and(|f| f.contains("direct"));
        let (mut knobs, sequential) = blocks(wds)?;
        let span = wds.iter().find_map(|wd| Some((wd, wd.set.get("range")?)));
        if let Some((wd, range)) = span {
            match list(range)[..] {
                [from, to] if !sequential && wds.len() == 1 => {
                    let (from, to) = (percent(from)?, percent(to)?);
                    knobs.extend([("from", number(from)), ("span", number(to - from))]);
                }
                _ => draft.lose(wd.line, format!("range={range}"), "the whole range is used"),
            }
        }
        let threads =
            get("threads").or(wds.first().and_then(|wd| Some(wd.set.get("threads")?.as_str())));
        let threads = threads.or(sd.set.get("threads").map(String::as_str));
        let threads = threads.and_then(|n| n.parse().ok()).unwrap_or(THREADS);
        let taken: Vec<&str> = draft.steps.iter().map(|s| s.name.as_str()).collect();
        let name = ProtocolDraft::fresh(&taken, &rd.name);
        let (keys, sweep) = paced(rd, draft)?;
        let time = |key: &str| get(key).and_then(seconds);
        Ok(DraftStep {
            name,
            warmup_s: time("warmup").unwrap_or(0.0),
            duration_s: time("elapsed").unwrap_or(ELAPSED_S),
            sweep,
            streams: vec![DraftStream {
                name: "io".to_string(),
                engine: "psync",
                direct,
                dataset: "sd".to_string(),
                threads,
                depth: 1,
                keys,
                kind: if sequential { "sequential" } else { "random" },
                knobs,
            }],
        })
    }
}

/// Ops of one size: bytes, share, percentage of reads, percentage at random offsets.
type Ops = (u64, f64, f64, f64);

type VdbenchKnobs = Vec<(&'static str, String)>;

/// The rate of a run definition, and its sweep.
fn paced(
    rd: &Definition,
    draft: &mut ProtocolDraft,
) -> std::result::Result<(VdbenchKnobs, Option<String>), String> {
    let get = |key: &str| rd.set.get(key).map(String::as_str);
    let (mut keys, mut sweep) = (Vec::new(), None);
    match get("iorate").unwrap_or("max") {
        "max" => {}
        "curve" => {
            let points = get("curve").map_or(Ok(CURVE.to_vec()), curve)?;
            let points: Vec<String> = points.into_iter().map(number).collect();
            sweep = Some(format!("{{ axis = \"io.load\", percent = [{}] }}", points.join(", ")));
        }
        rates => {
            let rates: Vec<String> = list(rates)
                .into_iter()
                .map(|r| r.parse::<f64>().map(|r| format!("\"{}/s\"", number(r))))
                .collect::<std::result::Result<_, _>>()
                .map_err(|_| format!("iorate={rates} is not a list of rates"))?;
            match &rates[..] {
                [one] => keys.push(("rate", one.clone())),
                _ => {
                    let all = rates.join(", ");
                    sweep = Some(format!("{{ axis = \"io.rate\", values = [{all}] }}"));
                }
            }
            // vdbench draws the gaps between arrivals from an exponential distribution.
            keys.push(("arrival", "\"poisson\"".to_string()));
        }
    }
    if let Some(counts) = get("forthreads") {
        match sweep {
            None => {
                let counts = list(counts).join(", ");
                sweep = Some(format!("{{ axis = \"io.threads\", values = [{counts}] }}"));
            }
            Some(_) => {
                let why = "a step has one sweep: that of the rate is taken";
                draft.lose(rd.line, format!("forthreads={counts}"), why);
            }
        }
    }
    Ok((keys, sweep))
}

/// The combined workloads: sizes with their shares, and for each size the percentages of reads and
/// of random ops. A purely sequential one stays so.
fn blocks(wds: &[&Definition]) -> std::result::Result<(VdbenchKnobs, bool), String> {
    let numbered = |wd: &Definition, key: &str, default: f64| match wd.set.get(key) {
        Some(text) => percent(text),
        None => Ok(default),
    };
    let given: f64 = wds.iter().filter_map(|wd| wd.set.get("skew")?.parse::<f64>().ok()).sum();
    let open = wds.iter().filter(|wd| !wd.set.contains_key("skew")).count().max(1) as f64;
    let mut ops: Vec<Ops> = Vec::new();
    for wd in wds {
        let skew = numbered(wd, "skew", (100.0 - given).max(0.0) / open)?;
        let read = numbered(wd, "rdpct", 100.0)?;
        let random = match wd.set.get("seekpct").map(|s| s.to_lowercase()).as_deref() {
            None | Some("random") => 100.0,
            Some("seq" | "sequential" | "eof" | "seqnz") => 0.0,
            Some(text) => percent(text)?,
        };
        for (bytes, share) in sizes(wd.set.get("xfersize").map_or("4k", String::as_str))? {
            ops.push((bytes, skew * share, read, random));
        }
    }
    let all: f64 = ops.iter().map(|o| o.1).sum();
    if ops.is_empty() || all <= 0.0 {
        return Err("it has no workload".to_string());
    }
    let mean = |of: &dyn Fn(&Ops) -> f64, bytes: Option<u64>| {
        let own = || ops.iter().filter(|o| bytes.is_none_or(|b| b == o.0));
        own().map(|o| o.1 * of(o)).sum::<f64>() / own().map(|o| o.1).sum::<f64>()
    };
    let (read, random) = (mean(&|o| o.2, None), mean(&|o| o.3, None));
    let mut distinct: Vec<u64> = ops.iter().map(|o| o.0).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let weights: Vec<(u64, f64, f64)> = distinct
        .iter()
        .map(|b| {
            let weight: f64 = ops.iter().filter(|o| o.0 == *b).map(|o| o.1).sum();
            (*b, weight / all * 100.0, mean(&|o| o.2, Some(*b)))
        })
        .collect();
    let mut knobs = by_size(read, &weights);
    if random == 0.0 && distinct.len() == 1 {
        return Ok((knobs, true));
    }
    let by: Vec<(u64, f64)> = distinct.iter().map(|b| (*b, mean(&|o| o.3, Some(*b)))).collect();
    if by.iter().any(|(_, share)| (share - random).abs() > 1e-6) {
        let pair =
            |(bytes, share): &(u64, f64)| format!("[\"{bytes}B\", {}]", number(share.max(1e-9)));
        let pairs: Vec<String> = by.iter().map(pair).collect();
        knobs.push(("random_by_size", format!("[{}]", pairs.join(", "))));
    } else if random < 100.0 {
        knobs.push(("random", number(random)));
    }
    Ok((knobs, false))
}

/// "4k" or "(4k,60,64k,40)", the shares in percent.
fn sizes(text: &str) -> std::result::Result<Vec<(u64, f64)>, String> {
    let bad = || format!("xfersize={text} is neither a size nor a list of sizes with shares");
    let words = list(text);
    if let [one] = words[..] {
        return Ok(vec![(bytes(one).ok_or_else(bad)?, 1.0)]);
    }
    if !words.len().is_multiple_of(2) {
        return Err(bad());
    }
    let pair = |pair: &[&str]| Some((bytes(pair[0])?, pair[1].parse::<f64>().ok()? / 100.0));
    words.chunks(2).map(|words| pair(words).ok_or_else(bad)).collect()
}

/// "(10-120,10)", "(10,50,100)".
fn curve(text: &str) -> std::result::Result<Vec<f64>, String> {
    let words = list(text);
    if let [range, by] = words[..]
        && let Some((from, to)) = range.split_once('-')
    {
        let (from, to, by) = (percent(from)?, percent(to)?, percent(by)?);
        if by <= 0.0 || (to - from) / by > 1000.0 {
            return Err(format!("curve={text} has no end"));
        }
        let count = ((to - from) / by * (1.0 + 1e-12)).floor().max(0.0) as usize;
        return Ok((0..=count).map(|i| from + i as f64 * by).collect());
    }
    words.into_iter().map(percent).collect()
}

fn percent(text: &str) -> std::result::Result<f64, String> {
    text.parse().map_err(|_| format!("'{text}' is not a number"))
}

/// vdbench's k, m, g and t are powers of 1,024.
fn bytes(text: &str) -> Option<u64> {
    let text = text.to_lowercase();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let power = ["", "k", "m", "g", "t"].iter().position(|unit| *unit == &text[end..])?;
    Some((text[..end].parse::<f64>().ok()? * 1024f64.powi(power as i32)) as u64)
}

/// "30", "2m", "1h".
fn seconds(text: &str) -> Option<f64> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let scale = match &text[end..] {
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    Some(text[..end].parse::<f64>().ok()? * scale)
}
