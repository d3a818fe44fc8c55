//! One worker's connection: it carries the script's transactions out and bears what a client must bear.

use std::sync::Arc;

use crate::base::error::{Error, Result, failed};
use crate::load::recorder::Counter;
use crate::load::sql::{Script, Session, SqlError, Trouble};
use crate::load::{Done, Lane, Op, Wait};

/// A transaction that deadlocks this often in a row will not come through.
const MOST_TRIES: u32 = 1000;

/// What one lane has sent and met. Each counter has one writer; the target adds them up.
#[derive(Default)]
#[repr(align(128))]
pub struct Counts {
    pub reads: Counter,
    pub writes: Counter,
    pub other: Counter,
    /// Deadlocks and the like, after which a transaction was run again.
    pub errors: Counter,
    pub reconnects: Counter,
}

pub struct SqlLane {
    session: Box<dyn Session>,
    script: Box<dyn Script>,
    counts: Arc<Counts>,
    staged: bool,
}

impl SqlLane {
    pub fn new(mut session: Box<dyn Session>, mut script: Box<dyn Script>, counts: Arc<Counts>) -> Result<SqlLane> {
        script.prepare(&mut *session)?;
        Ok(SqlLane { session, script, counts, staged: false })
    }

    /// Rolls back or reconnects so that the transaction can be run again.
    fn recover(&mut self, error: SqlError, tries: u32, lost: &mut bool) -> Result<()> {
        let mut trouble = error.trouble;
        if trouble == Trouble::Retry && tries < MOST_TRIES {
            self.counts.errors.add(1);
            match self.session.rollback() {
                Ok(()) => return Ok(()),
                Err(second) => trouble = second.trouble,
            }
        }
        if trouble == Trouble::Lost && !*lost {
            *lost = true;
            self.session.reconnect().map_err(|again| {
                failed(format!("the server went away: {error}; and again: {again}"), "look at the server's log")
            })?;
            self.counts.reconnects.add(1);
            return Ok(());
        }
        if trouble == Trouble::Lost {
            return Err(failed(format!("the server went away twice: {error}"), "look at the server's log"));
        }
        Err(broken(&error))
    }
}

fn broken(error: &SqlError) -> Error {
    failed(
        format!("a transaction failed: {error}"),
        "check that the dataset is the one that the workload's tables and table_size describe, and the disk's free space",
    )
}

impl Lane for SqlLane {
    fn stage(&mut self, _slot: u32, op: &Op) -> Result<()> {
        self.script.stage(op);
        self.staged = true;
        Ok(())
    }

    fn run(&mut self, _wait: Wait, done: &mut Vec<Done>) -> Result<()> {
        if !std::mem::take(&mut self.staged) {
            return Ok(());
        }
        let (mut tries, mut lost) = (0, false);
        let committed = loop {
            match self.script.run(&mut *self.session) {
                Ok(committed) => break committed,
                Err(error) => {
                    tries += 1;
                    self.recover(error, tries, &mut lost)?;
                }
            }
        };
        let sent = committed.statements;
        self.counts.reads.add(u64::from(sent.reads));
        self.counts.writes.add(u64::from(sent.writes));
        self.counts.other.add(u64::from(sent.other));
        done.push(Done { slot: 0, bytes: 0, hit: committed.hit });
        Ok(())
    }
}
