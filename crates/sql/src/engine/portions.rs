//! Connecting in portions: a limited number of concurrent logins, and one retry for each that was
//! dropped. Servers refuse, drop or forget logins when hundreds arrive together.

use std::sync::{Condvar, Mutex, MutexGuard};

use super::{CONNECT_AT_ONCE, Connector};
use dyno_core::measure::sql::{ErrorClass, SqlResult, SqlSession};
use dyno_core::plan::Knobs;

/// The number of further logins permitted now.
pub struct Portions {
    free: Mutex<u64>,
    freed: Condvar,
}

/// A slot for logging in, released when dropped.
struct LoginSlot<'p>(&'p Portions);

impl Portions {
    /// The plan's value; absent in bundles made before the knob existed.
    pub fn of(knobs: &Knobs) -> Portions {
        let most = knobs.int(CONNECT_AT_ONCE.name).unwrap_or(u64::MAX);
        Portions { free: Mutex::new(most), freed: Condvar::new() }
    }

    /// Connects once a slot is free.
    pub fn connect(&self, server: &dyn Connector) -> SqlResult<Box<dyn SqlSession>> {
        let _place = self.enter();
        match server.connect() {
            Err(error) if matches!(error.trouble, ErrorClass::Lost | ErrorClass::Slow) => {
                server.connect()
            }
            connected => connected,
        }
    }

    fn free(&self) -> MutexGuard<'_, u64> {
        self.free.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn enter(&self) -> LoginSlot<'_> {
        let waited = self.freed.wait_while(self.free(), |free| *free == 0);
        *waited.unwrap_or_else(|e| e.into_inner()) -= 1;
        LoginSlot(self)
    }
}

impl Drop for LoginSlot<'_> {
    fn drop(&mut self) {
        *self.0.free() += 1;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;
    use dyno_core::measure::sql::SqlError;

    /// Drops or refuses every login.
    struct Full(ErrorClass, AtomicU64);

    impl Connector for Full {
        fn connect(&self) -> SqlResult<Box<dyn SqlSession>> {
            self.1.fetch_add(1, Relaxed);
            Err(SqlError { trouble: self.0, ..SqlError::wrong("full") })
        }
    }

    fn tried(trouble: ErrorClass) -> u64 {
        let (portions, full) = (Portions::of(&Knobs::default()), Full(trouble, AtomicU64::new(0)));
        assert_eq!(portions.connect(&full).err().map(|error| error.trouble), Some(trouble));
        assert_eq!(*portions.free(), u64::MAX, "its place is given back");
        full.1.load(Relaxed)
    }

    #[test]
    fn a_login_that_is_dropped_is_tried_again_once_and_one_that_is_refused_is_not() {
        assert_eq!([ErrorClass::Lost, ErrorClass::Slow, ErrorClass::Wrong].map(tried), [2, 2, 1]);
    }

    /// Counts concurrent logins.
    #[derive(Default)]
    struct Gate {
        inside: AtomicU64,
        most: AtomicU64,
    }

    impl Connector for Gate {
        fn connect(&self) -> SqlResult<Box<dyn SqlSession>> {
            let inside = self.inside.fetch_add(1, Relaxed) + 1;
            self.most.fetch_max(inside, Relaxed);
            (0..50).for_each(|_| std::thread::yield_now());
            self.inside.fetch_sub(1, Relaxed);
            Err(SqlError::wrong("none"))
        }
    }

    #[test]
    fn never_more_log_in_at_once_than_the_plan_allows() {
        let knobs = Knobs([("connect_at_once".to_string(), 3.into())].into());
        let (portions, gate) = (Portions::of(&knobs), Gate::default());
        std::thread::scope(|scope| {
            (0..64).for_each(|_| drop(scope.spawn(|| portions.connect(&gate).is_err())));
        });
        let most = gate.most.load(Relaxed);
        assert!((1..=3).contains(&most), "{most}");
    }
}
