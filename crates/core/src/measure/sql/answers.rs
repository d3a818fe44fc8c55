//! A server's answers: rows of values, in reused buffers, so that reading them allocates nothing.

use std::collections::BTreeMap;
use std::fmt::{Debug, Formatter};

use super::decimal::Decimal;
use super::error::{SqlError, SqlResult};

/// A value in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SqlValue<'a> {
    /// SQL's NULL.
    Null,
    /// An integer of up to 64 bits.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// A decimal whose digits 64 bits hold.
    Decimal(Decimal),
    /// Text, and other decimals as written.
    Text(&'a str),
    /// Microseconds since 1970, UTC.
    Time(i64),
}

/// The stored form of a value; text is a range of the text buffer.
#[derive(Clone, Copy)]
enum StoredValue {
    Null,
    Int(i64),
    Float(f64),
    Decimal(Decimal),
    Text(usize, usize),
    Time(i64),
}

/// The rows of consecutive statements.
#[derive(Default)]
pub struct Answers {
    text: String,
    cells: Vec<StoredValue>,
    /// End of each row among the cells.
    rows: Vec<usize>,
    /// End of each statement's result among the rows.
    statements: Vec<usize>,
}

/// One row of an answer.
#[derive(Clone, Copy)]
pub struct AnswerRow<'a> {
    text: &'a str,
    cells: &'a [StoredValue],
}

impl Answers {
    /// Answers with room for the results of a load's transactions, so that a longer result than
    /// before allocates nothing in the measured window.
    pub fn with_room() -> Answers {
        Answers {
            text: String::with_capacity(64 << 10),
            cells: Vec::with_capacity(4096),
            rows: Vec::with_capacity(512),
            statements: Vec::with_capacity(128),
        }
    }

    /// Clears all rows but keeps the buffers.
    pub fn clear(&mut self) {
        self.text.clear();
        self.cells.clear();
        self.rows.clear();
        self.statements.clear();
    }

    /// Adds a value to the current row; text is copied.
    pub fn push(&mut self, value: SqlValue<'_>) {
        let cell = match value {
            SqlValue::Null => StoredValue::Null,
            SqlValue::Int(n) => StoredValue::Int(n),
            SqlValue::Float(f) => StoredValue::Float(f),
            SqlValue::Decimal(decimal) => StoredValue::Decimal(decimal),
            SqlValue::Text(text) => {
                let from = self.text.len();
                self.text.push_str(text);
                StoredValue::Text(from, self.text.len())
            }
            SqlValue::Time(us) => StoredValue::Time(us),
        };
        self.cells.push(cell);
    }

    /// Adds text in UTF-8 to the current row; other bytes are replaced.
    pub fn push_text(&mut self, raw: &[u8]) {
        match std::str::from_utf8(raw) {
            Ok(text) => self.push(SqlValue::Text(text)),
            Err(_) => self.push(SqlValue::Text(&String::from_utf8_lossy(raw))),
        }
    }

    /// Ends the current row.
    pub fn end_row(&mut self) {
        self.rows.push(self.cells.len());
    }

    /// Also called after a statement without rows.
    pub fn end_statement(&mut self) {
        self.statements.push(self.rows.len());
    }

    /// The first row of the statement with this number in its batch, from 0; None if it returned no
    /// row.
    pub fn first(&self, statement: usize) -> Option<AnswerRow<'_>> {
        self.of(statement).next()
    }

    /// The rows of the statement with this number, from 0; None if there was no such statement.
    pub fn of(&self, statement: usize) -> impl ExactSizeIterator<Item = AnswerRow<'_>> {
        let to = self.statements.get(statement).copied().unwrap_or(self.rows.len());
        let from = statement
            .checked_sub(1)
            .map_or(0, |before| self.statements.get(before).copied().unwrap_or(to));
        (from..to).map(|row| {
            let first = row.checked_sub(1).map_or(0, |before| self.rows[before]);
            AnswerRow { text: &self.text, cells: &self.cells[first..self.rows[row]] }
        })
    }
}

impl Answers {
    /// Rows of a name and a number.
    pub fn pairs(&self) -> SqlResult<BTreeMap<String, f64>> {
        self.of(0).map(|row| Ok((row.at(0).text()?.to_string(), row.at(1).float()?))).collect()
    }
}

impl<'a> AnswerRow<'a> {
    /// Null past the last column.
    pub fn at(&self, column: usize) -> SqlValue<'a> {
        match self.cells.get(column) {
            None | Some(StoredValue::Null) => SqlValue::Null,
            Some(StoredValue::Int(n)) => SqlValue::Int(*n),
            Some(StoredValue::Float(f)) => SqlValue::Float(*f),
            Some(StoredValue::Decimal(decimal)) => SqlValue::Decimal(*decimal),
            Some(StoredValue::Text(from, to)) => SqlValue::Text(&self.text[*from..*to]),
            Some(StoredValue::Time(us)) => SqlValue::Time(*us),
        }
    }

    /// The row's values, in the order of the columns.
    pub fn values(&self) -> impl Iterator<Item = SqlValue<'a>> {
        (0..self.cells.len()).map(|column| self.at(column))
    }
}

impl Debug for AnswerRow<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.values()).finish()
    }
}

impl<'a> SqlValue<'a> {
    /// A whole number, also if the server sent it as text.
    pub fn int(self) -> SqlResult<i64> {
        match self {
            SqlValue::Int(n) => Ok(n),
            SqlValue::Float(f) => Ok(f as i64),
            SqlValue::Decimal(decimal) => Ok(decimal.at_scale(0).unwrap_or_default()),
            SqlValue::Text(text) => {
                let whole = text.trim().split('.').next().unwrap_or_default();
                whole
                    .parse()
                    .map_err(|_| SqlError::wrong(format!("'{text}' is not a whole number")))
            }
            SqlValue::Null | SqlValue::Time(_) => {
                Err(SqlError::wrong("a whole number was expected"))
            }
        }
    }

    /// The value as a floating-point number; an error for NULL and for text that is not a number.
    pub fn float(self) -> SqlResult<f64> {
        match self {
            SqlValue::Int(n) => Ok(n as f64),
            SqlValue::Float(f) => Ok(f),
            SqlValue::Decimal(decimal) => Ok(decimal.float()),
            SqlValue::Text(text) => text
                .trim()
                .parse()
                .map_err(|_| SqlError::wrong(format!("'{text}' is not a number"))),
            SqlValue::Null | SqlValue::Time(_) => Err(SqlError::wrong("a number was expected")),
        }
    }

    /// A decimal in units of 10^-`scale`, without intermediate rounding; further digits are
    /// dropped.
    pub fn units(self, scale: u8) -> SqlResult<i64> {
        match self {
            SqlValue::Decimal(decimal) => decimal.at_scale(scale).ok_or_else(|| {
                SqlError::wrong(format!("64 bits do not hold {decimal} with {scale} digits"))
            }),
            SqlValue::Text(text) => Decimal::of_text(text.trim().as_bytes())
                .and_then(|decimal| decimal.at_scale(scale))
                .ok_or_else(|| SqlError::wrong(format!("'{text}' is not a decimal"))),
            other => Ok((other.float()? * 10f64.powi(i32::from(scale))).round() as i64),
        }
    }

    /// The value as text; an error for any other kind.
    pub fn text(self) -> SqlResult<&'a str> {
        match self {
            SqlValue::Text(text) => Ok(text),
            _ => Err(SqlError::wrong("text was expected")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_statement_has_its_own_rows_and_none_is_there_twice() {
        let mut answers = Answers::default();
        for _ in 0..2 {
            answers.clear();
            for (statement, rows) in [(0, 2), (1, 0), (2, 1)] {
                for row in 0..rows {
                    answers.push(SqlValue::Int(statement));
                    answers.push(SqlValue::Text(["first", "second"][row]));
                    answers.end_row();
                }
                answers.end_statement();
            }
        }
        let rows =
            |statement| answers.of(statement).map(|row| format!("{row:?}")).collect::<Vec<_>>();
        assert_eq!(rows(0), [r#"[Int(0), Text("first")]"#, r#"[Int(0), Text("second")]"#]);
        assert_eq!(rows(1).len(), 0);
        assert_eq!(rows(2), [r#"[Int(2), Text("first")]"#]);
        assert_eq!(rows(3).len(), 0);
        assert_eq!(answers.first(2).unwrap().at(9), SqlValue::Null);
        assert_eq!(Answers::default().of(0).len(), 0);
    }

    #[test]
    fn decimals_are_read_to_the_digit_and_rubbish_is_refused() {
        for (text, scale, units) in
            [("300000.5", 2, 30_000_050), ("-0.05", 2, -5), ("7", 3, 7000), ("1.999", 2, 199)]
        {
            assert_eq!(SqlValue::Text(text).units(scale).unwrap(), units);
        }
        for rubbish in ["", "-", ".", "1e3", "1.x", "99999999999999999999"] {
            assert!(SqlValue::Text(rubbish).units(2).is_err() || rubbish.len() < 2, "{rubbish}");
        }
    }
}
