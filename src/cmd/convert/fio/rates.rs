//! Rates of jobs. fio's are of each job and of each direction, and count bytes: `rate_iops = N` is
//! N times the smallest size (`__setup_rate` in fio's backend.c).

use super::super::draft::{self, number, quoted};
use super::super::fate::Fate;
use super::{Converted, Knobs, LeftOut, Pattern, Reading, side};

impl Reading<'_> {
    /// The rate of all jobs as keys of the stream. In a mix with a rate for reads and one for
    /// writes, fio switches to the direction that is behind its rate, so the rates set the mix.
    pub(super) fn paced(&mut self, jobs: u64, pattern: &mut Pattern) -> Converted<Knobs> {
        let key = match (self.get("rate"), self.get("rate_iops")) {
            (Some(_), other) => {
                if other.is_some() {
                    self.lose("rate_iops", "fio refuses it beside rate");
                }
                "rate"
            }
            (None, Some(_)) => "rate_iops",
            (None, None) => {
                self.idle(&["rate_process"], "only of a rate");
                return Ok(Vec::new());
            }
        };
        let written = self.get(key).unwrap_or_default();
        let mut of = [None, None, None];
        for (direction, rate) in of.iter_mut().enumerate() {
            if let Some(text) = side(written, direction) {
                *rate = Some(self.size(key, text)?).filter(|rate| *rate > 0);
            }
        }
        let per_second = match (pattern.is_mix(), of) {
            (true, [Some(reads), Some(writes), _]) => {
                let (reads, writes) = (self.flow(key, reads, 0)?, self.flow(key, writes, 1)?);
                pattern.read = reads.ops / (reads.ops + writes.ops) * 100.0;
                self.idle(&["rwmixread", "rwmixwrite"], "the two rates set the mix");
                Flow { ops: reads.ops + writes.ops, bytes: reads.bytes + writes.bytes }
            }
            (true, [None, None, _]) => return Ok(Vec::new()),
            (true, _) => {
                self.lose(key, "one direction has a rate and the other has none; none is set");
                self.idle(&["rate_process"], "only of a rate");
                return Ok(Vec::new());
            }
            (false, _) => match of[pattern.side()] {
                Some(rate) => self.flow(key, rate, pattern.side())?,
                None => {
                    self.idle(&["rate", "rate_iops", "rate_process"], "of another direction");
                    return Ok(Vec::new());
                }
            },
        };
        // fio counts bytes, which are ops only if all have one size.
        let several = self.sizes_of(pattern.side())?.len() > 1;
        let rate = match key == "rate_iops" && (!several || pattern.is_mix()) {
            true => format!("{}/s", number(per_second.ops * jobs as f64)),
            false => format!("{}/s", draft::size((per_second.bytes * jobs as f64).round() as u64)),
        };
        let mut keys = vec![("rate", quoted(&rate))];
        match self.get("rate_process") {
            Some("poisson") => keys.push(("arrival", "\"poisson\"".to_string())),
            Some("linear") | None => {}
            Some(other) => self.lose("rate_process", format!("{other} is not a process of fio")),
        }
        Ok(keys)
    }

    /// Ops and bytes per second of one direction of one job.
    fn flow(&mut self, key: &'static str, rate: u64, direction: usize) -> Converted<Flow> {
        let sizes = self.sizes_of(direction)?;
        let all: f64 = sizes.iter().map(|(_, weight)| weight).sum();
        let mean = sizes.iter().map(|(bytes, weight)| *bytes as f64 * weight).sum::<f64>() / all;
        let least = sizes.iter().map(|(bytes, _)| *bytes).min().unwrap_or(1) as f64;
        if mean <= 0.0 || mean.is_nan() {
            return Err(LeftOut { key, why: "the job has no sizes".to_string() });
        }
        let bytes = if key == "rate" { rate as f64 } else { rate as f64 * least };
        if key == "rate_iops" && sizes.len() > 1 {
            let why = format!(
                "in fio, {rate} times the smallest size per second: {}/s",
                draft::size(bytes as u64)
            );
            self.mark(key, Fate::Carried, why);
        }
        Ok(Flow { ops: bytes / mean, bytes })
    }
}

/// A rate.
struct Flow {
    ops: f64,
    bytes: f64,
}
