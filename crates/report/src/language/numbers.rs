//! Numbers and dates in the locale's form, by ICU4X with CLDR data. English uses the form printed
//! by the rest of Dyno: "1,234.5", and ISO 8601 dates.

use std::str::FromStr;

use icu_datetime::FixedCalendarDateTimeFormatter;
use icu_datetime::fieldsets::YMD;
use icu_datetime::input::{Date, DateTime, Time};
use icu_decimal::DecimalFormatter;
use icu_decimal::input::Decimal;
use icu_decimal::options::{DecimalFormatterOptions, GroupingStrategy};
use icu_locale_core::Locale;

use super::Language;
use dyno_core::base::units;

impl Language {
    /// The numbers of a text in the locale's form; the text is in English form, with nothing but
    /// numbers, units and marks.
    pub fn number(self, text: &str) -> String {
        if self == Language::ENGLISH {
            return text.to_string();
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
            out.push_str(&rest[..start]);
            let from = &rest[start..];
            let reach = from.find(|c: char| !(c.is_ascii_digit() || c == ',' || c == '.'));
            let run = from[..reach.unwrap_or(from.len())].trim_end_matches(['.', ',']);
            out.push_str(&self.decimal(run).unwrap_or_else(|| run.to_string()));
            rest = &from[run.len()..];
        }
        out.push_str(rest);
        match crate::say!(self, "percent").starts_with(' ') {
            true => out,
            false => out.replace(" %", "%"),
        }
    }

    /// One number, grouped if it was grouped.
    fn decimal(self, digits: &str) -> Option<String> {
        let value = Decimal::from_str(&digits.replace(',', "")).ok()?;
        let grouped = digits.contains(',');
        let mut options = DecimalFormatterOptions::default();
        options.grouping_strategy =
            Some(if grouped { GroupingStrategy::Always } else { GroupingStrategy::Never });
        let formatter = DecimalFormatter::try_new(self.locale().into(), options).ok()?;
        Some(formatter.format(&value).to_string())
    }

    fn locale(self) -> Locale {
        Locale::from_str(self.tag()).unwrap_or(Locale::UNKNOWN)
    }

    /// A date and time in UTC, from nanoseconds since 1970.
    pub fn moment(self, unix_ns: u64) -> String {
        let second = (unix_ns / 1_000_000_000) as i64;
        let time = jiff::Timestamp::from_second(second).ok().filter(|_| unix_ns > 0);
        let Some(time) = time else { return crate::say!(self, "date-unknown") };
        match self.tag() {
            "en" | "en-XA" => units::moment(unix_ns),
            _ => self.date(time).unwrap_or_else(|| units::moment(unix_ns)),
        }
    }

    fn date(self, time: jiff::Timestamp) -> Option<String> {
        let own = time.to_zoned(jiff::tz::TimeZone::UTC);
        let fields = YMD::medium().with_time_hm();
        let date = Date::try_new_gregorian(
            i32::from(own.year()),
            u8::try_from(own.month()).ok()?,
            u8::try_from(own.day()).ok()?,
        );
        let time =
            Time::try_new(u8::try_from(own.hour()).ok()?, u8::try_from(own.minute()).ok()?, 0, 0);
        let moment = DateTime { date: date.ok()?, time: time.ok()? };
        let formatter =
            FixedCalendarDateTimeFormatter::try_new(self.locale().into(), fields).ok()?;
        Some(format!("{} UTC", formatter.format(&moment)))
    }
}
