//! YCSB's core workloads on SQL servers: `ycsb_sql_load` creates and fills `usertable`, `ycsb_sql`
//! is the mix, with the statements of YCSB's JDBC binding (brianfrankcooper/YCSB, jdbc/) and the
//! column types of go-ycsb (pingcap/go-ycsb, db/mysql/).

use crate::tpcc::load::cannot_make;
use dyno_core::base::error::{Result, failed};
use dyno_core::base::rng::{Rng, Seed};
use dyno_core::measure::sql::{
    Committed, Param, SqlResult, SqlSession, StatementId, Statements, TransactionScript,
    Transactions,
};
use dyno_core::measure::{AddressSpace, Op, OpGenerator};
use dyno_core::plan::{DefaultValue, Info, Knob, KnobKind, Knobs, RequestFamily, Writes};
use dyno_core::record::Class;
use dyno_core::workload::kv::ycsb::{self, INSERT, MODIFY, SCAN, SOURCE, Ycsb};
use dyno_core::workload::kv::ycsb_records::{Known, key_of};
use dyno_core::workload::kv::{UPDATE, knob_percent, percent};
use dyno_core::workload::{GeneratorInputs, TRANSACTION, Workload};

const TABLE: &str = "usertable";

/// Fields of a record, and characters of a field (fieldcount, fieldlength).
const FIELDS: usize = 10;
const FIELD_LENGTH: usize = 100;

/// Rows per batch of a load: about 2 MB.
const BATCH: u64 = 2_000;

/// "user" and up to 20 digits.
const KEY_LENGTH: usize = 24;

/// 64 characters, none of which `LOAD DATA` and `COPY` interpret: a draw gives ten.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const CHARACTERS_OF_DRAW: usize = 10;

const RECORDS: Knob = Knob {
    name: "records",
    kind: KnobKind::Int { min: 1, max: 1_000_000_000_000 },
    default: DefaultValue::Is("1000"),
    doc: "Records of the loaded table (recordcount); the same number for loading and running.",
};

/// The workload `ycsb_sql`.
pub struct YcsbSql;

static INFO: Info = Info {
    name: "ycsb_sql",
    summary: "YCSB's reads, updates, inserts, scans and read-modify-writes, in SQL",
    family: RequestFamily::Sql,
    writes: Writes::By(|knobs| {
        ["update", "insert", "modify"]
            .iter()
            .any(|name| knob_percent(knobs, name).is_ok_and(|share| share > 0.0))
    }),
    max_depth: 1,
    knobs: &[
        RECORDS,
        percent(
            "update",
            "0",
            "Percent of updates of one field of ten (updateproportion). Reads are the rest of \
             100 %.",
        ),
        ycsb::INSERTS,
        ycsb::SCANS,
        ycsb::MODIFIES,
        ycsb::DISTRIBUTION,
        ycsb::THETA,
        ycsb::SCAN_LENGTH,
    ],
    source: SOURCE,
};

impl Workload for YcsbSql {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn classes(&self, knobs: &Knobs) -> Vec<Class> {
        Ycsb.classes(knobs)
    }

    fn mean_op_bytes(&self, _knobs: &Knobs, _space: AddressSpace) -> Result<f64> {
        Err(failed("a rate in bytes means nothing for statements", "give the rate as \"100/s\""))
    }

    fn as_filled(&self) -> &'static [&'static str] {
        &["records"]
    }

    fn source(&self, share: &GeneratorInputs<'_>) -> Result<Box<dyn OpGenerator>> {
        ycsb::source(share, share.knobs.int("records")?)
    }

    fn script(&self, share: &GeneratorInputs<'_>) -> Result<Option<Box<dyn TransactionScript>>> {
        Ok(Some(Box::new(YcsbScript {
            records: share.knobs.int("records")?,
            checks_size: share.thread == 0,
            requests: self.classes(share.knobs).into_iter().map(YcsbRequest::of).collect(),
            prepared: None,
            request: YcsbRequest::Read,
            key: String::with_capacity(KEY_LENGTH),
            values: String::with_capacity(FIELDS * FIELD_LENGTH),
            field: 0,
            rows: 0,
        })))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum YcsbRequest {
    Read,
    Update,
    Modify,
    Scan,
    Insert,
}

impl YcsbRequest {
    fn of(class: Class) -> YcsbRequest {
        match class {
            UPDATE => YcsbRequest::Update,
            MODIFY => YcsbRequest::Modify,
            SCAN => YcsbRequest::Scan,
            INSERT => YcsbRequest::Insert,
            _ => YcsbRequest::Read,
        }
    }
}

/// The prepared statements.
struct YcsbStatements {
    read: StatementId,
    scan: StatementId,
    insert: StatementId,
    /// One for each field.
    update: [StatementId; FIELDS],
}

impl YcsbStatements {
    fn prepare(session: &mut dyn SqlSession, row_limit: &str) -> SqlResult<YcsbStatements> {
        let read = session.prepare(&format!("SELECT * FROM {TABLE} WHERE YCSB_KEY = ?"))?;
        let scan = format!("SELECT * FROM {TABLE} WHERE YCSB_KEY >= ? ORDER BY YCSB_KEY");
        let scan = session.prepare(&format!("{scan} {row_limit}"))?;
        let places = ["?"; FIELDS + 1].join(", ");
        let insert = format!("INSERT INTO {TABLE} ({}) VALUES ({places})", columns());
        let insert = session.prepare(&insert)?;
        let mut update = [read; FIELDS];
        for (field, statement) in update.iter_mut().enumerate() {
            let sql = format!("UPDATE {TABLE} SET FIELD{field} = ? WHERE YCSB_KEY = ?");
            *statement = session.prepare(&sql)?;
        }
        Ok(YcsbStatements { read, scan, insert, update })
    }
}

struct YcsbScript {
    records: u64,
    checks_size: bool,
    /// Requests by class.
    requests: Vec<YcsbRequest>,
    prepared: Option<YcsbStatements>,
    /// Request of the staged op.
    request: YcsbRequest,
    key: String,
    /// The field to update, or all fields to insert.
    values: String,
    field: usize,
    rows: i64,
}

impl TransactionScript for YcsbScript {
    fn remedy(&self) -> &'static str {
        "check that `records` is that of the fill, that the dataset has restore = true if the \
         workload inserts, and the disk's free space"
    }

    fn prepare(&mut self, session: &mut dyn SqlSession) -> Result<()> {
        let Some(row_limit) = session.dialect().row_limit() else {
            return Err(failed(
                format!("YCSB is not defined for {}", session.dialect().name()),
                "use the workload tpcc, or a server of MySQL's family or PostgreSQL",
            ));
        };
        let records = self.records;
        let unsuitable = |cause: String| {
            failed(
                format!("the database does not have YCSB's table of {records} records: {cause}"),
                "fill the dataset with ycsb_sql_load, with the same `records` as the workload",
            )
        };
        self.prepared = Some(
            YcsbStatements::prepare(session, row_limit)
                .map_err(|error| unsuitable(error.to_string()))?,
        );
        if self.checks_size {
            let found = session.rows(&count_of(records - 1));
            let found = found.map_err(|error| unsuitable(error.to_string()))?;
            if found.first(0).and_then(|row| row.at(0).int().ok()) != Some(1) {
                return Err(unsuitable("the last of them is missing".to_string()));
            }
        }
        Ok(())
    }

    fn stage(&mut self, op: &Op) {
        let request = self.requests.get(usize::from(op.class));
        self.request = request.copied().unwrap_or(YcsbRequest::Read);
        self.key.clear();
        push_key(op.at, &mut self.key);
        self.values.clear();
        let mut rng = Seed::new(op.salt, 0, 0).at(0);
        match self.request {
            YcsbRequest::Read => {}
            // A scan reads this many entries after the first.
            YcsbRequest::Scan => self.rows = i64::from(op.len) + 1,
            YcsbRequest::Update | YcsbRequest::Modify => {
                self.field = rng.below(FIELDS as u64) as usize;
                push_field(&mut rng, &mut self.values);
            }
            YcsbRequest::Insert => {
                (0..FIELDS).for_each(|_| push_field(&mut rng, &mut self.values));
            }
        }
    }

    fn run(&mut self, session: &mut dyn SqlSession) -> SqlResult<Committed> {
        let Some(prepared) = &self.prepared else { return Ok(Committed::default()) };
        let key = Param::Text(&self.key);
        let (mut reads, mut writes) = (0, 0);
        let mut found = 1;
        if matches!(self.request, YcsbRequest::Read | YcsbRequest::Modify) {
            found = session.execute(prepared.read, &[key])?;
            reads += 1;
        }
        if self.request == YcsbRequest::Scan {
            found = session.execute(prepared.scan, &[key, Param::Int(self.rows)])?;
            reads += 1;
        }
        if matches!(self.request, YcsbRequest::Update | YcsbRequest::Modify) {
            let update = prepared.update[self.field];
            found = found.min(session.execute(update, &[Param::Text(&self.values), key])?);
            writes += 1;
        }
        if self.request == YcsbRequest::Insert {
            let mut params = [key; FIELDS + 1];
            for (field, param) in params.iter_mut().skip(1).enumerate() {
                let from = field * FIELD_LENGTH;
                *param = Param::Text(&self.values[from..from + FIELD_LENGTH]);
            }
            session.execute(prepared.insert, &params)?;
            writes += 1;
        }
        Ok(Committed { statements: Statements { reads, writes, other: 0 }, hit: found > 0 })
    }
}

/// The fill `ycsb_sql_load`.
pub struct YcsbSqlLoad;

static LOAD_INFO: Info = Info {
    name: "ycsb_sql_load",
    summary: "creates YCSB's table and loads its records in the order of their numbers, by hashed \
              keys; finite, so it fills a dataset",
    family: RequestFamily::Sql,
    writes: Writes::Always,
    max_depth: 1,
    knobs: &[RECORDS],
    source: SOURCE,
};

/// Bytes per row of `usertable`, inserted in the order of hashed keys.
const ROW_BYTES: u64 = 1_700;

impl Workload for YcsbSqlLoad {
    fn fill_bytes(&self, knobs: &Knobs, _dataset: &Knobs) -> Option<u64> {
        Some(knobs.int("records").ok()?.saturating_mul(ROW_BYTES))
    }

    fn info(&self) -> &'static Info {
        &LOAD_INFO
    }

    fn classes(&self, _knobs: &Knobs) -> Vec<Class> {
        vec![TRANSACTION]
    }

    fn mean_op_bytes(&self, _knobs: &Knobs, _space: AddressSpace) -> Result<f64> {
        Ok((BATCH as usize * (KEY_LENGTH + FIELDS * FIELD_LENGTH)) as f64)
    }

    fn tables(&self, _knobs: &Knobs) -> Vec<String> {
        vec![TABLE.to_string()]
    }

    fn source(&self, share: &GeneratorInputs<'_>) -> Result<Box<dyn OpGenerator>> {
        let records = share.dealt(share.knobs.int("records")?);
        Ok(Box::new(Transactions { pass: Some(records.div_ceil(BATCH)) }))
    }

    /// Its loads insert and update records; the first and the last loaded one remain.
    fn lasting(&self, knobs: &Knobs) -> Vec<String> {
        let records = knobs.int("records").unwrap_or(1);
        [0, records.saturating_sub(1)].map(count_of).to_vec()
    }

    fn script(&self, share: &GeneratorInputs<'_>) -> Result<Option<Box<dyn TransactionScript>>> {
        Ok(Some(Box::new(YcsbLoadScript {
            seed: share.stream_seed,
            known: Known::of(share, 0),
            count: share.dealt(share.knobs.int("records")?),
            rows: String::with_capacity(BATCH as usize * (KEY_LENGTH + FIELDS * FIELD_LENGTH + 11)),
        })))
    }
}

struct YcsbLoadScript {
    /// The same for all threads: a record does not depend on the worker that loads it.
    seed: Seed,
    known: Known,
    count: u64,
    rows: String,
}

impl TransactionScript for YcsbLoadScript {
    fn remedy(&self) -> &'static str {
        "check the server's log, the user's rights and the disk's free space"
    }

    /// The first worker creates the table; the others wait, because all meet at a barrier
    /// afterwards.
    fn prepare(&mut self, session: &mut dyn SqlSession) -> Result<()> {
        if self.known.thread > 0 {
            return Ok(());
        }
        let fields: Vec<String> =
            (0..FIELDS).map(|field| format!("FIELD{field} VARCHAR({FIELD_LENGTH})")).collect();
        let fields = fields.join(", ");
        let sql = format!("CREATE TABLE {TABLE} (YCSB_KEY VARCHAR(64) PRIMARY KEY, {fields})");
        let dialect = session.dialect();
        session
            .run(&sql)
            .map_err(|error| cannot_make(TABLE, dialect.is_table_there(&error), &error))
    }

    fn stage(&mut self, op: &Op) {
        self.rows.clear();
        let first = op.at * BATCH;
        for i in first..(first + BATCH).min(self.count) {
            let record = self.known.inserted(i);
            push_key(key_of(record), &mut self.rows);
            let mut rng = self.seed.at(record);
            for _ in 0..FIELDS {
                self.rows.push('\t');
                push_field(&mut rng, &mut self.rows);
            }
            self.rows.push('\n');
        }
    }

    /// A batch is loaded completely or not at all, so that it can be retried.
    fn run(&mut self, session: &mut dyn SqlSession) -> SqlResult<Committed> {
        session.load(TABLE, &columns(), self.rows.as_bytes())?;
        Ok(Committed { statements: Statements { reads: 0, writes: 1, other: 0 }, hit: true })
    }
}

fn columns() -> String {
    let fields = (0..FIELDS).map(|field| format!(", FIELD{field}"));
    std::iter::once("YCSB_KEY".to_string()).chain(fields).collect()
}

/// 1 if the record exists.
fn count_of(record: u64) -> String {
    let mut key = String::new();
    push_key(key_of(record), &mut key);
    format!("SELECT COUNT(*) FROM {TABLE} WHERE YCSB_KEY = '{key}'")
}

fn push_key(key: u64, text: &mut String) {
    use std::fmt::Write;
    // Writing to a string cannot fail.
    let _ = write!(text, "user{key}");
}

fn push_field(rng: &mut Rng, text: &mut String) {
    for _ in 0..FIELD_LENGTH / CHARACTERS_OF_DRAW {
        let mut draw = rng.draw();
        for _ in 0..CHARACTERS_OF_DRAW {
            text.push(char::from(ALPHABET[(draw % 64) as usize]));
            draw /= 64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_their_length_and_no_character_that_a_load_interprets() {
        let mut text = String::new();
        push_field(&mut Seed::new(1, 0, 0).at(0), &mut text);
        assert_eq!(text.len(), FIELD_LENGTH);
        assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)), "{text}");
    }

    #[test]
    fn the_load_stages_each_record_once_whatever_the_number_of_workers() {
        let staged = |threads: u64| {
            let mut rows: Vec<String> = Vec::new();
            for thread in 0..threads {
                let count = (4_001 + threads - 1 - thread) / threads;
                let known = Known { loaded: 0, thread, threads };
                let seed = Seed::new(1, 0, 0);
                let mut script = YcsbLoadScript { seed, known, count, rows: String::new() };
                for at in 0..count.div_ceil(BATCH) {
                    let op = Op { at, ..Op::NONE };
                    script.stage(&op);
                    rows.extend(script.rows.lines().map(str::to_string));
                }
            }
            rows.sort();
            rows
        };
        let alone = staged(1);
        assert_eq!(alone.len(), 4_001);
        assert!(alone.iter().all(|row| row.split('\t').count() == FIELDS + 1));
        assert!(alone.windows(2).all(|pair| pair[0] != pair[1]), "a record was staged twice");
        assert_eq!(alone, staged(3));
    }
}
