//! The page: its place, language and theme, what it tells a person, and whether it is at rest.

use std::pin::Pin;
use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use throughline_protocol::Refusal;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::*;

use crate::files::{FileDoor, Picked};
use crate::focus::{Focus, Place};
use crate::home::Home;
use crate::i18n::{Lang, Pick, t};
use crate::keys;
use crate::later;
use crate::run::RunPage;
use crate::settings::{self, Theme};
use crate::ui::{Message, confirm_dialog, help_dialog, notices};

/// How long after the last work the page counts as at rest: long enough for what the work set off.
const REST_MS: u64 = 40;

/// The address changes at most so often while a person scrubs; browsers refuse more than about seven a second.
const ADDRESS_MS: u64 = 250;

/// Something the page tells a person until it is dismissed or no longer true.
#[derive(Clone)]
pub(crate) struct Notice {
    /// Tells notices apart.
    pub(crate) key: &'static str,
    /// Whether something went wrong.
    pub(crate) bad: bool,
    /// What it says.
    pub(crate) message: Message,
    /// The error behind it.
    pub(crate) refusal: Option<Refusal>,
    /// What can be done about it.
    pub(crate) action: Option<(Pick, Callback<()>)>,
}

/// Something that needs a yes.
#[derive(Clone)]
pub(crate) struct Confirm {
    /// The question.
    pub(crate) title: Message,
    /// What a yes means.
    pub(crate) text: Message,
    /// The verb on the button.
    pub(crate) verb: Pick,
    /// What a yes does.
    pub(crate) yes: Callback<()>,
}

/// The page's state; a copy is the same state.
#[derive(Clone, Copy)]
pub(crate) struct AppState {
    /// Where a person looks.
    pub(crate) focus: RwSignal<Focus>,
    /// The language.
    pub(crate) lang: RwSignal<Lang>,
    /// The theme that was chosen.
    pub(crate) theme: RwSignal<Theme>,
    /// Whether it is dark now.
    pub(crate) dark: RwSignal<bool>,
    /// Whether single keys do something.
    pub(crate) single_keys: RwSignal<bool>,
    /// What the page tells.
    pub(crate) notices: RwSignal<Vec<Notice>>,
    /// What it asks.
    pub(crate) confirm: RwSignal<Option<Confirm>>,
    /// Whether the help is open.
    pub(crate) help: RwSignal<bool>,
    /// Whether a file hangs over the page.
    pub(crate) dragging: RwSignal<bool>,
    /// The file that is being read.
    pub(crate) reading: RwSignal<Option<String>>,
    /// What is done with the next file that is chosen.
    pub(crate) wanted: StoredValue<Option<Callback<Picked>>>,
    /// Whether a turn of the agent goes on.
    pub(crate) agent_busy: RwSignal<bool>,
    working: RwSignal<u32>,
    address_waits: StoredValue<bool>,
}

/// The page's state.
pub(crate) fn use_app() -> AppState {
    expect_context()
}

impl AppState {
    /// The state of a page that begins.
    pub(crate) fn new() -> Self {
        Self {
            focus: RwSignal::new(Focus::read(&window().location().hash().unwrap_or_default())),
            lang: RwSignal::new(settings::language()),
            theme: RwSignal::new(settings::theme()),
            dark: RwSignal::new(false),
            single_keys: RwSignal::new(settings::single_keys()),
            notices: RwSignal::new(Vec::new()),
            confirm: RwSignal::new(None),
            help: RwSignal::new(false),
            dragging: RwSignal::new(false),
            reading: RwSignal::new(None),
            wanted: StoredValue::new(None),
            agent_busy: RwSignal::new(false),
            working: RwSignal::new(0),
            address_waits: StoredValue::new(false),
        }
    }

    /// Goes somewhere on purpose: the browser's back button comes back from it.
    pub(crate) fn go(self, focus: Focus) {
        if self.focus.with_untracked(|old| *old == focus) || later::told("go", || focus.write()) {
            return;
        }
        self.write_address();
        let address = focus.write();
        self.focus.set(focus);
        if let Ok(history) = window().history() {
            let _ = history.push_state_with_url(&JsValue::NULL, "", Some(&address));
        }
    }

    /// Looks elsewhere in passing, as stepping and scrubbing do: no entry for the back button.
    pub(crate) fn look(self, focus: Focus) {
        if self.focus.with_untracked(|old| *old == focus) || later::told("look", || focus.write()) {
            return;
        }
        self.focus.set(focus);
        if !self.address_waits.get_value() {
            self.address_waits.set_value(true);
            set_timeout(move || self.write_address(), Duration::from_millis(ADDRESS_MS));
        }
    }

    /// Makes the address say where a person looks now.
    fn write_address(self) {
        if self.address_waits.get_value() {
            self.address_waits.set_value(false);
            if let Ok(history) = window().history() {
                let address = self.focus.with_untracked(Focus::write);
                let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&address));
            }
        }
    }

    /// Does some work; the page is not at rest until it is done.
    pub(crate) fn work(self, work: impl Future<Output = ()> + 'static) {
        self.work_boxed(Box::pin(work));
    }

    fn work_boxed(self, work: Pin<Box<dyn Future<Output = ()>>>) {
        self.begin_work();
        spawn_local(async move {
            work.await;
            self.end_work();
        });
    }

    /// Something goes on until [`Self::end_work`].
    pub(crate) fn begin_work(self) {
        if !later::told("work", String::new) {
            self.working.update(|n| *n += 1);
        }
    }

    /// It is done.
    pub(crate) fn end_work(self) {
        if !later::told("rest", String::new) {
            self.working.update(|n| *n = n.saturating_sub(1));
        }
    }

    /// Whether work is under way.
    pub(crate) fn is_working(self) -> bool {
        self.working.get() > 0 || self.agent_busy.get()
    }

    /// Tells a person something; a notice with the same key is replaced.
    pub(crate) fn tell(self, notice: Notice) {
        self.notices.update(|notices| {
            notices.retain(|old| old.key != notice.key);
            notices.push(notice);
        });
    }

    /// Tells a person that something was refused.
    pub(crate) fn tell_refusal(self, refusal: Refusal) {
        if later::told("refusal", || crate::session::raw(&refusal)) {
            return;
        }
        self.tell(Notice {
            key: "refusal",
            bad: true,
            message: Message::plain(|w| w.action_failed),
            refusal: Some(refusal),
            action: None,
        });
    }

    /// No longer says it.
    pub(crate) fn untell(self, key: &str) {
        if self.notices.with_untracked(|notices| notices.iter().any(|notice| notice.key == key)) {
            self.notices.update(|notices| notices.retain(|notice| notice.key != key));
        }
    }

    /// Turns to the next theme.
    pub(crate) fn next_theme(self) {
        self.theme.update(|theme| *theme = theme.next());
        settings::keep_theme(self.theme.get_untracked());
    }

    /// Changes the language.
    pub(crate) fn next_language(self) {
        self.lang.update(|lang| *lang = lang.other());
        settings::keep_language(self.lang.get_untracked());
    }

    /// The address was changed by the browser: back, forward, or by hand.
    fn address_changed(self) {
        let focus = Focus::read(&window().location().hash().unwrap_or_default());
        if self.focus.with_untracked(|old| *old != focus) {
            self.focus.set(focus);
        }
    }
}

/// The whole page.
#[component]
pub(crate) fn App() -> impl IntoView {
    let app = AppState::new();
    provide_context(app);
    follow_theme(app);
    follow_language(app);
    follow_rest(app);
    let back = window_event_listener(leptos::ev::popstate, move |_| app.address_changed());
    let hash = window_event_listener(leptos::ev::hashchange, move |_| app.address_changed());
    let keys = window_event_listener(leptos::ev::keydown, move |event| keys::page_key(app, &event));
    on_cleanup(move || {
        back.remove();
        hash.remove();
        keys.remove();
    });
    let place = Memo::new(move |_| app.focus.with(|focus| focus.place.clone()));
    // What had the focus went with the page before; the first page leaves it where the browser put it.
    Effect::new(move |before: Option<()>| {
        place.track();
        if before.is_some() {
            request_animation_frame(|| crate::ui::focus_on("main"));
        }
    });
    view! {
        <a class="skip" href="#main" on:click=|event| {
            event.prevent_default();
            crate::ui::focus_on("main");
        }>{t(|w| w.skip)}</a>
        {notices()}
        <FileDoor/>
        {move || match place.get() {
            Place::Home => view! { <Home/> }.into_any(),
            Place::Run(name) => view! { <RunPage name/> }.into_any(),
        }}
        {help_dialog()}
        {confirm_dialog()}
    }
}

/// The chosen theme, or the system's, as an attribute that the style sheet and the canvas read.
fn follow_theme(app: AppState) {
    let system = window().match_media("(prefers-color-scheme: dark)").ok().flatten();
    let system_dark = RwSignal::new(system.as_ref().is_some_and(web_sys::MediaQueryList::matches));
    if let Some(query) = system {
        let read = query.clone();
        let listener = Closure::<dyn Fn()>::new(move || system_dark.set(read.matches()));
        let _ = query.add_event_listener_with_callback("change", listener.as_ref().unchecked_ref());
        // The page listens for as long as it is there.
        listener.forget();
    }
    Effect::new(move |_| {
        let dark = match app.theme.get() {
            Theme::System => system_dark.get(),
            Theme::Light => false,
            Theme::Dark => true,
        };
        if let Some(root) = document().document_element() {
            let _ = root.set_attribute("data-theme", if dark { "dark" } else { "light" });
        }
        app.dark.set(dark);
    });
}

fn follow_language(app: AppState) {
    Effect::new(move |_| {
        if let Some(root) = document().document_element() {
            let _ = root.set_attribute("lang", app.lang.get().tag());
        }
    });
    Effect::new(move |_| {
        let title = app.focus.with(|focus| match &focus.place {
            Place::Home => "Throughline".to_owned(),
            Place::Run(name) => format!("{name} · Throughline"),
        });
        document().set_title(&title);
    });
}

/// `data-ready` on the body says that nothing is under way: for tests, and for those who script the page.
fn follow_rest(app: AppState) {
    let say = |ready: bool| {
        if let Some(body) = document().body() {
            let _ = body.set_attribute("data-ready", if ready { "true" } else { "false" });
        }
    };
    let round = StoredValue::new(0_u64);
    Effect::new(move |_| {
        round.update_value(|n| *n += 1);
        if app.is_working() {
            say(false);
            return;
        }
        let mine = round.get_value();
        let check = move || {
            if round.try_get_value() == Some(mine) {
                say(true);
            }
        };
        set_timeout(check, Duration::from_millis(REST_MS));
    });
}
