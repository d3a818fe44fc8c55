//! Values in PostgreSQL's binary format: a statement's parameters and a row's columns.

use std::error::Error as StdError;

use bytes::{BufMut, BytesMut};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type};

use super::numeric;
use crate::measure::sql::answers::{Answers, SqlValue};
use crate::measure::sql::{Decimal, LONGEST_DECIMAL, Param};

/// Microseconds from 1970 to 2000, PostgreSQL's epoch.
const EPOCH_2000_US: i64 = 946_684_800_000_000;

type Odd = Box<dyn StdError + Sync + Send>;

impl ToSql for Param<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Odd> {
        match *self {
            Param::Null => return Ok(IsNull::Yes),
            Param::Int(n) => match *ty {
                Type::INT2 => out.put_i16(i16::try_from(n)?),
                Type::INT4 => out.put_i32(i32::try_from(n)?),
                Type::INT8 => out.put_i64(n),
                Type::FLOAT4 => out.put_f32(n as f32),
                Type::FLOAT8 => out.put_f64(n as f64),
                Type::NUMERIC => numeric::write(n, 0, out),
                _ => out.put_slice(
                    Decimal { units: n, scale: 0 }.written(&mut [0; LONGEST_DECIMAL]).as_bytes(),
                ),
            },
            Param::Float(f) => match *ty {
                Type::FLOAT4 => out.put_f32(f as f32),
                Type::FLOAT8 => out.put_f64(f),
                Type::NUMERIC => numeric::write((f * 1e4).round() as i64, 4, out),
                _ => return Err(format!("a float does not go into {ty}").into()),
            },
            Param::Text(text) => out.put_slice(text.as_bytes()),
            Param::Decimal { units, scale } => match *ty {
                Type::NUMERIC => numeric::write(units, scale, out),
                Type::FLOAT8 => out.put_f64(units as f64 / 10f64.powi(i32::from(scale))),
                _ => out.put_slice(
                    Decimal { units, scale }.written(&mut [0; LONGEST_DECIMAL]).as_bytes(),
                ),
            },
            Param::Time { unix_us } => out.put_i64(unix_us - EPOCH_2000_US),
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    tokio_postgres::types::to_sql_checked!();
}

/// Stores a value of a row.
pub fn keep(ty: &Type, raw: &[u8], numeric: &mut String, answers: &mut Answers) -> Result<(), Odd> {
    answers.push(match *ty {
        Type::INT2 => SqlValue::Int(i64::from(i16::from_sql(ty, raw)?)),
        Type::INT4 => SqlValue::Int(i64::from(i32::from_sql(ty, raw)?)),
        Type::INT8 => SqlValue::Int(i64::from_sql(ty, raw)?),
        Type::BOOL => SqlValue::Int(i64::from(bool::from_sql(ty, raw)?)),
        Type::FLOAT4 => SqlValue::Float(f64::from(f32::from_sql(ty, raw)?)),
        Type::FLOAT8 => SqlValue::Float(f64::from_sql(ty, raw)?),
        Type::NUMERIC => {
            numeric::read(raw, numeric)?;
            SqlValue::Text(numeric)
        }
        Type::TIMESTAMP | Type::TIMESTAMPTZ => {
            SqlValue::Time(i64::from_be_bytes(raw.try_into()?) + EPOCH_2000_US)
        }
        _ => {
            answers.push(SqlValue::Text(&String::from_utf8_lossy(raw)));
            return Ok(());
        }
    });
    Ok(())
}
