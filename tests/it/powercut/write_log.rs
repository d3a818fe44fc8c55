//! A log of all requests to a drive, in the format of dm-log-writes (Linux,
//! admin-guide/device-mapper/log-writes), and the states that a power cut may leave: writes before
//! a completed flush, writes with FUA, and any sectors of the rest.
//!
//! The log has requests in the order of issue, so a state with everything before a flush contains
//! at least what the flush made durable.

use dyno::base::rng::Rng;

pub const SECTOR: usize = 512;
const MAGIC: u64 = 0x006a_7366_7773_6872;

pub const FLUSH: u64 = 1;
pub const FUA: u64 = 2;
pub const DISCARD: u64 = 4;
const MARK: u64 = 8;

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its start, sectors of 512 bytes.
    pub sector: usize,
    /// Its length, sectors.
    pub sectors: usize,
    pub flags: u64,
    /// Its start in the log, bytes.
    begin: usize,
    /// The start of its data.
    data: usize,
}

impl Entry {
    pub fn is(&self, flag: u64) -> bool {
        self.flags & flag != 0
    }
}

/// All requests of a log, in order.
#[derive(Clone)]
pub struct WriteLog {
    bytes: Vec<u8>,
    pub entries: Vec<Entry>,
    /// The end of the last entry, bytes.
    end: usize,
}

impl WriteLog {
    /// Reads a log. Its superblock may be older than its end, which is the first incomplete entry:
    /// the machine ended while logging.
    pub fn parse(bytes: Vec<u8>) -> Result<WriteLog, String> {
        let head = bytes.get(..28).ok_or("the log has no superblock")?;
        if (number(head, 0), number(head, 8)) != (MAGIC, 1) {
            return Err("this is not a log of writes of version 1".into());
        }
        let unit = u32::from_le_bytes([head[24], head[25], head[26], head[27]]) as usize;
        if !unit.is_power_of_two() || unit < SECTOR {
            return Err(format!("a sector of {unit} bytes"));
        }
        let (mut entries, mut at) = (Vec::new(), unit);
        while let Some(header) = bytes.get(at..at + 32) {
            let [sector, sectors, flags, data_len] = [0, 8, 16, 24].map(|at| number(header, at));
            // Nothing was written here, or not yet.
            if (sector, sectors, flags) == (0, 0, 0) {
                break;
            }
            let (sector, sectors) = (sector as usize, sectors as usize);
            let data = at + unit;
            let stored = match flags & (DISCARD | MARK) {
                0 => sectors.checked_mul(unit),
                DISCARD => Some(0),
                _ => Some((data_len as usize).next_multiple_of(unit)),
            };
            let Some(end) = stored.and_then(|stored| data.checked_add(stored)) else { break };
            if end > bytes.len() {
                break;
            }
            let per_unit = unit / SECTOR;
            if flags & MARK == 0 {
                let (sector, sectors) = (sector * per_unit, sectors * per_unit);
                entries.push(Entry { sector, sectors, flags, begin: at, data });
            }
            at = end;
        }
        Ok(WriteLog { bytes, entries, end: at })
    }

    /// An entry's data for the `i`th of its sectors.
    pub fn sector(&self, entry: usize, i: usize) -> &[u8] {
        const ZEROES: [u8; SECTOR] = [0; SECTOR];
        let Entry { data, flags, .. } = self.entries[entry];
        if flags & DISCARD != 0 {
            return &ZEROES;
        }
        &self.bytes[data + i * SECTOR..][..SECTOR]
    }

    /// Sectors of a drive that keeps everything.
    pub fn drive_sectors(&self) -> usize {
        self.entries.iter().map(|e| e.sector + e.sectors).max().unwrap_or(0)
    }

    /// The start of an entry in the log, or the end of all, bytes.
    pub fn begin(&self, entry: usize) -> usize {
        self.entries.get(entry).map_or(self.end, |entry| entry.begin)
    }

    /// The flushes.
    pub fn flushes(&self) -> Vec<usize> {
        (0..self.entries.len()).filter(|&i| self.entries[i].is(FLUSH)).collect()
    }

    /// Removes or adds a flag of some entries.
    pub fn reflag(mut self, mut flags: impl FnMut(usize, &Entry) -> u64) -> WriteLog {
        for i in 0..self.entries.len() {
            self.entries[i].flags = flags(i, &self.entries[i]);
        }
        self
    }
}

fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// The contents of each sector of a drive: one more than the entry that wrote it last, or 0.
#[derive(Clone, Default)]
pub struct Drive(pub Vec<u32>);

impl Drive {
    pub fn new(sectors: usize) -> Drive {
        Drive(vec![0; sectors])
    }

    /// The entry of a sector.
    pub fn entry(&self, sector: usize) -> Option<usize> {
        (self.0[sector] as usize).checked_sub(1)
    }

    /// Applies the selected sectors of an entry.
    pub fn apply(&mut self, log: &WriteLog, entry: usize, chosen: impl Fn(usize) -> bool) {
        let Entry { sector, sectors, .. } = log.entries[entry];
        for i in (0..sectors).filter(|&i| chosen(i)) {
            self.0[sector + i] = entry as u32 + 1;
        }
    }

    /// Applies entries, each completely.
    pub fn apply_all(&mut self, log: &WriteLog, entries: std::ops::Range<usize>) {
        entries.for_each(|entry| self.apply(log, entry, |_| true));
    }

    /// Applies a random subset that a cut may leave of entries that no flush made durable: those
    /// with FUA, and of the others all, none or some sectors.
    pub fn apply_some(&mut self, log: &WriteLog, entries: std::ops::Range<usize>, rng: &mut Rng) {
        for entry in entries {
            let how = if log.entries[entry].is(FUA) { 0 } else { rng.below(3) };
            match how {
                0 => self.apply(log, entry, |_| true),
                1 => {}
                _ => {
                    let mask = rng.draw();
                    self.apply(log, entry, |i| mask >> (i % 64) & 1 == 1);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dyno::base::rng::Seed;

    /// A constructed log: (sector, sectors, flags), each sector filled with the entry's number.
    fn log(entries: &[(u64, u64, u64)]) -> Vec<u8> {
        let mut bytes = vec![0; 512];
        bytes[..8].copy_from_slice(&MAGIC.to_le_bytes());
        bytes[8..16].copy_from_slice(&1u64.to_le_bytes());
        bytes[24..28].copy_from_slice(&512u32.to_le_bytes());
        for (number, &(sector, sectors, flags)) in (1u8..).zip(entries) {
            let mut header = vec![0; 512];
            for (at, value) in [(0, sector), (8, sectors), (16, flags)] {
                header[at..at + 8].copy_from_slice(&value.to_le_bytes());
            }
            bytes.extend(header);
            if flags & DISCARD == 0 {
                bytes.extend(vec![number; sectors as usize * 512]);
            }
        }
        bytes
    }

    fn parsed(entries: &[(u64, u64, u64)]) -> WriteLog {
        WriteLog::parse(log(entries)).expect("a log")
    }

    const HAND: &[(u64, u64, u64)] =
        &[(0, 8, 0), (8, 4, FUA), (0, 0, FLUSH), (4, 4, 0), (0, 8, DISCARD), (2, 1, 0)];

    #[test]
    fn a_log_is_read_to_the_last_entry_that_is_whole() {
        let found = parsed(HAND);
        let shapes: Vec<_> =
            found.entries.iter().map(|e| (e.sector as u64, e.sectors as u64, e.flags)).collect();
        assert_eq!(shapes, HAND);
        assert_eq!((found.flushes(), found.drive_sectors()), (vec![2], 12));
        assert_eq!(found.sector(3, 3)[0], 4);
        assert_eq!(found.sector(4, 0), [0; 512], "a discard leaves zeros");
        let whole = log(HAND);
        for cut in [1, 500, 512, 1000] {
            let short = WriteLog::parse(whole[..whole.len() - cut].to_vec()).expect("a log");
            assert_eq!(short.entries, found.entries[..5], "{cut} bytes are missing");
        }
        let mut hole = whole.clone();
        hole.extend([0; 4096]);
        assert_eq!(WriteLog::parse(hole).expect("a log").entries.len(), 6);
        assert!(WriteLog::parse(vec![1; 4096]).is_err() && WriteLog::parse(Vec::new()).is_err());
    }

    #[test]
    fn a_state_holds_what_is_durable_and_any_sectors_of_the_rest() {
        let found = parsed(&[(0, 4, 0), (0, 0, FLUSH), (0, 2, FUA), (2, 2, 0), (0, 4, 0)]);
        let mut seen = std::collections::BTreeSet::new();
        for n in 0..4000 {
            let mut drive = Drive::new(4);
            drive.apply_all(&found, 0..1);
            drive.apply_some(&found, 2..5, &mut Seed::new(5, 0, 0).at(n));
            seen.insert(drive.0);
        }
        let may = |state: &Vec<u32>| {
            state[..2].iter().all(|&e| e == 3 || e == 5)
                && state[2..].iter().all(|&e| e == 1 || e == 4 || e == 5)
        };
        assert!(seen.iter().all(may), "{seen:?}");
        assert_eq!(seen.len(), 2 * 2 * 3 * 3, "each combination of sectors comes up");
    }
}
