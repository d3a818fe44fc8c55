//! The statements of sysbench's OLTP scripts, and their parameters for one transaction.

use std::ops::Range;

use super::random::Ids;
use super::rows::{C_GROUPS, PAD_GROUPS, push_groups};
use dyno_core::base::rng::Rng;
use dyno_core::measure::sql::{Param, SqlResult, SqlSession, StatementId, SysbenchDriver};

/// One kind of statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Verb {
    PointSelect,
    SimpleRange,
    SumRange,
    OrderRange,
    DistinctRange,
    IndexUpdate,
    NonIndexUpdate,
    Delete,
    Insert,
    /// On a row whose id the server assigns.
    Append,
}

pub const VERBS: usize = 10;

impl Verb {
    pub fn is_read(self) -> bool {
        (self as usize) < Verb::IndexUpdate as usize
    }

    pub fn sql(self, table: u64, driver: SysbenchDriver) -> String {
        let table = format!("sbtest{table}");
        match self {
            Verb::PointSelect => format!("SELECT c FROM {table} WHERE id=?"),
            Verb::SimpleRange => format!("SELECT c FROM {table} WHERE id BETWEEN ? AND ?"),
            Verb::SumRange => format!("SELECT SUM(k) FROM {table} WHERE id BETWEEN ? AND ?"),
            Verb::OrderRange => {
                format!("SELECT c FROM {table} WHERE id BETWEEN ? AND ? ORDER BY c")
            }
            Verb::DistinctRange => {
                format!("SELECT DISTINCT c FROM {table} WHERE id BETWEEN ? AND ? ORDER BY c")
            }
            Verb::IndexUpdate => format!("UPDATE {table} SET k=k+1 WHERE id=?"),
            Verb::NonIndexUpdate => format!("UPDATE {table} SET c=? WHERE id=?"),
            Verb::Delete => format!("DELETE FROM {table} WHERE id=?"),
            Verb::Insert => format!("INSERT INTO {table} (id, k, c, pad) VALUES (?, ?, ?, ?)"),
            Verb::Append if driver.gives_ids => {
                format!("INSERT INTO {table} (id, k, c, pad) VALUES (0, ?, ?, ?)")
            }
            Verb::Append => format!("INSERT INTO {table} (k, c, pad) VALUES (?, ?, ?)"),
        }
    }
}

/// One statement with its parameters.
#[derive(Clone, Debug)]
struct Call {
    verb: Verb,
    table: u64,
    id: i64,
    /// The end of a range, or the value of k.
    other: i64,
    /// The position of its texts.
    c: Range<usize>,
    pad: Range<usize>,
}

/// The statements of one transaction, prepared before it is timed.
#[derive(Default)]
pub struct OltpTransaction {
    calls: Vec<Call>,
    texts: String,
    pub reads: u32,
    pub writes: u32,
}

impl OltpTransaction {
    pub fn with_capacity(calls: usize) -> OltpTransaction {
        OltpTransaction {
            calls: Vec::with_capacity(calls),
            texts: String::with_capacity(calls * 180),
            reads: 0,
            writes: 0,
        }
    }

    pub fn clear(&mut self) {
        self.calls.clear();
        self.texts.clear();
        (self.reads, self.writes) = (0, 0);
    }

    /// Adds `count` statements of a kind, each with its own ids.
    pub fn add(&mut self, verb: Verb, count: u64, range_size: i64, draw: &mut RandomChoices<'_>) {
        for _ in 0..count {
            let id = draw.id();
            let other = match verb {
                Verb::SimpleRange | Verb::SumRange | Verb::OrderRange | Verb::DistinctRange => {
                    id + range_size - 1
                }
                _ => 0,
            };
            self.push(verb, id, other, draw);
        }
    }

    /// Adds a row's deletion and re-insertion.
    pub fn add_delete_insert(&mut self, draw: &mut RandomChoices<'_>) {
        let (id, k) = (draw.id(), draw.id());
        self.push(Verb::Delete, id, 0, draw);
        self.push(Verb::Insert, id, k, draw);
    }

    fn push(&mut self, verb: Verb, id: i64, other: i64, draw: &mut RandomChoices<'_>) {
        let mut text = |groups: usize| {
            let from = self.texts.len();
            push_groups(groups, draw.rng, &mut self.texts);
            from..self.texts.len()
        };
        let c = if matches!(verb, Verb::NonIndexUpdate | Verb::Insert | Verb::Append) {
            text(C_GROUPS)
        } else {
            0..0
        };
        let pad = if matches!(verb, Verb::Insert | Verb::Append) { text(PAD_GROUPS) } else { 0..0 };
        if verb.is_read() {
            self.reads += 1
        } else {
            self.writes += 1
        }
        self.calls.push(Call { verb, table: draw.table, id, other, c, pad });
    }

    /// Sends the statements, in order; `prepared` has those of table 1, then those of table 2 …
    pub fn send(
        &self,
        session: &mut dyn SqlSession,
        prepared: &[[Option<StatementId>; VERBS]],
    ) -> SqlResult<()> {
        for call in &self.calls {
            let Some(statement) = prepared[call.table as usize - 1][call.verb as usize] else {
                continue;
            };
            let (id, other) = (Param::Int(call.id), Param::Int(call.other));
            let (c, pad) = (
                Param::Text(&self.texts[call.c.clone()]),
                Param::Text(&self.texts[call.pad.clone()]),
            );
            match call.verb {
                Verb::PointSelect | Verb::IndexUpdate | Verb::Delete => {
                    session.execute(statement, &[id])?
                }
                Verb::NonIndexUpdate => session.execute(statement, &[c, id])?,
                Verb::Insert => session.execute(statement, &[id, other, c, pad])?,
                Verb::Append => session.execute(statement, &[id, c, pad])?,
                Verb::SimpleRange | Verb::SumRange | Verb::OrderRange | Verb::DistinctRange => {
                    session.execute(statement, &[id, other])?
                }
            };
        }
        Ok(())
    }
}

/// The source of random choices for statements on one table.
pub struct RandomChoices<'a> {
    /// The table's number, from 1.
    pub table: u64,
    pub rng: &'a mut Rng,
    pub ids: &'a Ids,
    pub table_size: u64,
}

impl RandomChoices<'_> {
    fn id(&mut self) -> i64 {
        self.ids.draw(self.rng, self.table_size)
    }
}
