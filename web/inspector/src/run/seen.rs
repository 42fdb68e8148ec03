//! A view at the record a person looks at: asked for again when the record or the journal changes.

use std::sync::Arc;

use leptos::prelude::*;
use serde::de::DeserializeOwned;
use throughline_protocol::{Moment, Query, Refusal};

use super::state::{Stage, use_run};

/// What a query gave, and the record it is of.
#[derive(Debug)]
pub(crate) struct Seen<T> {
    /// The view; the one before it until the new one has come.
    pub(crate) value: Option<Arc<T>>,
    /// The refusal in its place.
    pub(crate) refusal: Option<Refusal>,
    /// The record.
    pub(crate) at: u64,
}

impl<T> Clone for Seen<T> {
    fn clone(&self) -> Self {
        Self { value: self.value.clone(), refusal: self.refusal.clone(), at: self.at }
    }
}

/// Asks at the record a person looks at, and again whenever that, the journal, or a signal in `ask` changes.
///
/// `ask` gets the moment and the record; no query where it gives none.
pub(crate) fn use_view<T, Q>(ask: impl Fn(Moment, u64) -> Option<Q> + 'static) -> RwSignal<Seen<T>>
where
    T: DeserializeOwned + Send + Sync + 'static,
    Q: Into<Query>,
{
    let run = use_run();
    let seen = RwSignal::new(Seen { value: None, refusal: None, at: 0 });
    let asked = StoredValue::new(0_u64);
    Effect::new(move |_| {
        run.epoch.track();
        if run.stage.with(|stage| *stage != Stage::Ready) {
            return;
        }
        let at = run.at.get();
        let Some(query) = ask(Moment::seq(at), at) else { return };
        let query = query.into();
        let mine = asked.get_value() + 1;
        asked.set_value(mine);
        let Some(session) = run.session() else { return };
        run.app.work(async move {
            let answer = session.ask::<T>(query).await;
            // A later question has been asked, or nobody looks any more.
            if asked.try_get_value() != Some(mine) {
                return;
            }
            seen.try_set(match answer {
                Ok(value) => Seen { value: Some(Arc::new(value)), refusal: None, at },
                Err(refusal) => Seen { value: None, refusal: Some(refusal), at },
            });
        });
    });
    seen
}
