//! vdbench parameter files: storage definitions (sd), workload definitions (wd), run definitions
//! (rd). Each rd becomes a step. Its workloads become one stream with a share for each size,
//! because vdbench's skew is a share of the ops; workloads of different sds become a stream each.
//! Lists of values become the step's sweep or, of a second parameter, further steps.

use std::path::Path;

use super::draft::{
    DraftDataset, DraftStep, DraftStream, Part, ProtocolDraft, by_size, number, quoted, size,
    weighted,
};
use super::fate::{Fate, KnownOption, vdbench_option_of, vdbench_options};
use crate::base::error::{Result, failed};
use crate::base::file;

/// A parameter of a definition.
#[derive(Clone)]
struct Parameter {
    /// vdbench's name of the keyword.
    key: &'static str,
    value: String,
    place: String,
    /// As written.
    text: String,
}

/// One definition: its name and its parameters, lists still in parentheses.
#[derive(Clone)]
struct Definition {
    kind: &'static str,
    name: String,
    place: String,
    text: String,
    set: Vec<Parameter>,
}

/// Why a definition is left out: the parameter and the reason.
type Converted<T> = std::result::Result<T, (String, String, String)>;

/// vdbench's defaults (Vdbench Users Guide, "Run Definition"): 30 s, and 8 threads for each sd.
const ELAPSED_S: f64 = 30.0;
const THREADS: u64 = 8;

/// The size of an sd without one.
const SD_BYTES: u64 = 1 << 30;

/// Default points of a curve (RD_entry.insertCurveRuns).
const CURVE: &[f64] = &[10.0, 50.0, 70.0, 80.0, 90.0, 100.0];

/// Most values of a list, and most steps of one rd.
const MOST_VALUES: usize = 1000;
const MOST_STEPS: usize = 200;

/// More sizes of a range are not listed one by one.
const MOST_SIZES: u64 = 256;

pub fn draft(name: &str, text: &str, folder: &Path) -> Result<ProtocolDraft> {
    let mut draft = ProtocolDraft {
        title: name.to_string(),
        source: format!("vdbench parameter file {name}"),
        ..ProtocolDraft::default()
    };
    let mut file = ParameterFile::default();
    for (place, statement) in statements(name, text, folder, &mut draft)? {
        file.add(&place, &statement, &mut draft);
    }
    file.convert(&mut draft);
    Ok(draft)
}

/// Comments are removed; a line that ends with a comma continues on the next.
fn statements(
    name: &str,
    text: &str,
    folder: &Path,
    draft: &mut ProtocolDraft,
) -> Result<Vec<(String, String)>> {
    let mut all: Vec<(String, String)> = Vec::new();
    for (line, written) in text.lines().enumerate().map(|(i, l)| (i + 1, l.trim())) {
        let place = format!("{name}:{line}");
        if written.starts_with("eof") {
            break;
        }
        if written.is_empty() || written.starts_with(['*', '/', '#']) {
            continue;
        }
        if let Some(path) = written.strip_prefix("include=") {
            let known = vdbench_option_of("general", "include");
            draft.settle(&place, written, Fate::Carried, known.map_or("", |k| k.what));
            let found = if folder.join(path).exists() { folder.join(path) } else { path.into() };
            let text = file::read_text(&found, file::MOST_TEXT)
                .map_err(|error| error.context(format!("{place}: {written}")))?;
            if text.lines().any(|line| line.trim().starts_with("include=")) {
                let what = format!("{place}: {path} includes a file");
                return Err(failed(what, "vdbench allows includes in the first file only"));
            }
            all.extend(statements(path, &text, folder, draft)?);
            continue;
        }
        // Text after a blank is also a comment.
        let written = written.split_whitespace().next().unwrap_or_default();
        match all.last_mut().filter(|(_, before)| before.ends_with(',')) {
            Some((_, before)) => *before += written,
            None => all.push((place, written.to_string())),
        }
    }
    Ok(all)
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
    let bare = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(text);
    bare.split(',').map(str::trim).collect()
}

/// Names of a list: "(sd1,sd3)", "sd*", "(sd1-sd4)".
fn names(text: &str) -> Vec<String> {
    let numbered = |name: &str| {
        let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (start, number) = name.split_at(name.len() - digits);
        Some((start.to_string(), number.parse::<u32>().ok()?))
    };
    let mut all = Vec::new();
    for part in list(text) {
        let range = part.split_once('-').filter(|_| text.starts_with('('));
        match range.and_then(|(from, to)| Some((numbered(from)?, numbered(to)?))) {
            Some(((start, from), (end, to)))
                if start == end && to.saturating_sub(from) < 10_000 =>
            {
                all.extend((from..=to).map(|n| format!("{start}{n}")));
            }
            _ => all.push(part.to_string()),
        }
    }
    all
}

/// The numbers of a list: "(1,2,3)", and in it ranges "1-64,d" (doubled), "64-1,d" (halved) and
/// "1-9,2" (in steps of 2); vdbench's Var_parms.
fn values(
    text: &str,
    number: impl Fn(&str) -> Option<f64>,
) -> std::result::Result<Vec<f64>, String> {
    let bad = |part: &str| format!("'{part}' is not a number or a range");
    let parts = list(text);
    let mut all: Vec<f64> = Vec::new();
    let mut at = 0;
    while let Some(part) = parts.get(at) {
        at += 1;
        let range = part.split_once('-').filter(|(from, _)| !from.is_empty());
        let Some((from, to)) = range else {
            all.push(number(part).ok_or_else(|| bad(part))?);
            continue;
        };
        let (from, to) = (number(from), number(to));
        let (from, to) = (from.ok_or_else(|| bad(part))?, to.ok_or_else(|| bad(part))?);
        let by = parts.get(at).ok_or_else(|| format!("{text}: a range has a step, or d"))?;
        at += 1;
        let doubled = by.eq_ignore_ascii_case("d");
        let step = if doubled { 0.0 } else { number(by).ok_or_else(|| bad(by))? };
        if (doubled && (from <= 0.0 || to <= 0.0)) || (!doubled && step <= 0.0) {
            return Err(format!("{text} has no end"));
        }
        let mut next = from;
        let within = |n: f64| {
            let slack = step * 1e-9;
            if doubled && from > to { n >= to } else { n <= to + slack }
        };
        let mut n = 0.0;
        while all.len() < MOST_VALUES && within(next) {
            all.push(next);
            n += 1.0;
            next = match (doubled, from < to) {
                (true, true) => next * 2.0,
                (true, false) => next / 2.0,
                (false, _) => from + n * step,
            };
        }
    }
    if all.len() >= MOST_VALUES {
        return Err(format!("{text} has more than {MOST_VALUES} values"));
    }
    Ok(all)
}

#[derive(Default)]
struct ParameterFile {
    defaults: Vec<Definition>,
    all: Vec<Definition>,
    /// Parameters outside definitions.
    general: Vec<Parameter>,
}

/// The name of a definition that begins a statement.
fn kind_of(key: &str) -> Option<&'static str> {
    let kinds = ["hd", "sd", "wd", "rd", "fsd", "fwd", "rg"];
    kinds.into_iter().find(|kind| *kind == key || (*kind == "hd" && key == "host"))
}

impl ParameterFile {
    fn add(&mut self, place: &str, statement: &str, draft: &mut ProtocolDraft) {
        let mut parts = parts(statement).into_iter();
        let Some(first) = parts.next() else { return };
        let (key, name) = first.split_once('=').unwrap_or((&first, ""));
        let kind = kind_of(&key.to_lowercase());
        let mut set = Vec::new();
        let own = if kind.is_some() { None } else { Some(first.clone()) };
        for text in own.into_iter().chain(parts) {
            let (key, value) = text.split_once('=').unwrap_or((&text, ""));
            let of = kind.unwrap_or("general");
            match vdbench_option_of(of, &key.to_lowercase()) {
                Some(known) => {
                    let by_table = by_table(known, value);
                    draft.settle(place, &text, by_table.0, by_table.1);
                    let value = value.to_string();
                    set.push(Parameter { key: known.name, value, place: place.to_string(), text });
                }
                None => {
                    let what = if of == "general" { "general parameter" } else { of };
                    draft.lose(place, text, format!("vdbench has no such parameter ({what})"));
                }
            }
        }
        let Some(kind) = kind else { return self.general.extend(set) };
        let fate = vdbench_options().iter().find(|o| o.definition == kind).map(|o| o.fate);
        let why = match kind {
            "fsd" | "fwd" => "a block load has no files and directories",
            "rg" => "dyno trace import makes a load of a recording: docs/trace.md",
            _ => "",
        };
        let fate = if why.is_empty() { fate.unwrap_or(Fate::Carried) } else { Fate::Lost };
        draft.settle(place, &first, fate, why);
        let (name, place) = (name.to_string(), place.to_string());
        let definition = Definition { kind, name, place, text: first.clone(), set };
        if definition.name == "default" {
            return self.defaults.push(definition);
        }
        let defaults = self.defaults.iter().filter(|d| d.kind == kind);
        let mut set: Vec<Parameter> = defaults.flat_map(|d| d.set.clone()).collect();
        set.extend(definition.set.clone());
        self.all.push(Definition { set, ..definition });
    }

    fn of(&self, kind: &str) -> Vec<&Definition> {
        self.all.iter().filter(|definition| definition.kind == kind).collect()
    }

    /// The definitions that match a list of names, in which * and ? are wildcards.
    fn named(&self, kind: &str, text: &str) -> Vec<&Definition> {
        let names = names(text);
        let meant = |definition: &&Definition| names.iter().any(|n| matches(n, &definition.name));
        self.of(kind).into_iter().filter(meant).collect()
    }

    fn general(&self, key: &str) -> Option<&Parameter> {
        self.general.iter().rev().find(|parameter| parameter.key == key)
    }

    fn convert(&self, draft: &mut ProtocolDraft) {
        let sds = self.of("sd");
        if sds.is_empty() && self.of("fsd").is_empty() {
            return draft.lose("", "no sd", "there is no target for the load");
        }
        for sd in &sds {
            if sd.get("size").is_none() {
                let why = "1GiB; set the size of the dataset, 0 for all of a device";
                draft.settle(&sd.place, format!("{} without size", sd.text), Fate::Fixed, why);
            }
        }
        for rd in self.of("rd") {
            if let Err((place, text, why)) = self.steps(rd, draft) {
                draft.lose(place, text, format!("rd={} is left out: {why}", rd.name));
            }
        }
    }

    /// The workloads of a run in groups of those with the same sds.
    fn groups(&self, rd: &Definition) -> Converted<Vec<(Vec<&Definition>, Vec<&Definition>)>> {
        let wds = match rd.get("wd") {
            Some(parameter) => {
                let found = self.named("wd", &parameter.value);
                if found.is_empty() {
                    return Err(parameter.bad("no wd has this name"));
                }
                found
            }
            None => self.of("wd"),
        };
        if wds.is_empty() {
            return Err((rd.place.clone(), rd.text.clone(), "it has no workload".to_string()));
        }
        let mut groups: Vec<(Vec<&Definition>, Vec<&Definition>)> = Vec::new();
        for wd in wds {
            let sds = match rd.get("sd").or(wd.get("sd")) {
                Some(parameter) => {
                    let found = self.named("sd", &parameter.value);
                    if found.is_empty() {
                        return Err(parameter.bad("no sd has this name"));
                    }
                    found
                }
                None => self.of("sd"),
            };
            let same = |known: &[&Definition]| {
                known.len() == sds.len() && known.iter().zip(&sds).all(|(a, b)| a.name == b.name)
            };
            match groups.iter_mut().find(|(known, _)| same(known)) {
                Some((_, members)) => members.push(wd),
                None => groups.push((sds, vec![wd])),
            }
        }
        Ok(groups)
    }

    /// The steps of a run: one, with a sweep, for each value of the lists that are not swept.
    fn steps(&self, rd: &Definition, draft: &mut ProtocolDraft) -> Converted<()> {
        let groups = self.groups(rd)?;
        let alone = groups.len() == 1;
        if !alone {
            for wd in groups.iter().flat_map(|(_, wds)| wds) {
                let Some(sd) = wd.get("sd") else { continue };
                let why = format!(
                    "wd={} has a dataset of its own on each drive, because streams of a step run \
                     on all drives of a subject",
                    wd.name
                );
                draft.lose(&sd.place, &sd.text, why);
            }
        }
        let (rates, max) = self.rates(rd)?;
        let axes = [
            Axis::of(rd, "forxfersize", |text| bytes(text).map(|b| b as f64))?,
            Axis::of(rd, "forthreads", |text| text.parse().ok())?,
            Axis::of(rd, "forrdpct", |text| text.parse().ok())?,
            Axis::of(rd, "forseekpct", seek)?,
        ];
        let mut axes: Vec<Axis> = axes.into_iter().flatten().collect();
        axes.sort_by_key(|axis| axis.place);
        if rates.len() > 1 {
            axes.push(Axis { key: "iorate", place: usize::MAX, values: rates.clone() });
        }
        let curve = self.curve(rd)?;
        // One axis is the sweep of a step: the one with most values among those that can be.
        let swept = match (&curve, alone) {
            (None, true) => axes
                .iter()
                .filter(|a| a.values.len() > 1 && a.sweep().is_some())
                .max_by_key(|a| (a.values.len(), usize::MAX - a.place))
                .map(|a| a.key),
            _ => None,
        };
        let fixed: Vec<&Axis> = axes.iter().filter(|a| Some(a.key) != swept).collect();
        let mut cases: Vec<Vec<(&'static str, f64)>> = vec![Vec::new()];
        for axis in &fixed {
            let with = |case: &Vec<(&'static str, f64)>, value: &f64| {
                let mut case = case.clone();
                case.push((axis.key, *value));
                case
            };
            cases =
                cases.iter().flat_map(|c| axis.values.iter().map(move |v| with(c, v))).collect();
            if cases.len() > MOST_STEPS {
                let why = format!("its lists have more than {MOST_STEPS} combinations");
                return Err((rd.place.clone(), rd.text.clone(), why));
            }
        }
        let several: Vec<&str> =
            fixed.iter().filter(|a| a.values.len() > 1).map(|a| a.key).collect();
        for case in &cases {
            let value = |key: &str| case.iter().find(|(k, _)| *k == key).map(|(_, v)| *v);
            let rate = value("iorate").or(rates.first().copied()).filter(|_| !max);
            let mut streams = Vec::new();
            for (sds, wds) in &groups {
                let share = share(wds, &groups);
                let stream = self.stream(rd, (sds, wds), &value, (rate, share, alone), draft)?;
                streams.push(stream);
            }
            if !alone && rate.is_none() {
                for wd in groups.iter().flat_map(|(_, wds)| wds) {
                    if let Some(skew) = wd.get("skew") {
                        let why = "of a closed loop; give the run a rate, which it divides";
                        draft.lose(&skew.place, &skew.text, why);
                    }
                }
            }
            let sweep = match (&curve, swept) {
                (Some(points), _) if alone => {
                    let points: Vec<String> = points.iter().copied().map(number).collect();
                    Some(format!("{{ axis = \"io.load\", percent = [{}] }}", points.join(", ")))
                }
                (_, Some(key)) => axes.iter().find(|a| a.key == key).and_then(Axis::sweep),
                _ => None,
            };
            let mut name = rd.name.clone();
            for (key, value) in case.iter().filter(|(key, _)| several.contains(key)) {
                name += &match *key {
                    "forxfersize" => format!("-{}", size(*value as u64)),
                    "forthreads" => format!("-{}-threads", number(*value)),
                    "forrdpct" => format!("-{}-read", number(*value)),
                    "forseekpct" => format!("-{}-random", number(*value)),
                    _ => format!("-{}", number(*value)),
                };
            }
            let taken: Vec<&str> = draft.steps.iter().map(|s| s.name.as_str()).collect();
            draft.steps.push(DraftStep {
                name: ProtocolDraft::fresh(&taken, &name),
                warmup_s: rd.time("warmup")?.unwrap_or(0.0),
                duration_s: rd.time("elapsed")?.unwrap_or(ELAPSED_S),
                drop_caches: false,
                sweep,
                streams,
            });
        }
        if let (Some(curve), false) = (rd.get("iorate").filter(|_| curve.is_some()), alone) {
            draft.lose(
                &curve.place,
                &curve.text,
                "of several streams only the maximum is measured",
            );
        }
        Ok(())
    }

    /// The rates of a run, and whether it is a closed loop.
    fn rates(&self, rd: &Definition) -> Converted<(Vec<f64>, bool)> {
        let Some(parameter) = rd.get("iorate") else { return Ok((Vec::new(), true)) };
        match parameter.value.to_lowercase().trim_matches(['(', ')']) {
            "max" | "curve" => Ok((Vec::new(), true)),
            _ => {
                let rates =
                    values(&parameter.value, bytes_or_number).map_err(|why| parameter.bad(&why))?;
                match rates.iter().all(|rate| *rate > 0.0) {
                    true => Ok((rates, false)),
                    false => Err(parameter.bad("a rate is a number above zero, max or curve")),
                }
            }
        }
    }

    /// The points of a curve, in percent of the maximum.
    fn curve(&self, rd: &Definition) -> Converted<Option<Vec<f64>>> {
        let is_curve = |p: &&Parameter| p.value.to_lowercase().trim_matches(['(', ')']) == "curve";
        if rd.get("iorate").filter(is_curve).is_none() {
            return Ok(None);
        }
        let Some(parameter) = rd.get("curve") else { return Ok(Some(CURVE.to_vec())) };
        let points = values(&parameter.value, |text| text.parse().ok());
        points.map(Some).map_err(|why| parameter.bad(&why))
    }

    fn stream(
        &self,
        rd: &Definition,
        (sds, wds): (&[&Definition], &[&Definition]),
        value: &dyn Fn(&str) -> Option<f64>,
        (rate, share, alone): (Option<f64>, f64, bool),
        draft: &mut ProtocolDraft,
    ) -> Converted<DraftStream> {
        let Some(sd) = sds.first() else {
            return Err((rd.place.clone(), rd.text.clone(), "it has no sd".to_string()));
        };
        let (mut knobs, sequential) = blocks(wds, value, draft)?;
        let part = part(sd, wds, draft)?;
        let (direct, sync) = self.flags(rd, wds, sd, draft);
        knobs.extend(sync);
        if let Some(align) = sd.get("align").and_then(|p| bytes(&p.value)).filter(|b| *b > 0) {
            match sequential {
                true => {}
                false => knobs.push(("align", quoted(&size(align)))),
            }
        }
        let threads = match value("forthreads") {
            Some(threads) => threads.max(1.0) as u64,
            None => match wds.iter().find_map(|wd| wd.get("threads")).or(sd.get("threads")) {
                Some(p) => p.value.parse().map_err(|_| p.bad("it is not a number of threads"))?,
                None => THREADS,
            },
        };
        let mut keys = Vec::new();
        if let Some(rate) = rate {
            keys.push(("rate", quoted(&format!("{}/s", number(rate * share)))));
        }
        if rate.is_some() {
            keys.push(("arrival", quoted(self.arrival(rd, draft))));
        } else if let Some(distribution) = rd.get("distribution") {
            draft.settle(
                &distribution.place,
                &distribution.text,
                Fate::Irrelevant,
                "only of rates",
            );
        }
        let one_of_several = sds.len() == 1 && self.of("sd").len() > 1;
        let own = if one_of_several { sd.name.as_str() } else { "sd" };
        if sds.len() > 1 {
            let why = "each sd is a drive of a subject: specify them with --subject or in a plan";
            for sd in sds {
                if let Some(lun) = sd.get("lun") {
                    draft.remark(&lun.place, &lun.text, why);
                }
            }
        }
        let of_group = if let [wd] = wds { wd.name.as_str() } else { own };
        let name = if alone { "io".to_string() } else { ProtocolDraft::fresh(&[], of_group) };
        Ok(DraftStream {
            name,
            engine: "psync",
            direct,
            engine_knobs: Vec::new(),
            dataset: self.dataset(own, sds, draft)?,
            part,
            threads,
            depth: 1,
            keys,
            kind: if sequential { "sequential" } else { "random" },
            knobs,
        })
    }

    /// The gaps between arrivals: vdbench draws them from an exponential distribution.
    fn arrival(&self, rd: &Definition, draft: &mut ProtocolDraft) -> &'static str {
        let Some(parameter) = rd.get("distribution") else { return "poisson" };
        let mut arrival = "poisson";
        for word in list(&parameter.value) {
            let word = word.to_lowercase();
            if "deterministic".starts_with(&word) {
                arrival = "fixed";
            } else if !"exponential".starts_with(&word) {
                let why = format!("arrivals are exponentially distributed, not {word}");
                draft.lose(&parameter.place, &parameter.text, why);
            }
        }
        arrival
    }

    /// Direct I/O, and the durability of writes.
    fn flags(
        &self,
        rd: &Definition,
        wds: &[&Definition],
        sd: &Definition,
        draft: &mut ProtocolDraft,
    ) -> (bool, Option<(&'static str, String)>) {
        let of_wd = wds.iter().find_map(|wd| wd.get("openflags"));
        let Some(parameter) = rd.get("openflags").or(of_wd).or(sd.get("openflags")) else {
            return (false, None);
        };
        let (mut direct, mut sync) = (false, None);
        for flag in list(&parameter.value) {
            match flag.to_lowercase().as_str() {
                "o_direct" | "directio" => direct = true,
                // Without its number, O_SYNC is O_DSYNC for vdbench on Linux.
                "o_dsync" | "o_sync" | "o_rsync" => sync = Some(("sync", "\"fua\"".to_string())),
                "directio_off" => {}
                other => {
                    let why = format!("the flag {other} has no equivalent");
                    draft.lose(&parameter.place, &parameter.text, why);
                }
            }
        }
        (direct, sync)
    }

    /// The dataset of this name, created at its first use.
    fn dataset(
        &self,
        wanted: &str,
        sds: &[&Definition],
        draft: &mut ProtocolDraft,
    ) -> Converted<String> {
        let name = ProtocolDraft::fresh(&[], wanted);
        let mut bytes = 0;
        for sd in sds {
            bytes = bytes.max(sd.bytes()?);
        }
        if let Some(known) = draft.datasets.iter_mut().find(|d| d.name == name) {
            known.bytes = known.bytes.max(bytes);
            return Ok(name);
        }
        let mut knobs = Vec::new();
        let ratio = |key: &str| self.general(key).and_then(|p| p.value.parse::<f64>().ok());
        let compressed = ratio("compratio").or(ratio("compression").map(|percent| 100.0 / percent));
        if let Some(ratio) = compressed.filter(|ratio| *ratio > 1.0) {
            knobs.push(("compressible", number((1.0 - 1.0 / ratio) * 100.0)));
        }
        if let Some(ratio) = ratio("dedupratio").filter(|ratio| *ratio > 1.0) {
            knobs.push(("dedupe", number(ratio)));
            if let Some(unit) = self.general("dedupunit").and_then(|p| self::bytes(&p.value)) {
                knobs.push(("dedupe_unit", quoted(&size(unit))));
            }
        }
        draft.datasets.push(DraftDataset {
            name: name.clone(),
            engine: "psync",
            bytes,
            knobs,
            filled: true,
        });
        Ok(name)
    }
}

/// The share of these workloads in a run's ops.
fn share(wds: &[&Definition], groups: &[(Vec<&Definition>, Vec<&Definition>)]) -> f64 {
    let all: Vec<&Definition> = groups.iter().flat_map(|(_, wds)| wds.clone()).collect();
    let of = |wds: &[&Definition]| wds.iter().map(|wd| skew(wd, &all)).sum::<f64>();
    of(wds) / of(&all)
}

/// A workload's percentage of the ops: those without one divide the rest evenly.
fn skew(wd: &Definition, all: &[&Definition]) -> f64 {
    let given = |wd: &Definition| {
        wd.get("skew").and_then(|p| p.value.parse::<f64>().ok()).filter(|skew| *skew > 0.0)
    };
    let sum: f64 = all.iter().filter_map(|wd| given(wd)).sum();
    let open = all.iter().filter(|wd| given(wd).is_none()).count().max(1) as f64;
    given(wd).unwrap_or((100.0 - sum).max(0.0) / open)
}

/// The fate of a parameter by the table, with the reason.
fn by_table(known: &KnownOption, value: &str) -> (Fate, &'static str) {
    match known.fate {
        _ if known.neutral.contains(&value.to_lowercase().as_str()) => {
            (Fate::Irrelevant, "as without it")
        }
        Fate::Carried => (Fate::Carried, ""),
        fate => (fate, known.what),
    }
}

/// Whether a name matches a pattern with * and ?.
fn matches(pattern: &str, name: &str) -> bool {
    match (pattern.chars().next(), name.chars().next()) {
        (None, None) => true,
        (Some('*'), _) => {
            matches(&pattern[1..], name)
                || name.chars().next().is_some_and(|c| matches(pattern, &name[c.len_utf8()..]))
        }
        (Some('?'), Some(c)) => matches(&pattern[1..], &name[c.len_utf8()..]),
        (Some(a), Some(b)) if a == b => matches(&pattern[a.len_utf8()..], &name[b.len_utf8()..]),
        _ => false,
    }
}

/// A list of values of a run.
struct Axis {
    key: &'static str,
    /// Its place among the run's parameters, which is the order of vdbench's loops.
    place: usize,
    values: Vec<f64>,
}

impl Axis {
    fn of(
        rd: &Definition,
        key: &'static str,
        number: impl Fn(&str) -> Option<f64>,
    ) -> Converted<Option<Axis>> {
        let Some(place) = rd.set.iter().rposition(|parameter| parameter.key == key) else {
            return Ok(None);
        };
        let parameter = &rd.set[place];
        let values = values(&parameter.value, number).map_err(|why| parameter.bad(&why))?;
        Ok(Some(Axis { key, place, values }))
    }

    /// As the sweep of a step.
    fn sweep(&self) -> Option<String> {
        let written = |of: &dyn Fn(f64) -> String| {
            self.values.iter().map(|value| of(*value)).collect::<Vec<_>>().join(", ")
        };
        let (axis, values) = match self.key {
            "forthreads" => ("threads", written(&|n| number(n.max(1.0)))),
            "forxfersize" => ("block", written(&|bytes| quoted(&size(bytes as u64)))),
            "iorate" => ("rate", written(&|rate| quoted(&format!("{}/s", number(rate))))),
            _ => return None,
        };
        Some(format!("{{ axis = \"io.{axis}\", values = [{values}] }}"))
    }
}

impl Parameter {
    fn bad(&self, why: &str) -> (String, String, String) {
        (self.place.clone(), self.text.clone(), why.to_string())
    }
}

impl Definition {
    /// The last parameter of this name.
    fn get(&self, key: &str) -> Option<&Parameter> {
        self.set.iter().rev().find(|parameter| parameter.key == key)
    }

    fn time(&self, key: &str) -> Converted<Option<f64>> {
        let Some(parameter) = self.get(key) else { return Ok(None) };
        seconds(&parameter.value).map(Some).ok_or_else(|| parameter.bad("it is not a time"))
    }

    fn bytes(&self) -> Converted<u64> {
        match self.get("size") {
            Some(p) => bytes(&p.value).ok_or_else(|| p.bad("it is not a size")),
            None => Ok(SD_BYTES),
        }
    }
}

/// The part of the sd that a workload uses: percentages, or bytes above 200 (vdbench's Users Guide,
/// "range").
fn part(sd: &Definition, wds: &[&Definition], draft: &mut ProtocolDraft) -> Converted<Part> {
    let of_wd = wds.iter().find_map(|wd| wd.get("range"));
    let Some(parameter) = of_wd.or(sd.get("range")) else { return Ok(Part::Whole) };
    if of_wd.is_some() && wds.len() > 1 {
        let why = "workloads that are one stream have one range: the whole is used";
        draft.lose(&parameter.place, &parameter.text, why);
        return Ok(Part::Whole);
    }
    match values(&parameter.value, bytes_or_number).as_deref() {
        Ok(&[from, to]) if 0.0 <= from && from < to && to <= 100.0 => {
            Ok(Part::Percent(from, to - from))
        }
        Ok(&[from, to]) if 200.0 < to && from < to => {
            Ok(Part::Bytes(from as u64, (to - from) as u64))
        }
        Ok(_) => Err(parameter.bad("it is not a range from 0 to 100")),
        Err(why) => Err(parameter.bad(why)),
    }
}

/// Ops of one size: bytes, share, percentage of reads, percentage at random offsets.
type Ops = (u64, f64, f64, f64);

type Knobs = Vec<(&'static str, String)>;

/// The combined workloads: sizes with their shares, and for each size the percentages of reads and
/// of random ops. A purely sequential one stays so.
fn blocks(
    wds: &[&Definition],
    value: &dyn Fn(&str) -> Option<f64>,
    draft: &mut ProtocolDraft,
) -> Converted<(Knobs, bool)> {
    let mut ops: Vec<Ops> = Vec::new();
    for wd in wds {
        let percent = |p: &Parameter| {
            let n = p.value.parse::<f64>().ok().filter(|n| (0.0..=100.0).contains(n));
            n.ok_or_else(|| p.bad("it is not a percentage"))
        };
        let last = wd.set.iter().rev().find(|p| ["rdpct", "wrpct"].contains(&p.key));
        let read = match (value("forrdpct"), last) {
            (Some(read), _) => read,
            (None, Some(p)) if p.key == "wrpct" => 100.0 - percent(p)?,
            (None, Some(p)) => percent(p)?,
            (None, None) => 100.0,
        };
        let random = match (value("forseekpct"), wd.get("seekpct")) {
            (Some(random), _) => random,
            (None, Some(p)) => seeks(p, draft)?,
            (None, None) => 100.0,
        };
        let sizes = match (value("forxfersize"), wd.get("xfersize")) {
            (Some(bytes), _) => vec![(bytes as u64, 1.0)],
            (None, Some(p)) => sizes(&p.value).map_err(|why| p.bad(&why))?,
            (None, None) => vec![(4096, 1.0)],
        };
        for (bytes, share) in sizes {
            ops.push((bytes, skew(wd, wds) * share, read, random));
        }
    }
    let all: f64 = ops.iter().map(|o| o.1).sum();
    if let (true, Some(wd)) = (ops.is_empty() || all <= 0.0, wds.first()) {
        return Err((wd.place.clone(), wd.text.clone(), "it has no ops".to_string()));
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
        knobs.push(("random_by_size", weighted(&by)));
    } else if random < 100.0 {
        knobs.push(("random", number(random)));
    }
    Ok((knobs, false))
}

/// The percentage of ops at random offsets; the words may be abbreviated.
fn seeks(parameter: &Parameter, draft: &mut ProtocolDraft) -> Converted<f64> {
    let words = list(&parameter.value);
    let first = words.first().copied().unwrap_or_default().to_lowercase();
    if first.len() > 1 && "poisson".starts_with(&first) {
        draft.lose(&parameter.place, &parameter.text, "offsets are uniform instead");
        return Ok(100.0);
    }
    match seek(&first) {
        Some(share) if words.len() == 1 => {
            if first == "eof" {
                let why = "a window does not end at the end of the range";
                draft.settle(&parameter.place, &parameter.text, Fate::Fixed, why);
            }
            Ok(share)
        }
        _ => Err(parameter.bad("it is neither a percentage nor random, sequential or eof")),
    }
}

fn seek(text: &str) -> Option<f64> {
    let text = text.to_lowercase();
    let is = |word: &str| text.len() > 1 && word.starts_with(&text);
    match &text {
        _ if is("sequential") || text == "seqnz" || text == "eof" => Some(0.0),
        _ if is("random") => Some(100.0),
        _ => text.parse().ok().filter(|n| (0.0..=100.0).contains(n)),
    }
}

/// "4k", "(4k,60,64k,40)" with shares in percent, or "(4k,64k,4k)": from, to and the step of sizes
/// that are equally frequent.
fn sizes(text: &str) -> std::result::Result<Vec<(u64, f64)>, String> {
    let bad = || format!("{text} is neither a size nor a list of sizes with shares");
    let words = list(text);
    match words[..] {
        [one] => Ok(vec![(bytes(one).ok_or_else(bad)?, 1.0)]),
        [min, max, step] => {
            let of = |text| bytes(text).ok_or_else(bad);
            let (min, max, step) = (of(min)?, of(max)?, of(step)?);
            if step == 0 || min == 0 || max < min || (max - min) / step > MOST_SIZES {
                return Err(format!("{text} has no sizes or more than {MOST_SIZES}"));
            }
            let count = (max - min) / step + 1;
            Ok((0..count).map(|n| (min + n * step, 1.0 / count as f64)).collect())
        }
        _ if !words.len().is_multiple_of(2) => Err(bad()),
        _ => {
            let pair =
                |pair: &[&str]| Some((bytes(pair[0])?, pair[1].parse::<f64>().ok()? / 100.0));
            words.chunks(2).map(|words| pair(words).ok_or_else(bad)).collect()
        }
    }
}

fn bytes_or_number(text: &str) -> Option<f64> {
    text.parse().ok().or_else(|| bytes(text).map(|bytes| bytes as f64))
}

/// vdbench's k, m, g and t are powers of 1,024; a b may follow.
fn bytes(text: &str) -> Option<u64> {
    let text = text.to_lowercase();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let unit = text[end..].strip_suffix('b').unwrap_or(&text[end..]);
    let power = ["", "k", "m", "g", "t"].iter().position(|known| *known == unit)?;
    Some((text[..end].parse::<f64>().ok()? * 1024f64.powi(power as i32)) as u64)
}

/// "30", "2m", "1h".
fn seconds(text: &str) -> Option<f64> {
    let text = text.to_lowercase();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let scale = match &text[end..] {
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    Some(text[..end].parse::<f64>().ok()? * scale)
}
