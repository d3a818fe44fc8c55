//! End of the last request to each device, indexed by device number without hashing.

/// Marks a missing end: ends of requests are at most 2^63.
const NONE: u64 = u64::MAX;

/// Ends of the devices seen so far.
#[derive(Default)]
pub struct DeviceEnds {
    ends: Vec<u64>,
    /// Devices with an end.
    seen: Vec<u16>,
}

impl DeviceEnds {
    /// The end of the last request to a device.
    #[inline]
    pub fn of(&self, device: u16) -> Option<u64> {
        self.ends.get(usize::from(device)).copied().filter(|end| *end != NONE)
    }

    /// Sets the end of a device and returns the previous one.
    #[inline]
    pub fn replace(&mut self, device: u16, end: u64) -> Option<u64> {
        let index = usize::from(device);
        if index >= self.ends.len() {
            self.ends.resize(index + 1, NONE);
        }
        let before = std::mem::replace(&mut self.ends[index], end);
        if before == NONE {
            self.seen.push(device);
            return None;
        }
        Some(before)
    }

    /// Removes all ends.
    pub fn clear(&mut self) {
        for device in self.seen.drain(..) {
            self.ends[usize::from(device)] = NONE;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_device_has_the_end_of_its_own_last_request() {
        let mut ends = DeviceEnds::default();
        assert_eq!((ends.of(7), ends.replace(7, 1 << 63)), (None, None));
        assert_eq!((ends.replace(u16::MAX, 5), ends.replace(7, 6)), (None, Some(1 << 63)));
        assert_eq!((ends.of(7), ends.of(u16::MAX), ends.of(8)), (Some(6), Some(5), None));
        ends.clear();
        assert_eq!((ends.of(7), ends.replace(u16::MAX, 1)), (None, None));
    }
}
