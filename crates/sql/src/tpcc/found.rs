//! What the five transactions extract from a server's results: a required row, the middle customer,
//! a value for each district, a customer's data.

use arrayvec::ArrayString;

use super::inputs::DISTRICTS;
use dyno_core::measure::sql::answers::{AnswerRow, Answers, SqlValue};
use dyno_core::measure::sql::{Decimal, Param, SqlError, SqlResult};

/// Clause 2.5.2.2: C_DATA is limited to 500 characters.
const DATA: usize = 500;

/// C_DATA with six numbers prepended.
const LONGEST_TEXT: usize = 1000;

/// H_DATA: 24 characters of up to four bytes (clause 1.3.1).
pub const LONGEST_NOTE: usize = 96;

/// The one required row.
pub fn one<'f>(what: &str, found: &'f Answers, statement: usize) -> SqlResult<AnswerRow<'f>> {
    found.first(statement).ok_or_else(|| SqlError::wrong(format!("{what} is not in the database")))
}

/// The customer. By last name, it is the middle one, rounded up (clause 2.5.2.2, case 2).
pub fn in_the_middle<'f>(
    mut found: impl ExactSizeIterator<Item = AnswerRow<'f>>,
) -> SqlResult<i64> {
    let middle = found.len().saturating_sub(1) / 2;
    let row = found.nth(middle);
    row.ok_or_else(|| SqlError::wrong("no customer of the district has the name that was drawn"))?
        .at(0)
        .int()
}

/// A value for each district that has an order, null of the same type for the others.
pub fn by_district<'f>(
    rows: impl ExactSizeIterator<Item = AnswerRow<'f>>,
    orders: usize,
    nothing: Param<'static>,
    value: impl Fn(SqlValue<'f>) -> SqlResult<Param<'static>>,
) -> SqlResult<[Param<'static>; DISTRICTS as usize]> {
    let mut all = [nothing; DISTRICTS as usize];
    if rows.len() != orders {
        return Err(SqlError::wrong(format!(
            "of {orders} new orders only {} are among the orders",
            rows.len()
        )));
    }
    for row in rows {
        let district = usize::try_from(row.at(0).int()? - 1).ok().and_then(|d| all.get_mut(d));
        *district.ok_or_else(|| SqlError::wrong("a district that there is not"))? =
            value(row.at(1))?;
    }
    Ok(all)
}

/// C_DATA of a customer with bad credit: this payment before earlier ones.
pub fn bad_credit(
    numbers: &[i64; 5],
    cents: i64,
    old: &str,
) -> SqlResult<ArrayString<LONGEST_TEXT>> {
    let [c, cd, cw, d, w] = numbers;
    let mut data = written(format_args!(
        "{c} {cd} {cw} {d} {w} {}|{old}",
        Decimal { units: cents, scale: 2 }
    ))?;
    data.truncate(DATA.min(data.len()));
    Ok(data)
}

/// Text in its own buffer; an error if it does not fit.
pub fn written<const N: usize>(text: std::fmt::Arguments<'_>) -> SqlResult<ArrayString<N>> {
    let mut all = ArrayString::new();
    let fits = std::fmt::Write::write_fmt(&mut all, text);
    fits.map(|()| all).map_err(|_| SqlError::wrong("a text longer than its column"))
}
