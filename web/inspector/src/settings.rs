//! What a person chose, kept in this browser: language, theme, single keys. Never anything of a journal's content.

use leptos::prelude::window;

use crate::i18n::Lang;

const PREFIX: &str = "throughline.";

/// Light, dark, or as the system has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// The next one when a person turns the switch.
    pub(crate) fn next(self) -> Self {
        match self {
            Self::System => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::System,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

fn get(key: &str) -> Option<String> {
    window().local_storage().ok()??.get_item(&format!("{PREFIX}{key}")).ok()?
}

fn set(key: &str, value: &str) {
    if let Ok(Some(storage)) = window().local_storage() {
        // Without storage the choice holds until the page is closed.
        let _ = storage.set_item(&format!("{PREFIX}{key}"), value);
    }
}

fn remove(key: &str) {
    if let Ok(Some(storage)) = window().local_storage() {
        let _ = storage.remove_item(&format!("{PREFIX}{key}"));
    }
}

/// The language: the chosen one, else the first of the browser's that the page speaks.
pub(crate) fn language() -> Lang {
    let chosen = get("language").and_then(|tag| Lang::of(&tag));
    let wished = || {
        let languages = window().navigator().languages();
        (0..languages.length()).filter_map(|i| languages.get(i).as_string()).find_map(|tag| Lang::of(&tag))
    };
    chosen.or_else(wished).unwrap_or_default()
}

/// Keeps the language.
pub(crate) fn keep_language(lang: Lang) {
    set("language", lang.tag());
}

/// The theme.
pub(crate) fn theme() -> Theme {
    match get("theme").as_deref() {
        Some("light") => Theme::Light,
        Some("dark") => Theme::Dark,
        _ => Theme::System,
    }
}

/// Keeps the theme.
pub(crate) fn keep_theme(theme: Theme) {
    set("theme", theme.name());
}

/// Whether single keys do something.
pub(crate) fn single_keys() -> bool {
    get("keys").as_deref() != Some("off")
}

/// Keeps whether single keys do something.
pub(crate) fn keep_single_keys(on: bool) {
    set("keys", if on { "on" } else { "off" });
}

/// How many records a journal had when it was last seen here: an empty one then means that the browser removed it.
pub(crate) fn sentinel(journal: &str) -> u64 {
    get(&format!("seen.{journal}")).and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// Keeps how many records a journal has.
pub(crate) fn keep_sentinel(journal: &str, records: u64) {
    let key = format!("seen.{journal}");
    if records == 0 { remove(&key) } else { set(&key, &records.to_string()) }
}
