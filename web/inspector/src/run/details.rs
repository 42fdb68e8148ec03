//! The record a person looks at: what it holds, who did it, what led to it and what it led to.

use leptos::prelude::*;
use throughline_protocol::query::RecordBySeq;
use throughline_protocol::view::{RecordDetail, RecordRow};
use throughline_value::{Value, json};

use super::paint::glyph;
use super::panel::{code, hint, more, pair, refused, seq_link, source, title, value_tree};
use super::seen::use_view;
use super::state::{RunState, use_run};
use super::timeline::lane_word;
use crate::dom::{Dom, El, el};
use crate::format::{cut, fill, full_time, number};
use crate::i18n::{Lang, Words};
use crate::session::raw;

/// How many characters of a cause's line are shown.
const CAUSE_CHARS: usize = 140;

/// How many causes stand open; the ones further back open on demand.
const CAUSES: usize = 4;

/// In a window this narrow the details begin with what happened, and the rest opens on demand.
const NARROW: f64 = 600.0;

/// How many of the records that a record led to are shown.
const EFFECTS: usize = 40;

/// The details of the record at the cursor.
pub(crate) fn details() -> AnyView {
    let run = use_run();
    let seen = use_view::<RecordDetail, _>(|_, at| (at > 0).then_some(RecordBySeq { seq: at }));
    let show = Box::new(move || {
        let lang = run.app.lang.get();
        let words = lang.words();
        let head = el("header").class("panel-head").with(el("h2").attr("id", "details-title").text(words.details));
        let seen = seen.get();
        let body = match (seen.value, seen.refusal) {
            _ if run.head.get() == 0 => el("p").class("hint detail").text(words.no_detail),
            (Some(detail), _) => body(run, &detail, lang),
            (None, Some(refusal)) => el("div").class("detail").with(refused(&refusal, lang)),
            (None, None) => el("p").class("hint detail").text(words.working),
        };
        vec![head, body]
    });
    view! {
        <section class="details panel" aria-labelledby="details-title" tabindex="0">
            <Dom show/>
        </section>
    }
    .into_any()
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

/// Who, when, where: the rows that a record has.
fn about(record: &RecordRow, lang: Lang) -> El {
    let words = lang.words();
    let turn = if record.turn == 0 { String::new() } else { format!(" · {}", record.turn) };
    let other_time = record.valid_from != record.recorded_at;
    let rows = [
        Some((words.recorded_at, full_time(record.recorded_at, lang))),
        other_time.then(|| (words.valid_from, full_time(record.valid_from, lang))),
        Some((words.actor, actor(record, words))),
        Some((words.thread_turn, format!("{}{turn}", record.thread))),
        (!record.reason.is_empty()).then(|| (words.reason, record.reason.clone())),
        record.origin.as_ref().map(|origin| (words.origin, format!("{} · {}", origin.source, origin.seq))),
    ];
    let rows = rows.into_iter().flatten().map(|(name, value)| pair(name, el("dd").text(value)));
    el("dl").class("pairs").all(rows)
}

/// The lane's sign and colour.
pub(crate) fn lane_glyph(lane: &str) -> El {
    el("span").class(format!("glyph lane-{lane}")).attr("aria-hidden", "true").text(glyph(lane))
}

fn body(run: RunState, detail: &RecordDetail, lang: Lang) -> El {
    let words = lang.words();
    let record = &detail.record;
    let head = el("p")
        .class("detail-head")
        .with(lane_glyph(&record.lane))
        .with(el("span").class("num").text(number(record.seq, lang)))
        .with(code(record.kind.clone()))
        .with(hint("span", lane_word(&record.lane)(words)));
    el("div")
        .class("detail")
        .with(head)
        .with(el("p").class("detail-summary").text(record.summary.clone()))
        .maybe(record.erased.then(|| hint("p", words.erased)))
        .with(about(record, lang))
        .with(rest(run, detail, lang))
}

/// What a narrow window shows on demand.
fn rest(run: RunState, detail: &RecordDetail, lang: Lang) -> El {
    let words = lang.words();
    let causes = if detail.causes.is_empty() {
        hint("p", words.no_causes)
    } else {
        el("ol").class("causes").all(detail.causes.iter().take(CAUSES).map(|cause| cause_row(run, cause, lang)))
    };
    let far = detail.causes.len().saturating_sub(CAUSES);
    let further = (far > 0).then(|| {
        let list = detail.causes.iter().skip(CAUSES).map(|cause| cause_row(run, cause, lang));
        let count = fill(words.causes_more, &[("n", &number(far as u64, lang))]);
        more(count, el("ol").class("causes").all(list))
    });
    let effects = if detail.effects.is_empty() {
        hint("p", words.no_effects)
    } else {
        el("p").class("seqs").all(detail.effects.iter().take(EFFECTS).map(|seq| seq_link(run, *seq, lang)))
    };
    let given = |value: &Value| !value.is_null();
    let width = window().inner_width().ok().and_then(|width| width.as_f64()).unwrap_or(NARROW);
    let all = el("details").class("rest");
    let all = if width >= NARROW { all.attr("open", "") } else { all };
    all.with(el("summary").text(words.more))
        .with(title(words.causes))
        .with(causes)
        .maybe(further)
        .with(title(words.effects))
        .with(effects)
        .with(title(words.data))
        .maybe(given(&detail.record.data).then(|| value_tree(&detail.record.data)))
        .maybe(given(&detail.command).then(|| more(words.command, source(json::write_pretty(&detail.command)))))
        .with(more(words.raw_json, source(raw(detail))))
        .with(
            el("p")
                .class("hint frame")
                .text(format!("{} {} · ", words.frame, number(detail.frame, lang)))
                .with(code(detail.chain.clone()).class("hash")),
        )
}

fn cause_row(run: RunState, record: &RecordRow, lang: Lang) -> El {
    let seq = record.seq;
    let button = el("button")
        .class("row-link")
        .with(lane_glyph(&record.lane))
        .with(el("span").class("num").text(number(seq, lang)))
        .with(code(record.kind.clone()))
        .with(el("span").class("row-text").text(cut(&record.summary, CAUSE_CHARS)))
        .on_click(move || run.jump(seq));
    el("li").with(button)
}
