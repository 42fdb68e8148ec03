//! The conversation: what was asked, how the agent went about it, the answer with its references, and what can happen next.

use leptos::prelude::*;
use throughline_protocol::query::Turns;
use throughline_protocol::view::{AnswerView, AskView, Footnote, StageView, TurnView};
use throughline_value::Value;
use wasm_bindgen::JsCast as _;
use web_sys::KeyboardEvent;

use super::panel::{code, hint, more, seq_link, sign, title};
use super::state::{RunState, use_run};
use crate::demo::Step;
use crate::dom::{Dom, El, el};
use crate::format::{Piece, duration, fill, full_time, localised, pieces, value};
use crate::i18n::{Lang, Words, t};
use crate::session::command;

/// How far the clock's own buttons move it, in milliseconds.
const MOVES: [i64; 3] = [60_000, 3_600_000, 86_400_000];

/// The conversation.
pub(crate) fn conversation() -> AnyView {
    let run = use_run();
    let turns = super::seen::use_view::<Vec<TurnView>, _>(|at, _| Some(Turns { at, ..Turns::default() }));
    let region = NodeRef::<leptos::html::Div>::new();
    // The newest turn is in sight once it begins, and its answer when it comes.
    let newest = Memo::new(move |_| {
        let list = turns.get().value?;
        list.last().map(|turn| (list.len(), turn.answer.is_some()))
    });
    Effect::new(move |_| {
        let (Some(region), Some(_)) = (region.get(), newest.get()) else { return };
        request_animation_frame(move || {
            let turns = region.query_selector_all(".turn").ok();
            let last = turns.and_then(|turns| turns.item(turns.length().checked_sub(1)?));
            if let Some(last) = last.and_then(|node| node.dyn_into::<web_sys::HtmlElement>().ok()) {
                region.set_scroll_top(last.offset_top() - region.offset_top());
            }
        });
    });
    let show = Box::new(move || {
        let lang = run.app.lang.get();
        let words = lang.words();
        let list = turns.get().value.unwrap_or_default();
        let nothing = if run.follows.get() { words.no_turns } else { words.no_turns_here };
        let nothing = list.is_empty().then(|| hint("p", nothing));
        let turns = list.iter().map(|turn| turn_el(run, turn, lang));
        nothing.into_iter().chain(turns).chain(suggestions(run, lang)).chain([next(run, lang)]).collect()
    });
    let at_hand = Box::new(move || steps(run, run.app.lang.get()).into_iter().collect());
    view! {
        <section class="conversation panel" aria-labelledby="conversation-title">
            <header class="panel-head">
                <h2 id="conversation-title">{t(|w| w.conversation)}</h2>
            </header>
            <div node_ref=region class="turns" tabindex="0" role="region" aria-label=t(|w| w.conversation)>
                <Dom show/>
            </div>
            <div class="ask">
                <Dom show=at_hand/>
                <AskBox/>
            </div>
        </section>
    }
    .into_any()
}

fn status_word(status: &str, words: &'static Words) -> &'static str {
    match status {
        "waiting" => words.status_waiting,
        "answered" => words.status_answered,
        "stopped" => words.status_stopped,
        "failed" => words.status_failed,
        _ => words.status_running,
    }
}

fn stage_word(stage: &str, words: &'static Words) -> &'static str {
    match stage {
        "interpret" => words.stage_interpret,
        "ground" => words.stage_ground,
        "gather" => words.stage_gather,
        "decide" => words.stage_decide,
        _ => words.stage_respond,
    }
}

fn turn_el(run: RunState, turn: &TurnView, lang: Lang) -> El {
    let words = lang.words();
    let said = el("p")
        .class("said")
        .with(el("span").class("who").text(words.you))
        .text(" ")
        .with(el("span").class("said-text").text(turn.text.clone()))
        .text(" ")
        .with(seq_link(run, turn.seq, lang));
    let stages = turn.stages.iter().map(|stage| stage_el(run, stage, lang));
    let stops = (turn.status == "running" && run.follows.get()).then(|| {
        let stop = move || run.act(vec![command("stop_turn", &[])]);
        el("button").class("button quiet").text(words.stop).on_click(stop)
    });
    let reply = el("div")
        .class("reply")
        .with(el("span").class("who").text(words.agent))
        .with(el("span").class(format!("mark status-{}", turn.status)).text(status_word(&turn.status, words)))
        // Filled by the page's bridge while a reply comes in.
        .maybe(stops.is_some().then(|| el("pre").attr("id", "live-reply")))
        .maybe(stops)
        .all(turn.answer.iter().flat_map(|answer| answer_els(run, answer, turn.last_seq, lang)))
        .maybe(turn.ask.as_ref().filter(|ask| !ask.settled).map(|ask| question_el(run, ask, lang)));
    el("article")
        .class("turn")
        .attr("lang", turn.language.clone())
        .with(said)
        .with(el("ol").class("stages").attr("aria-label", words.stages).all(stages))
        .with(reply)
}

fn stage_el(run: RunState, stage: &StageView, lang: Lang) -> El {
    let seq = stage.seq;
    let glyph = match stage.verdict.as_str() {
        "done" => "✓",
        "fallback" => "↷",
        "asked" => "?",
        "failed" => "✕",
        _ => "…",
    };
    let time = stage.duration.filter(|ms| *ms > 0);
    let button = el("button")
        .class(format!("stage verdict-{}", stage.verdict))
        .with(sign(glyph))
        .with(el("span").text(stage_word(&stage.stage, lang.words())))
        .with(el("span").class("sr").text(stage.verdict.clone()))
        .maybe(time.map(|ms| el("span").class("num hint").text(duration(ms))))
        .on_click(move || run.jump(seq));
    el("li").with(button)
}

pub(super) fn answer_els(run: RunState, answer: &AnswerView, at: u64, lang: Lang) -> Vec<El> {
    let words = lang.words();
    let known: Vec<u32> = answer.footnotes.iter().map(|note| note.number).collect();
    let mut text = el("p").class("answer");
    for piece in pieces(&answer.text, &known) {
        text = match piece {
            Piece::Text(piece) => text.with(el("span").text(piece)),
            Piece::Note(n) => {
                let note = answer.footnotes.iter().find(|note| note.number == n);
                text.maybe(note.map(|note| note_button(run, note, at, lang)))
            }
        };
    }
    let unsupported = (!answer.unsupported.is_empty())
        .then(|| el("p").class("warn").text(fill(words.unsupported, &[("list", &answer.unsupported.join(", "))])));
    let notes = (!answer.footnotes.is_empty()).then(|| {
        let notes = answer.footnotes.iter().map(|note| footnote(run, note, at, lang));
        more(words.footnotes, el("ol").all(notes)).class("more notes")
    });
    std::iter::once(text).chain(unsupported).chain(notes).collect()
}

fn note_button(run: RunState, note: &Footnote, at: u64, lang: Lang) -> El {
    let number = note.number.to_string();
    let label = fill(lang.words().footnote, &[("n", &number), ("value", &note.value)]);
    if note.evidence.is_empty() {
        return el("span").class("note none num").attr("role", "img").attr("aria-label", label).text(number);
    }
    let (value, evidence) = (note.value.clone(), note.evidence.clone());
    let show = move || run.show_evidence(&value, &evidence, at);
    el("button").class("note num").attr("aria-label", label).text(number).on_click(show)
}

fn footnote(run: RunState, note: &Footnote, at: u64, lang: Lang) -> El {
    let links = note.evidence.iter().map(|evidence| super::evidence::link(run, evidence, at, lang));
    let body = el("span")
        .class("note-body")
        .with(code(note.name.clone()))
        .text(" ")
        .with(el("b").text(note.value.clone()))
        .all(links);
    el("li").with(el("span").class("num note-number").text(note.number.to_string())).with(body)
}

pub(super) fn question_el(run: RunState, ask: &AskView, lang: Lang) -> El {
    let id = ask.id.clone();
    let answer = move |answer: Value| {
        run.act(vec![command("answer", &[("ask", Value::from(id.as_str())), ("answer", answer)])]);
    };
    let options = ask.options.iter().map(|option| {
        let (option, answer) = (option.clone(), answer.clone());
        el("button").class("button").text(value(&option)).on_click(move || answer(option.clone()))
    });
    let options = el("p").class("options").all(options);
    let free = ask.options.is_empty().then(|| {
        let submit = move |event: web_sys::Event| answer(Value::from(event_target_value(&event)));
        el("input").class("field").attr("aria-label", lang.words().question_for_you).on("change", submit)
    });
    el("div").class("question").with(el("p").text(ask.question.clone())).with(options).maybe(free)
}

/// A button that waits while a turn goes on.
fn busy_button(run: RunState, class: &'static str, act: impl Fn() + 'static) -> El {
    let off = if run.busy.get() { "true" } else { "false" };
    el("button").class(class).attr("aria-disabled", off).on_click(move || {
        if !run.busy.get_untracked() {
            act();
        }
    })
}

/// What the demo suggests to ask.
fn suggestions(run: RunState, lang: Lang) -> Vec<El> {
    let questions = run.demo.get().map(|demo| demo.questions(lang.tag())).unwrap_or_default();
    if questions.is_empty() {
        return Vec::new();
    }
    let buttons = questions.into_iter().map(|question| {
        let asked = question.clone();
        el("li").with(busy_button(run, "suggestion", move || run.ask(asked.clone())).text(question))
    });
    vec![title(lang.words().suggestions), el("ul").class("suggestions").all(buttons)]
}

/// What can happen next in the demo's world, always at hand.
fn steps(run: RunState, lang: Lang) -> Option<El> {
    let demo = run.demo.get()?;
    let button = |(n, step): (usize, &Step)| {
        let (commands, advance) = (step.r#do.clone(), step.advance);
        let act = move || {
            if !commands.is_empty() {
                run.act(commands.clone());
            }
            if let Some(by) = advance {
                run.advance(by);
            }
        };
        let label = localised(&step.label, lang);
        busy_button(run, "button", act).attr("aria-describedby", format!("step-hint-{n}")).text(label)
    };
    let buttons = demo.steps.iter().enumerate().map(button);
    let group = el("p").class("next-steps").attr("role", "group").attr("aria-label", lang.words().what_next);
    (!demo.steps.is_empty()).then(|| group.all(buttons))
}

/// What the demo's steps do, in words; and the clock.
fn next(run: RunState, lang: Lang) -> El {
    let words = lang.words();
    let hint_row = |(n, step): (usize, &Step)| {
        let text = el("dd").attr("id", format!("step-hint-{n}")).text(localised(&step.hint, lang));
        el("div").with(el("dt").text(localised(&step.label, lang))).with(text)
    };
    let demo = run.demo.get().filter(|demo| !demo.steps.is_empty());
    let hints = demo.as_ref().map(|demo| el("dl").class("next-hints").all(demo.steps.iter().enumerate().map(hint_row)));
    let now = run.clock.get().map(|now| full_time(now, lang)).unwrap_or_default();
    let moves = MOVES.into_iter().map(|by| {
        let act = move || run.advance(by);
        el("button").class("button").text(format!("+{}", duration(by))).on_click(act)
    });
    let clock = el("details")
        .class("more clock")
        .with(el("summary").text(format!("{} ", words.clock)).with(el("span").class("num").text(now)))
        .with(hint("p", words.clock_hint))
        .with(el("p").class("options").attr("role", "group").attr("aria-label", words.clock_advance).all(moves));
    el("div").class("next").maybe(hints.is_some().then(|| title(words.what_next))).maybe(hints).with(clock)
}

/// Where a person asks.
#[component]
fn AskBox() -> impl IntoView {
    let run = use_run();
    let text = RwSignal::new(String::new());
    let send = move || {
        let question = text.get_untracked().trim().to_owned();
        if question.is_empty() || run.busy.get_untracked() {
            return;
        }
        text.set(String::new());
        run.ask(question);
    };
    let key = move |event: KeyboardEvent| {
        if event.key() == "Enter" && !event.shift_key() && !event.is_composing() {
            event.prevent_default();
            send();
        }
    };
    view! {
        <form
            on:submit=move |event| {
                event.prevent_default();
                send();
            }
        >
            <div class="ask-row">
                <textarea
                    class="field"
                    rows="1"
                    aria-label=t(|w| w.ask_label)
                    placeholder=t(|w| w.ask_placeholder)
                    prop:value=move || text.get()
                    on:input=move |event| text.set(event_target_value(&event))
                    on:keydown=key
                ></textarea>
                <button class="button primary" aria-disabled=move || if run.busy.get() { "true" } else { "false" }>
                    {t(|w| w.ask_send)}
                </button>
            </div>
            <p class="hint" role="status">
                {move || {
                    let words = run.app.lang.get().words();
                    if run.busy.get() {
                        words.ask_busy
                    } else if run.follows.get() {
                        ""
                    } else {
                        words.ask_from_past
                    }
                }}
            </p>
        </form>
    }
}
