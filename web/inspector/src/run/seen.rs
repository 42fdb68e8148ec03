//! A view at the record a person looks at: asked for again when the record or the journal changes.

use std::marker::PhantomData;
use std::sync::Arc;

use leptos::prelude::*;
use serde::de::DeserializeOwned;
use throughline_protocol::{Moment, Refusal, Tagged};
use throughline_value::{Value, from_value};

use super::state::{Stage, use_run};

/// What a query gave, and the record it is of.
#[derive(Debug)]
pub(crate) struct Seen<T> {
    /// The view; the one before it until the new one has come.
    pub(crate) value: Option<T>,
    /// The refusal in its place.
    pub(crate) refusal: Option<Refusal>,
    /// The record.
    pub(crate) at: u64,
}

/// The same before it is read: one type for all views, since what is made for each type is downloaded for each type.
#[derive(Clone, Default)]
struct Raw {
    value: Option<Arc<Value>>,
    refusal: Option<Refusal>,
    at: u64,
}

/// A view that is asked for again and again; a copy is the same.
pub(crate) struct Watched<T> {
    raw: RwSignal<Raw>,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for Watched<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Watched<T> {}

impl<T> Watched<T> {
    /// Whoever asks is called again with every answer.
    pub(crate) fn track(self) {
        self.raw.track();
    }
}

impl<T: DeserializeOwned> Watched<T> {
    /// What was seen last; whoever asks is called again when it changes.
    pub(crate) fn get(self) -> Seen<T> {
        let Raw { value, refusal, at } = self.raw.get();
        match value.map(|value| from_value(&value)).transpose() {
            Ok(value) => Seen { value, refusal, at },
            Err(error) => Seen { value: None, refusal: Some(error.into()), at },
        }
    }
}

/// Asks at the record a person looks at, and again whenever that, the journal, or a signal in `ask` changes.
///
/// `ask` gets the moment and the record; no query where it gives none.
pub(crate) fn use_view<T, Q: Tagged>(ask: impl Fn(Moment, u64) -> Option<Q> + 'static) -> Watched<T> {
    let raw = watch(Box::new(move |moment, at| ask(moment, at).map(|query| query.tagged())));
    Watched { raw, of: PhantomData }
}

/// What a view asks at a record.
type Ask = Box<dyn Fn(Moment, u64) -> Option<Value>>;

fn watch(ask: Ask) -> RwSignal<Raw> {
    let run = use_run();
    let seen = RwSignal::new(Raw::default());
    let asked = StoredValue::new(0_u64);
    Effect::new(move |_| {
        run.epoch.track();
        if run.stage.with(|stage| *stage != Stage::Ready) {
            return;
        }
        let at = run.at.get();
        let Some(query) = ask(Moment::seq(at), at) else { return };
        let mine = asked.get_value() + 1;
        asked.set_value(mine);
        let Some(session) = run.session() else { return };
        run.app.work(async move {
            let answer = session.ask_value(&query).await;
            // A later question has been asked, or nobody looks any more.
            if asked.try_get_value() != Some(mine) {
                return;
            }
            seen.try_set(match answer {
                Ok(value) => Raw { value: Some(Arc::new(value)), refusal: None, at },
                Err(refusal) => Raw { value: None, refusal: Some(refusal), at },
            });
        });
    });
    seen
}
