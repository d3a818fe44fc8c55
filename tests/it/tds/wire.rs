//! Microsoft's protocol at byte level: types, values and tokens, read and written.

use jiff::civil::{DateTime, date};

/// Code page 1252, as for a server installed in English.
const COLLATION: [u8; 5] = [0x09, 0x04, 0xD0, 0x00, 0x34];

/// A column's type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Int,
    BigInt,
    Char(u16),
    VarChar(u16),
    NVarChar(u16),
    Decimal(u8, u8),
    DateTime2(u8),
    Float,
    Null,
}

/// A value as text, or null.
pub type Cell = Option<String>;

#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub name: String,
    pub kind: Kind,
    pub nullable: bool,
}

/// The rest of a message.
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub fn take(&mut self, n: usize) -> &'a [u8] {
        let (head, tail) = self.0.split_at(n);
        self.0 = tail;
        head
    }

    pub fn u8(&mut self) -> u8 {
        self.take(1)[0]
    }

    pub fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take(2).try_into().unwrap())
    }

    pub fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take(4).try_into().unwrap())
    }

    /// This many two-byte characters.
    pub fn wide(&mut self, chars: usize) -> String {
        wide(self.take(2 * chars))
    }

    pub fn kind(&mut self) -> (Kind, bool) {
        let kind = match self.u8() {
            0x38 => return (Kind::Int, false),
            0x1F => Kind::Null,
            0x26 if self.u8() == 8 => Kind::BigInt,
            0x26 => Kind::Int,
            0x6D => {
                self.u8();
                Kind::Float
            }
            0x6A | 0x6C => {
                self.u8();
                let precision = self.u8();
                Kind::Decimal(precision, self.u8())
            }
            0x2A => Kind::DateTime2(self.u8()),
            token @ (0xA7 | 0xAF | 0xE7) => {
                let size = self.u16();
                self.take(COLLATION.len());
                match token {
                    0xA7 => Kind::VarChar(size),
                    0xAF => Kind::Char(size),
                    _ => Kind::NVarChar(size),
                }
            }
            other => panic!("the stand-in does not know the type 0x{other:02x}"),
        };
        (kind, true)
    }

    pub fn value(&mut self, kind: Kind, nullable: bool) -> Cell {
        match kind {
            Kind::Null => return None,
            Kind::VarChar(_) | Kind::Char(_) | Kind::NVarChar(_) => return self.text(kind),
            _ => {}
        }
        let length = if nullable { usize::from(self.u8()) } else { 4 };
        if length == 0 {
            return None;
        }
        let bytes = self.take(length);
        Some(match kind {
            Kind::Float => f64::from_le_bytes(bytes.try_into().unwrap()).to_string(),
            Kind::Decimal(_, scale) => {
                let units = little(&bytes[1..]) as i64;
                decimal(if bytes[0] == 1 { units } else { -units }, usize::from(scale))
            }
            Kind::DateTime2(scale) => {
                let (time, days) = bytes.split_at(length - 3);
                let seconds = little(time) / 10u128.pow(u32::from(scale));
                let at = days_since_1(little(days) as i64).at(0, 0, 0, 0);
                at.checked_add(jiff::Span::new().seconds(seconds as i64))
                    .unwrap()
                    .strftime("%F %T")
                    .to_string()
            }
            _ if length == 8 => i64::from_le_bytes(bytes.try_into().unwrap()).to_string(),
            _ => i32::from_le_bytes(bytes.try_into().unwrap()).to_string(),
        })
    }

    fn text(&mut self, kind: Kind) -> Cell {
        if kind == Kind::NVarChar(u16::MAX) {
            // In chunks, after a total that may be unknown.
            let (_total, mut all) = (self.take(8), Vec::new());
            loop {
                let chunk = self.u32() as usize;
                if chunk == 0 {
                    return Some(wide(&all));
                }
                all.extend_from_slice(self.take(chunk));
            }
        }
        let length = self.u16();
        if length == u16::MAX {
            return None;
        }
        let bytes = self.take(usize::from(length));
        Some(if matches!(kind, Kind::NVarChar(_)) {
            wide(bytes)
        } else {
            String::from_utf8(bytes.to_vec()).unwrap()
        })
    }
}

fn little(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |all, byte| all << 8 | u128::from(*byte))
}

fn decimal(units: i64, scale: usize) -> String {
    let digits = format!("{:0>width$}", units.unsigned_abs(), width = scale + 1);
    let (whole, part) = digits.split_at(digits.len() - scale);
    format!("{}{whole}.{part}", if units < 0 { "-" } else { "" })
}

fn days_since_1(days: i64) -> jiff::civil::Date {
    date(1, 1, 1).checked_add(jiff::Span::new().days(days)).unwrap()
}

fn wide(bytes: &[u8]) -> String {
    let units: Vec<u16> = bytes.chunks(2).map(|two| u16::from_le_bytes([two[0], two[1]])).collect();
    String::from_utf16(&units).unwrap()
}

/// A message under construction.
#[derive(Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn wide(&mut self, text: &str) {
        text.encode_utf16().for_each(|unit| self.bytes(&unit.to_le_bytes()));
    }

    /// Text after its length in one byte.
    pub fn short_text(&mut self, text: &str) {
        self.0.push(text.encode_utf16().count() as u8);
        self.wide(text);
    }

    /// A token with its two-byte length before the data written by `body`.
    pub fn token(&mut self, token: u8, body: impl FnOnce(&mut Writer)) {
        let mut inner = Writer::default();
        body(&mut inner);
        self.0.push(token);
        self.bytes(&(inner.0.len() as u16).to_le_bytes());
        self.bytes(&inner.0);
    }

    pub fn error(&mut self, code: u32, class: u8, message: &str) {
        self.token(0xAA, |body| {
            body.bytes(&code.to_le_bytes());
            body.bytes(&[1, class]);
            body.bytes(&(message.encode_utf16().count() as u16).to_le_bytes());
            body.wide(message);
            body.short_text("STANDIN");
            body.short_text("");
            body.bytes(&1u32.to_le_bytes());
        });
    }

    /// DONE, DONEPROC or DONEINPROC.
    pub fn done(&mut self, token: u8, status: u16, rows: u64) {
        self.0.push(token);
        self.bytes(&status.to_le_bytes());
        self.bytes(&[0, 0]);
        self.bytes(&rows.to_le_bytes());
    }

    pub fn columns(&mut self, columns: &[Column]) {
        self.0.push(0x81);
        self.bytes(&(columns.len() as u16).to_le_bytes());
        for column in columns {
            self.bytes(&[0; 4]);
            // Nullable, and that it may be written to is not known.
            self.bytes(&(0x8 | u16::from(column.nullable)).to_le_bytes());
            self.kind(column);
            self.short_text(&column.name);
        }
    }

    fn kind(&mut self, column: &Column) {
        let mut text = |token: u8, bytes: u16| {
            self.0.push(token);
            self.bytes(&bytes.to_le_bytes());
            self.bytes(&COLLATION);
        };
        match column.kind {
            Kind::Char(size) => text(0xAF, size),
            Kind::VarChar(size) => text(0xA7, size),
            Kind::NVarChar(size) => text(0xE7, 2 * size),
            Kind::Int if !column.nullable => self.0.push(0x38),
            Kind::Int => self.bytes(&[0x26, 4]),
            Kind::BigInt => self.bytes(&[0x26, 8]),
            Kind::Float => self.bytes(&[0x6D, 8]),
            Kind::Decimal(precision, scale) => {
                self.bytes(&[0x6A, size_of_decimal(precision), precision, scale])
            }
            Kind::DateTime2(scale) => self.bytes(&[0x2A, scale]),
            Kind::Null => self.0.push(0x1F),
        }
    }

    pub fn row(&mut self, columns: &[Column], cells: &[Cell]) {
        assert_eq!(columns.len(), cells.len(), "a row of {columns:?}");
        self.0.push(0xD1);
        for (column, cell) in columns.iter().zip(cells) {
            self.value(column, cell.as_deref());
        }
    }

    fn value(&mut self, column: &Column, cell: Option<&str>) {
        let is_text = matches!(column.kind, Kind::Char(_) | Kind::VarChar(_) | Kind::NVarChar(_));
        let Some(cell) = cell else {
            return if is_text { self.bytes(&[0xFF, 0xFF]) } else { self.0.push(0) };
        };
        let mut counted = |bytes: &[u8]| {
            self.0.push(bytes.len() as u8);
            self.0.extend_from_slice(bytes);
        };
        match column.kind {
            Kind::Int if !column.nullable => {
                self.bytes(&cell.parse::<i32>().unwrap().to_le_bytes())
            }
            Kind::Int => counted(&cell.parse::<i32>().unwrap().to_le_bytes()),
            Kind::BigInt => counted(&cell.parse::<i64>().unwrap().to_le_bytes()),
            Kind::Float => counted(&cell.parse::<f64>().unwrap().to_le_bytes()),
            Kind::Decimal(precision, scale) => {
                let (whole, part) = cell.trim_start_matches('-').split_once('.').unwrap();
                assert_eq!(part.len(), usize::from(scale), "{cell}");
                let units: u128 = format!("{whole}{part}").parse().unwrap();
                let mut bytes = vec![u8::from(!cell.starts_with('-'))];
                bytes.extend_from_slice(
                    &units.to_le_bytes()[..usize::from(size_of_decimal(precision)) - 1],
                );
                counted(&bytes);
            }
            Kind::DateTime2(scale) => {
                let at: DateTime = cell.parse().unwrap();
                let seconds =
                    (at.hour() as u64 * 60 + at.minute() as u64) * 60 + at.second() as u64;
                let units = seconds * 10u64.pow(u32::from(scale));
                let time = [3, 3, 3, 4, 4, 5, 5, 5][usize::from(scale)];
                let days = date(1, 1, 1).until(at.date()).unwrap().get_days() as u32;
                counted(&[&units.to_le_bytes()[..time], &days.to_le_bytes()[..3]].concat());
            }
            Kind::NVarChar(_) => {
                self.bytes(&(2 * cell.encode_utf16().count() as u16).to_le_bytes());
                self.wide(cell);
            }
            _ => {
                self.bytes(&(cell.len() as u16).to_le_bytes());
                self.bytes(cell.as_bytes());
            }
        }
    }
}

fn size_of_decimal(precision: u8) -> u8 {
    match precision {
        0..=9 => 5,
        10..=19 => 9,
        20..=28 => 13,
        _ => 17,
    }
}
