//! How a model is reached, and why not. The key goes to the engine's memory and nowhere else.

use leptos::prelude::*;
use throughline_value::Value;

use crate::dom::{El, el};
use crate::format::fill;
use crate::i18n::Lang;
use crate::run::package;
use crate::run::panel::{hint, refused, view_panel};
use crate::run::state::{RunState, use_run};
use throughline_protocol::Refusal;

/// The providers that the engine reaches by itself, and the one of the browser.
const PROVIDERS: [&str; 15] = [
    "openai",
    "openai-responses",
    "anthropic",
    "gemini",
    "openrouter",
    "deepseek",
    "qwen",
    "kimi",
    "glm",
    "ollama",
    "llama-cpp",
    "lm-studio",
    "vllm",
    "compatible",
    "builtin",
];

/// What is typed.
#[derive(Clone, Copy)]
struct Form {
    provider: RwSignal<String>,
    endpoint: RwSignal<String>,
    model: RwSignal<String>,
    key: RwSignal<String>,
    said: RwSignal<Said>,
}

/// What came of it.
#[derive(Clone, PartialEq)]
enum Said {
    Nothing,
    Working,
    Attached(String),
    Tested(Value),
    Failed(Refusal),
}

impl Form {
    fn settings(self) -> Value {
        let mut fields = vec![("provider".to_owned(), Value::from(self.provider.get_untracked()))];
        for (name, field) in [("endpoint", self.endpoint), ("model", self.model), ("key", self.key)] {
            let text = field.get_untracked().trim().to_owned();
            if !text.is_empty() {
                fields.push((name.to_owned(), Value::from(text)));
            }
        }
        Value::Map(fields.into_iter().collect())
    }

    fn run(self, run: RunState, method: &'static str) {
        self.said.set(Said::Working);
        let settings = self.settings();
        run.app.work(async move {
            let said = match package::ask(run, method, vec![settings]).await {
                Ok(answer) if method == "setModel" => {
                    let text = |name: &str| answer.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
                    Said::Attached(format!("{} {}", text("provider"), text("model")))
                }
                Ok(answer) => Said::Tested(answer),
                Err(refusal) => Said::Failed(refusal),
            };
            self.said.try_set(said);
        });
    }
}

/// The settings.
pub(super) fn settings_panel() -> AnyView {
    let run = use_run();
    let text = |text: &str| RwSignal::new(text.to_owned());
    let form = Form {
        provider: text("openrouter"),
        endpoint: text(""),
        model: text(""),
        key: text(""),
        said: RwSignal::new(Said::Nothing),
    };
    run.app.work(async move {
        match package::finish_sign_in().await {
            Ok(Some(key)) => {
                form.key.try_set(key);
            }
            Ok(None) => {}
            Err(refusal) => {
                form.said.try_set(Said::Failed(refusal));
            }
        }
    });
    view_panel(
        |w| w.settings_title,
        "settings",
        move |lang| {
            let words = lang.views();
            let options = PROVIDERS.into_iter().map(|one| {
                let option = el("option").attr("value", one).text(one);
                if form.provider.get() == one { option.attr("selected", "") } else { option }
            });
            let provider = el("label").class("named-field").with(hint("span", words.settings_provider)).with(
                el("select")
                    .class("field")
                    .all(options)
                    .on("change", move |event| form.provider.set(event_target_value(&event))),
            );
            let field = |name: &'static str, value: RwSignal<String>, kind: &'static str, example: &'static str| {
                let input = el("input")
                    .class("field")
                    .attr("type", kind)
                    .attr("autocomplete", "off")
                    .attr("spellcheck", "false")
                    .attr(".value", value.get())
                    .attr("placeholder", example)
                    .on("change", move |event| value.set(event_target_value(&event)));
                el("label").class("named-field").with(hint("span", name)).with(input)
            };
            let fields = el("div")
                .class("form-grid")
                .with(provider)
                .with(field(words.settings_endpoint, form.endpoint, "url", words.settings_endpoint_hint))
                .with(field(words.settings_model, form.model, "text", ""))
                .with(field(words.settings_key, form.key, "password", ""));
            let button = |word: &'static str, method: &'static str, class: &'static str| {
                el("button").class(class).text(word).on_click(move || form.run(run, method))
            };
            let sign_in = (form.provider.get() == "openrouter").then(|| {
                el("button").class("button quiet").text(words.settings_sign_in).on_click(move || {
                    run.app.work(async move {
                        if let Err(refusal) = package::sign_in().await {
                            form.said.try_set(Said::Failed(refusal));
                        }
                    });
                })
            });
            let buttons = el("p")
                .class("options")
                .with(button(words.settings_test, "testConnection", "button"))
                .with(button(words.settings_use, "setModel", "button primary"))
                .maybe(sign_in);
            let said = said(&form.said.get(), lang);
            [hint("p", words.settings_hint), fields, buttons].into_iter().chain(said).collect()
        },
    )
}

fn said(said: &Said, lang: Lang) -> Option<El> {
    let words = lang.views();
    let status = || el("div").attr("role", "status");
    Some(match said {
        Said::Nothing => return None,
        Said::Working => status().with(hint("p", lang.words().working)),
        Said::Attached(name) => status().with(el("p").text(fill(words.settings_attached, &[("name", name)]))),
        Said::Failed(refusal) => el("div").attr("role", "alert").with(refused(refusal, lang)),
        Said::Tested(answer) => {
            let text = |name: &str| match answer.get(name) {
                Some(Value::Map(map)) => {
                    map.get(lang.tag()).or_else(|| map.get("en")).and_then(Value::as_str).unwrap_or_default().to_owned()
                }
                Some(value) => value.as_str().unwrap_or_default().to_owned(),
                None => String::new(),
            };
            if answer.get("ok").and_then(Value::as_bool) == Some(true) {
                status().with(el("p").text(words.settings_ok))
            } else {
                status()
                    .with(el("p").with(el("b").text(text("title"))))
                    .with(el("p").text(text("fix")))
                    .with(el("code").class("refusal-code").text(text("code")))
            }
        }
    })
}
