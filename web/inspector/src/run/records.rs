//! Every record as a table: the timeline's equal. Only the rows in sight are in the page.

use std::collections::BTreeMap;

use leptos::prelude::*;
use throughline_protocol::query::Records;
use throughline_protocol::view::RecordPage;
use web_sys::KeyboardEvent;

use super::columns::{clamp, to_f64};
use super::details::lane_glyph;
use super::panel::code;
use super::state::{RunState, Stage, use_run};
use super::timeline::lane_word;
use crate::dom::{Dom, El, el};
use crate::format::{fill, number, short_time};
use crate::i18n::{Lang, t};

/// The height of a row in pixels; the style sheet has the same.
const ROW: f64 = 28.0;

/// Rows above and below those in sight.
const OVERSCAN: usize = 6;

/// Records are asked for in blocks of so many.
const BLOCK: u64 = 200;

/// No element is made higher than this; beyond it the scroll bar moves more than a row at a time.
const TALLEST: f64 = 8_000_000.0;

/// How many rows Page up and Page down move.
const PAGE: i64 = 12;

/// The id of the filter's field.
pub(crate) const FILTER: &str = "filter";

/// The kinds of the records that were in sight, in blocks.
#[derive(Default)]
struct Kinds {
    blocks: BTreeMap<u64, Vec<String>>,
    asked: Vec<u64>,
}

/// The records table with its filter.
pub(crate) fn records_panel() -> AnyView {
    let run = use_run();
    let rows = Memo::new(move |_| {
        run.columns_version.track();
        // Case counts for nothing in Latin letters; other scripts are compared as they are.
        let wanted = run.filter.get().to_ascii_lowercase();
        let lang = run.app.lang.get();
        run.columns.with_value(|columns| {
            let wanted = wanted.trim();
            if wanted.is_empty() {
                return None;
            }
            let matches = |seq: &u64| {
                columns.row(*seq).is_some_and(|(_, lane, summary)| {
                    summary.to_ascii_lowercase().contains(wanted)
                        || lane.contains(wanted)
                        || lane_word(lane)(lang.words()).to_ascii_lowercase().contains(wanted)
                })
            };
            Some((1..=columns.head()).filter(matches).collect::<Vec<u64>>())
        })
    });
    let count = move || {
        let lang = run.app.lang.get();
        rows.with(|rows| {
            rows.as_ref().map(|rows| {
                let parts = [("n", &*number(rows.len() as u64, lang)), ("total", &*number(run.head.get(), lang))];
                fill(lang.words().filter_count, &parts)
            })
        })
    };
    view! {
        <section class="records" aria-label=t(|w| w.view_events)>
            <div class="filter">
                <input
                    id=FILTER
                    type="search"
                    class="field"
                    autocomplete="off"
                    aria-label=t(|w| w.filter)
                    placeholder=t(|w| w.filter_placeholder)
                    prop:value=move || run.filter.get()
                    on:input=move |event| run.filter.set(event_target_value(&event))
                    on:keydown=move |event: KeyboardEvent| filter_key(run, rows, &event)
                />
                <span class="hint num" role="status">{count}</span>
            </div>
            {grid_of(rows)}
        </section>
    }
    .into_any()
}

/// Enter goes to the next match, Shift+Enter to the one before, Escape clears.
fn filter_key(run: RunState, rows: Memo<Option<Vec<u64>>>, event: &KeyboardEvent) {
    let at = run.at.get_untracked();
    let found = rows.with_untracked(|rows| {
        let rows = rows.as_ref()?;
        if event.shift_key() {
            rows.iter().rev().find(|seq| **seq < at).or_else(|| rows.last()).copied()
        } else {
            rows.iter().find(|seq| **seq > at).or_else(|| rows.first()).copied()
        }
    });
    match event.key().as_str() {
        "Enter" => {
            if let Some(seq) = found {
                run.scrub(seq);
            }
        }
        "Escape" => run.filter.set(String::new()),
        _ => return,
    }
    event.prevent_default();
}

fn grid_of(rows: Memo<Option<Vec<u64>>>) -> AnyView {
    let run = use_run();
    let grid = NodeRef::<leptos::html::Div>::new();
    let top = RwSignal::new(0.0_f64);
    let high = RwSignal::new(400.0_f64);
    let kinds = StoredValue::new(Kinds::default());
    let kinds_version = RwSignal::new(0_u32);
    let len = Memo::new(move |_| {
        rows.with(|rows| rows.as_ref().map_or_else(|| usize::try_from(run.head.get()).unwrap_or(0), Vec::len))
    });
    let seq_at = move |index: usize| {
        rows.with(|rows| match rows {
            Some(rows) => rows.get(index).copied(),
            None => Some(index as u64 + 1),
        })
    };
    let index_of = move |seq: u64| {
        rows.with_untracked(|rows| match rows {
            Some(rows) => rows.binary_search(&seq).ok(),
            None => usize::try_from(seq.checked_sub(1)?).ok(),
        })
    };
    let tall = move || (to_f64(len.get()) * ROW).min(TALLEST);
    // Where the scroll bar stands, in rows; the same as pixels until the table is too tall for the browser.
    let first_row = move || {
        let all = to_f64(len.get()) * ROW;
        let room = (tall() - high.get()).max(1.0);
        let scrolled = top.get().clamp(0.0, room) / room * (all - high.get()).max(0.0);
        clamp(scrolled / ROW, len.get())
    };
    let sight = Memo::new(move |_| {
        let first = first_row();
        let count = clamp(high.get() / ROW, 200) + 1;
        (first.saturating_sub(OVERSCAN), (first + count + OVERSCAN).min(len.get()))
    });
    let measure = move || {
        if let Some(element) = grid.get_untracked() {
            top.set(f64::from(element.scroll_top()));
            high.set(f64::from(element.client_height()).max(ROW));
        }
    };
    Effect::new(move |_| {
        if grid.get().is_some() {
            measure();
            request_animation_frame(measure);
        }
    });
    let resized = window_event_listener(leptos::ev::resize, move |_| measure());
    on_cleanup(move || resized.remove());
    // The row of the record a person looks at stays in sight.
    Effect::new(move |_| {
        let at = run.at.get();
        rows.track();
        let (Some(element), Some(index)) = (grid.get(), index_of(at)) else { return };
        // Once the rows and the room around them have their heights.
        request_animation_frame(move || show_row(&element, index, len.get_untracked(), measure));
    });
    ask_kinds(run, sight, seq_at, kinds, kinds_version);
    let key = move |event: KeyboardEvent| {
        if crate::keys::has_modifier(&event) {
            return;
        }
        let by = match event.key().as_str() {
            "j" | "ArrowDown" => 1,
            "k" | "ArrowUp" => -1,
            "PageDown" => PAGE,
            "PageUp" => -PAGE,
            _ => return,
        };
        event.prevent_default();
        let last = i64::try_from(len.get_untracked()).unwrap_or(i64::MAX) - 1;
        let at = run.at.get_untracked();
        let here = rows.with_untracked(|rows| match rows {
            // Between two matches, the step goes to the nearer side of where it goes.
            Some(rows) => {
                rows.binary_search(&at).unwrap_or_else(|next| if by > 0 { next.wrapping_sub(1) } else { next })
            }
            None => usize::try_from(at.saturating_sub(1)).unwrap_or(0),
        });
        let here = i64::try_from(here).unwrap_or(-1);
        let next = (here + by).clamp(0, last.max(0));
        if let Some(seq) = usize::try_from(next).ok().and_then(|index| untrack(|| seq_at(index))) {
            run.scrub(seq);
        }
    };
    let row = move |index: usize, lang: Lang| {
        let seq = seq_at(index)?;
        let at = run.at.get();
        let (time, lane, summary) =
            run.columns.with_value(|c| c.row(seq).map(|(time, lane, text)| (time, lane, text.to_owned())))?;
        let kind = kinds.with_value(|kinds| {
            let (block, place) = ((seq - 1) / BLOCK, usize::try_from((seq - 1) % BLOCK).unwrap_or(0));
            kinds.blocks.get(&block).and_then(|kinds| kinds.get(place)).cloned()
        });
        let class = match seq.cmp(&at) {
            std::cmp::Ordering::Less => "grid-row",
            std::cmp::Ordering::Equal => "grid-row current",
            std::cmp::Ordering::Greater => "grid-row future",
        };
        let cell = |class: &'static str| el("span").attr("role", "gridcell").class(class);
        let row = el("div")
            .attr("role", "row")
            .attr("id", format!("row-{seq}"))
            .class(class)
            .attr("aria-rowindex", (index + 2).to_string())
            .attr("aria-selected", if seq == at { "true" } else { "false" })
            .with(cell("cell-seq num").text(number(seq, lang)))
            .with(cell("cell-time num").text(short_time(time, lang)))
            .with(
                cell("cell-lane")
                    .with(lane_glyph(lane))
                    .with(el("span").class("lane-word").text(lane_word(lane)(lang.words()))),
            )
            .with(cell("cell-kind").with(code(kind.unwrap_or_else(|| "…".to_owned()))))
            .with(cell("cell-summary").text(summary));
        Some(row.on_click(move || run.jump(seq)))
    };
    let show = move || {
        let lang = run.app.lang.get();
        let words = lang.words();
        kinds_version.track();
        run.columns_version.track();
        let column = |class: &'static str, word: &'static str| {
            el("span").attr("role", "columnheader").class(class).with(el("span").class("column-word").text(word))
        };
        let head = el("div")
            .attr("role", "row")
            .class("grid-head")
            .attr("aria-rowindex", "1")
            .with(column("cell-seq", words.col_seq))
            .with(column("cell-time", words.col_time))
            .with(column("cell-lane", words.col_lane))
            .with(column("cell-kind", words.col_kind))
            .with(column("cell-summary", words.col_summary));
        let (first, last) = sight.get();
        let rows = (first..last).filter_map(|index| row(index, lang));
        let before = to_f64(first) * ROW * scale(len.get());
        let after = (tall() - to_f64(last) * ROW * scale(len.get())).max(0.0);
        let mut out = vec![head, spacer(before)];
        out.extend(rows);
        out.push(spacer(after));
        out.extend((len.get() == 0).then(|| nothing(run, lang)));
        out
    };
    view! {
        <div
            node_ref=grid
            class="grid"
            role="grid"
            tabindex="0"
            aria-label=t(|w| w.view_events)
            aria-rowcount=move || (len.get() + 1).to_string()
            aria-activedescendant=move || format!("row-{}", run.at.get())
            on:scroll=move |_| measure()
            on:keydown=key
        >
            <Dom show=Box::new(show)/>
        </div>
    }
    .into_any()
}

/// Room for the rows that are not in the page.
fn spacer(height: f64) -> El {
    let height = clamp(height, usize::MAX >> 12);
    // A drawing without anything has a height that needs no style.
    el("svg").class("spacer").attr("aria-hidden", "true").attr("width", "1").attr("height", height.to_string())
}

/// That there are no rows, and what to do.
fn nothing(run: RunState, lang: Lang) -> El {
    let words = lang.words();
    let empty = el("div").class("empty");
    if run.head.get() == 0 {
        return empty.with(el("p").text(words.no_records));
    }
    let text = fill(words.filter_none, &[("n", &number(run.head.get(), lang))]);
    let clear = el("button").class("button").text(words.filter_clear).on_click(move || run.filter.set(String::new()));
    empty.with(el("p").text(text)).with(clear)
}

/// Scrolls as little as needed to have a row in sight, with one above and below.
fn show_row(element: &web_sys::Element, index: usize, rows: usize, then: impl Fn()) {
    let view = f64::from(element.client_height());
    let (y, now) = (to_f64(index) * ROW * scale(rows), f64::from(element.scroll_top()));
    let next = if y < now + ROW * 0.5 {
        y - ROW
    } else if y + ROW * 2.0 > now + view {
        y + ROW * 3.0 - view
    } else {
        return;
    };
    #[expect(clippy::cast_possible_truncation, reason = "at most the tallest element")]
    element.set_scroll_top(next.clamp(0.0, TALLEST) as i32);
    then();
}

/// How many pixels of the scroll bar stand for a pixel of a row.
fn scale(rows: usize) -> f64 {
    let all = to_f64(rows) * ROW;
    if all > TALLEST { TALLEST / all } else { 1.0 }
}

/// Asks for the blocks in sight whose kinds are not known yet.
fn ask_kinds(
    run: RunState,
    sight: Memo<(usize, usize)>,
    seq_at: impl Fn(usize) -> Option<u64> + Copy + 'static,
    kinds: StoredValue<Kinds>,
    version: RwSignal<u32>,
) {
    Effect::new(move |_| {
        run.epoch.track();
        kinds.update_value(|kinds| *kinds = Kinds::default());
    });
    Effect::new(move |_| {
        run.epoch.track();
        run.columns_version.track();
        if run.stage.with(|stage| *stage != Stage::Ready) {
            return;
        }
        let (first, last) = sight.get();
        let head = run.head.get();
        let mut blocks: Vec<u64> = (first..last).filter_map(seq_at).map(|seq| (seq - 1) / BLOCK).collect();
        blocks.dedup();
        for block in blocks {
            let known = kinds.with_value(|kinds| {
                let full = |rows: &Vec<String>| block * BLOCK + rows.len() as u64 >= head.min((block + 1) * BLOCK);
                kinds.asked.contains(&block) || kinds.blocks.get(&block).is_some_and(full)
            });
            let Some(session) = run.session().filter(|_| !known) else { continue };
            kinds.update_value(|kinds| kinds.asked.push(block));
            run.app.work(async move {
                let limit = usize::try_from(BLOCK).ok();
                let query = Records { from: block * BLOCK + 1, limit, ..Records::default() };
                let page = session.ask::<RecordPage>(query).await;
                let stored = kinds.try_update_value(|kinds| {
                    kinds.asked.retain(|asked| *asked != block);
                    if let Ok(page) = page {
                        kinds.blocks.insert(block, page.records.into_iter().map(|record| record.kind).collect());
                    }
                });
                if stored.is_some() {
                    version.update(|n| *n += 1);
                }
            });
        }
    });
}
