//! The one door through which a file comes in: chosen or dropped. Nothing leaves this computer.

use leptos::prelude::*;
use throughline_protocol::session::Import;
use throughline_protocol::{Meta, Refusal};
use throughline_value::json;
use wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::JsFuture;

use crate::app::{AppState, Notice, use_app};
use crate::focus::Focus;
use crate::session::{Options, Session, command, delete, refusal, stored};
use crate::settings;
use crate::ui::Message;

/// The largest file that is read, in units of 1,048,576 bytes: what the reader of journals takes.
const MAX_FILE_MIB: u32 = 256;

/// The longest name a journal gets from its file, in characters.
const MAX_NAME_CHARS: usize = 60;

const INPUT: &str = "file-input";

/// A file that was chosen or dropped, read.
#[derive(Clone, Debug)]
pub(crate) struct Picked {
    /// The file's name.
    pub(crate) name: String,
    /// Its text.
    pub(crate) text: String,
}

/// Lets a person choose a file; what is then done with it is up to the caller.
pub(crate) fn choose(app: AppState, wanted: Callback<Picked>) {
    app.wanted.set_value(Some(wanted));
    let input =
        document().get_element_by_id(INPUT).and_then(|input| input.dyn_into::<web_sys::HtmlInputElement>().ok());
    if let Some(input) = input {
        input.set_value("");
        input.click();
    }
}

/// Lets a person choose a file and opens it as a journal of its own.
pub(crate) fn choose_to_open(app: AppState) {
    choose(app, Callback::new(move |picked| open_as_new(app, picked)));
}

/// The hidden input, and the page as a place to drop a file.
#[component]
pub(crate) fn FileDoor() -> impl IntoView {
    let app = use_app();
    let over = window_event_listener(leptos::ev::dragover, move |event| {
        event.prevent_default();
        app.dragging.set(true);
    });
    let leave = window_event_listener(leptos::ev::dragleave, move |event| {
        // Only when the pointer leaves the page, not when it goes from one part to another.
        if event.related_target().is_none() {
            app.dragging.set(false);
        }
    });
    let dropped = window_event_listener(leptos::ev::drop, move |event| {
        event.prevent_default();
        app.dragging.set(false);
        let file = event.data_transfer().and_then(|data| data.files()).and_then(|files| files.get(0));
        if let Some(file) = file {
            take(app, file, Callback::new(move |picked| open_as_new(app, picked)));
        }
    });
    on_cleanup(move || {
        over.remove();
        leave.remove();
        dropped.remove();
    });
    let input = NodeRef::<leptos::html::Input>::new();
    let chosen = move |_| {
        let file = input.get_untracked().and_then(|input| input.files()).and_then(|files| files.get(0));
        if let (Some(file), Some(wanted)) = (file, app.wanted.get_value()) {
            take(app, file, wanted);
        }
    };
    view! {
        <input node_ref=input id=INPUT type="file" class="hidden" tabindex="-1" aria-hidden="true" on:change=chosen/>
        <Show when=move || app.dragging.get()>
            <div class="dropping" aria-hidden="true"><p>{crate::i18n::t(|w| w.drop_now)}</p></div>
        </Show>
    }
}

/// Reads the file and hands it on, or says why not.
fn take(app: AppState, file: web_sys::File, then: Callback<Picked>) {
    let name = file.name();
    app.untell("file");
    if file.size() > f64::from(MAX_FILE_MIB) * 1_048_576.0 {
        let what = format!("a file of more than {MAX_FILE_MIB} MiB is not read; export a shorter journal");
        fail(app, &name, Refusal::new("file-too-large", what));
        return;
    }
    app.reading.set(Some(name.clone()));
    app.work(async move {
        let text = JsFuture::from(file.text()).await;
        match text {
            Ok(text) => then.run(Picked { name, text: text.as_string().unwrap_or_default() }),
            Err(error) => fail(app, &name, refusal(&error)),
        }
        app.reading.set(None);
    });
}

fn fail(app: AppState, name: &str, refusal: Refusal) {
    app.tell(Notice {
        key: "file",
        bad: true,
        message: Message::plain(|w| w.file_failed).with("name", name),
        refusal: Some(refusal),
        action: None,
    });
}

/// Imports a file into a new journal and opens it. A file that does not verify leaves nothing behind.
fn open_as_new(app: AppState, picked: Picked) {
    app.work(async move {
        match import_as_new(&picked).await {
            Ok(name) => app.go(Focus::run(&name)),
            Err(refusal) => fail(app, &picked.name, refusal),
        }
    });
}

async fn import_as_new(picked: &Picked) -> Result<String, Refusal> {
    let taken: Vec<_> = stored().await.unwrap_or_default().into_iter().map(|journal| journal.name).collect();
    let name = journal_name(&picked.name, &taken);
    // The clock stands still: to look at a journal must not make its events fire.
    // A file of rules begins a journal now; every other one is a journal.
    let domain = json::read_value(&picked.text).ok().filter(|domain| domain.get("name").is_some());
    let clock = domain.is_none().then_some(0);
    let session = Session::open(Options { name: &name, in_memory: false, clock }, |_, _| {}).await?;
    let imported = match domain {
        Some(domain) => session.execute(&command("load_domain", &[("domain", domain)]), Meta::default()).await,
        None => session.call(Import { text: picked.text.clone() }).await,
    };
    session.close().await;
    if let Err(refusal) = imported {
        delete(&name).await?;
        settings::keep_sentinel(&name, 0);
        return Err(refusal);
    }
    Ok(name)
}

/// A name for the journal of a file, which no journal here has yet.
fn journal_name(file: &str, taken: &[String]) -> String {
    let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
    let plain: String = stem
        .chars()
        .map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' })
        .take(MAX_NAME_CHARS)
        .collect();
    let plain = plain.trim_matches('-');
    let plain = if plain.is_empty() { "journal" } else { plain };
    let free = |name: &str| !taken.iter().any(|taken| taken == name) && !name.starts_with("demo-");
    std::iter::once(plain.to_owned())
        .chain((2..).map(|n| format!("{plain}-{n}")))
        .map(|name| if name.starts_with("demo-") { format!("file-{name}") } else { name })
        .find(|name| free(name))
        .unwrap_or_else(|| plain.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_is_named_after_its_file_and_never_like_another() {
        let taken = ["run".to_owned(), "run-2".to_owned()];
        for (file, expected) in [
            ("run.jsonl", "run-3"),
            ("包裹 查询.throughline.jsonl", "包裹-查询"),
            ("..", "journal"),
            ("demo-courier.jsonl", "file-demo-courier"),
        ] {
            assert_eq!(journal_name(file, &taken), expected);
        }
    }
}
