//! Entities and relations at the cursor: as lists, and as a drawing around one entity.

use leptos::prelude::*;
use throughline_protocol::query::{Entities, Influences, Neighbourhood, Relations};
use throughline_protocol::view::{self, EntityView, RelationView};

use super::graph::{Edge, Node, Way, graph, rows};
use super::panel::{code, empty, empty_text, gap, hint, mark, pair, panel, seen_or_refusal, seq_link, view_panel};
use super::seen::use_view;
use super::state::{RunState, use_run};
use crate::dom::{El, el};
use crate::focus::Focus;
use crate::format::{cell, fill, full_time, number};
use crate::i18n::Lang;

/// How many relations away from the entity in the middle the drawing goes.
const DEPTH: usize = 2;

/// How many entities it has at most; how many more there are is said.
const DRAWN: usize = 40;

/// What the entity in the middle, and the field asked about, are called in the address.
const ENTITY: &str = "e";
const FIELD: &str = "f";

fn chosen(focus: &Focus, key: &str) -> Option<String> {
    focus.rest.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone())
}

fn choose(run: RunState, entity: &str, field: Option<&str>) {
    let mut focus = run.app.focus.get_untracked();
    focus.rest.retain(|(name, _)| name != ENTITY && name != FIELD);
    focus.rest.push((ENTITY.to_owned(), entity.to_owned()));
    focus.rest.extend(field.map(|field| (FIELD.to_owned(), field.to_owned())));
    run.app.go(focus);
}

/// The entities, and the relations between them.
pub(crate) fn world_panels() -> AnyView {
    let run = use_run();
    let entities = use_view::<Vec<EntityView>, _>(|at, _| Some(Entities { at, entity_type: None }));
    let relations = use_view::<Vec<RelationView>, _>(|at, _| Some(Relations { at, ..Relations::default() }));
    let first = panel(
        |w| w.entities,
        "entities",
        move |lang| match seen_or_refusal(entities.get(), lang) {
            Ok((list, at)) if list.is_empty() => vec![empty(|w| w.no_entities, at, |w| w.entities_hint, lang)],
            Ok((list, _)) => {
                vec![el("ul").class("entities").all(list.iter().map(|entity| entity_row(run, entity, lang)))]
            }
            Err(other) => other,
        },
    );
    let second = panel(
        |w| w.relations,
        "relations",
        move |lang| match seen_or_refusal(relations.get(), lang) {
            Ok((list, at)) if list.is_empty() => vec![empty(|w| w.no_relations, at, |w| w.entities_hint, lang)],
            Ok((list, _)) => {
                let all = entities.get().value.unwrap_or_default();
                vec![el("ul").class("outline").all(list.iter().map(|one| relation_row(run, one, &all, lang)))]
            }
            Err(other) => other,
        },
    );
    let middle = move || {
        chosen(&run.app.focus.get(), ENTITY)
            .or_else(|| entities.get().value.and_then(|list| list.first().map(|entity| entity.id.clone())))
    };
    view! { {ego_panel(middle)} {influences_panel()} {first} {second} }.into_any()
}

/// The entities around one.
fn ego_panel(middle: impl Fn() -> Option<String> + 'static) -> AnyView {
    let run = use_run();
    let around = use_view::<view::Neighbourhood, _>(move |at, _| {
        middle().map(|entity| Neighbourhood {
            at,
            entity,
            depth: Some(DEPTH),
            limit: Some(DRAWN),
            ..Neighbourhood::default()
        })
    });
    view_panel(
        |w| w.ego_title,
        "graph",
        move |lang| {
            let words = lang.views();
            let (around, _) = match seen_or_refusal(around.get(), lang) {
                Ok(seen) => seen,
                Err(other) if other.is_empty() => return vec![empty_text(words.ego_none, lang.words().entities_hint)],
                Err(other) => return other,
            };
            let (nodes, edges) = drawing(&around);
            let mut out = vec![graph(nodes, edges, Way::Right, words.ego_title, run)];
            if around.left_out > 0 {
                out.push(hint("p", fill(words.ego_more, &[("n", &number(around.left_out, lang))])));
            }
            let name = |id: &str| {
                let entity = around.entities.iter().find(|entity| entity.id == id);
                entity.map_or(id, |entity| entity.raw_id.as_str()).to_owned()
            };
            out.push(el("ul").class("outline").all(around.relations.iter().map(|one| {
                el("li")
                    .text(format!("{} — ", name(&one.from)))
                    .with(code(one.relation.clone()))
                    .text(format!(" → {} ", name(&one.to)))
                    .with(seq_link(run, one.seq, lang))
            })));
            let buttons = around.entities.iter().map(|entity| {
                let id = entity.id.clone();
                el("button").class("button quiet").text(entity.raw_id.clone()).on_click(move || choose(run, &id, None))
            });
            out.push(el("p").class("options").with(hint("span", words.ego_choose)).all(buttons));
            out
        },
    )
}

fn drawing(around: &view::Neighbourhood) -> (Vec<Node>, Vec<Edge>) {
    let place = |id: &str| around.entities.iter().position(|entity| entity.id == id);
    let pairs: Vec<_> =
        around.relations.iter().filter_map(|one| Some((place(&one.from)?, place(&one.to)?, one))).collect();
    let mut both: Vec<_> = pairs.iter().map(|(from, to, _)| (*from, *to)).collect();
    both.extend(pairs.iter().map(|(from, to, _)| (*to, *from)));
    let layers = rows(around.entities.len(), &[0], &both);
    let nodes = around.entities.iter().zip(layers).map(|(entity, row)| Node {
        label: entity.raw_id.clone(),
        sub: entity.entity_type.clone(),
        class: if entity.retired { "node retired".to_owned() } else { "node".to_owned() },
        row,
        seq: None,
    });
    let edges =
        pairs.iter().map(|(from, to, one)| Edge { from: *from, to: *to, label: one.relation.clone(), class: "edge" });
    (nodes.collect(), edges.collect())
}

/// The records that led to the field that was chosen.
fn influences_panel() -> AnyView {
    let run = use_run();
    let asked = use_view::<view::Influences, _>(move |at, _| {
        let focus = run.app.focus.get();
        Some(Influences { at, entity: chosen(&focus, ENTITY)?, field: chosen(&focus, FIELD)?, ..Influences::default() })
    });
    view_panel(
        |w| w.influences_title,
        "influences",
        move |lang| {
            let words = lang.views();
            if chosen(&run.app.focus.get(), FIELD).is_none() {
                return vec![hint("p", words.influences_hint)];
            }
            let (found, _) = match seen_or_refusal(asked.get(), lang) {
                Ok(seen) => seen,
                Err(other) => return other,
            };
            let list = found.records.iter().map(|one| {
                el("li")
                    .with(seq_link(run, one.record.seq, lang))
                    .text(" ")
                    .with(mark(one.by.clone()))
                    .text(format!(" {} ", one.record.summary))
                    .with(hint("span", one.field.clone().unwrap_or_default()))
            });
            let mut out = vec![el("p").with(el("b").text(cell(&found.value))), el("ol").class("outline").all(list)];
            if found.left_out > 0 {
                out.push(hint("p", fill(words.ego_more, &[("n", &number(found.left_out, lang))])));
            }
            out
        },
    )
}

fn entity_row(run: RunState, entity: &EntityView, lang: Lang) -> El {
    let aliases = (!entity.aliases.is_empty())
        .then(|| hint("span", fill(lang.views().aliases, &[("list", &entity.aliases.join(", "))])));
    let merged = entity.merged_into.as_ref().map(|name| mark(fill(lang.views().merged_into, &[("name", name)])));
    let head = el("p")
        .class("entity-head")
        .with(el("b").text(entity.raw_id.clone()))
        .with(mark(entity.entity_type.clone()))
        .maybe(entity.retired.then(|| mark(lang.views().retired)))
        .maybe(merged)
        .maybe(aliases)
        .with(gap())
        .with(seq_link(run, entity.seq, lang));
    let field = |(name, value): (&String, &throughline_value::Value)| {
        let seq = entity.field_seq.get(name).map(|seq| seq_link(run, *seq, lang));
        let (id, field) = (entity.id.clone(), name.clone());
        let why =
            el("button").class("button quiet").text(lang.views().why).on_click(move || choose(run, &id, Some(&field)));
        pair(name.clone(), el("dd").text(cell(value)).text(" ").maybe(seq).with(why))
    };
    let fields = if entity.fields.is_empty() {
        hint("p", lang.views().no_fields)
    } else {
        el("dl").class("pairs").all(entity.fields.iter().map(field))
    };
    el("li")
        .class(if entity.retired { "entity retired" } else { "entity" })
        .with(head)
        .with(fields)
        .with(code(entity.id.clone()).class("hash"))
}

fn relation_row(run: RunState, relation: &RelationView, all: &[EntityView], lang: Lang) -> El {
    let name = |id: &str| {
        let name = all.iter().find(|entity| entity.id == id).map_or(id, |entity| entity.raw_id.as_str());
        el("b").text(name.to_owned())
    };
    let until = relation.valid_to.map(|ms| fill(lang.views().relation_until, &[("time", &full_time(ms, lang))]));
    el("li")
        .with(name(&relation.from))
        .text(" — ")
        .with(code(relation.relation.clone()))
        .text(" → ")
        .with(name(&relation.to))
        .text(" ")
        .maybe(relation.confidence.as_ref().map(|number| el("span").class("num hint").text(number.to_string())))
        .maybe(relation.flag.clone().map(mark))
        .text(" ")
        .maybe(until.map(|until| hint("span", until)))
        .text(" ")
        .with(seq_link(run, relation.seq, lang))
}
