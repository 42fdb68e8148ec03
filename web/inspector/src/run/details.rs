//! The record a person looks at: what it holds, who did it, what led to it and what it led to.

use leptos::prelude::*;
use throughline_protocol::query::RecordBySeq;
use throughline_protocol::view::{RecordDetail, RecordRow};
use throughline_value::{Value, json};

use super::paint::glyph;
use super::seen::use_view;
use super::state::use_run;
use super::timeline::lane_word;
use crate::format::{cut, fill, full_time, number};
use crate::i18n::{Lang, Words, t};
use crate::session::raw;
use crate::ui::RefusalText;

/// How many characters of a cause's line are shown.
const CAUSE_CHARS: usize = 140;

/// How many causes stand open; the ones further back open on demand.
const CAUSES: usize = 4;

/// In a window this narrow the details begin with what happened, and the rest opens on demand.
const NARROW: f64 = 600.0;

/// How many of the records that a record led to are shown.
const EFFECTS: usize = 40;

/// The details of the record at the cursor.
#[component]
pub(crate) fn Details() -> impl IntoView {
    let run = use_run();
    let seen = use_view::<RecordDetail, _>(|_, at| (at > 0).then_some(RecordBySeq { seq: at }));
    view! {
        <section class="details panel" aria-labelledby="details-title" tabindex="0">
            <header class="panel-head">
                <h2 id="details-title">{t(|w| w.details)}</h2>
            </header>
            {move || {
                let seen = seen.get();
                if run.head.get() == 0 {
                    return view! { <p class="hint">{t(|w| w.no_detail)}</p> }.into_any();
                }
                match (seen.value, seen.refusal) {
                    (Some(detail), _) => body(&detail, run.app.lang.get()),
                    (None, Some(refusal)) => view! { <RefusalText refusal/> }.into_any(),
                    (None, None) => view! { <p class="hint">{t(|w| w.working)}</p> }.into_any(),
                }
            }}
        </section>
    }
}

fn actor(record: &RecordRow, words: &'static Words) -> String {
    let Some(actor) = &record.actor else { return String::new() };
    let kind = throughline_value::to_value(&actor.kind).unwrap_or_default();
    let kind = match kind.as_str() {
        Some("model") => words.actor_model,
        Some("tool") => words.actor_tool,
        Some("rule") => words.actor_rule,
        Some("import") => words.actor_import,
        _ => words.actor_user,
    };
    actor.name.as_ref().map_or_else(|| kind.to_owned(), |name| format!("{kind} · {name}"))
}

fn body(detail: &RecordDetail, lang: Lang) -> AnyView {
    let run = use_run_of(lang);
    let record = &detail.record;
    let words = lang.words();
    let mut rows = vec![(words.recorded_at, full_time(record.recorded_at, lang))];
    if record.valid_from != record.recorded_at {
        rows.push((words.valid_from, full_time(record.valid_from, lang)));
    }
    rows.push((words.actor, actor(record, words)));
    rows.push((
        words.thread_turn,
        if record.turn == 0 { record.thread.clone() } else { format!("{} · {}", record.thread, record.turn) },
    ));
    rows.extend((!record.reason.is_empty()).then(|| (words.reason, record.reason.clone())));
    rows.extend(record.origin.as_ref().map(|origin| (words.origin, format!("{} · {}", origin.source, origin.seq))));
    let lane = record.lane.clone();
    let near = detail.causes.iter().take(CAUSES).map(|cause| link(run, cause, lang)).collect_view();
    let far = detail.causes.iter().skip(CAUSES).map(|cause| link(run, cause, lang)).collect_view();
    let far_count = detail.causes.len().saturating_sub(CAUSES);
    let width = window().inner_width().ok().and_then(|width| width.as_f64()).unwrap_or(NARROW);
    let opens = width >= NARROW;
    let effects = detail.effects.iter().take(EFFECTS).map(|seq| seq_link(run, *seq, lang)).collect_view();
    let data = (!record.data.is_null()).then(|| view! { <ValueTree value=record.data.clone()/> });
    let command = (!detail.command.is_null()).then(|| {
        let text = json::write_pretty(&detail.command);
        view! {
            <details class="more">
                <summary>{words.command}</summary>
                <pre class="code" tabindex="0">{text}</pre>
            </details>
        }
    });
    view! {
        <div class="detail">
            <p class="detail-head">
                <span class=format!("glyph lane-{lane}") aria-hidden="true">{glyph(&lane)}</span>
                <span class="num">{number(record.seq, lang)}</span>
                <code>{record.kind.clone()}</code>
                <span class="hint">{lane_word(&lane)(words)}</span>
            </p>
            <p class="detail-summary">{record.summary.clone()}</p>
            {record.erased.then(|| view! { <p class="hint">{words.erased}</p> })}
            <dl class="pairs">
                {rows.into_iter().map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> }).collect_view()}
            </dl>
            <details class="rest" open=opens>
            <summary>{words.more}</summary>
            <h3>{words.causes}</h3>
            {if detail.causes.is_empty() {
                view! { <p class="hint">{words.no_causes}</p> }.into_any()
            } else {
                let more = (far_count > 0).then(|| {
                    let count = fill(words.causes_more, &[("n", &number(far_count as u64, lang))]);
                    view! { <details class="more"><summary>{count}</summary> <ol class="causes">{far}</ol></details> }
                });
                view! { <ol class="causes">{near}</ol> {more} }.into_any()
            }}
            <h3>{words.effects}</h3>
            {if detail.effects.is_empty() {
                view! { <p class="hint">{words.no_effects}</p> }.into_any()
            } else {
                view! { <p class="seqs">{effects}</p> }.into_any()
            }}
            <h3>{words.data}</h3>
            {data}
            {command}
            <details class="more">
                <summary>{words.raw_json}</summary>
                <pre class="code" tabindex="0">{raw(detail)}</pre>
            </details>
            <p class="hint frame">
                {words.frame} " " <span class="num">{number(detail.frame, lang)}</span> " · " <code class="hash">{detail.chain.clone()}</code>
            </p>
            </details>
        </div>
    }
    .into_any()
}

/// The run's state, inside a view that was made for a language.
fn use_run_of(_: Lang) -> super::state::RunState {
    use_run()
}

fn link(run: super::state::RunState, record: &RecordRow, lang: Lang) -> impl IntoView + use<> {
    let seq = record.seq;
    let lane = record.lane.clone();
    view! {
        <li>
            <button class="row-link" on:click=move |_| run.jump(seq)>
                <span class=format!("glyph lane-{lane}") aria-hidden="true">{glyph(&lane)}</span>
                <span class="num">{number(seq, lang)}</span>
                <code>{record.kind.clone()}</code>
                <span class="row-text">{cut(&record.summary, CAUSE_CHARS)}</span>
            </button>
        </li>
    }
}

/// A button that goes to a record.
pub(crate) fn seq_link(run: super::state::RunState, seq: u64, lang: Lang) -> impl IntoView + use<> {
    let text = number(seq, lang);
    let label = fill(lang.words().show_record, &[("n", &text)]);
    view! { <button class="seq-link num" aria-label=label on:click=move |_| run.jump(seq)>{text}</button> }
}

/// A value as a list of names and values; what is nested deeper stands as text.
#[component]
pub(crate) fn ValueTree(value: Value) -> AnyView {
    match value {
        Value::Map(map) if !map.is_empty() => view! {
            <dl class="pairs tree">
                {map
                    .into_iter()
                    .map(|(name, value)| view! { <div><dt>{name}</dt><dd><ValueLeaf value/></dd></div> })
                    .collect_view()}
            </dl>
        }
        .into_any(),
        other => view! { <ValueLeaf value=other/> }.into_any(),
    }
}

/// How long a nested value may be to stand in one line.
const LEAF_CHARS: usize = 120;

#[component]
fn ValueLeaf(value: Value) -> AnyView {
    match value {
        Value::Map(_) | Value::List(_) => {
            let line = value.to_json();
            if line.chars().count() <= LEAF_CHARS {
                view! { <code class="json">{line}</code> }.into_any()
            } else {
                view! {
                    <details class="more">
                        <summary><code class="json">{cut(&line, LEAF_CHARS)}</code></summary>
                        <pre class="code" tabindex="0">{json::write_pretty(&value)}</pre>
                    </details>
                }
                .into_any()
            }
        }
        Value::Text(text) => view! { <span class="text">{text}</span> }.into_any(),
        plain => view! { <code class="json">{plain.to_json()}</code> }.into_any(),
    }
}
