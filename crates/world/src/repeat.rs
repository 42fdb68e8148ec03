//! The slots of an event that repeats.

use throughline_expr::time::{Duration, Gap, Zone, add_span, parse_duration, weekday};
use throughline_journal::Millis;
use throughline_protocol::command::Repeat;
use throughline_protocol::{Context, Refusal};
use throughline_value::{InOrder as _, Value, to_value};

use crate::contract::{expr_refusal, read_time_in, zone_named};
use crate::fields::{map, millis, optional, some, text, texts};
use crate::limits::{MAX_SKIPPED_SLOTS, MAX_SLOTS, MIN_REPEAT};

const WEEKDAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// How an event repeats, resolved. Slots are numbered from 0.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// As it was written, for views.
    pub(crate) value: Value,
    every: Duration,
    /// The zone's name; UTC when absent.
    pub(crate) zone: Option<String>,
    /// Days of the week from Monday, in order; any when empty.
    weekdays: Vec<i64>,
    count: u64,
    until: Millis,
    gap: Gap,
    /// What the slots are counted from, and the weekday there.
    start: Millis,
    start_day: i64,
}

/// One slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) index: i64,
    pub(crate) due: Millis,
}

impl Rule {
    /// Reads a rule of a command; its slots are counted from `start`.
    pub(crate) fn decide(ctx: &Context<'_>, repeat: &Repeat, start: Millis) -> Result<(Self, Value), Refusal> {
        let bad = |path: &str, message: &str| Err(Refusal::new("bad-repeat", message).at_path(path.to_owned()));
        let every = parse_duration(&repeat.every).map_err(|error| expr_refusal(&error, "/repeat/every"))?;
        let parts = [every.months, every.days, every.ms];
        if parts.iter().any(|part| *part < 0) || parts.iter().all(|part| *part == 0) {
            return bad("/repeat/every", "the slots go forwards; give a duration over zero");
        }
        if every.months == 0 && every.days == 0 && every.ms < MIN_REPEAT {
            return bad("/repeat/every", "the slots lie at least a second apart");
        }
        if !repeat.weekdays.is_empty()
            && (every.months != 0 || every.ms != 0 || (every.days != 1 && every.days % 7 != 0))
        {
            return bad("/repeat/weekdays", "days of the week go with `every` of one day or of whole weeks");
        }
        let mut weekdays = Vec::new();
        for (i, name) in repeat.weekdays.iter().enumerate() {
            match WEEKDAYS.iter().position(|day| day == name) {
                Some(day) => weekdays.push(day as i64),
                None => {
                    let refusal = Refusal::new("bad-repeat", format!("there is no weekday `{name}`"));
                    let refusal = refusal.at_path(format!("/repeat/weekdays/{i}"));
                    return Err(refusal.suggest(format!("the weekdays are {}", WEEKDAYS.join(", "))));
                }
            }
        }
        weekdays.order();
        weekdays.dedup();
        if repeat.count.is_some_and(|count| count == 0 || count > MAX_SLOTS) {
            return bad("/repeat/count", "there is at least one slot, and at most ten million");
        }
        let zone = zone_of(ctx, repeat)?;
        let until = match &repeat.until {
            Some(time) => Some(read_time_in(zone.as_ref(), time, "/repeat/until")?.ms),
            None => None,
        };
        let name = repeat.zone.as_ref().or(ctx.domain.zone.as_ref());
        let version = name.and_then(|name| ctx.domain.zones.get(name)).map(|zone| zone.version.clone());
        let days: Vec<&str> =
            weekdays.iter().filter_map(|day| WEEKDAYS.get(usize::try_from(*day).ok()?)).copied().collect();
        let data = map([
            ("every", Some(repeat.every.as_str().into())),
            ("zone", name.map(|name| name.as_str().into())),
            ("zone_version", version.map(Value::from)),
            ("weekdays", some(days.into())),
            ("count", repeat.count.map(Value::from)),
            ("until", until.map(Value::from)),
            ("gap", to_value(&repeat.gap).ok()),
            ("start", Some(start.into())),
            ("start_day", weekday(start, zone.as_ref()).ok().map(Value::from)),
        ]);
        let rule = Self::read(&data).ok_or_else(|| Refusal::new("bad-repeat", "the repetition cannot be read"))?;
        Ok((rule, data))
    }

    /// Reads a rule as it was recorded.
    pub(crate) fn read(data: &Value) -> Option<Self> {
        let days = texts(data, "weekdays")?;
        let weekdays = days.iter().map(|name| WEEKDAYS.iter().position(|day| day == name).map(|day| day as i64));
        let gap = match optional(data, "gap", Value::as_str)? {
            Some("skip") => Gap::Skip,
            _ => Gap::Shift,
        };
        Some(Self {
            value: data.clone(),
            every: parse_duration(text(data, "every")?).ok()?,
            zone: optional(data, "zone", Value::as_str)?.map(str::to_owned),
            weekdays: weekdays.collect::<Option<_>>()?,
            count: optional(data, "count", Value::as_i64)?.and_then(|count| count.try_into().ok()).unwrap_or(MAX_SLOTS),
            until: optional(data, "until", Value::as_i64)?.unwrap_or(Millis::MAX),
            gap,
            start: millis(data, "start")?,
            start_day: millis(data, "start_day").unwrap_or(0),
        })
    }

    /// When a slot is; `None` when a change of clocks skips it, or it lies outside of time.
    fn at(&self, index: i64, zone: Option<&Zone>, gap: Gap) -> Option<Millis> {
        let span = if self.weekdays.is_empty() {
            self.every.checked_mul(index).ok()?
        } else {
            let count = self.weekdays.len() as i64;
            let earlier = self.weekdays.iter().filter(|day| **day < self.start_day).count() as i64;
            let nth = index.checked_add(earlier)?;
            let day = self.weekdays.get(usize::try_from(nth.rem_euclid(count)).ok()?)?;
            let weeks = nth.div_euclid(count).checked_mul((self.every.days / 7).max(1))?;
            let days = weeks.checked_mul(7)?.checked_add(day - self.start_day)?;
            Duration { days, ..Duration::default() }
        };
        add_span(self.start, &span, zone, gap).ok().flatten()
    }

    /// The first slot from `index` on that happens; `None` when the event is over.
    pub(crate) fn slot_from(&self, index: i64, zone: Option<&Zone>) -> Option<Slot> {
        let last = i64::try_from(self.count).unwrap_or(i64::MAX);
        (index..last.min(index.saturating_add(MAX_SKIPPED_SLOTS)))
            .find_map(|index| self.at(index, zone, self.gap).map(|due| Slot { index, due }))
            .filter(|slot| slot.due <= self.until)
    }

    /// The newest slot from `slot` on that is due at `now`.
    pub(crate) fn newest(&self, slot: Slot, now: Millis, zone: Option<&Zone>) -> Slot {
        let due = |index: i64| self.at(index, zone, Gap::Shift).is_some_and(|due| due <= now);
        let mut step = 1;
        while due(slot.index.saturating_add(step)) && step < i64::MAX / 4 {
            step *= 2;
        }
        let (mut low, mut high) = (slot.index, slot.index.saturating_add(step));
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if due(middle) { low = middle } else { high = middle }
        }
        // The last of those that happen.
        let last = i64::try_from(self.count).unwrap_or(i64::MAX) - 1;
        let mut index = low.min(last);
        while index > slot.index {
            match self.at(index, zone, self.gap) {
                Some(due) if due <= self.until => return Slot { index, due },
                _ => index -= 1,
            }
        }
        slot
    }
}

/// The zone whose clocks count.
pub(crate) fn zone_of(ctx: &Context<'_>, repeat: &Repeat) -> Result<Option<Zone>, Refusal> {
    let Some(name) = &repeat.zone else { return Ok(crate::contract::zone(ctx.domain)) };
    zone_named(ctx.domain, name).map(Some).ok_or_else(|| {
        Refusal::new("unknown-zone", format!("there is no time zone `{name}`, or its rules are not loaded"))
            .at_path("/repeat/zone")
            .suggest("write a name such as `Europe/Berlin`, or give its rules by `load_zone`")
    })
}
