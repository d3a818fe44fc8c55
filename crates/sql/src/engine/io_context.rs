//! One worker's connection: it executes the script's transactions and handles the errors that a
//! client must expect.

use std::sync::Arc;

use dyno_core::base::clock::Clock;
use dyno_core::base::error::{Error, Result, failed};
use dyno_core::base::rng::{Rng, Seed};
use dyno_core::measure::recorder::OpCounter;
use dyno_core::measure::sql::{ErrorClass, SqlError, SqlSession, TransactionScript};
use dyno_core::measure::{Completion, IoContext, Op, Wait};

/// A transaction that is rolled back this many times in a row is abandoned. With the pauses below
/// that takes two to three seconds.
pub const MOST_TRIES: u32 = 100;

/// The longest pause before the second attempt; each later one may be twice as long, up to
/// `LONGEST_PAUSE_NS`. Pauses are random, so that transactions which collided do not collide again.
const FIRST_PAUSE_NS: u64 = 500_000;
const LONGEST_PAUSE_NS: u64 = 50_000_000;

/// One I/O context's statements and errors. Each counter has one writer; the target sums them.
#[derive(Default)]
#[repr(align(128))]
pub struct StatementCounts {
    pub reads: OpCounter,
    pub writes: OpCounter,
    pub other: OpCounter,
    /// Deadlocks and similar errors after which a transaction was retried.
    pub errors: OpCounter,
    /// Transactions abandoned after `MOST_TRIES`.
    pub given_up: OpCounter,
    pub reconnects: OpCounter,
}

pub struct SqlContext {
    session: Box<dyn SqlSession>,
    script: Box<dyn TransactionScript>,
    counts: Arc<StatementCounts>,
    staged: bool,
    clock: Clock,
    pauses: Rng,
}

/// The reaction to an error.
#[derive(PartialEq)]
enum Next {
    Again,
    GiveUp,
}

impl SqlContext {
    /// An I/O context of the worker `thread`.
    pub fn new(
        mut session: Box<dyn SqlSession>,
        mut script: Box<dyn TransactionScript>,
        counts: Arc<StatementCounts>,
        thread: u32,
    ) -> Result<SqlContext> {
        script.prepare(&mut *session)?;
        let pauses = Seed::new(0, 0, u64::from(thread)).at(0);
        Ok(SqlContext {
            session,
            script,
            counts,
            staged: false,
            clock: Clock::for_pauses(),
            pauses,
        })
    }

    /// Rolls back or reconnects so that the transaction can be retried, and pauses; or abandons it.
    fn recover(&mut self, error: SqlError, tries: u32, lost: &mut bool) -> Result<Next> {
        let mut trouble = error.trouble;
        if trouble == ErrorClass::Retry {
            self.counts.errors.add(1);
            match self.session.rollback() {
                Ok(()) if tries >= MOST_TRIES => return Ok(Next::GiveUp),
                Ok(()) => {
                    let longest = (FIRST_PAUSE_NS << (tries - 1).min(16)).min(LONGEST_PAUSE_NS);
                    self.clock.sleep_until(self.clock.now_ns() + self.pauses.below(longest));
                    return Ok(Next::Again);
                }
                Err(second) => trouble = second.trouble,
            }
        }
        if trouble == ErrorClass::Lost && !*lost {
            *lost = true;
            self.session.reconnect().map_err(|again| {
                failed(
                    format!("the server went away: {error}; and again: {again}"),
                    "check the server's log",
                )
            })?;
            self.counts.reconnects.add(1);
            return Ok(Next::Again);
        }
        if trouble == ErrorClass::Lost {
            return Err(failed(
                format!("the server went away twice: {error}"),
                "check the server's log",
            ));
        }
        Err(broken(&error, self.script.remedy()))
    }
}

fn broken(error: &SqlError, remedy: &str) -> Error {
    failed(format!("a transaction failed: {error}"), remedy)
}

impl IoContext for SqlContext {
    fn stage(&mut self, _slot: u32, op: &Op) -> Result<()> {
        self.script.stage(op);
        self.staged = true;
        Ok(())
    }

    fn run(&mut self, _wait: Wait, done: &mut Vec<Completion>) -> Result<()> {
        if !std::mem::take(&mut self.staged) {
            return Ok(());
        }
        let (mut tries, mut lost) = (0, false);
        let committed = loop {
            match self.script.run(&mut *self.session) {
                Ok(committed) => break committed,
                Err(error) => {
                    tries += 1;
                    if self.recover(error, tries, &mut lost)? == Next::GiveUp {
                        self.counts.given_up.add(1);
                        done.push(Completion { slot: 0, bytes: 0, hit: false, given_up: true });
                        return Ok(());
                    }
                }
            }
        };
        let sent = committed.statements;
        self.counts.reads.add(u64::from(sent.reads));
        self.counts.writes.add(u64::from(sent.writes));
        self.counts.other.add(u64::from(sent.other));
        done.push(Completion { slot: 0, bytes: 0, hit: committed.hit, given_up: false });
        Ok(())
    }
}
