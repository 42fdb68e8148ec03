//! Folding scheduled events.

use std::sync::Arc;

use throughline_expr::time::parse_duration;
use throughline_journal::{Record, Versions};
use throughline_protocol::Command;
use throughline_protocol::command::{Missed, Otherwise};
use throughline_value::Value;

use crate::event::{Condition, Scheduled, State, Status};
use crate::fields::{millis, optional, present, text, texts};
use crate::kind;
use crate::repeat::Rule;
use crate::world::World;

impl World {
    pub(super) fn event_scheduled(&mut self, record: &Record) -> Option<()> {
        let data = record.data();
        let (id, name) = (text(data, "event")?, text(data, "name")?);
        if self.agenda.by_id.contains_key(id) {
            return None;
        }
        let then = optional(data, "do", Value::as_list)?.unwrap_or_default();
        let then = then.iter().map(Command::from_value).collect::<Result<Vec<_>, _>>().ok()?;
        let delay = match optional(data, "delay", Value::as_str)? {
            Some(text) => Some(parse_duration(text).ok()?),
            None => None,
        };
        let due = optional(data, "due", Value::as_i64)?;
        let when = optional(data, "when", Value::as_str)?.map(Condition::new);
        let unless = optional(data, "unless", Value::as_str)?.map(Condition::new);
        let repeat = match present(data, "repeat") {
            None => None,
            Some(rule) => Some(Rule::read(rule)?),
        };
        let slot = optional(data, "slot", Value::as_i64)?.unwrap_or(0);
        let names = |name| Some(texts(data, name)?.into_iter().map(str::to_owned).collect::<Vec<_>>());
        let (after, before) = (names("after")?, names("before")?);
        let mut states = Versions::default();
        states.push(
            record.seq,
            State { status: Status::Pending, due, fired_at: None, late: None, reason: String::new(), slot, firings: 0 },
        );
        Arc::make_mut(&mut self.agenda).insert(Scheduled {
            id: id.into(),
            name: name.to_owned(),
            thread: record.thread.clone(),
            turn: record.turn,
            seq: record.seq,
            valid_from: record.valid_from,
            delay,
            when,
            unless,
            after,
            before,
            repeat,
            otherwise: match present(data, "otherwise") {
                None => Otherwise::default(),
                Some(value) => throughline_value::from_value(value).ok()?,
            },
            missed: match present(data, "missed") {
                None => Missed::default(),
                Some(value) => throughline_value::from_value(value).ok()?,
            },
            then,
            data: data.get("data").cloned().unwrap_or_default(),
            states,
        });
        Some(())
    }

    pub(super) fn event_changed(&mut self, record: &Record) -> Option<()> {
        let data = record.data();
        let id = text(data, "event")?;
        let event = self.agenda.get(id)?;
        let last = event.state().filter(|state| state.status.is_open())?.clone();
        // One slot is settled once.
        let slot = optional(data, "slot", Value::as_i64)?;
        if slot.is_some_and(|slot| slot < last.slot) {
            return None;
        }
        let again = event.repeat.is_some();
        let mut next = State { reason: text(data, "reason").unwrap_or_default().to_owned(), ..last };
        match record.kind.as_str() {
            kind::EVENT_FIRED => {
                next.status = Status::Fired;
                next.fired_at = Some(millis(data, "fired_at")?);
                next.late = optional(data, "late", Value::as_i64)?;
                next.firings += 1;
            }
            kind::EVENT_HELD => next.status = Status::Held,
            kind::EVENT_DROPPED => next.status = Status::Dropped,
            kind::EVENT_SKIPPED => next.status = Status::Skipped,
            kind::EVENT_CANCELLED => next.status = Status::Cancelled,
            kind::EVENT_RESTARTED => {
                next.status = Status::Pending;
                next.due = Some(millis(data, "due")?);
            }
            _ => return None,
        }
        // The next slot, as it was reckoned when this one was settled.
        if again && matches!(next.status, Status::Fired | Status::Dropped | Status::Skipped) {
            next.slot = slot.unwrap_or(next.slot);
            if let Some(due) = optional(data, "next_due", Value::as_i64)? {
                next.status = Status::Pending;
                next.due = Some(due);
                next.slot = millis(data, "next_slot")?;
            }
        }
        Arc::make_mut(&mut self.agenda).push(id, record.seq, next)
    }
}
