//! Entities and relations at the cursor.

use leptos::prelude::*;
use throughline_protocol::query::{Entities, Relations};
use throughline_protocol::view::{EntityView, RelationView};

use super::details::seq_link;
use super::panel::Panel;
use super::seen::use_view;
use super::state::{RunState, use_run};
use crate::format::{cell, fill, full_time};
use crate::i18n::Lang;
use crate::ui::{Empty, Message};

/// The world.
#[component]
pub(crate) fn WorldPanel() -> impl IntoView {
    let run = use_run();
    let entities = use_view::<Vec<EntityView>, _>(|at, _| Some(Entities { at, entity_type: None }));
    let relations = use_view::<Vec<RelationView>, _>(|at, _| Some(Relations { at, ..Relations::default() }));
    view! {
        <Panel title=|w| w.entities name="entities">
            {move || {
                let lang = run.app.lang.get();
                let seen = entities.get();
                let list = seen.value?;
                if list.is_empty() {
                    let what = Message::plain(|w| w.no_entities).with("n", seen.at);
                    return Some(view! { <Empty what hint=|w| w.entities_hint/> }.into_any());
                }
                let cards = list.iter().map(|entity| entity_view(run, entity, lang)).collect_view();
                Some(view! { <ul class="entities">{cards}</ul> }.into_any())
            }}
        </Panel>
        <Panel title=|w| w.relations name="relations">
            {move || {
                let lang = run.app.lang.get();
                let seen = relations.get();
                let list = seen.value?;
                if list.is_empty() {
                    let what = Message::plain(|w| w.no_relations).with("n", seen.at);
                    return Some(view! { <Empty what hint=|w| w.entities_hint/> }.into_any());
                }
                let names = entities.get().value.unwrap_or_default();
                let name = |id: &str| {
                    names.iter().find(|entity| entity.id == id).map_or_else(|| id.to_owned(), |e| e.raw_id.clone())
                };
                let rows = list.iter().map(|one| relation_view(run, one, &name(&one.from), &name(&one.to), lang));
                Some(view! { <ul class="outline">{rows.collect_view()}</ul> }.into_any())
            }}
        </Panel>
    }
}

fn entity_view(run: RunState, entity: &EntityView, lang: Lang) -> impl IntoView + use<> {
    let words = lang.words();
    let fields = entity
        .fields
        .iter()
        .map(|(name, value)| {
            let seq = entity.field_seq.get(name).map(|seq| seq_link(run, *seq, lang));
            view! { <div><dt>{name.clone()}</dt><dd>{cell(value)} " " {seq}</dd></div> }
        })
        .collect_view();
    let aliases = (!entity.aliases.is_empty())
        .then(|| view! { <span class="hint">{fill(words.aliases, &[("list", &entity.aliases.join(", "))])}</span> });
    let merged = entity.merged_into.as_ref().map(|name| fill(words.merged_into, &[("name", name)]));
    view! {
        <li class="entity" class:retired=entity.retired>
            <p class="entity-head">
                <b>{entity.raw_id.clone()}</b>
                <span class="mark">{entity.entity_type.clone()}</span>
                {entity.retired.then(|| view! { <span class="mark">{words.retired}</span> })}
                {merged.map(|text| view! { <span class="mark">{text}</span> })}
                {aliases}
                <span class="bar-gap"></span>
                {seq_link(run, entity.seq, lang)}
            </p>
            {if entity.fields.is_empty() {
                view! { <p class="hint">{words.no_fields}</p> }.into_any()
            } else {
                view! { <dl class="pairs">{fields}</dl> }.into_any()
            }}
            <code class="hash">{entity.id.clone()}</code>
        </li>
    }
}

fn relation_view(run: RunState, relation: &RelationView, from: &str, to: &str, lang: Lang) -> impl IntoView + use<> {
    let words = lang.words();
    let until = relation.valid_to.map(|ms| fill(words.relation_until, &[("time", &full_time(ms, lang))]));
    view! {
        <li>
            <b>{from.to_owned()}</b>
            " — "
            <code>{relation.relation.clone()}</code>
            " → "
            <b>{to.to_owned()}</b>
            " "
            {relation.confidence.as_ref().map(|number| view! { <span class="num hint">{number.to_string()}</span> })}
            {relation.flag.clone().map(|flag| view! { <span class="mark">{flag}</span> })}
            <span class="hint">" " {until}</span>
            " "
            {seq_link(run, relation.seq, lang)}
        </li>
    }
}
