//! Was it the drive? What limited a point, with the evidence, from what the meters counted over its window.

/// What limited a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Drive,
    Cpu,
    Memory,
    Generator,
    Rate,
    Thermal,
    Locks,
    Undecided,
}

impl Limit {
    pub fn name(self) -> &'static str {
        match self {
            Limit::Drive => "drive",
            Limit::Cpu => "host CPU",
            Limit::Memory => "memory",
            Limit::Generator => "generator",
            Limit::Rate => "rate asked",
            Limit::Thermal => "thermal throttling",
            Limit::Locks => "locks",
            Limit::Undecided => "undecided",
        }
    }

    /// Something other than the drive is known to have set the number, so it ranks no drives. An asked rate is not among
    /// them: there latency is compared, which is the drive's. Nor is heat, which is the drive's too.
    pub fn bars_ranking(self) -> bool {
        matches!(self, Limit::Cpu | Limit::Memory | Limit::Generator | Limit::Locks)
    }
}

/// A verdict with what speaks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub limit: Limit,
    pub evidence: String,
}

/// What is known of a point; what was not measured is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs {
    /// Requests in flight that the load keeps up: workers times depth.
    pub outstanding: f64,
    pub workers: f64,
    /// Achieved against the rate asked for.
    pub achieved: Option<f64>,
    /// Requests that were with the engine, on average: the rest the generator had not made yet.
    pub in_flight: Option<f64>,
    /// What the streams read and wrote, in their own count: a key-value read is one request.
    pub reads_per_s: f64,
    pub read_bytes_per_s: f64,
    pub writes_per_s: f64,
    pub written_bytes_per_s: f64,
    /// Between its requests the load waits of its own accord, as people at terminals do.
    pub thinks: bool,
    /// What the devices under the subject did.
    pub device: Option<Device>,
    /// Busy share of all of the host's processors, 0 to 1.
    pub host_busy: Option<f64>,
    /// The share of them that Dyno itself used.
    pub own_busy: Option<f64>,
    pub cores: f64,
    /// The share of the window that the busiest core was busy.
    pub busiest_core: Option<f64>,
    /// The share of the window during which the drive throttled itself.
    pub throttled: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Device {
    pub reads_per_s: f64,
    pub read_bytes_per_s: f64,
    pub written_bytes_per_s: f64,
    /// Requests in flight at the device, on average.
    pub queue: f64,
    /// The share of the window with any request in flight.
    pub busy: f64,
}

/// From here on the processors have nothing left to give.
const CPU_FULL: f64 = 0.93;
/// So much of them taken by others is theirs and not the load's.
const OTHERS_HOG: f64 = 0.35;
/// A read that did not reach the device came from memory; from this share on memory sets the number.
const FROM_MEMORY: f64 = 0.5;
const SECTOR_BYTES: f64 = 512.0;
const RATE_MET: f64 = 0.98;
/// With fewer of its requests under way than this, the load is made too slowly to fill what it may fill.
const FILLED: f64 = 0.7;
const THROTTLED: f64 = 0.01;
/// The load waits at the device if this share of its requests is there.
const WAITS_THERE: f64 = 0.5;
const DEVICE_BUSY: f64 = 0.9;
/// Where nearly all of it waits there, it does not matter who else uses the processors.
const ALL_WAITS_THERE: f64 = 0.9;
/// Or if this much of the time nothing waits there, somewhere else.
const WAITS_ELSEWHERE: f64 = 0.2;

/// The verdict. The order matters: what makes the others meaningless comes first.
pub fn verdict(p: &Inputs) -> Verdict {
    let rules: [fn(&Inputs) -> Option<Verdict>; 7] = [rate, thermal, memory, hog, generator, device_or_cpu, locks];
    rules.iter().find_map(|rule| rule(p)).unwrap_or_else(|| {
        let cpu = p.host_busy.map_or("processor time unknown".to_string(), |b| format!("processors {} busy", pct(b)));
        let device = p.device.as_ref().map_or("no device seen".to_string(), |d| {
            format!("device busy {} with {:.1} of {:.0} requests", pct(d.busy), d.queue, p.outstanding)
        });
        Verdict { limit: Limit::Undecided, evidence: format!("{cpu}; {device}") }
    })
}

fn pct(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn rate(p: &Inputs) -> Option<Verdict> {
    let achieved = p.achieved.filter(|a| *a >= RATE_MET)?;
    Some(Verdict { limit: Limit::Rate, evidence: format!("{} of the rate asked for was reached", pct(achieved)) })
}

fn thermal(p: &Inputs) -> Option<Verdict> {
    let share = p.throttled.filter(|t| *t > THROTTLED)?;
    Some(Verdict { limit: Limit::Thermal, evidence: format!("the drive throttled itself for {} of it", pct(share)) })
}

fn generator(p: &Inputs) -> Option<Verdict> {
    let share = p.in_flight.map(|n| n / p.outstanding.max(1.0)).filter(|share| *share < FILLED)?;
    if p.thinks {
        let evidence = format!("{} of its requests were under way; between them it keys and thinks", pct(share));
        return Some(Verdict { limit: Limit::Rate, evidence });
    }
    let evidence = format!("only {} of the requests that it may have under way were: Dyno makes no more", pct(share));
    Some(Verdict { limit: Limit::Generator, evidence })
}

fn hog(p: &Inputs) -> Option<Verdict> {
    let (host, own) = (p.host_busy?, p.own_busy?);
    let others = (host - own).max(0.0);
    (host >= CPU_FULL && others >= OTHERS_HOG && !waits_at_device(p, ALL_WAITS_THERE)).then(|| {
        let evidence = format!("processors {} busy, {} with other processes", pct(host), pct(others));
        Verdict { limit: Limit::Cpu, evidence }
    })
}

/// The share of reads that never reached the device; at least so much, since a read may take several of the device's.
/// Blocks are counted in bytes, because the kernel reads ahead in larger ones.
pub fn from_memory(p: &Inputs) -> Option<f64> {
    let device = p.device.as_ref().filter(|_| p.reads_per_s > 0.0)?;
    let reached = match in_blocks(p.reads_per_s, p.read_bytes_per_s) {
        true => device.read_bytes_per_s / p.read_bytes_per_s,
        false => device.reads_per_s / p.reads_per_s,
    };
    Some((1.0 - reached).max(0.0))
}

/// Whether requests are of whole blocks: values of a database are not, and may be compressed besides.
fn in_blocks(ops_per_s: f64, bytes_per_s: f64) -> bool {
    let size_bytes = (bytes_per_s / ops_per_s).round();
    size_bytes >= SECTOR_BYTES && size_bytes % SECTOR_BYTES == 0.0
}

fn memory(p: &Inputs) -> Option<Verdict> {
    if let Some(share) = from_memory(p).filter(|s| *s >= FROM_MEMORY) {
        // Rounded down, since it is a bound.
        let percent = (share * 1000.0).floor() / 10.0;
        let evidence = format!("at least {percent:.1} % of the reads were served from memory");
        return Some(Verdict { limit: Limit::Memory, evidence });
    }
    let device = p.device.as_ref().filter(|_| in_blocks(p.writes_per_s, p.written_bytes_per_s))?;
    let kept = Some(1.0 - device.written_bytes_per_s / p.written_bytes_per_s).filter(|s| *s >= FROM_MEMORY)?;
    let evidence = format!("{:.1} % of the bytes written had not reached the device at the end", kept * 100.0);
    Some(Verdict { limit: Limit::Memory, evidence })
}

/// The share of the load's requests that were at the device, which was busy all the time.
fn at_device(p: &Inputs) -> Option<(f64, f64)> {
    let device = p.device.as_ref().filter(|d| d.busy >= DEVICE_BUSY)?;
    Some((device.queue / p.outstanding.max(1.0), device.busy))
}

fn waits_at_device(p: &Inputs, share: f64) -> bool {
    at_device(p).is_some_and(|(own, _)| own >= share)
}

/// Both can be full at once; the one that more of the load waits for decides.
fn device_or_cpu(p: &Inputs) -> Option<Verdict> {
    let least = if p.host_busy.is_none_or(|b| b < CPU_FULL) { WAITS_THERE } else { ALL_WAITS_THERE };
    if let Some((share, busy)) = at_device(p).filter(|(share, _)| *share >= least) {
        let mut evidence =
            format!("device busy {}, {} of the load's requests waiting there", pct(busy), pct(share.min(1.0)));
        if let Some(host) = p.host_busy {
            evidence.push_str(&format!("; processors {} busy", pct(host)));
        }
        return Some(Verdict { limit: Limit::Drive, evidence });
    }
    let host = p.host_busy.filter(|b| *b >= CPU_FULL);
    let one_core = p.busiest_core.filter(|c| *c >= CPU_FULL && p.workers <= 1.0);
    let evidence = match (host, one_core) {
        (Some(host), _) => format!("processors {} busy", pct(host)),
        (None, Some(core)) => format!("one worker, and its core {} busy", pct(core)),
        (None, None) => return None,
    };
    let own = p.own_busy.map_or(String::new(), |own| format!(", {} with the load itself", pct(own)));
    Some(Verdict { limit: Limit::Cpu, evidence: evidence + &own })
}

/// Workers that neither compute nor wait for the device wait for one another.
fn locks(p: &Inputs) -> Option<Verdict> {
    let (own, host, device) = (p.own_busy?, p.host_busy?, p.device.as_ref()?);
    let on_cpu = own * p.cores / p.workers.max(1.0);
    let at_device = device.queue / p.outstanding.max(1.0);
    (host < 0.8 && p.achieved.is_none() && on_cpu < 0.3 && at_device < WAITS_ELSEWHERE).then(|| {
        let off = 1.0 - on_cpu;
        let evidence = format!(
            "workers were off the processor {} of the time, and only {} of their requests were at the device",
            pct(off),
            pct(at_device)
        );
        Verdict { limit: Limit::Locks, evidence }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point() -> Inputs {
        Inputs {
            outstanding: 32.0,
            workers: 32.0,
            in_flight: Some(31.0),
            reads_per_s: 100_000.0,
            read_bytes_per_s: 40_000_000.0,
            device: Some(Device { reads_per_s: 100_000.0, queue: 30.0, busy: 1.0, ..Device::default() }),
            host_busy: Some(0.4),
            own_busy: Some(0.35),
            cores: 8.0,
            busiest_core: Some(0.6),
            ..Inputs::default()
        }
    }

    #[test]
    fn each_limit_is_told_by_its_own_evidence() {
        let device = |reads_per_s, queue, busy| Some(Device { reads_per_s, queue, busy, ..Device::default() });
        let written = Inputs { reads_per_s: 0.0, writes_per_s: 250_000.0, written_bytes_per_s: 1.024e9, ..point() };
        let values = Inputs { written_bytes_per_s: 420.0 * 250_000.0, ..written.clone() };
        // Read ahead in blocks of 128 KiB: a thirtieth of the requests, and all of the bytes.
        let ahead =
            Device { reads_per_s: 3_125.0, read_bytes_per_s: 409.6e6, queue: 28.0, busy: 1.0, ..Device::default() };
        let table = [
            (point(), Limit::Drive, "device busy 100 %"),
            (Inputs { device: device(9_000.0, 1.0, 0.5), ..point() }, Limit::Memory, "at least 91.0 %"),
            // All of the load waits at the device: others may have the processors.
            (Inputs { host_busy: Some(1.0), own_busy: Some(0.2), ..point() }, Limit::Drive, "processors 100 % busy"),
            (
                Inputs { host_busy: Some(1.0), own_busy: Some(0.2), device: device(100_000.0, 20.0, 1.0), ..point() },
                Limit::Cpu,
                "80 % with other processes",
            ),
            (
                Inputs { host_busy: Some(0.99), own_busy: Some(0.97), device: device(100_000.0, 20.0, 1.0), ..point() },
                Limit::Cpu,
                "97 % with the load itself",
            ),
            (Inputs { in_flight: Some(8.0), ..point() }, Limit::Generator, "only 25 %"),
            (Inputs { in_flight: Some(8.0), thinks: true, ..point() }, Limit::Rate, "keys and thinks"),
            (Inputs { read_bytes_per_s: 409.6e6, device: Some(ahead), ..point() }, Limit::Drive, "waiting there"),
            (written, Limit::Memory, "100.0 % of the bytes written"),
            (values, Limit::Drive, "waiting there"),
            (Inputs { achieved: Some(0.999), ..point() }, Limit::Rate, "100 %"),
            (Inputs { achieved: Some(0.7), ..point() }, Limit::Drive, "waiting there"),
            (Inputs { throttled: Some(0.2), ..point() }, Limit::Thermal, "20 %"),
            (
                Inputs { device: device(100_000.0, 2.0, 0.9), own_busy: Some(0.1), host_busy: Some(0.1), ..point() },
                Limit::Locks,
                "off the processor 98 %",
            ),
            (Inputs { device: device(100_000.0, 10.0, 0.9), ..point() }, Limit::Undecided, "10.0 of 32 requests"),
            (Inputs { device: None, host_busy: None, ..point() }, Limit::Undecided, "no device seen"),
        ];
        for (inputs, limit, evidence) in table {
            let found = verdict(&inputs);
            assert_eq!(found.limit, limit, "{found:?}");
            assert!(found.evidence.contains(evidence), "{found:?}");
        }
    }
}
