//! Values in SQL Server's protocol: parameters with their declared types, the values of a row, and
//! text fields converted to a column's type for bulk loading.

use std::borrow::Cow;
use std::fmt::Write;

use jiff::civil::DateTime as Civil;
use jiff::tz::TimeZone;
use tiberius::numeric::Numeric;
use tiberius::time::{Date, DateTime2, Time};
use tiberius::{ColumnData, FixedLenType, IntoSql, MetaDataColumn, TypeInfo, VarLenType};

use dyno_core::measure::sql::answers::{Answers, SqlValue};
use dyno_core::measure::sql::{Decimal, Param, SqlError, SqlResult};

/// Days from the first of January of the year 1, and of 1900, to 1970.
const DAYS_TO_1970: i64 = 719_162;
const DAYS_1900_TO_1970: i64 = 25_567;
const US_A_DAY: i64 = 86_400_000_000;

/// Digits sufficient for every decimal parameter.
const DIGITS: u8 = 19;

/// Microseconds.
const SCALE_OF_TIME: u8 = 6;

/// The maximum number of bytes, and of characters, that the server stores in a row.
const MOST_BYTES: usize = 8000;
const MOST_CHARS: usize = 4000;

/// The declaration of a statement's parameters: "@dyno1 int, @dyno2 decimal(19,2)". Types do not
/// depend on the number of digits or characters of a value, so the server can reuse the plan; text
/// is declared narrow if possible, because a wide parameter prevents an index seek on a narrow
/// column.
pub fn declared(names: &[String], params: &[Param<'_>]) -> SqlResult<String> {
    let mut out = String::with_capacity(params.len() * 12);
    for (name, param) in names.iter().zip(params) {
        if !out.is_empty() {
            out.push_str(", ");
        }
        let kind = match *param {
            Param::Int(n) if i32::try_from(n).is_ok() => "int",
            Param::Int(_) => "bigint",
            Param::Float(_) => "float(53)",
            Param::Text(text) if text.is_ascii() && text.len() <= MOST_BYTES => "varchar(8000)",
            Param::Text(text) if text.len() > MOST_CHARS => "nvarchar(max)",
            // A null of this type is accepted by any column.
            Param::Text(_) | Param::Null => "nvarchar(4000)",
            Param::Decimal { scale, .. } if scale > DIGITS => {
                return Err(SqlError::wrong(format!(
                    "a decimal with {scale} digits after the point is not supported"
                )));
            }
            // Writing to a string cannot fail.
            Param::Decimal { scale, .. } => {
                let _ = write!(out, "{name} decimal({DIGITS},{scale})");
                continue;
            }
            Param::Time { .. } => "datetime2(6)",
        };
        out.push_str(name);
        out.push(' ');
        out.push_str(kind);
    }
    Ok(out)
}

/// A parameter in the types of the protocol.
pub struct Sent<'a>(pub Param<'a>);

impl<'a> IntoSql<'a> for Sent<'a> {
    fn into_sql(self) -> ColumnData<'a> {
        match self.0 {
            Param::Null => ColumnData::String(None),
            Param::Int(n) => {
                i32::try_from(n).map_or(ColumnData::I64(Some(n)), |n| ColumnData::I32(Some(n)))
            }
            Param::Float(f) => ColumnData::F64(Some(f)),
            Param::Text(text) => ColumnData::String(Some(Cow::Borrowed(text))),
            Param::Decimal { units, scale } => ColumnData::Numeric(Some(Numeric::new_with_scale(
                i128::from(units),
                scale.min(DIGITS),
            ))),
            Param::Time { unix_us } => ColumnData::DateTime2(Some(to_server(unix_us))),
        }
    }
}

fn to_server(unix_us: i64) -> DateTime2 {
    // The years 1 to 9999 are within what a date holds.
    let days = (unix_us.div_euclid(US_A_DAY) + DAYS_TO_1970).clamp(0, 3_652_058);
    let time = Time::new(unix_us.rem_euclid(US_A_DAY) as u64, SCALE_OF_TIME);
    DateTime2::new(Date::new(days as u32), time)
}

fn from_server(at: DateTime2) -> i64 {
    let (days, time) = (i64::from(at.date().days()) - DAYS_TO_1970, at.time());
    let us = match SCALE_OF_TIME.checked_sub(time.scale()) {
        Some(less) => time.increments() * 10u64.pow(u32::from(less)),
        None => time.increments() / 10,
    };
    days * US_A_DAY + us as i64
}

/// Stores a value of a row.
pub fn keep(data: ColumnData<'_>, answers: &mut Answers) -> SqlResult<()> {
    let value = match &data {
        ColumnData::U8(n) => n.map(|n| SqlValue::Int(i64::from(n))),
        ColumnData::I16(n) => n.map(|n| SqlValue::Int(i64::from(n))),
        ColumnData::I32(n) => n.map(|n| SqlValue::Int(i64::from(n))),
        ColumnData::I64(n) => n.map(SqlValue::Int),
        ColumnData::Bit(b) => b.map(|b| SqlValue::Int(i64::from(b))),
        ColumnData::F32(f) => f.map(|f| SqlValue::Float(f64::from(f))),
        ColumnData::F64(f) => f.map(SqlValue::Float),
        ColumnData::String(text) => text.as_deref().map(SqlValue::Text),
        ColumnData::Numeric(n) => n.map(decimal),
        ColumnData::DateTime2(at) => at.map(|at| SqlValue::Time(from_server(at))),
        // Counted from 1900, in three-hundredths of a second.
        ColumnData::DateTime(at) => at.map(|at| {
            let days = i64::from(at.days()) - DAYS_1900_TO_1970;
            SqlValue::Time(days * US_A_DAY + i64::from(at.seconds_fragments()) * 10_000 / 3)
        }),
        other => {
            return Err(SqlError::wrong(format!(
                "a value of this type is not supported: {other:?}"
            )));
        }
    };
    answers.push(value.unwrap_or(SqlValue::Null));
    Ok(())
}

/// A floating-point number if 64 bits do not hold its digits.
fn decimal(n: Numeric) -> SqlValue<'static> {
    match i64::try_from(n.value()) {
        Ok(units) => SqlValue::Decimal(Decimal { units, scale: n.scale() }),
        Err(_) => SqlValue::Float(n.value() as f64 / 10f64.powi(i32::from(n.scale()))),
    }
}

/// Stored as the server itself would print it.
pub fn keep_as_text(data: ColumnData<'_>, answers: &mut Answers) -> SqlResult<()> {
    let mut own = Answers::default();
    keep(data, &mut own)?;
    own.end_row();
    match own.first(0).map_or(SqlValue::Null, |row| row.at(0)) {
        SqlValue::Int(n) => answers.push(SqlValue::Text(&n.to_string())),
        SqlValue::Float(f) => answers.push(SqlValue::Text(&f.to_string())),
        SqlValue::Decimal(decimal) => answers.push(SqlValue::Text(&decimal.to_string())),
        SqlValue::Time(us) => match jiff::Timestamp::from_microsecond(us) {
            Ok(at) => {
                answers.push(SqlValue::Text(&at.to_zoned(TimeZone::UTC).datetime().to_string()))
            }
            Err(_) => answers.push(SqlValue::Null),
        },
        value @ (SqlValue::Null | SqlValue::Text(_)) => answers.push(value),
    }
    Ok(())
}

/// A text field converted to its column's type; `\N` for null.
pub fn cell<'a>(text: &'a str, column: &MetaDataColumn<'_>) -> SqlResult<ColumnData<'a>> {
    let text = (text != "\\N").then_some(text);
    let odd = || {
        SqlError::wrong(format!(
            "'{}' does not go into the column {}",
            text.unwrap_or("null"),
            column.col_name()
        ))
    };
    let whole = |bytes: usize| -> SqlResult<ColumnData<'a>> {
        Ok(match bytes {
            1 => ColumnData::U8(parsed(text).map_err(|_| odd())?),
            2 => ColumnData::I16(parsed(text).map_err(|_| odd())?),
            4 => ColumnData::I32(parsed(text).map_err(|_| odd())?),
            _ => ColumnData::I64(parsed(text).map_err(|_| odd())?),
        })
    };
    match &column.base().ty {
        TypeInfo::FixedLen(FixedLenType::Int1) => whole(1),
        TypeInfo::FixedLen(FixedLenType::Int2) => whole(2),
        TypeInfo::FixedLen(FixedLenType::Int4) => whole(4),
        TypeInfo::FixedLen(FixedLenType::Int8) => whole(8),
        TypeInfo::VarLenSized(ctx) => match ctx.r#type() {
            VarLenType::Intn => whole(ctx.len()),
            VarLenType::BigVarChar
            | VarLenType::BigChar
            | VarLenType::NVarchar
            | VarLenType::NChar => Ok(ColumnData::String(text.map(Cow::Borrowed))),
            VarLenType::Datetime2 => {
                let at = text.map(|text| date_and_time(text).ok_or_else(odd)).transpose()?;
                Ok(ColumnData::DateTime2(at))
            }
            _ => Err(odd()),
        },
        TypeInfo::VarLenSizedPrecision { scale, .. } => {
            let units = text.map(|text| SqlValue::Text(text).units(*scale)).transpose()?;
            Ok(ColumnData::Numeric(
                units.map(|units| Numeric::new_with_scale(i128::from(units), *scale)),
            ))
        }
        _ => Err(odd()),
    }
}

fn parsed<T: std::str::FromStr>(text: Option<&str>) -> Result<Option<T>, T::Err> {
    text.map(str::parse).transpose()
}

/// "2026-01-31 12:00:00", in whole seconds, which fit any column scale.
fn date_and_time(text: &str) -> Option<DateTime2> {
    let at: Civil = text.parse().ok()?;
    let at = at.to_zoned(TimeZone::UTC).ok()?.timestamp();
    let whole = to_server(at.as_second() * 1_000_000);
    Some(DateTime2::new(whole.date(), Time::new(whole.time().increments() / 1_000_000, 0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_is_the_same_whatever_the_size_of_the_values() {
        let names = |n: usize| (1..=n).map(|i| format!("@dyno{i}")).collect::<Vec<_>>();
        let small = [
            Param::Int(1),
            Param::Text("a"),
            Param::Decimal { units: 1, scale: 2 },
            Param::Time { unix_us: 0 },
        ];
        let large = [
            Param::Int(2_000_000_000),
            Param::Text("BARBARBAR"),
            Param::Decimal { units: 123_456_789, scale: 2 },
            Param::Time { unix_us: 1_700_000_000_000_000 },
        ];
        let said = "@dyno1 int, @dyno2 varchar(8000), @dyno3 decimal(19,2), @dyno4 datetime2(6)";
        assert_eq!(declared(&names(4), &small).unwrap(), said);
        assert_eq!(declared(&names(4), &large).unwrap(), said);
        let odd = [Param::Int(1 << 40), Param::Text("ü"), Param::Null, Param::Float(0.5)];
        let said = "@dyno1 bigint, @dyno2 nvarchar(4000), @dyno3 nvarchar(4000), @dyno4 float(53)";
        assert_eq!(declared(&names(4), &odd).unwrap(), said);
    }

    fn shown(data: ColumnData<'_>) -> String {
        let mut answers = Answers::default();
        keep(data, &mut answers).unwrap();
        answers.end_row();
        format!("{:?}", answers.first(0).unwrap().at(0))
    }

    #[test]
    fn times_come_back_as_they_were_sent() {
        for us in [0, -1_000_000, 1_753_000_000_123_456, 951_782_400_000_000] {
            assert_eq!(shown(Sent(Param::Time { unix_us: us }).into_sql()), format!("Time({us})"));
        }
        let at = date_and_time("2026-01-31 12:00:01").unwrap();
        assert_eq!(from_server(at), 1_769_860_801_000_000);
        assert_eq!((at.time().scale(), at.time().increments()), (0, 43_201));
        let old = tiberius::time::DateTime::new(0, 300);
        let seconds_since_1900 = 25_567i64 * 86_400 - 1;
        assert_eq!(
            shown(ColumnData::DateTime(Some(old))),
            format!("Time({})", -seconds_since_1900 * 1_000_000)
        );
    }

    #[test]
    fn decimals_keep_every_digit() {
        let sent = Sent(Param::Decimal { units: -1234, scale: 2 }).into_sql();
        assert_eq!(shown(sent), "Decimal(Decimal { units: -1234, scale: 2 })");
    }
}
