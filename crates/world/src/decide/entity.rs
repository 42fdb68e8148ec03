//! Registering, updating and retiring entities.

use throughline_journal::Millis;
use throughline_protocol::command::{RegisterEntity, RetireEntity, UpdateEntity};
use throughline_protocol::domain::EntityType;
use throughline_protocol::{At, Context, Decision, Refusal};
use throughline_value::{Map, Value};

use super::expect_version;
use crate::bitemporal::Stamp;
use crate::contract::{self, Taken, check_name, step};
use crate::entity::{Cell, Node};
use crate::fields::{map, some};
use crate::find::{Found, NEWEST};
use crate::identity::{Rules, entity_id};
use crate::kind;
use crate::limits::{MAX_FIELDS, MAX_NAMES};
use crate::world::World;

impl World {
    /// Registers an entity. The same one again, by any of its spellings, is a mention of it: new fields and
    /// names are added, and an input that was seen before, or says nothing new, changes nothing.
    ///
    /// # Errors
    /// `unknown-entity-type`, `bad-raw-id`, `unknown-field`, `missing-field`, the codes of field values,
    /// `ambiguous-name`, `entity-retired`, `id-collision`, and limits.
    pub fn register_entity(&self, ctx: &Context<'_>, command: &RegisterEntity) -> Result<Decision, Refusal> {
        let contract = contract::entity_type(ctx.domain, &command.entity_type, "/entity_type")?;
        let rules = Rules::of(contract)?;
        let key = rules.apply(&command.raw_id);
        contract::check_raw_id(contract, &key)?;
        for (i, alias) in command.aliases.iter().enumerate() {
            check_name(alias, &format!("/aliases/{i}"))?;
        }
        // Null says nothing when an entity is registered; it clears only when one is updated.
        let given: Map =
            command.fields.iter().filter(|(_, v)| !v.is_null()).map(|(k, v)| (k.clone(), v.clone())).collect();
        let taken = self.take_fields(ctx, contract, &given)?;
        let id = entity_id(&command.entity_type, &key);
        if let Some(node) = self.node(&id) {
            if node.key != key || *node.entity_type != *command.entity_type {
                let message =
                    format!("`{}` and `{}` have the same id `{id}`; add something to the raw id", node.key, key);
                return Err(Refusal::new("id-collision", message).at_path("/raw_id"));
            }
            return self.mention(ctx, node, command, taken);
        }
        // Another name of an entity of this type is that entity.
        match self.find_by(rules, &command.raw_id, &command.entity_type) {
            // An id is not a name: nothing is registered under the id of another.
            Found::One(node) if *node.id != *command.raw_id => return self.mention(ctx, node, command, taken),
            Found::Nothing => {}
            found => {
                self.meant(found, &command.raw_id, Some(&command.entity_type), "/raw_id")?;
            }
        }
        if let Some(missing) = missing(contract, &taken) {
            let message = format!("the field `{missing}` is required; give it when the entity is registered");
            return Err(Refusal::new("missing-field", message).at_path(step("/fields", missing)));
        }
        let mut aliases: Vec<&String> = Vec::new();
        for alias in &command.aliases {
            if *alias != command.raw_id && !aliases.contains(&alias) {
                aliases.push(alias);
            }
        }
        limit_names(aliases.len())?;
        let data = map([
            ("entity", Some((&*id).into())),
            ("entity_type", Some(command.entity_type.as_str().into())),
            ("raw_id", Some(command.raw_id.as_str().into())),
            ("key", Some(key.into())),
            ("normalise", Some(rules.to_value())),
            ("fields", some(Value::Map(taken.fields))),
            ("aliases", some(Value::List(aliases.into_iter().map(|a| a.as_str().into()).collect()))),
            ("originals", some(Value::Map(taken.originals))),
            ("zone_assumed", some(taken.zone_assumed.into())),
        ]);
        let result = [("entity", Value::from(&*id)), ("created", true.into()), ("version", 1.into())];
        Ok(Decision::one(ctx.draft(kind::ENTITY_REGISTERED, data), result.into()))
    }

    /// The same entity again.
    fn mention(
        &self,
        ctx: &Context<'_>,
        node: &Node,
        command: &RegisterEntity,
        taken: Taken,
    ) -> Result<Decision, Refusal> {
        let root = self.root(node, NEWEST);
        alive(root, ctx.valid())?;
        let mut names: Vec<&str> = Vec::new();
        for name in command.aliases.iter().chain([&command.raw_id]) {
            if !node.has_name(name) && !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        limit_names(node.names.len() + names.len())?;
        let counted = ctx.origin.map_or(!names.is_empty(), |origin| !node.origins.contains(origin));
        let taken = self.news(ctx, node, root, taken)?;
        let version = self.version(root, NEWEST);
        if taken.fields.is_empty() && names.is_empty() && !counted {
            let result = [
                ("entity", Value::from(&*root.id)),
                ("created", false.into()),
                ("version", version.into()),
                ("unchanged", true.into()),
            ];
            return Ok(Decision::unchanged(result.into()));
        }
        let version = version + u64::from(!taken.fields.is_empty() || !names.is_empty());
        let data = map([
            ("entity", Some((&*root.id).into())),
            ("of", (root.id != node.id).then(|| (&*node.id).into())),
            ("version", Some(version.into())),
            ("mention", some(counted.into())),
            ("fields", some(Value::Map(taken.fields))),
            ("aliases", some(names.into())),
            ("originals", some(Value::Map(taken.originals))),
            ("zone_assumed", some(taken.zone_assumed.into())),
        ]);
        let result = [("entity", Value::from(&*root.id)), ("created", false.into()), ("version", version.into())];
        Ok(Decision::one(ctx.draft(kind::ENTITY_UPDATED, data), result.into()))
    }

    /// Changes fields of an entity. What was valid earlier goes in before what is newer.
    ///
    /// # Errors
    /// `unknown-entity`, `ambiguous-name`, `version-conflict`, `entity-retired`, `unknown-field`, the codes of
    /// field values, and limits.
    pub fn update_entity(&self, ctx: &Context<'_>, command: &UpdateEntity) -> Result<Decision, Refusal> {
        let target = self.target(&command.entity, None, "/entity")?;
        let (node, root) = (target.node, target.root);
        let version = self.version(root, NEWEST);
        expect_version(&root.id, version, command.expected_version)?;
        alive(root, ctx.valid())?;
        let contract = contract::entity_type(ctx.domain, &node.entity_type, "/entity")?;
        let taken = self.take_fields(ctx, contract, &command.fields)?;
        let taken = self.news(ctx, node, root, taken)?;
        if taken.fields.is_empty() {
            let result = [("entity", Value::from(&*root.id)), ("version", version.into()), ("unchanged", true.into())];
            return Ok(Decision::unchanged(result.into()));
        }
        let data = map([
            ("entity", Some((&*root.id).into())),
            ("of", (root.id != node.id).then(|| (&*node.id).into())),
            ("version", Some((version + 1).into())),
            ("fields", Some(Value::Map(taken.fields))),
            ("originals", some(Value::Map(taken.originals))),
            ("zone_assumed", some(taken.zone_assumed.into())),
        ]);
        let result = [("entity", Value::from(&*root.id)), ("version", (version + 1).into())];
        Ok(Decision::one(ctx.draft(kind::ENTITY_UPDATED, data), result.into()))
    }

    /// Ends an entity, from the valid time on: before it, it is as it was.
    ///
    /// # Errors
    /// `unknown-entity`, `ambiguous-name`, `version-conflict`.
    pub fn retire_entity(&self, ctx: &Context<'_>, command: &RetireEntity) -> Result<Decision, Refusal> {
        let root = self.target(&command.entity, None, "/entity")?.root;
        let version = self.version(root, NEWEST);
        expect_version(&root.id, version, command.expected_version)?;
        let at = At { seq: NEWEST, valid_at: ctx.valid() };
        if root.retired(at) {
            let result = [("entity", Value::from(&*root.id)), ("version", version.into()), ("unchanged", true.into())];
            return Ok(Decision::unchanged(result.into()));
        }
        let data = map([("entity", Some((&*root.id).into())), ("version", Some((version + 1).into()))]);
        let result = [("entity", Value::from(&*root.id)), ("version", (version + 1).into())];
        Ok(Decision::one(ctx.draft(kind::ENTITY_RETIRED, data), result.into()))
    }

    /// How many records changed an entity, those merged into it included.
    pub(crate) fn version(&self, node: &Node, seq: throughline_journal::Seq) -> u64 {
        node.changed.count_at(seq) as u64
    }

    /// What of the fields is news. An undated value that stands already is none; a dated one is, even if it
    /// confirms what stands, because something older may still arrive between the two.
    fn news(&self, ctx: &Context<'_>, node: &Node, root: &Node, taken: Taken) -> Result<Taken, Refusal> {
        let at = At { seq: NEWEST, valid_at: ctx.valid() };
        let mut news = Taken::default();
        let known_origin = ctx.origin.is_some_and(|origin| node.said_by.contains(origin));
        for (name, value) in taken.fields {
            let stands = self.field_of(root, &name, at);
            let same = stands.map_or(value.is_null(), |(_, cell)| cell.value == value);
            let dated = stands.filter(|_| ctx.valid_from.is_some()).map(|(stamp, _)| stamp.valid_from);
            let nothing_said_since = dated.is_none_or(|from| from == ctx.valid() && ctx.origin.is_none());
            let absent = stands.is_none() && value.is_null() && ctx.valid_from.is_none();
            let repeated = known_origin
                && node.fields.get(name.as_str()).is_some_and(|line| {
                    let again =
                        |(stamp, cell): &(Stamp, Cell)| stamp.origin.as_deref() == ctx.origin && cell.value == value;
                    match ctx.valid_from {
                        Some(from) => line.exactly_from(from).any(again),
                        None => line.iter().any(again),
                    }
                });
            if repeated || absent || (same && stands.is_some() && nothing_said_since) {
                continue;
            }
            if let Some(original) = taken.originals.get(&name) {
                news.originals.insert(name.clone(), original.clone());
            }
            if taken.zone_assumed.contains(&name) {
                news.zone_assumed.push(name.clone());
            }
            news.fields.insert(name, value);
        }
        let added = news.fields.keys().filter(|name| !node.fields.contains_key(name.as_str())).count();
        if node.fields.len() + added > MAX_FIELDS {
            let message = format!("an entity has at most {MAX_FIELDS} fields");
            return Err(Refusal::new("too-many", message).at_path("/fields"));
        }
        Ok(news)
    }
}

fn missing<'d>(contract: Option<&'d EntityType>, taken: &Taken) -> Option<&'d str> {
    let mut required = contract?.fields.iter().filter(|(_, field)| field.required).map(|(name, _)| name.as_str());
    required.find(|name| !taken.fields.contains_key(name))
}

fn limit_names(count: usize) -> Result<(), Refusal> {
    if count > MAX_NAMES {
        let message = format!("an entity has at most {MAX_NAMES} names beside its raw id");
        return Err(Refusal::new("too-many", message).at_path("/aliases"));
    }
    Ok(())
}

/// Refuses when the entity was ended by then. What is said of the time before that is welcome.
pub(super) fn alive(root: &Node, valid_at: Millis) -> Result<(), Refusal> {
    if root.retired(At { seq: NEWEST, valid_at }) {
        let message = format!("`{}` was retired; nothing about it changes after that", root.id);
        return Err(Refusal::new("entity-retired", message).suggest("give a valid time before its end"));
    }
    Ok(())
}
