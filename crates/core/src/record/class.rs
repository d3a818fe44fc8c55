//! Classes of op: names declared by workloads. Latencies of different classes are never mixed.
//!
//! A workload lists its classes, beginning with the one that its result is about; an op refers to
//! its class by index in that list (`load::Op::class`), and a recorder has counts for each index. A
//! bundle stores the names, so classes declared by later versions of Dyno can be read too.

use std::sync::{Mutex, PoisonError};

use crate::base::error::{Result, failed};

/// A class of op, by its name: lower-case words joined by hyphens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Class(&'static str);

/// Maximum length of a stored name, and maximum number of names per process, because bundles may be
/// untrusted.
const LONGEST_NAME: usize = 64;
const MOST_STORED: usize = 1000;

/// Names that were read but not declared, stored for the lifetime of the process.
static STORED: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

impl Class {
    /// Data transfers to and from a drive; energy is attributed to them, and importers know them.
    pub const READ: Class = Class::new("read");
    /// See [`Class::READ`].
    pub const WRITE: Class = Class::new("write");
    /// A write that is durable when it completes: force unit access.
    pub const WRITE_FUA: Class = Class::new("write-fua");
    /// A write and the fdatasync that makes it durable, as one op.
    pub const WRITE_FDATASYNC: Class = Class::new("write-fdatasync");
    /// A flush of earlier writes. It moves no data, so it does not count in ops/s.
    pub const FLUSH: Class = Class::new("flush");
    /// Blocks that are no longer used. It moves no data.
    pub const TRIM: Class = Class::new("trim");
    /// Zeroes written by the drive itself. It moves no data.
    pub const WRITE_ZEROES: Class = Class::new("write-zeroes");
    /// Reads that are due together, from when they are due until the last is complete: the time
    /// until the prefix of a prompt is loaded. Its reads are counted in their own class, so it
    /// neither counts in ops/s nor moves data.
    pub const PREFIX: Class = Class::new("prefix");
    /// The reads and writes of a mix together: a row of reports, and never stored.
    pub const ALL: Class = Class::new("all");
    /// A verification of the data: not a load, so subjects are not compared by it.
    pub const CHECK: Class = Class::new("check");

    /// Declares a class.
    pub const fn new(name: &'static str) -> Class {
        Class(name)
    }

    /// The class with a stored name.
    pub fn stored(name: &str) -> Result<Class> {
        let plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
        if name.is_empty() || name.len() > LONGEST_NAME || !name.bytes().all(plain) {
            let name: String = name.chars().take(LONGEST_NAME).collect();
            return Err(failed(
                format!("'{name}' is not a class of op"),
                "the bundle is damaged, or was not made by Dyno",
            ));
        }
        let mut stored = STORED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = stored.iter().find(|known| **known == name) {
            return Ok(Class(known));
        }
        if stored.len() >= MOST_STORED {
            return Err(failed(
                format!("there are more than {MOST_STORED} classes of op"),
                "the bundle is damaged, or was not made by Dyno",
            ));
        }
        let kept: &'static str = Box::leak(name.into());
        stored.push(kept);
        Ok(Class(kept))
    }

    /// Whether its ops send data to a drive.
    pub fn is_write(self) -> bool {
        [Class::WRITE, Class::WRITE_FUA, Class::WRITE_FDATASYNC].contains(&self)
    }

    /// Whether its ops count in the ops/s of a load.
    pub fn counts_as_op(self) -> bool {
        ![Class::FLUSH, Class::PREFIX].contains(&self)
    }

    /// Whether its ops transfer bytes between host and drive.
    pub fn moves_data(self) -> bool {
        ![Class::FLUSH, Class::TRIM, Class::WRITE_ZEROES, Class::PREFIX].contains(&self)
    }

    /// The class to which a latency limit applies, of classes with their ops: a prefix if there are
    /// any; otherwise the class of most ops.
    pub fn limited(all: impl IntoIterator<Item = (Class, u64)>) -> Option<Class> {
        let rank = |&(class, ops): &(Class, u64)| (class == Class::PREFIX && ops > 0, ops);
        all.into_iter().max_by_key(rank).map(|(class, _)| class)
    }

    /// The name in bundles, tables and exports.
    pub fn name(self) -> &'static str {
        self.0
    }

    /// Each class once: read and write, then the others in order of occurrence.
    pub fn in_order(all: impl IntoIterator<Item = Class>) -> Vec<Class> {
        let mut once: Vec<Class> = Vec::new();
        for class in all {
            if !once.contains(&class) {
                once.push(class);
            }
        }
        let rank = |class: &Class| {
            [Class::READ, Class::WRITE].iter().position(|c| c == class).unwrap_or(2)
        };
        once.sort_by_key(rank);
        once
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_name_is_the_class_that_a_workload_declared() {
        assert_eq!(Class::stored("read").unwrap(), Class::READ);
        assert_eq!(Class::stored("of-tomorrow-2").unwrap().name(), "of-tomorrow-2");
        for bad in ["", "Read", "a b", "a\nb", &"a".repeat(65)] {
            assert!(Class::stored(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn directions_come_first_and_the_rest_as_declared() {
        let (late, early) = (Class::new("zebra"), Class::new("apple"));
        let all = [late, Class::WRITE, early, Class::WRITE, Class::READ, late];
        assert_eq!(Class::in_order(all), [Class::READ, Class::WRITE, late, early]);
    }
}
