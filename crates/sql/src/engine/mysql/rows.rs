//! Rows of the MySQL binary protocol, read from their packets into values.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use mysql::consts::ColumnFlags;

use super::packet::{number, width};
use dyno_core::measure::sql::answers::{Answers, SqlValue};
use dyno_core::measure::sql::{Decimal, SqlError, SqlResult};

const TINY: u8 = 0x01;
const SHORT: u8 = 0x02;
const LONG: u8 = 0x03;
const FLOAT: u8 = 0x04;
const DOUBLE: u8 = 0x05;
const TIMESTAMP: u8 = 0x07;
const LONGLONG: u8 = 0x08;
const INT24: u8 = 0x09;
const DATE: u8 = 0x0a;
const TIME: u8 = 0x0b;
const DATETIME: u8 = 0x0c;
const YEAR: u8 = 0x0d;
const NEWDECIMAL: u8 = 0xf6;

/// The properties of a column that are needed to read its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MysqlColumn {
    kind: u8,
    unsigned: bool,
}

impl MysqlColumn {
    pub fn of_library(column: &mysql::Column) -> MysqlColumn {
        let unsigned = column.flags().contains(ColumnFlags::UNSIGNED_FLAG);
        MysqlColumn { kind: column.column_type() as u8, unsigned }
    }

    /// From its definition, which ends in type (1 byte), flags (2), decimals (1) and two zeros.
    pub fn of_packet(packet: &[u8]) -> SqlResult<MysqlColumn> {
        match packet.len().checked_sub(6).map(|at| &packet[at..]) {
            Some(&[kind, low, high, ..]) => {
                let flags = u16::from_le_bytes([low, high]);
                Ok(MysqlColumn { kind, unsigned: flags & ColumnFlags::UNSIGNED_FLAG.bits() != 0 })
            }
            _ => Err(cut_short()),
        }
    }
}

/// A row's values: a zero, a bit for each null column (the first two are unused), and the others.
pub fn row(packet: &[u8], columns: &[MysqlColumn], answers: &mut Answers) -> SqlResult<()> {
    let nulls = packet.get(1..1 + (columns.len() + 2).div_ceil(8)).ok_or_else(cut_short)?;
    let mut at = 1 + nulls.len();
    for (bit, column) in (2..).zip(columns) {
        match nulls[bit / 8] >> (bit % 8) & 1 {
            1 => answers.push(SqlValue::Null),
            _ => value(packet, &mut at, *column, answers)?,
        }
    }
    answers.end_row();
    Ok(())
}

fn value(
    packet: &[u8],
    at: &mut usize,
    column: MysqlColumn,
    answers: &mut Answers,
) -> SqlResult<()> {
    let value = match column.kind {
        TINY => SqlValue::Int(whole::<1>(packet, at, column)?),
        SHORT | YEAR => SqlValue::Int(whole::<2>(packet, at, column)?),
        LONG | INT24 => SqlValue::Int(whole::<4>(packet, at, column)?),
        LONGLONG => SqlValue::Int(whole::<8>(packet, at, column)?),
        FLOAT => SqlValue::Float(f64::from(f32::from_le_bytes(fixed(packet, at)?))),
        DOUBLE => SqlValue::Float(f64::from_le_bytes(fixed(packet, at)?)),
        DATE | DATETIME | TIMESTAMP => {
            let length = usize::from(fixed::<1>(packet, at)?[0]);
            time(bytes(packet, at, length)?)
        }
        TIME => {
            return Err(SqlError::wrong("a column of type TIME, which none of the workloads has"));
        }
        _ => {
            let length = number(packet, *at) as usize;
            *at += width(packet, *at);
            let own = bytes(packet, at, length)?;
            let decimal = (column.kind == NEWDECIMAL).then(|| Decimal::of_text(own)).flatten();
            let Some(decimal) = decimal else {
                answers.push_text(own);
                return Ok(());
            };
            SqlValue::Decimal(decimal)
        }
    };
    answers.push(value);
    Ok(())
}

fn bytes<'p>(packet: &'p [u8], at: &mut usize, length: usize) -> SqlResult<&'p [u8]> {
    let end = at.checked_add(length).ok_or_else(cut_short)?;
    let found = packet.get(*at..end).ok_or_else(cut_short)?;
    *at = end;
    Ok(found)
}

fn fixed<const N: usize>(packet: &[u8], at: &mut usize) -> SqlResult<[u8; N]> {
    bytes(packet, at, N)?.try_into().map_err(|_| cut_short())
}

fn whole<const N: usize>(packet: &[u8], at: &mut usize, column: MysqlColumn) -> SqlResult<i64> {
    let own: [u8; N] = fixed(packet, at)?;
    let negative = !column.unsigned && own[N - 1] & 0x80 != 0;
    let mut wide = if negative { [0xff; 8] } else { [0; 8] };
    wide[..N].copy_from_slice(&own);
    Ok(i64::from_le_bytes(wide))
}

/// Year (2 bytes), month, day, hour, minute, second, microseconds (4); trailing zeros are omitted.
/// An impossible date, such as 0000-00-00, is null.
fn time(own: &[u8]) -> SqlValue<'static> {
    let part = |at: usize| own.get(at).map_or(0, |byte| *byte as i8);
    let year = own.get(..2).map_or(0, |y| i16::from_le_bytes([y[0], y[1]]));
    let us = own.get(7..11).map_or(0, |us| i32::from_le_bytes([us[0], us[1], us[2], us[3]]));
    let at =
        DateTime::new(year, part(2), part(3), part(4), part(5), part(6), us.saturating_mul(1000));
    let at = at.and_then(|at| at.to_zoned(TimeZone::UTC));
    at.map_or(SqlValue::Null, |at| SqlValue::Time(at.timestamp().as_microsecond()))
}

fn cut_short() -> SqlError {
    SqlError::wrong("a row that is shorter than its columns say")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn column(kind: u8, unsigned: bool) -> MysqlColumn {
        MysqlColumn { kind, unsigned }
    }

    fn read(packet: &[u8], columns: &[MysqlColumn]) -> SqlResult<String> {
        let mut answers = Answers::default();
        row(packet, columns, &mut answers)?;
        Ok(format!("{:?}", answers.first(0).unwrap()))
    }

    #[test]
    fn each_type_is_read_by_its_width_and_sign() {
        let table: [(MysqlColumn, &[u8], SqlValue<'_>); 12] = [
            (column(TINY, false), &[0xff], SqlValue::Int(-1)),
            (column(TINY, true), &[0xff], SqlValue::Int(255)),
            (column(SHORT, false), &[0x2c, 0x01], SqlValue::Int(300)),
            (column(YEAR, true), &[0xea, 0x07], SqlValue::Int(2026)),
            (column(LONG, false), &[0xfe, 0xff, 0xff, 0xff], SqlValue::Int(-2)),
            (column(LONGLONG, false), &[1, 0, 0, 0, 1, 0, 0, 0], SqlValue::Int((1 << 32) + 1)),
            (column(DOUBLE, false), &1.5f64.to_le_bytes(), SqlValue::Float(1.5)),
            (column(FLOAT, false), &0.5f32.to_le_bytes(), SqlValue::Float(0.5)),
            (
                column(NEWDECIMAL, false),
                &[4, b'1', b'.', b'2', b'5'],
                SqlValue::Decimal(Decimal { units: 125, scale: 2 }),
            ),
            (column(DATETIME, false), &[7, 0xb2, 0x07, 1, 1, 0, 0, 1], SqlValue::Time(1_000_000)),
            (column(DATE, false), &[4, 0xb2, 0x07, 1, 2], SqlValue::Time(86_400_000_000)),
            (column(DATETIME, false), &[0], SqlValue::Null),
        ];
        for (column, bytes, value) in table {
            let packet = [&[0, 0], bytes].concat();
            assert_eq!(read(&packet, &[column]).unwrap(), format!("[{value:?}]"), "{column:?}");
        }
        // The second of two is null, and absent from the packet.
        let two = [column(TINY, false), column(LONG, false)];
        assert_eq!(read(&[0, 0b1000, 7], &two).unwrap(), "[Int(7), Null]");
        assert!(read(&[0, 0], &two).is_err());
    }

    proptest! {
        #[test]
        fn rubbish_is_an_error_or_a_row_and_never_a_panic(
            packet in proptest::collection::vec(any::<u8>(), 0..40),
            kinds in proptest::collection::vec((any::<u8>(), any::<bool>()), 0..12),
        ) {
            let columns = kinds.into_iter().map(|(kind, unsigned)| column(kind, unsigned));
            let columns: Vec<MysqlColumn> = columns.collect();
            let mut answers = Answers::default();
            if row(&packet, &columns, &mut answers).is_ok() {
                prop_assert_eq!(answers.first(0).unwrap().values().count(), columns.len());
            }
            let _ = MysqlColumn::of_packet(&packet);
        }
    }
}
