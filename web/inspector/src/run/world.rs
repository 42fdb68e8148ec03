//! Entities and relations at the cursor.

use leptos::prelude::*;
use throughline_protocol::query::{Entities, Relations};
use throughline_protocol::view::{EntityView, RelationView};

use super::panel::{code, empty, gap, hint, mark, pair, panel, seen_or_refusal, seq_link};
use super::seen::use_view;
use super::state::{RunState, use_run};
use crate::dom::{El, el};
use crate::format::{cell, fill, full_time};
use crate::i18n::Lang;

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
    view! { {first} {second} }.into_any()
}

fn entity_row(run: RunState, entity: &EntityView, lang: Lang) -> El {
    let words = lang.words();
    let aliases = (!entity.aliases.is_empty())
        .then(|| hint("span", fill(words.aliases, &[("list", &entity.aliases.join(", "))])));
    let merged = entity.merged_into.as_ref().map(|name| mark(fill(words.merged_into, &[("name", name)])));
    let head = el("p")
        .class("entity-head")
        .with(el("b").text(entity.raw_id.clone()))
        .with(mark(entity.entity_type.clone()))
        .maybe(entity.retired.then(|| mark(words.retired)))
        .maybe(merged)
        .maybe(aliases)
        .with(gap())
        .with(seq_link(run, entity.seq, lang));
    let field = |(name, value): (&String, &throughline_value::Value)| {
        let seq = entity.field_seq.get(name).map(|seq| seq_link(run, *seq, lang));
        pair(name.clone(), el("dd").text(cell(value)).text(" ").maybe(seq))
    };
    let fields = if entity.fields.is_empty() {
        hint("p", words.no_fields)
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
    let until = relation.valid_to.map(|ms| fill(lang.words().relation_until, &[("time", &full_time(ms, lang))]));
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
