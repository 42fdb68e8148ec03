//! How a model is reached, and why not. The key goes to the engine's memory and nowhere else.

use leptos::prelude::*;
use throughline_protocol::Refusal;
use throughline_value::{Value, json};
use wasm_bindgen::JsCast as _;

use crate::dom::{El, el};
use crate::format::{duration, fill, number};
use crate::i18n::Lang;
use crate::i18n::views::Words;
use crate::run::package;
use crate::run::panel::{code, hint, more, pair, refused, sign, view_panel};
use crate::run::state::{RunState, use_run};

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
    /// The texts, by the name of the setting.
    texts: [(&'static str, RwSignal<String>); 11],
    passphrase: RwSignal<String>,
    /// Whether a sealed key is kept in this browser.
    kept: RwSignal<bool>,
    answers: RwSignal<Value>,
    said: RwSignal<Said>,
}

/// The settings that are texts; those after [`NUMBERS`] are numbers.
const TEXTS: [&str; 11] = [
    "endpoint",
    "model",
    "key",
    "structured",
    "max_tokens",
    "temperature",
    "first_byte_ms",
    "idle_ms",
    "spend_cap",
    "prompt",
    "completion",
];

/// Where the numbers begin among [`TEXTS`].
const NUMBERS: usize = 4;

/// Where the prices begin.
const PRICES: usize = 9;

/// What came of it.
#[derive(Clone)]
enum Said {
    Nothing,
    Working,
    Tested(Value),
    Done(fn(&'static Words) -> &'static str),
    Failed(Refusal),
}

impl Form {
    fn text(self, name: &str) -> RwSignal<String> {
        self.texts.iter().find(|(known, _)| *known == name).map_or(self.passphrase, |(_, text)| *text)
    }

    fn settings(self) -> Value {
        let mut fields = vec![("provider".to_owned(), Value::from(self.provider.get_untracked()))];
        let mut prices = Vec::new();
        for (at, (name, field)) in self.texts.iter().enumerate() {
            let text = field.get_untracked().trim().to_owned();
            if text.is_empty() {
                continue;
            }
            // What is no number stays a text: the check that says what a setting takes is the engine's.
            let number = (at >= NUMBERS).then(|| json::read_value(&text).ok()).flatten();
            let to = if at >= PRICES { &mut prices } else { &mut fields };
            to.push(((*name).to_owned(), number.unwrap_or_else(|| Value::from(text))));
        }
        if !prices.is_empty() {
            fields.push(("prices".to_owned(), Value::Map(prices.into_iter().collect())));
        }
        Value::Map(fields.into_iter().collect())
    }

    /// Calls the page's part of the package and shows what came of it.
    fn run(self, run: RunState, method: &'static str, args: Vec<Value>, then: impl Fn(Self, Value) -> Said + 'static) {
        self.said.set(Said::Working);
        run.app.work(async move {
            let answer = package::ask(run, method, args).await;
            if self.said.is_disposed() {
                return;
            }
            self.said.set(match answer {
                Ok(answer) => then(self, answer),
                Err(refusal) => Said::Failed(refusal),
            });
        });
    }

    /// Changes what answers.
    fn answer_by(self, run: RunState, method: &'static str, args: Vec<Value>) {
        self.run(run, method, args, |form, answers| {
            form.answers.set(answers);
            Said::Nothing
        });
    }
}

/// The settings.
pub(super) fn settings_panel() -> AnyView {
    let run = use_run();
    let text = |text: &str| RwSignal::new(text.to_owned());
    let form = Form {
        provider: text("openrouter"),
        texts: TEXTS.map(|name| (name, text(""))),
        passphrase: text(""),
        kept: RwSignal::new(false),
        answers: RwSignal::new(Value::Null),
        said: RwSignal::new(Said::Nothing),
    };
    run.app.work(async move {
        for (method, signal) in [("answers", None), ("hasKey", Some(form.kept))] {
            if let Ok(answer) = package::ask(run, method, Vec::new()).await {
                match signal {
                    None => drop(form.answers.try_set(answer)),
                    Some(kept) => drop(kept.try_set(answer.as_bool() == Some(true))),
                }
            }
        }
        match package::finish_sign_in().await {
            Ok(Some(key)) => {
                form.text("key").try_set(key);
                form.said.try_set(Said::Done(|w| w.settings_signed_in));
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
            let button = |word: &'static str, class: &'static str| el("button").class(class).text(word);
            let test = move || form.run(run, "testModel", vec![form.settings()], |_, answer| Said::Tested(answer));
            // What is typed counts first, then Enter tests it.
            let enter = move |event: web_sys::Event| {
                let Some(key) = event.dyn_ref::<web_sys::KeyboardEvent>() else { return };
                let field = key.target().and_then(|target| target.dyn_into::<web_sys::HtmlInputElement>().ok());
                if key.key() == "Enter" && !key.is_composing() && field.is_some() {
                    request_animation_frame(test);
                }
            };
            let sign_in = (form.provider.get() == "openrouter").then(|| {
                button(words.settings_sign_in, "button quiet").on_click(move || {
                    run.app.work(async move {
                        if let Err(refusal) = package::sign_in().await {
                            form.said.try_set(Said::Failed(refusal));
                        }
                    });
                })
            });
            let buttons = el("p")
                .class("options")
                .with(button(words.settings_test, "button").on_click(test))
                .with(
                    button(words.settings_use, "button primary")
                        .on_click(move || form.answer_by(run, "useModel", vec![form.settings()])),
                )
                .maybe(sign_in);
            let said = said(&form.said.get(), lang);
            let fields = el("div")
                .class("form-grid")
                .with(choice(words.settings_provider, form.provider, &PROVIDERS, |one| one))
                .with(field(words.settings_endpoint, form.text("endpoint"), "url", words.settings_endpoint_hint))
                .with(field(words.settings_model, form.text("model"), "text", ""))
                .with(field(words.settings_key, form.text("key"), "password", ""))
                .on("keydown", enter);
            [
                answering(run, form, lang),
                hint("p", words.settings_hint),
                fields,
                further(form, lang),
                keep(run, form, lang),
            ]
            .into_iter()
            .chain([buttons])
            .chain(said)
            .collect()
        },
    )
}

/// A field with its name.
fn field(name: &'static str, value: RwSignal<String>, kind: &'static str, example: &'static str) -> El {
    let input = el("input")
        .class("field")
        .attr("type", kind)
        .attr("autocomplete", "off")
        .attr("spellcheck", "false")
        .attr(".value", value.get())
        .attr("placeholder", example)
        .on("change", move |event| value.set(event_target_value(&event)));
    let input = if kind == "text" && example.chars().all(|c| c.is_ascii_digit() || c == '.') && !example.is_empty() {
        input.attr("inputmode", "decimal")
    } else {
        input
    };
    el("label").class("named-field").with(hint("span", name)).with(input)
}

/// A choice with its name.
fn choice(
    name: &'static str,
    value: RwSignal<String>,
    all: &'static [&'static str],
    word: impl Fn(&'static str) -> &'static str,
) -> El {
    let options = all.iter().map(|one| {
        let option = el("option").attr("value", *one).text(word(one));
        if value.get() == *one { option.attr("selected", "") } else { option }
    });
    el("label").class("named-field").with(hint("span", name)).with(
        el("select")
            .class("field")
            .attr("aria-label", name)
            .all(options)
            .on("change", move |event| value.set(event_target_value(&event))),
    )
}

/// What answers now, and what else could.
fn answering(run: RunState, form: Form, lang: Lang) -> El {
    let words = lang.views();
    let answers = form.answers.get();
    let recorded = answers.get("recorded").and_then(Value::as_i64).and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
    let playing = answers.get("playing").and_then(Value::as_bool) == Some(true);
    let model = answers.get("model").and_then(Value::as_str).unwrap_or_default();
    let n = number(recorded, lang);
    let line = if playing {
        fill(words.answers_recorded, &[("n", &n)])
    } else if model.is_empty() {
        words.answers_nobody.to_owned()
    } else {
        fill(words.answers_model, &[("name", model)])
    };
    let button = |word: String, method: &'static str| {
        el("button").class("button").text(word).on_click(move || form.answer_by(run, method, Vec::new()))
    };
    let again = (recorded > 0 && !playing).then(|| button(fill(words.answers_play, &[("n", &n)]), "playAgain"));
    let away = (playing || !model.is_empty()).then(|| button(words.answers_away.to_owned(), "useNone"));
    el("div").class("answers").with(el("p").attr("role", "status").text(line)).with(
        el("p").class("options").with(button(words.answers_open.to_owned(), "openCassette")).maybe(again).maybe(away),
    )
}

/// The settings that few need.
fn further(form: Form, lang: Lang) -> El {
    let words = lang.views();
    let named =
        |name: &'static str, word: &'static str, example: &'static str| field(word, form.text(name), "text", example);
    let grid = el("div")
        .class("form-grid")
        .with(choice(
            words.settings_structured,
            form.text("structured"),
            &["", "schema", "json", "prompt"],
            move |one| match one {
                "schema" => words.structured_schema,
                "json" => words.structured_json,
                "prompt" => words.structured_prompt,
                _ => words.structured_own,
            },
        ))
        .with(named("max_tokens", words.settings_max_tokens, "1024"))
        .with(named("temperature", words.settings_temperature, "0.2"))
        .with(named("first_byte_ms", words.settings_first_byte, "60000"))
        .with(named("idle_ms", words.settings_idle, "45000"))
        .with(named("prompt", words.settings_price_in, "0.15"))
        .with(named("completion", words.settings_price_out, "0.60"))
        .with(named("spend_cap", words.settings_cap, "0.05"));
    more(words.settings_more, grid)
}

/// Keeping the key in this browser, sealed.
fn keep(run: RunState, form: Form, lang: Lang) -> El {
    let words = lang.views();
    let kept = form.kept.get();
    let passphrase = move || Value::from(form.passphrase.get_untracked());
    let button = |word: &'static str| el("button").class("button").text(word);
    let seal = move || {
        let key = Value::from(form.text("key").get_untracked());
        form.run(run, "keepKey", vec![key, passphrase()], |form, _| {
            form.kept.set(true);
            form.passphrase.set(String::new());
            Said::Done(|w| w.key_kept)
        });
    };
    let unseal = move || {
        form.run(run, "keptKey", vec![passphrase()], |form, key| {
            form.text("key").set(key.as_str().unwrap_or_default().to_owned());
            form.passphrase.set(String::new());
            Said::Done(|w| w.key_opened)
        });
    };
    let drop = move || {
        form.run(run, "dropKey", Vec::new(), |form, _| {
            form.kept.set(false);
            Said::Done(|w| w.key_dropped)
        });
    };
    let buttons = el("p")
        .class("options")
        .with(button(words.key_keep).on_click(seal))
        .maybe(kept.then(|| button(words.key_open).on_click(unseal)))
        .maybe(kept.then(|| button(words.key_drop).class("button quiet").on_click(drop)));
    let inner = el("div")
        .with(hint("p", words.key_hint))
        .with(el("div").class("form-grid").with(field(words.key_passphrase, form.passphrase, "password", "")))
        .with(buttons);
    more(words.key_title, inner)
}

fn said(said: &Said, lang: Lang) -> Option<El> {
    let words = lang.views();
    let status = || el("div").class("diagnosis").attr("role", "status");
    Some(match said {
        Said::Nothing => return None,
        Said::Working => status().with(hint("p", lang.words().working)),
        Said::Done(word) => status().with(el("p").text(word(words))),
        Said::Failed(refusal) => el("div").attr("role", "alert").with(refused(refusal, lang)),
        Said::Tested(answer) => tested(answer, status(), lang),
    })
}

/// What the test of a connection found: what is wrong, what to do here, and what was seen.
fn tested(answer: &Value, status: El, lang: Lang) -> El {
    let words = lang.views();
    let text = |name: &str| match answer.get(name) {
        Some(Value::Map(map)) => {
            map.get(lang.tag()).or_else(|| map.get("en")).and_then(Value::as_str).unwrap_or_default().to_owned()
        }
        Some(value) => value.as_str().unwrap_or_default().to_owned(),
        None => String::new(),
    };
    let good = answer.get("ok").and_then(Value::as_bool) == Some(true);
    let head = if good { words.settings_ok.to_owned() } else { text("title") };
    let ms = answer.get("ms").and_then(Value::as_i64).map(duration);
    let seen = [
        (words.settings_provider, text("provider")),
        (words.settings_endpoint, text("endpoint")),
        (words.settings_model, text("model")),
        (words.diagnosis_said, text("message")),
        (words.diagnosis_took, ms.unwrap_or_default()),
    ];
    let seen = seen.into_iter().filter(|(_, what)| !what.is_empty());
    let seen = el("dl").class("pairs").all(seen.map(|(name, what)| pair(name, el("dd").text(what))));
    let models = answer.get("models").and_then(Value::as_list).unwrap_or_default();
    let models: Vec<_> =
        models.iter().filter_map(Value::as_str).map(|name| el("li").with(code(name.to_owned()))).collect();
    let listed = fill(words.diagnosis_models, &[("n", &number(models.len() as u64, lang))]);
    let models = (!models.is_empty()).then(|| more(listed, el("ul").class("outline").all(models)));
    status
        .with(el("p").with(sign(if good { "✓ " } else { "✕ " })).with(el("b").text(head)))
        .maybe((!good).then(|| el("p").text(text("fix"))))
        .with(seen)
        .maybe((!good).then(|| el("p").with(el("code").class("refusal-code").text(text("code")))))
        .maybe(models)
}
