//! Folding scheduled events.

use std::sync::Arc;

use throughline_expr::time::parse_duration;
use throughline_journal::{Record, Versions};
use throughline_protocol::Command;
use throughline_protocol::command::{Missed, Otherwise};
use throughline_value::Value;

use crate::event::{Condition, Scheduled, State, Status};
use crate::fields::{millis, optional, present, text};
use crate::kind;
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
        let mut states = Versions::default();
        states.push(
            record.seq,
            State { status: Status::Pending, due, fired_at: None, late: None, reason: String::new() },
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
        let last = self.agenda.get(id)?.state().filter(|state| state.status.is_open())?.clone();
        let mut next = State { reason: text(data, "reason").unwrap_or_default().to_owned(), ..last };
        match record.kind.as_str() {
            kind::EVENT_FIRED => {
                next.status = Status::Fired;
                next.fired_at = Some(millis(data, "fired_at")?);
                next.late = optional(data, "late", Value::as_i64)?;
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
        Arc::make_mut(&mut self.agenda).push(id, record.seq, next)
    }
}
