//! The conversation: what was asked, how the agent went about it, the answer with its references, and what can happen next.

use leptos::prelude::*;
use throughline_protocol::query::Turns;
use throughline_protocol::view::{AnswerView, AskView, Footnote, StageView, TurnView};
use throughline_value::Value;
use wasm_bindgen::JsCast as _;
use web_sys::KeyboardEvent;

use super::state::{RunState, use_run};
use crate::demo::Step;
use crate::format::{Piece, duration, fill, full_time, localised, pieces, value};
use crate::i18n::{Lang, Words, t};
use crate::session::command;

/// How far the clock's own buttons move it, in milliseconds.
const MOVES: [i64; 3] = [60_000, 3_600_000, 86_400_000];

/// The conversation.
#[component]
pub(crate) fn Conversation() -> impl IntoView {
    let run = use_run();
    let turns = super::seen::use_view::<Vec<TurnView>, _>(|at, _| Some(Turns { at, thread: None }));
    let region = NodeRef::<leptos::html::Div>::new();
    // The newest turn is in sight once it begins, and its answer when it comes.
    let newest = Memo::new(move |_| {
        turns.with(|seen| {
            let list = seen.value.as_ref()?;
            list.last().map(|turn| (list.len(), turn.answer.is_some()))
        })
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
    view! {
        <section class="conversation panel" aria-labelledby="conversation-title">
            <header class="panel-head">
                <h2 id="conversation-title">{t(|w| w.conversation)}</h2>
            </header>
            <div node_ref=region class="turns" tabindex="0" role="region" aria-label=t(|w| w.conversation)>
                {move || {
                    let lang = run.app.lang.get();
                    let list = turns.get().value.unwrap_or_default();
                    if list.is_empty() {
                        let word = if run.follows.get() { lang.words().no_turns } else { lang.words().no_turns_here };
                        return view! { <p class="hint">{word}</p> }.into_any();
                    }
                    list.iter().map(|turn| turn_view(run, turn, lang)).collect_view().into_any()
                }}
                <Suggestions/>
                <Next/>
            </div>
            <div class="ask">
                <Steps/>
                <AskBox/>
            </div>
        </section>
    }
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

fn turn_view(run: RunState, turn: &TurnView, lang: Lang) -> impl IntoView + use<> {
    let words = lang.words();
    let seq = turn.seq;
    let stages = turn.stages.iter().map(|stage| stage_view(run, stage, lang)).collect_view();
    let answer = turn.answer.as_ref().map(|answer| answer_view(run, answer, turn.last_seq, lang));
    let question = turn.ask.as_ref().filter(|ask| !ask.settled).map(|ask| question_view(run, ask, lang));
    let running = turn.status == "running";
    view! {
        <article class="turn" lang=turn.language.clone()>
            <p class="said">
                <span class="who">{words.you} " "</span>
                <span class="said-text">{turn.text.clone()}</span>
                " "
                {super::details::seq_link(run, seq, lang)}
            </p>
            <ol class="stages" aria-label=words.stages>{stages}</ol>
            <div class="reply">
                <span class="who">{words.agent}</span>
                <span class=format!("mark status-{}", turn.status)>{status_word(&turn.status, words)}</span>
                {(running && run.follows.get_untracked()).then(|| {
                    view! {
                        <button class="button quiet" on:click=move |_| run.act(vec![command("stop_turn", &[])])>{words.stop}</button>
                    }
                })}
                {answer}
                {question}
            </div>
        </article>
    }
}

fn stage_view(run: RunState, stage: &StageView, lang: Lang) -> impl IntoView + use<> {
    let words = lang.words();
    let seq = stage.seq;
    let glyph = match stage.verdict.as_str() {
        "done" => "✓",
        "fallback" => "↷",
        "asked" => "?",
        "failed" => "✕",
        _ => "…",
    };
    let time = stage.duration.filter(|ms| *ms > 0).map(|ms| view! { <span class="num hint">{duration(ms)}</span> });
    view! {
        <li>
            <button class=format!("stage verdict-{}", stage.verdict) on:click=move |_| run.jump(seq)>
                <span aria-hidden="true">{glyph}</span>
                <span>{stage_word(&stage.stage, words)}</span>
                <span class="sr">{stage.verdict.clone()}</span>
                {time}
            </button>
        </li>
    }
}

fn answer_view(run: RunState, answer: &AnswerView, at: u64, lang: Lang) -> impl IntoView + use<> {
    let words = lang.words();
    let known: Vec<u32> = answer.footnotes.iter().map(|note| note.number).collect();
    let text = pieces(&answer.text, &known)
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => view! { <span>{text}</span> }.into_any(),
            Piece::Note(n) => {
                let note = answer.footnotes.iter().find(|note| note.number == n).cloned();
                note.map(|note| note_button(run, note, at, lang)).into_any()
            }
        })
        .collect_view();
    let notes = answer.footnotes.iter().map(|note| footnote(run, note, at, lang)).collect_view();
    let unsupported = (!answer.unsupported.is_empty())
        .then(|| view! { <p class="warn">{fill(words.unsupported, &[("list", &answer.unsupported.join(", "))])}</p> });
    let has_notes = !answer.footnotes.is_empty();
    view! {
        <p class="answer">{text}</p>
        {unsupported}
        {has_notes.then(|| {
            view! {
                <details class="more notes">
                    <summary>{words.footnotes}</summary>
                    <ol>{notes}</ol>
                </details>
            }
        })}
    }
}

fn note_button(run: RunState, note: Footnote, at: u64, lang: Lang) -> impl IntoView {
    let label = fill(lang.words().footnote, &[("n", &note.number.to_string()), ("value", &note.value)]);
    let Footnote { number, value, evidence, .. } = note;
    if evidence.is_empty() {
        return view! { <span class="note none num" aria-label=label role="img">{number}</span> }.into_any();
    }
    let show = move |_| run.show_evidence(&value, &evidence, at);
    view! { <button class="note num" aria-label=label on:click=show>{number}</button> }.into_any()
}

fn footnote(run: RunState, note: &Footnote, at: u64, lang: Lang) -> impl IntoView + use<> {
    let links = note.evidence.iter().map(|evidence| super::evidence::link(run, evidence, at, lang)).collect_view();
    view! {
        <li>
            <span class="num note-number">{note.number}</span>
            <span class="note-body">
                <code>{note.name.clone()}</code>
                " "
                <b>{note.value.clone()}</b>
                {links}
            </span>
        </li>
    }
}

fn question_view(run: RunState, ask: &AskView, lang: Lang) -> impl IntoView + use<> {
    let id = ask.id.clone();
    let answer = move |answer: Value| {
        run.act(vec![command("answer", &[("ask", Value::from(id.as_str())), ("answer", answer)])]);
    };
    let typed = answer.clone();
    let options = ask.options.iter().map(|option| {
        let (text, option, answer) = (value(option), option.clone(), answer.clone());
        view! { <button class="button" on:click=move |_| answer(option.clone())>{text}</button> }
    });
    let options = options.collect_view();
    let free = ask.options.is_empty().then(|| {
        let submit = move |event: web_sys::Event| typed(Value::from(event_target_value(&event)));
        view! { <input class="field" aria-label=lang.words().question_for_you on:change=submit/> }
    });
    view! {
        <div class="question">
            <p>{ask.question.clone()}</p>
            <p class="options">{options} {free}</p>
        </div>
    }
}

/// What the demo suggests to ask.
#[component]
fn Suggestions() -> impl IntoView {
    let run = use_run();
    move || {
        let lang = run.app.lang.get();
        let questions = run.demo.get().map(|demo| demo.questions(lang.tag())).unwrap_or_default();
        let button = |question: String| {
            let asked = question.clone();
            let ask = move |_| {
                if !run.busy.get_untracked() {
                    run.ask(asked.clone());
                }
            };
            view! {
                <li>
                    <button
                        class="suggestion"
                        aria-disabled=move || if run.busy.get() { "true" } else { "false" }
                        on:click=ask
                    >
                        {question}
                    </button>
                </li>
            }
        };
        (!questions.is_empty()).then(|| {
            view! {
                <h3>{lang.words().suggestions}</h3>
                <ul class="suggestions">{questions.into_iter().map(button).collect_view()}</ul>
            }
        })
    }
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

/// What can happen next in the demo's world, always at hand.
#[component]
fn Steps() -> impl IntoView {
    let run = use_run();
    move || {
        let lang = run.app.lang.get();
        let demo = run.demo.get()?;
        let button = |(n, step): (usize, &Step)| {
            let (label, commands, advance) = (localised(&step.label, lang), step.r#do.clone(), step.advance);
            let act = move |_| {
                if run.busy.get_untracked() {
                    return;
                }
                if !commands.is_empty() {
                    run.act(commands.clone());
                }
                if let Some(by) = advance {
                    run.advance(by);
                }
            };
            view! {
                <button
                    class="button"
                    aria-describedby=format!("step-hint-{n}")
                    aria-disabled=move || if run.busy.get() { "true" } else { "false" }
                    on:click=act
                >
                    {label}
                </button>
            }
        };
        (!demo.steps.is_empty()).then(|| {
            let buttons = demo.steps.iter().enumerate().map(button).collect_view();
            view! { <p class="next-steps" role="group" aria-label=lang.words().what_next>{buttons}</p> }
        })
    }
}

/// What the demo's steps do, in words; and the clock.
#[component]
fn Next() -> impl IntoView {
    let run = use_run();
    let hints = move || {
        let lang = run.app.lang.get();
        let demo = run.demo.get()?;
        let hint = |(n, step): (usize, &Step)| {
            view! {
                <div>
                    <dt>{localised(&step.label, lang)}</dt>
                    <dd id=format!("step-hint-{n}")>{localised(&step.hint, lang)}</dd>
                </div>
            }
        };
        (!demo.steps.is_empty()).then(|| {
            view! {
                <h3>{lang.words().what_next}</h3>
                <dl class="next-hints">{demo.steps.iter().enumerate().map(hint).collect_view()}</dl>
            }
        })
    };
    let clock = move || {
        let lang = run.app.lang.get();
        run.clock.get().map(|now| full_time(now, lang)).unwrap_or_default()
    };
    view! {
        <div class="next">
            {hints}
            <details class="more clock">
                <summary>{t(|w| w.clock)} " " <span class="num">{clock}</span></summary>
                <p class="hint">{t(|w| w.clock_hint)}</p>
                <p class="options" role="group" aria-label=t(|w| w.clock_advance)>
                    {MOVES
                        .into_iter()
                        .map(|by| {
                            view! { <button class="button" on:click=move |_| run.advance(by)>{format!("+{}", duration(by))}</button> }
                        })
                        .collect_view()}
                </p>
            </details>
        </div>
    }
}
