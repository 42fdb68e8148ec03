//! Reading the world as of a moment.

use std::sync::Arc;

use throughline_journal::Seq;
use throughline_protocol::view::{EntityDetail, EntityView, EventView, Problem, RelationView};
use throughline_protocol::{At, Refusal};
use throughline_value::{InOrder as _, Number, SortedMap, SortedSet, Value};

use crate::bitemporal::Stamp;
use crate::entity::{Cell, Node};
use crate::event::Status;
use crate::find::Found;
use crate::limits::{MAX_CANDIDATES, MAX_VERSIONS_LISTED};
use crate::relation::Relation;
use crate::world::World;

impl World {
    /// The entities that are there at a moment, by id: the retired and the merged ones too, marked as such.
    #[must_use]
    pub fn entities(&self, at: At, entity_type: Option<&str>) -> Vec<EntityView> {
        let nodes = self.nodes.values().filter(|node| entity_type.is_none_or(|t| *t == *node.entity_type));
        nodes.filter(|node| self.is_there(node, at)).map(|node| self.entity_view(node, at)).collect()
    }

    /// One entity with its versions, oldest first, and its relations. A merged one is shown as what it counts
    /// as.
    ///
    /// # Errors
    /// `unknown-entity` when there is none at that moment, `ambiguous-name`.
    pub fn entity(&self, name_or_id: &str, at: At) -> Result<EntityDetail, Refusal> {
        let root = match self.find(name_or_id, None, at.seq) {
            Found::One(node) => self.root(node, at.seq),
            // Says which there are, or which is near.
            _ => match self.target(name_or_id, None, "/entity") {
                Err(refusal) => return Err(refusal),
                Ok(_) => return Err(not_yet(name_or_id)),
            },
        };
        if !self.is_there(root, at) {
            return Err(not_yet(name_or_id));
        }
        let moments = root.changed.iter().map(|(seq, ())| At { seq: *seq, ..at }).filter(|then| then.seq <= at.seq);
        let mut versions: Vec<EntityView> = moments
            .rev()
            .take(MAX_VERSIONS_LISTED)
            .filter(|then| self.is_there(root, *then))
            .map(|then| self.entity_view(root, then))
            .collect();
        versions.reverse();
        Ok(EntityDetail {
            entity: self.entity_view(root, at),
            versions,
            relations: self.relations(at, Some(&root.id), None),
        })
    }

    /// The relations that are true at a moment, the surest first, then by id; one without a confidence is as
    /// sure as can be. Their ends are the entities that these count as at the moment.
    #[must_use]
    pub fn relations(&self, at: At, entity: Option<&str>, relation: Option<&str>) -> Vec<RelationView> {
        let wanted = |r: &&Relation| relation.is_none_or(|name| *name == *r.name) && self.relation_stands(r, at);
        let mut found: Vec<&Relation> = match entity {
            None => self.edges.by_id.values().map(Arc::as_ref).filter(wanted).collect(),
            Some(name) => {
                let Found::One(node) = self.find(name, None, at.seq) else { return Vec::new() };
                let members = self.members(&self.root(node, at.seq).id, at.seq);
                let ids = members.iter().filter_map(|node| self.edges.by_end.get(&node.id)).flatten();
                ids.filter_map(|id| self.edges.by_id.get(id)).map(Arc::as_ref).filter(wanted).collect()
            }
        };
        let sure = |r: &Relation| r.confidence.clone().unwrap_or_else(|| Number::from(1));
        found.order_by(|a, b| sure(b).cmp(&sure(a)).then_with(|| a.id.cmp(&b.id)));
        // A relation from an entity to itself is listed under both its ends.
        found.dedup_by(|a, b| a.id == b.id);
        found.into_iter().map(|r| self.relation_view(r, at)).collect()
    }

    /// The events that were scheduled by then, in the order of scheduling.
    #[must_use]
    pub fn events(&self, at: At) -> Vec<EventView> {
        let mut events: Vec<EventView> = Vec::new();
        for event in self.agenda.by_id.values() {
            let Some((last_seq, state)) = event.states.entry_at(at.seq) else { continue };
            events.push(EventView {
                id: event.id.to_string(),
                name: event.name.clone(),
                status: state.status.as_str().to_owned(),
                due: state.due,
                when: event.when.as_ref().map(|c| c.source.clone()),
                unless: event.unless.as_ref().map(|c| c.source.clone()),
                fired_at: state.fired_at,
                late: state.late,
                data: event.data.clone(),
                seq: event.seq,
                last_seq: *last_seq,
                repeat: event.repeat.as_ref().map(|rule| rule.value.clone()).unwrap_or_default(),
                firings: state.firings,
                after: event.after.clone(),
                before: event.before.clone(),
                reason: state.reason.clone(),
            });
        }
        events.order_by(|a, b| (a.seq, &a.id).cmp(&(b.seq, &b.id)));
        events
    }

    /// The record that set a field's value at a moment; also the one that cleared it.
    #[must_use]
    pub fn why(&self, entity: &str, field: &str, at: At) -> Option<Seq> {
        let Found::One(node) = self.find(entity, None, at.seq) else { return None };
        self.field_of(self.root(node, at.seq), field, at).map(|(stamp, _)| stamp.seq)
    }

    /// How a field's value was spelled, where it was put into another form.
    #[must_use]
    pub fn original(&self, entity: &str, field: &str, at: At) -> Option<&str> {
        let Found::One(node) = self.find(entity, None, at.seq) else { return None };
        self.field_of(self.root(node, at.seq), field, at).and_then(|(_, cell)| cell.original.as_deref())
    }

    /// How many inputs registered an entity, by any of its names.
    #[must_use]
    pub fn mentions(&self, entity: &str, at: At) -> usize {
        let Found::One(node) = self.find(entity, None, at.seq) else { return 0 };
        let members = self.members(&self.root(node, at.seq).id, at.seq);
        members.iter().map(|node| node.mentions.count_at(at.seq)).sum()
    }

    /// What is open or wrong at a moment: different entities of one name, relations and events that wait,
    /// records that were set aside.
    #[must_use]
    pub fn problems(&self, at: At) -> Vec<Problem> {
        let mut out = self.merge_candidates(at);
        for relation in self.edges.by_id.values().filter(|r| r.is_held() && self.relation_stands(r, at)) {
            out.push(Problem {
                code: "relation-held".to_owned(),
                message: format!("`{}` waits for confirmation: its confidence is below the floor", relation.name),
                severity: "open".to_owned(),
                seq: relation.stamp.seq,
                details: throughline_value::to_value(&self.relation_view(relation, at)).unwrap_or_default(),
            });
        }
        for event in self.agenda.by_id.values() {
            let Some((seq, state)) = event.states.entry_at(at.seq) else { continue };
            if state.status == Status::Held {
                out.push(Problem {
                    code: "event-held".to_owned(),
                    message: format!("`{}`: {}", event.name, state.reason),
                    severity: "open".to_owned(),
                    seq: *seq,
                    details: [("event", Value::from(&*event.id)), ("due", state.due.into())].into(),
                });
            }
        }
        for (seq, kind) in self.quarantined.iter().take_while(|(seq, _)| *seq <= at.seq) {
            out.push(Problem {
                code: "record-set-aside".to_owned(),
                message: format!("a `{kind}` record is malformed or erased and was set aside"),
                severity: "error".to_owned(),
                seq: *seq,
                details: Value::Null,
            });
        }
        out.order_by_key(|problem| problem.seq);
        out
    }

    /// Different entities that go by the same name. They are never merged by themselves.
    fn merge_candidates(&self, at: At) -> Vec<Problem> {
        let mut by_key: SortedMap<String, SortedSet<&str>> = Default::default();
        for (_, key, ids) in self.names.all(at.seq) {
            let nodes = ids.into_iter().filter_map(|id| self.node(id)).filter(|node| self.is_there(node, at));
            let roots = nodes.map(|node| self.root(node, at.seq)).filter(|root| !root.retired(at));
            // Across types the names meet in their most tolerant spelling.
            let tolerant = crate::Rules { trim: true, fold_width: true, fold_case: true, nfc: true }.apply(key);
            by_key.entry(tolerant).or_default().extend(roots.map(|root| &*root.id));
        }
        let shared = by_key.into_iter().filter(|(_, ids)| ids.len() > 1);
        shared
            .map(|(key, ids)| {
                let seq = ids.iter().filter_map(|id| self.node(id)).map(|node| node.registered).max().unwrap_or(0);
                let ids: Vec<&str> = ids.into_iter().take(MAX_CANDIDATES).collect();
                Problem {
                    code: "merge-candidate".to_owned(),
                    message: format!("`{key}` is the name of several entities; merge them if they are the same"),
                    severity: "open".to_owned(),
                    seq,
                    details: [("name", Value::from(key)), ("entities", ids.into())].into(),
                }
            })
            .collect()
    }

    /// Whether an entity, or anything merged into it, is known and there at a moment.
    pub(crate) fn is_there(&self, node: &Node, at: At) -> bool {
        node.registered <= at.seq && self.members(&node.id, at.seq).iter().any(|member| member.exists(at))
    }

    /// The version of a field that is true at a moment, of all that was said under any of the entity's names.
    pub(crate) fn field_of(&self, root: &Node, field: &str, at: At) -> Option<&(Stamp, Cell)> {
        let members = self.members(&root.id, at.seq).into_iter();
        members.filter_map(|node| node.fields.get(field)?.at(at)).max_by(|a, b| a.0.cmp(&b.0))
    }

    /// Every field that has a value at a moment.
    pub(crate) fn fields_of(&self, root: &Node, at: At) -> Vec<(&str, &(Stamp, Cell))> {
        let mut out: SortedMap<&str, &(Stamp, Cell)> = Default::default();
        for node in self.members(&root.id, at.seq) {
            for (name, line) in &node.fields {
                let Some(found) = line.at(at) else { continue };
                let kept = out.entry(name).or_insert(found);
                if found.0 > kept.0 {
                    *kept = found;
                }
            }
        }
        out.into_iter().filter(|(_, (_, cell))| !cell.value.is_null()).collect()
    }

    fn entity_view(&self, node: &Node, at: At) -> EntityView {
        let fields = self.fields_of(node, at);
        let mut aliases: Vec<String> = Vec::new();
        for member in self.members(&node.id, at.seq) {
            let names = member.names.iter().take_while(|(seq, _)| *seq <= at.seq).map(|(_, name)| name);
            for name in std::iter::once(&member.raw_id).chain(names) {
                if *name != node.raw_id && !aliases.contains(name) {
                    aliases.push(name.clone());
                }
            }
        }
        EntityView {
            id: node.id.to_string(),
            entity_type: node.entity_type.to_string(),
            raw_id: node.raw_id.clone(),
            aliases,
            fields: fields.iter().map(|(name, (_, cell))| ((*name).to_owned(), cell.value.clone())).collect(),
            version: self.version(node, at.seq),
            retired: node.retired(at),
            merged_into: node.parent(at.seq).map(|_| self.root(node, at.seq).id.to_string()),
            seq: node.changed.entry_at(at.seq).map_or(node.registered, |(seq, ())| *seq),
            field_seq: fields.iter().map(|(name, (stamp, _))| ((*name).to_owned(), stamp.seq)).collect(),
        }
    }

    pub(crate) fn relation_view(&self, relation: &Relation, at: At) -> RelationView {
        let end = |id| self.node(id).map_or_else(String::new, |node| self.root(node, at.seq).id.to_string());
        RelationView {
            id: relation.id.to_string(),
            from: end(&relation.from),
            relation: relation.name.to_string(),
            to: end(&relation.to),
            confidence: relation.confidence.clone(),
            valid_from: relation.stamp.valid_from,
            valid_to: self.relation_end(relation, at.seq),
            flag: relation.flag.map(str::to_owned),
            seq: relation.stamp.seq,
        }
    }
}

pub(crate) fn not_yet(name: &str) -> Refusal {
    Refusal::new("unknown-entity", format!("`{name}` is not there at this moment"))
        .at_path("/entity")
        .suggest("look at a later moment")
}
