//! Idle power, read before the first point. It belongs to the run, not to a point, so it is stored
//! as a fact.

use super::Fact;

const GROUP: &str = "At rest: ";

/// The mean of one gauge of one subject before any load.
#[derive(Clone, Debug, PartialEq)]
pub struct IdlePower {
    /// The subject's name.
    pub subject: String,
    /// The meter that read it.
    pub meter: String,
    /// The gauge's name, as in samples: `drive_watts`.
    pub name: String,
    /// Mean over all readings, in watts.
    pub watts: f64,
    /// The number of readings.
    pub readings: u32,
}

impl IdlePower {
    /// The stored fact: watts to three decimals.
    pub fn to_fact(&self) -> Fact {
        let value = format!("{:.3} W, mean of {} readings", self.watts, self.readings);
        Fact::new(
            format!("{GROUP}{}", self.subject),
            format!("{} {}", self.meter, self.name),
            value,
        )
    }

    /// None if the fact is a different one.
    pub fn of_fact(fact: &Fact) -> Option<IdlePower> {
        let subject = fact.group.strip_prefix(GROUP)?.to_string();
        let (meter, name) = fact.name.rsplit_once(' ')?;
        let (watts, rest) = fact.value.split_once(" W, mean of ")?;
        let readings = rest.split(' ').next()?.parse().ok()?;
        Some(IdlePower {
            subject,
            meter: meter.into(),
            name: name.into(),
            watts: watts.parse().ok()?,
            readings,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_at_rest_comes_back_from_its_fact() {
        let (subject, meter, name) =
            ("A: B".to_string(), "exec 2".to_string(), "drive_watts".to_string());
        let rest = IdlePower { subject, meter, name, watts: 5.25, readings: 40 };
        assert_eq!(IdlePower::of_fact(&rest.to_fact()), Some(rest));
        assert_eq!(
            IdlePower::of_fact(&Fact::new("Host", "Server", "x W, mean of 3 readings")),
            None
        );
    }
}
