//! The session's clock: the host's, or one of its own that stands still until it is moved.

use std::cell::Cell;

use throughline_journal::Millis;
use throughline_protocol::{MAX_MILLIS, MIN_MILLIS, Refusal};

#[derive(Debug, Default)]
pub(crate) struct Clock {
    own: Cell<Option<Millis>>,
}

impl Clock {
    pub(crate) fn new(own: Option<Millis>) -> Self {
        Self { own: Cell::new(own) }
    }

    pub(crate) fn is_own(&self) -> bool {
        self.own.get().is_some()
    }

    pub(crate) fn now(&self, host: Millis) -> Millis {
        self.own.get().unwrap_or(host)
    }

    /// Sets it, or moves it from where it stands. From then on it is the session's own.
    pub(crate) fn set(&self, host: Millis, to: Option<Millis>, by: Option<Millis>) -> Result<(), Refusal> {
        let now = match (to, by) {
            (Some(_), Some(_)) => {
                return Err(Refusal::new("clock-twice", "give `now` or `advance`, not both"));
            }
            (Some(to), None) => to,
            (None, Some(by)) => self
                .now(host)
                .checked_add(by)
                .ok_or_else(|| Refusal::new("clock-out-of-range", "the clock cannot be moved that far"))?,
            (None, None) => return Ok(()),
        };
        in_range(now)?;
        self.own.set(Some(now));
        Ok(())
    }
}

/// Refuses an instant that no calendar here has.
pub(crate) fn in_range(now: Millis) -> Result<(), Refusal> {
    if (MIN_MILLIS..=MAX_MILLIS).contains(&now) {
        return Ok(());
    }
    Err(Refusal::new("clock-out-of-range", "a clock stands between the years -9999 and 9999"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_follows_the_host_until_it_is_moved_and_then_stands_still() {
        let clock = Clock::new(None);
        assert_eq!(clock.now(5), 5);
        clock.set(10, None, Some(100)).unwrap();
        assert_eq!(clock.now(99), 110);
        clock.set(0, Some(7), None).unwrap();
        clock.set(0, None, Some(-2)).unwrap();
        assert_eq!(clock.now(99), 5);
        assert_eq!(clock.set(0, Some(1), Some(1)).unwrap_err().code, "clock-twice");
        assert_eq!(clock.set(0, None, Some(Millis::MAX)).unwrap_err().code, "clock-out-of-range");
        assert_eq!(clock.now(99), 5);
    }
}
