//! The plan's text: checked while it is typed, each problem underlined and repaired with one click, then run.

use leptos::prelude::*;
use serde::Deserialize;
use throughline_protocol::command::StartRun;
use throughline_protocol::domain::Localised;
use throughline_protocol::query::CheckPlan;
use throughline_protocol::view::{Diagnostic, Fix, PlanReport};
use throughline_value::{Map, Span, Value, from_node, json};
use wasm_bindgen::JsCast as _;

use super::desk::{Desk, inputs};
use super::full::{button, tick};
use crate::demo;
use crate::dom::{El, el};
use crate::format::{fill, localised, number};
use crate::i18n::Lang;
use crate::run::panel::{code, hint, mark, more, refused, source, title, view_panel};
use crate::run::seen::use_view;
use crate::session::file;

/// The id of the field.
pub(super) const FIELD: &str = "plan-text";

/// A plan that lies beside a demo.
#[derive(Clone, Default, PartialEq, Deserialize)]
#[serde(rename = "open", default)]
struct DemoPlan {
    label: Localised,
    hint: Localised,
    file: String,
    /// Its text, once it is there.
    #[serde(skip)]
    text: String,
}

#[derive(Default, Deserialize)]
#[serde(rename = "open", default)]
struct DemoPlans {
    plans: Vec<DemoPlan>,
}

/// The plans of the demo that the journal belongs to. A demo without any, or a page without demos, has none.
async fn demo_plans(id: &str) -> Option<Vec<DemoPlan>> {
    let card = demo::cards().await.ok()?.into_iter().find(|card| card.id == id)?;
    let folder = format!("demos/{}", card.folder);
    let text = file(&format!("{folder}/demo.json")).await.ok()?;
    let found: DemoPlans = from_node(&json::read(&text).ok()?).ok()?;
    let mut plans = Vec::new();
    for plan in found.plans {
        let text = file(&format!("{folder}/{}", plan.file)).await.ok()?;
        plans.push(DemoPlan { text, ..plan });
    }
    Some(plans)
}

/// The editor.
pub(super) fn editor_panel(desk: Desk) -> AnyView {
    let run = desk.run;
    let plans = RwSignal::new(Vec::<DemoPlan>::new());
    Effect::new(move |_| {
        let Some(id) = run.demo_id.get() else { return };
        run.app.work(async move {
            if let Some(found) = demo_plans(&id).await {
                plans.try_set(found);
            }
        });
    });
    let shown = move || desk.seen.get().value;
    let text = Memo::new(move |_| desk.typed.get().or_else(|| shown().map(|view| view.plan)).unwrap_or_default());
    // A plan that was loaded has nothing to do with what the shown run was given.
    let given = Memo::new(move |_| {
        let other = plans.with(|plans| text.with(|text| plans.iter().any(|plan| plan.text == *text)));
        if other { Map::new() } else { shown().map(|view| inputs(&view)).unwrap_or_default() }
    });
    let query = move |fix: bool| CheckPlan {
        plan: Value::from(text.get()),
        inputs: given.get().keys().cloned().collect(),
        fix,
        ..CheckPlan::default()
    };
    let report = use_view::<PlanReport, _>(move |_, _| (!text.get().trim().is_empty()).then(|| query(false)));
    let mend = move || {
        let query = untrack(|| query(true));
        run.app.work(async move {
            let Some(session) = run.session() else { return };
            match session.ask::<PlanReport>(query).await {
                Ok(report) => {
                    desk.typed.try_set(Some(report.text));
                }
                Err(refusal) => run.tell(refusal),
            }
        });
    };
    view_panel(
        |w| w.editor_title,
        "editor",
        move |lang| {
            let words = lang.views();
            let typed = text.get();
            let offered = plans.get();
            let offers = offered.iter().map(|plan| {
                let text = plan.text.clone();
                let on = text == typed;
                button("button quiet", "", move || desk.typed.set(Some(text.clone())))
                    .text(localised(&plan.label, lang))
                    .attr("aria-pressed", if on { "true" } else { "false" })
                    .attr("title", localised(&plan.hint, lang))
            });
            let about = offered.iter().find(|plan| plan.text == typed).map(|plan| localised(&plan.hint, lang));
            let offers = el("p").class("options").all(offers);
            let seen = report.get();
            let report = if typed.trim().is_empty() { PlanReport::default() } else { seen.value.unwrap_or_default() };
            // Places count only in the text that was checked.
            let places = report.text == typed;
            let marks: &[Diagnostic] = if places { &report.diagnostics } else { &[] };
            let errors = report.diagnostics.iter().filter(|one| one.severity == "error").count();
            let fixes = report.diagnostics.iter().filter(|one| one.fix.is_some()).count();
            let go = move || {
                if errors == 0 {
                    start(desk, text.get_untracked(), given.get_untracked());
                }
            };
            let can_run = report.ok && !typed.trim().is_empty();
            let normal = report.normal.clone();
            let format = (!normal.is_empty() && normal != typed)
                .then(|| button("button quiet", words.editor_format, move || desk.typed.set(Some(normal.clone()))));
            let back = desk.typed.get().is_some() && desk.wanted.get().is_some();
            let back = back.then(|| button("button quiet", words.editor_back, move || desk.typed.set(None)));
            let bar = el("p")
                .class("options")
                .with(
                    button("button primary", words.editor_run, go)
                        .attr("aria-disabled", if can_run { "false" } else { "true" }),
                )
                .with(tick(words.start_paused, desk.paused))
                .maybe((fixes > 0).then(|| button("button", words.editor_fix_all, mend)))
                .maybe(format)
                .maybe(back);
            let verdict = if typed.trim().is_empty() {
                words.editor_empty.to_owned()
            } else if report.diagnostics.is_empty() && report.ok {
                words.editor_clean.to_owned()
            } else {
                let n = |n: usize| number(n as u64, lang);
                let parts = [("n", n(errors)), ("m", n(report.diagnostics.len() - errors)), ("k", n(fixes))];
                let parts = parts.each_ref().map(|(name, n)| (*name, n.as_str()));
                fill(words.editor_found, &parts)
            };
            let mut out = vec![offers, hint("p", about.unwrap_or_default()), field(desk, &typed, marks, lang), bar];
            out.push(el("p").class("verdict").attr("role", "status").text(verdict));
            out.extend(seen.refusal.map(|refusal| refused(&refusal, lang)));
            let rows = report.diagnostics.iter().map(|one| problem(desk, &report.text, one, places, lang));
            out.push(el("ul").class("outline problems").all(rows));
            if !places && !report.text.is_empty() && !typed.trim().is_empty() {
                // Another spelling: what was read of it, in ours.
                let text = report.text.clone();
                out.push(title(words.editor_read_as));
                out.push(source(report.text.clone()));
                out.push(button("button", words.editor_take, move || desk.typed.set(Some(text.clone()))));
            }
            if !report.json.is_null() {
                out.push(more(words.editor_json, source(json::write_pretty(&report.json))));
            }
            out
        },
    )
}

/// Starts a run of it. What was typed stays until the run is there.
fn start(desk: Desk, plan: String, inputs: Map) {
    desk.does(StartRun {
        plan: Value::from(plan),
        inputs,
        paused: desk.paused.get_untracked(),
        breakpoints: desk.stops.get_untracked(),
    });
}

/// The field, and under its letters the same text with what is wrong underlined.
fn field(desk: Desk, text: &str, problems: &[Diagnostic], lang: Lang) -> El {
    let under = pieces(text, problems).into_iter().fold(el("pre").class("plan-under"), |pre, (piece, wrong)| {
        let class = match wrong {
            None => return pre.with(el("span").text(piece)),
            Some("error") => "squiggle squiggle-error",
            Some(_) => "squiggle squiggle-warning",
        };
        pre.with(el("span").class(class).text(piece))
    });
    let field = el("textarea")
        .class("plan-field")
        .attr("id", FIELD)
        .attr("wrap", "off")
        .attr("spellcheck", "false")
        .attr("autocapitalize", "off")
        .attr("aria-label", lang.views().editor_title)
        .attr("placeholder", lang.views().editor_placeholder)
        .attr(".value", text.to_owned())
        .on("input", move |event| desk.typed.set(Some(event_target_value(&event))));
    // The last line counts also when it is empty.
    let under = under.text("\n").attr("aria-hidden", "true");
    el("div").class("plan-scroll").with(el("div").class("plan-edit").with(under).with(field))
}

/// The text in pieces, each with the gravity of what is wrong there; of two problems at one place the first counts.
fn pieces<'a>(text: &str, problems: &'a [Diagnostic]) -> Vec<(String, Option<&'a str>)> {
    let mut spans: Vec<(Span, &str)> =
        problems.iter().filter_map(|one| one.span.map(|span| (span, one.severity.as_str()))).collect();
    spans.sort_by_key(|(span, _)| (span.start, span.end));
    let mut out = Vec::new();
    let mut done = 0;
    for (span, severity) in spans {
        // What is missing has no letters: the one after it, or before it at the end, is underlined.
        let last = text.char_indices().next_back().map_or(0, |(at, _)| at);
        let start = span.start.min(last).max(done);
        let next = text.get(start..).and_then(|rest| rest.chars().next()).map_or(start, |c| start + c.len_utf8());
        let end = span.end.max(next).min(text.len());
        let (Some(before), Some(wrong)) = (text.get(done..start), text.get(start..end)) else { continue };
        if wrong.is_empty() {
            continue;
        }
        out.push((before.to_owned(), None));
        out.push((wrong.to_owned(), Some(severity)));
        done = end;
    }
    out.push((text.get(done..).unwrap_or_default().to_owned(), None));
    out.retain(|(piece, _)| !piece.is_empty());
    out
}

/// Line and column of a byte, both from 1.
fn place(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

fn problem(desk: Desk, text: &str, one: &Diagnostic, places: bool, lang: Lang) -> El {
    let words = lang.views();
    let gravity = if one.severity == "error" { lang.words().sev_error } else { lang.words().sev_warning };
    let at = one.span.map(|span| {
        let (line, column) = place(text, span.start);
        let label = fill(words.editor_line, &[("line", &line.to_string()), ("column", &column.to_string())]);
        let units = |byte: usize| text.get(..byte).unwrap_or(text).encode_utf16().count();
        let (start, end) = (units(span.start), units(span.end));
        el("button").class("seq-link num").attr("aria-label", label).text(format!("{line}:{column}")).on_click(
            move || {
                if places {
                    select(start, end);
                }
            },
        )
    });
    let fix = one.fix.clone().map(|fix| {
        let (text, label) = (text.to_owned(), fix.title.clone());
        el("button")
            .class("button fix")
            .with(el("span").text(words.editor_fix))
            .text(format!(" {label}"))
            .on_click(move || desk.typed.set(Some(fixed(&text, &fix))))
    });
    el("li")
        .class(format!("problem problem-{}", one.severity))
        .maybe(at)
        .text(" ")
        .with(mark(gravity).class(format!("mark problem-mark sev-{}", one.severity)))
        .text(" ")
        .with(code(one.code.clone()))
        .text(format!(" {} ", one.message))
        .maybe(fix)
}

/// The text after a repair.
fn fixed(text: &str, fix: &Fix) -> String {
    match (text.get(..fix.span.start), text.get(fix.span.end..)) {
        (Some(before), Some(after)) => format!("{before}{}{after}", fix.replacement),
        _ => text.to_owned(),
    }
}

/// Selects a place in the field.
fn select(start: usize, end: usize) {
    crate::ui::focus_on(FIELD);
    let field =
        document().get_element_by_id(FIELD).and_then(|field| field.dyn_into::<web_sys::HtmlTextAreaElement>().ok());
    if let Some(field) = field {
        let units = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let _ = field.set_selection_range(units(start), units(end));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(start: usize, end: usize, severity: &str) -> Diagnostic {
        Diagnostic { span: Some(Span::new(start, end)), severity: severity.to_owned(), ..Diagnostic::default() }
    }

    #[test]
    fn the_pieces_of_a_text_are_the_text_whatever_is_wrong_with_it() {
        let text = "$a = GÉT 报告\n$b";
        for problems in [
            vec![],
            vec![wrong(0, 2, "error")],
            vec![wrong(10, 16, "warning"), wrong(5, 9, "error"), wrong(6, 12, "error")],
            vec![wrong(text.len(), text.len(), "error"), wrong(0, 0, "error")],
            vec![wrong(7, 8, "error"), wrong(3, 999, "error")],
        ] {
            let all: String = pieces(text, &problems).into_iter().map(|(piece, _)| piece).collect();
            assert_eq!(all, text);
        }
        let at_the_end = [wrong(3, 3, "error")];
        assert_eq!(pieces("1 +", &at_the_end).last(), Some(&("+".to_owned(), Some("error"))));
        let wrongs = [wrong(5, 11, "error")];
        let found = pieces("$a = COMPUT 1", &wrongs);
        assert_eq!(found.get(1), Some(&("COMPUT".to_owned(), Some("error"))));
    }

    #[test]
    fn a_place_is_counted_in_lines_and_letters() {
        for (byte, expected) in [(0, (1, 1)), (3, (1, 2)), (7, (2, 1)), (999, (2, 3))] {
            assert_eq!(place("报告\nab", byte), expected, "{byte}");
        }
        let fix = Fix { span: Span::new(2, 4), replacement: "XY".to_owned(), ..Fix::default() };
        assert_eq!(fixed("abcdef", &fix), "abXYef");
        assert_eq!(fixed("a", &fix), "a");
    }
}
