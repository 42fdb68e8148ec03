//! Adding and ending relations.

use throughline_expr::time::{Gap, add_span, parse_duration};
use throughline_journal::Millis;
use throughline_protocol::command::{AddRelation, EndRelation};
use throughline_protocol::domain::RelationType;
use throughline_protocol::{At, Context, Decision, Refusal, nearest};
use throughline_value::{Number, Value};

use super::entity::alive;
use crate::contract::{check_name, expr_refusal, read_time, suggest, zone};
use crate::fields::{map, some};
use crate::find::{NEWEST, Target};
use crate::kind;
use crate::limits::MAX_SUGGESTION_NAMES;
use crate::relation::{BELOW_FLOOR, HELD, Relation, RelationId, relation_id};
use crate::world::World;

impl World {
    /// Adds a relation. A newer one of the same three ends the older, and with cardinality one also those to
    /// other ends; a held one ends nothing until it is said again with enough confidence.
    ///
    /// # Errors
    /// `unknown-relation-type`, `unknown-entity`, `ambiguous-name`, `wrong-end`, `entity-retired`,
    /// `bad-confidence`, `below-floor`, `empty-interval`, the codes of times.
    pub fn add_relation(&self, ctx: &Context<'_>, command: &AddRelation) -> Result<Decision, Refusal> {
        let contract = relation_type(ctx, &command.relation)?;
        let from = self.target(&command.from, None, "/from")?;
        let to = self.target(&command.to, None, "/to")?;
        check_end(contract.map(|c| c.from.as_slice()), &from, &command.relation, "/from")?;
        check_end(contract.map(|c| c.to.as_slice()), &to, &command.relation, "/to")?;
        alive(from.root, ctx.valid()).map_err(|refusal| refusal.at_path("/from"))?;
        alive(to.root, ctx.valid()).map_err(|refusal| refusal.at_path("/to"))?;
        let flag = flag(contract, command.confidence.as_ref())?;
        let (valid_to, assumed) = valid_to(ctx, contract, command)?;
        let exclusive = contract.and_then(|c| c.cardinality.as_deref()) == Some("one");

        let ends = (&*from.node.id, command.relation.as_str(), &*to.node.id);
        let id = relation_id(ends, (ctx.valid(), ctx.origin), command.confidence.as_ref(), valid_to);
        let current = self.standing(&from, &command.relation, Some(&to).filter(|_| !exclusive), ctx.valid());
        // Undated and open-ended: what stands says it already.
        let dated = ctx.valid_from.is_some() || valid_to.is_some();
        let again = current.iter().find(|r| {
            let same_end = self.node(&r.to).is_some_and(|node| self.root(node, NEWEST).id == to.root.id);
            same_end && !dated && r.valid_to.is_none() && r.confidence == command.confidence && r.flag == flag
        });
        let again = again.map(|r| r.id.clone()).or_else(|| self.edges.by_id.get(&*id).map(|r| r.id.clone()));
        let again = again.or_else(|| self.same_origin(ctx, command, &from, &to));
        if let Some(again) = again {
            let result = [("relation", Value::from(&*again)), ("unchanged", true.into())];
            return Ok(Decision::unchanged(result.into()));
        }
        let ended: Vec<Value> = current.iter().filter(|_| flag != Some(HELD)).map(|r| Value::from(&*r.id)).collect();
        let data = map([
            ("relation", Some((&*id).into())),
            ("from", Some((&*from.node.id).into())),
            ("name", Some(command.relation.as_str().into())),
            ("to", Some((&*to.node.id).into())),
            ("confidence", command.confidence.clone().map(Value::from)),
            ("valid_to", valid_to.map(Value::from)),
            ("zone_assumed", some(assumed.into())),
            ("flag", flag.map(Value::from)),
            ("exclusive", some(exclusive.into())),
            ("ends", some(ended.clone().into())),
        ]);
        let result =
            map([("relation", Some((&*id).into())), ("flag", flag.map(Value::from)), ("ends", some(ended.into()))]);
        Ok(Decision::one(ctx.draft(kind::RELATION_ADDED, data), result))
    }

    /// Ends a relation, from the valid time on.
    ///
    /// # Errors
    /// `unknown-relation`.
    pub fn end_relation(&self, ctx: &Context<'_>, command: &EndRelation) -> Result<Decision, Refusal> {
        let Some(relation) = self.edges.by_id.get(command.relation.as_str()) else {
            let message = format!("there is no relation of the id `{}`", command.relation);
            let refusal = Refusal::new("unknown-relation", message).at_path("/relation");
            let ids: Vec<&str> = self.edges.by_id.keys().take(MAX_SUGGESTION_NAMES).map(|id| &**id).collect();
            return Err(match nearest(&command.relation, &ids) {
                Some(near) => refusal.suggest(format!("did you mean `{near}`?")),
                None => refusal,
            });
        };
        let result = [("relation", Value::from(&*relation.id))];
        if self.relation_end(relation, NEWEST).is_some_and(|end| end <= ctx.valid()) {
            let unchanged = [("relation", Value::from(&*relation.id)), ("unchanged", true.into())];
            return Ok(Decision::unchanged(unchanged.into()));
        }
        Ok(Decision::one(ctx.draft(kind::RELATION_ENDED, result.clone().into()), result.into()))
    }

    /// The relations of a name that stand at a time between two entities, or from one to any.
    fn standing(&self, from: &Target<'_>, name: &str, to: Option<&Target<'_>>, valid_at: Millis) -> Vec<&Relation> {
        let (name, at) = (name.into(), At { seq: NEWEST, valid_at });
        let ends = to.map(|to| self.members(&to.root.id, NEWEST));
        let starts = self.members(&from.root.id, NEWEST).into_iter();
        let newest = starts.flat_map(|start| match &ends {
            None => self.edges.newest_to_any(&start.id, &name, at),
            Some(ends) => ends.iter().flat_map(|end| self.edges.newest(&start.id, &name, &end.id, at)).collect(),
        });
        newest.filter(|relation| self.relation_stands(relation, at)).collect()
    }

    /// What the same input said before, when it said the same three; an undated repetition comes later and
    /// would else have another id.
    fn same_origin(
        &self,
        ctx: &Context<'_>,
        command: &AddRelation,
        from: &Target<'_>,
        to: &Target<'_>,
    ) -> Option<RelationId> {
        let origin = ctx.origin.filter(|_| ctx.valid_from.is_none())?;
        let mut said = self.edges.said(&from.node.id, &command.relation, &to.node.id);
        let same = said.find(|r| r.stamp.origin.as_deref() == Some(origin) && r.confidence == command.confidence);
        same.map(|r| r.id.clone())
    }
}

fn relation_type<'d>(ctx: &Context<'d>, name: &str) -> Result<Option<&'d RelationType>, Refusal> {
    check_name(name, "/relation")?;
    if ctx.domain.relations.is_empty() {
        return Ok(None);
    }
    ctx.domain.relations.get(name).map(Some).ok_or_else(|| {
        let names: Vec<&str> = ctx.domain.relations.keys().map(String::as_str).collect();
        let refusal = Refusal::new("unknown-relation-type", format!("the domain has no relation `{name}`"));
        suggest(refusal.at_path("/relation"), name, &names)
    })
}

fn check_end(allowed: Option<&[String]>, end: &Target<'_>, relation: &str, path: &str) -> Result<(), Refusal> {
    let Some(allowed) = allowed.filter(|allowed| !allowed.is_empty()) else { return Ok(()) };
    if allowed.iter().any(|t| **t == *end.node.entity_type) {
        return Ok(());
    }
    let message = format!("`{}` is a `{}`, which `{relation}` does not join", end.node.id, end.node.entity_type);
    Err(Refusal::new("wrong-end", message).at_path(path).suggest(format!("it joins {}", allowed.join(", "))))
}

/// What the domain says of so little confidence.
fn flag(contract: Option<&RelationType>, confidence: Option<&Number>) -> Result<Option<&'static str>, Refusal> {
    let Some(confidence) = confidence else { return Ok(None) };
    if *confidence < Number::from(0) || *confidence > Number::from(1) {
        let message = format!("a confidence goes from 0 to 1; this one is {confidence}");
        return Err(Refusal::new("bad-confidence", message).at_path("/confidence"));
    }
    let Some(contract) = contract else { return Ok(None) };
    let Some(floor) = contract.confidence_floor.as_ref().filter(|floor| confidence < *floor) else { return Ok(None) };
    match contract.below_floor.as_deref() {
        Some("drop") => {
            let message =
                format!("the domain drops this relation below a confidence of {floor}; this one has {confidence}");
            Err(Refusal::new("below-floor", message).at_path("/confidence"))
        }
        Some("keep") => Ok(Some(BELOW_FLOOR)),
        Some("hold") | None => Ok(Some(HELD)),
        Some(other) => {
            let message = format!("the domain's `below_floor` is `{other}`, which there is none");
            Err(Refusal::new("bad-domain", message).suggest("the policies are drop, hold and keep"))
        }
    }
}

/// Until when it is true by the command, else by the domain, and whether a zone was assumed.
fn valid_to(
    ctx: &Context<'_>,
    contract: Option<&RelationType>,
    command: &AddRelation,
) -> Result<(Option<Millis>, bool), Refusal> {
    let given = match &command.valid_to {
        Some(time) => Some(read_time(ctx.domain, time, "/valid_to")?),
        None => None,
    };
    let assumed = given.as_ref().is_some_and(|instant| instant.zone_assumed);
    let lives = match (&command.ttl, contract.and_then(|c| c.ttl.as_deref())) {
        (Some(ttl), _) => Some((ttl.as_str(), "/ttl")),
        (None, Some(ttl)) if given.is_none() => Some((ttl, "")),
        _ => None,
    };
    let expires = match lives {
        Some((ttl, path)) => {
            let span = parse_duration(ttl).map_err(|error| expr_refusal(&error, path))?;
            let zone = zone(ctx.domain);
            add_span(ctx.valid(), &span, zone.as_ref(), Gap::Shift).map_err(|error| expr_refusal(&error, path))?
        }
        None => None,
    };
    // Both given: it ends with the first.
    let end = [given.map(|instant| instant.ms), expires].into_iter().flatten().min();
    if end.is_some_and(|end| end <= ctx.valid()) {
        let path = if command.valid_to.is_some() { "/valid_to" } else { "/ttl" };
        let message = "the relation would end before it begins; give a later end or an earlier valid time";
        return Err(Refusal::new("empty-interval", message).at_path(path));
    }
    Ok((end, assumed))
}
