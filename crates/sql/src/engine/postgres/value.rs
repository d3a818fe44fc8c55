//! Values in PostgreSQL's binary format: a statement's parameters and a row's columns.

use tokio_postgres::types::Type;

use super::numeric;
use dyno_core::measure::sql::answers::{Answers, SqlValue};
use dyno_core::measure::sql::{Decimal, LONGEST_DECIMAL, Param, SqlError, SqlResult};

/// Microseconds from 1970 to 2000, PostgreSQL's epoch.
const EPOCH_2000_US: i64 = 946_684_800_000_000;

/// Writes a parameter other than NULL.
pub fn write(param: Param<'_>, ty: &Type, out: &mut Vec<u8>) -> SqlResult<()> {
    let odd = || SqlError::wrong(format!("{param:?} does not go into {ty}"));
    match param {
        Param::Null => {}
        Param::Int(n) => match *ty {
            Type::INT2 => put(i16::try_from(n).map_err(|_| odd())?.to_be_bytes(), out),
            Type::INT4 => put(i32::try_from(n).map_err(|_| odd())?.to_be_bytes(), out),
            Type::INT8 => put(n.to_be_bytes(), out),
            Type::FLOAT4 => put((n as f32).to_be_bytes(), out),
            Type::FLOAT8 => put((n as f64).to_be_bytes(), out),
            Type::NUMERIC => numeric::write(n, 0, out),
            _ => put_decimal(n, 0, out),
        },
        Param::Float(f) => match *ty {
            Type::FLOAT4 => put((f as f32).to_be_bytes(), out),
            Type::FLOAT8 => put(f.to_be_bytes(), out),
            Type::NUMERIC => numeric::write((f * 1e4).round() as i64, 4, out),
            _ => return Err(odd()),
        },
        Param::Text(text) => out.extend_from_slice(text.as_bytes()),
        Param::Decimal { units, scale } => match *ty {
            Type::NUMERIC => numeric::write(units, scale, out),
            Type::FLOAT8 => put((units as f64 / 10f64.powi(i32::from(scale))).to_be_bytes(), out),
            _ => put_decimal(units, scale, out),
        },
        Param::Time { unix_us } => put((unix_us - EPOCH_2000_US).to_be_bytes(), out),
    }
    Ok(())
}

fn put<const N: usize>(bytes: [u8; N], out: &mut Vec<u8>) {
    out.extend_from_slice(&bytes);
}

fn put_decimal(units: i64, scale: u8, out: &mut Vec<u8>) {
    let text = Decimal { units, scale };
    out.extend_from_slice(text.written(&mut [0; LONGEST_DECIMAL]).as_bytes());
}

/// Stores a value of a row.
pub fn keep(ty: &Type, raw: &[u8], answers: &mut Answers) -> SqlResult<()> {
    let value = match *ty {
        Type::INT2 => SqlValue::Int(i64::from(i16::from_be_bytes(fixed(raw)?))),
        Type::INT4 => SqlValue::Int(i64::from(i32::from_be_bytes(fixed(raw)?))),
        Type::INT8 => SqlValue::Int(i64::from_be_bytes(fixed(raw)?)),
        Type::BOOL => SqlValue::Int(i64::from(fixed::<1>(raw)?[0] != 0)),
        Type::FLOAT4 => SqlValue::Float(f64::from(f32::from_be_bytes(fixed(raw)?))),
        Type::FLOAT8 => SqlValue::Float(f64::from_be_bytes(fixed(raw)?)),
        Type::NUMERIC => numeric::read(raw)?,
        Type::TIMESTAMP | Type::TIMESTAMPTZ => {
            SqlValue::Time(i64::from_be_bytes(fixed(raw)?) + EPOCH_2000_US)
        }
        _ => {
            answers.push_text(raw);
            return Ok(());
        }
    };
    answers.push(value);
    Ok(())
}

fn fixed<const N: usize>(raw: &[u8]) -> SqlResult<[u8; N]> {
    raw.try_into().map_err(|_| SqlError::wrong("a value that is not as long as its type"))
}
