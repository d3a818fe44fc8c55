//! Sizes of ops, and numbers with fio's units.

use super::super::draft;
use super::super::fate::Fate;
use super::{Converted, Knobs, LeftOut, Pattern, Reading, side};

/// Sizes with their shares.
type Shares = Vec<(u64, f64)>;

/// More sizes of a range are not listed one by one.
const MOST_SIZES: u64 = 256;

impl Reading<'_> {
    /// The sizes of ops as knobs; and those of sequential and of random ops, if they differ.
    pub(super) fn blocks(&mut self, pattern: &Pattern) -> Converted<(Knobs, Option<(u64, u64)>)> {
        if let Some(sizes) = self.by_order(pattern)? {
            let (sequential, random, percent) = sizes;
            let shares = vec![(sequential, 100.0 - percent), (random, percent)];
            let both = percent > 0.0 && percent < 100.0 && sequential != random;
            let knobs = draft::blocks(pattern.read, &shares, &shares);
            return Ok((knobs, both.then_some((sequential, random))));
        }
        let (reads, writes) = match pattern.trims {
            true => (Vec::new(), self.sizes_of(2)?),
            false => (self.sizes_of(0)?, self.sizes_of(1)?),
        };
        Ok((draft::blocks(pattern.read, &reads, &writes), None))
    }

    /// bs_is_seq_rand: the two values of bs are of sequential and of random ops. Also returns the
    /// percentage of random ops.
    fn by_order(&mut self, pattern: &Pattern) -> Converted<Option<(u64, u64, f64)>> {
        if !self.flag("bs_is_seq_rand") {
            return Ok(None);
        }
        let Some(written) = self.get("bs").filter(|text| text.contains(',')) else {
            return Ok(None);
        };
        let (Some(sequential), Some(random)) = (side(written, 0), side(written, 1)) else {
            let why = "bs_is_seq_rand needs both sizes of bs".to_string();
            return Err(LeftOut { key: "bs", why });
        };
        let sizes = (self.block("bs", sequential)?, self.block("bs", random)?);
        let share = self.get("percentage_random").and_then(|text| side(text, 0)?.parse().ok());
        let percent = if pattern.random { share.unwrap_or(100.0) } else { 0.0 };
        Ok(Some((sizes.0, sizes.1, percent)))
    }

    /// The sizes of reads (0), writes (1) or trims (2): bssplit takes precedence; of bs and
    /// bsrange, the last counts.
    pub(super) fn sizes_of(&mut self, direction: usize) -> Converted<Shares> {
        let unused = |last: &str| match last {
            "bssplit" => ["bs", "bsrange"],
            "bsrange" => ["bs", "bs"],
            _ => ["bsrange", "bsrange"],
        };
        let place = |key: &str| self.job.options.iter().rposition(|option| option.key == key);
        let last = match (place("bssplit"), place("bs"), place("bsrange")) {
            (Some(_), ..) => "bssplit",
            (None, bs, Some(range)) if bs < Some(range) => "bsrange",
            _ => "bs",
        };
        self.idle(&unused(last), "another option sets the sizes");
        let written = self.get(last).and_then(|text| side(text, direction));
        match (last, written) {
            ("bssplit", Some(text)) => self.split(text),
            ("bsrange", Some(text)) => self.range(text),
            (_, Some(text)) => Ok(vec![(self.block("bs", text)?, 1.0)]),
            (_, None) => Ok(vec![(4096, 1.0)]),
        }
    }

    /// "4k/40:16k/60"; sizes without a share divide the rest evenly.
    fn split(&mut self, text: &str) -> Converted<Shares> {
        let bad = || LeftOut {
            key: "bssplit",
            why: format!("'{text}' is not a list of sizes and shares"),
        };
        let mut sizes = Vec::new();
        for part in text.split(':') {
            let (bytes, share) = part.split_once('/').unwrap_or((part, ""));
            let share = Some(share).filter(|s| !s.is_empty()).map(str::parse::<f64>).transpose();
            sizes.push((self.block("bssplit", bytes)?, share.map_err(|_| bad())?));
        }
        let given: f64 = sizes.iter().filter_map(|(_, share)| *share).sum();
        let open = sizes.iter().filter(|(_, share)| share.is_none()).count().max(1) as f64;
        let rest = (100.0 - given).max(0.0) / open;
        Ok(sizes.into_iter().map(|(bytes, share)| (bytes, share.unwrap_or(rest))).collect())
    }

    /// "4k-16k": fio draws min + max · u bytes, rounds down to a multiple of min, and cuts at max.
    fn range(&mut self, text: &str) -> Converted<Shares> {
        let left_out = |why: String| LeftOut { key: "bsrange", why };
        let bad = || left_out(format!("'{text}' is not a range of sizes"));
        let (min, max) = text.split_once(['-', ':']).ok_or_else(bad)?;
        let (min, max) = (self.block("bsrange", min)?, self.block("bsrange", max)?);
        if min == 0 || max < min {
            return Err(bad());
        }
        if max / min > MOST_SIZES {
            return Err(left_out(format!("{text} has more than {MOST_SIZES} sizes")));
        }
        // Sizes drawn from [k · min, (k + 1) · min) for each k, those beyond max as max.
        let all = (1..=(min + max) / min).map(|k| {
            let (from, to) = ((k * min) as f64, ((k + 1) * min).min(min + max) as f64);
            ((k * min).min(max), to - from)
        });
        let mut sizes: Shares = Vec::new();
        for (bytes, weight) in all.filter(|(_, weight)| *weight > 0.0) {
            match sizes.iter_mut().find(|(known, _)| *known == bytes) {
                Some((_, sum)) => *sum += weight,
                None => sizes.push((bytes, weight)),
            }
        }
        let whole: f64 = sizes.iter().map(|(_, weight)| weight).sum();
        Ok(sizes.into_iter().map(|(bytes, weight)| (bytes, weight / whole * 100.0)).collect())
    }

    /// A size of ops: whole sectors. If only fio's reversed units keep it from being that, the
    /// unreversed size is taken and reported.
    pub(super) fn block(&mut self, key: &'static str, text: &str) -> Converted<u64> {
        let bytes = self.size(key, text)?;
        if bytes > 0 && bytes.is_multiple_of(512) {
            return Ok(bytes);
        }
        let other = bytes_of(text, !self.reversed()).unwrap_or(bytes);
        let left_out = |why: String| LeftOut { key, why };
        if bytes == 0 || !other.is_multiple_of(512) {
            return Err(left_out(format!("{bytes} bytes are not a multiple of 512")));
        }
        let why = format!(
            "{text} is {bytes} bytes in fio, whose k is 1,024 and Ki 1,000 without kb_base=1000; \
             {other} are taken"
        );
        self.lose(key, why);
        Ok(other)
    }

    /// A number of bytes, with a remark if its unit does not mean what it says.
    pub(super) fn size(&mut self, key: &'static str, text: &str) -> Converted<u64> {
        let reversed = self.reversed();
        let bytes = bytes_of(text, reversed);
        let bytes = bytes.ok_or_else(|| LeftOut { key, why: format!("'{text}' is not a size") })?;
        if reversed && text.to_lowercase().trim_end_matches('b').ends_with('i') {
            let why = format!("{text} is {bytes} bytes in fio without kb_base=1000");
            self.mark(key, Fate::Carried, why);
        }
        Ok(bytes)
    }

    /// Whether k is 1,024 and Ki is 1,000: without kb_base=1000 (HOWTO, "Parameter types").
    fn reversed(&self) -> bool {
        self.get("kb_base") != Some("1000")
    }
}

/// The number of bytes of a text.
fn bytes_of(text: &str, reversed: bool) -> Option<u64> {
    let text = text.trim().to_lowercase();
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok();
    }
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let unit = unit.trim_end_matches('b');
    let (letter, other) = match unit.strip_suffix('i') {
        Some(letter) => (letter, true),
        None => (unit, false),
    };
    let power = ["", "k", "m", "g", "t", "p"].iter().position(|u| *u == letter)?;
    let base: f64 = if reversed != other { 1024.0 } else { 1000.0 };
    Some((digits.parse::<f64>().ok()? * base.powi(power as i32)) as u64)
}

/// "30", "30s", "15m", "100ms".
pub(super) fn seconds(text: &str) -> Option<f64> {
    let text = text.trim().to_lowercase();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let scale = match text[end..].trim() {
        "" | "s" => 1.0,
        "us" | "usec" => 1e-6,
        "ms" | "msec" => 1e-3,
        "m" => 60.0,
        "h" => 3600.0,
        "d" => 86400.0,
        _ => return None,
    };
    Some(text[..end].parse::<f64>().ok()? * scale)
}
