//! Models: how they are reached, what they are given, what they gave, and how well it goes.

mod exchange;
mod exchanges;
mod metrics;
mod prompt;
mod replay;
mod settings;
mod words;

use leptos::prelude::*;

/// The panels of the view.
pub(crate) fn model_panels() -> AnyView {
    view! {
        {settings::settings_panel()}
        {prompt::prompt_panel()}
        {exchanges::exchanges_panel()}
        {metrics::metrics_panel()}
        {replay::replay_panel()}
    }
    .into_any()
}
