//! The world in canonical form, for the digests.

use throughline_journal::{Digest, Millis};
use throughline_protocol::At;
use throughline_value::{SortedSet, Value, to_value};

use crate::bitemporal::Stamp;
use crate::entity::Node;
use crate::event::Scheduled;
use crate::find::NEWEST;
use crate::relation::Relation;
use crate::world::World;

impl World {
    /// Adds every version of everything.
    pub fn digest_history(&self, digest: &mut Digest) {
        digest.text("entities");
        digest.number(self.nodes.len() as i64);
        for node in self.nodes.values() {
            node_history(node, digest);
        }
        digest.text("relations");
        digest.number(self.edges.by_id.len() as i64);
        for relation in self.edges.by_id.values() {
            relation_history(relation, digest);
        }
        digest.text("events");
        digest.number(self.agenda.by_id.len() as i64);
        for event in self.agenda.by_id.values() {
            event_terms(event, digest);
            digest.number(event.seq as i64);
            digest.number(event.states.len() as i64);
            for (seq, state) in event.states.iter() {
                digest.number(*seq as i64);
                digest.text(state.status.as_str());
                digest.value(&Value::List(vec![state.due.into(), state.fired_at.into(), state.late.into()]));
                digest.text(&state.reason);
                digest.number(state.slot);
                digest.number(state.firings as i64);
            }
        }
        digest.number(self.quarantined.len() as i64);
    }

    /// Adds what is true at `valid_at`, by all that is known: without record numbers, recorded times and
    /// audit, and the same for the same inputs in any order of arrival.
    pub fn digest_content(&self, digest: &mut Digest, valid_at: Millis) {
        let at = At { seq: NEWEST, valid_at };
        digest.text("entities");
        // One node after the other, with its link: what is read of a merged entity follows from both.
        for node in self.nodes.values().filter(|node| node.exists(at)) {
            digest.text(&node.id);
            digest.text(&node.entity_type);
            digest.text(&node.key);
            let names: SortedSet<&str> = names(node).collect();
            digest.number(names.len() as i64);
            for name in names {
                digest.text(name);
            }
            digest.text(node.parent(NEWEST).map_or("", |id| id));
            digest.number(i64::from(node.retired(at)));
            let fields = node.fields.iter().filter_map(|(name, line)| Some((name, line.at(at)?)));
            for (name, (stamp, cell)) in fields.filter(|(_, (_, cell))| !cell.value.is_null()) {
                digest.text(name);
                digest.value(&cell.value);
                // Decides between this node and one it is merged with.
                digest.number(stamp.valid_from);
            }
        }
        digest.text("relations");
        for relation in self.edges.by_id.values().filter(|relation| self.relation_stands(relation, at)) {
            relation_terms(relation, digest);
            digest.value(&self.relation_end(relation, NEWEST).into());
        }
        digest.text("events");
        for event in self.agenda.by_id.values() {
            event_terms(event, digest);
            if let Some(state) = event.state() {
                digest.text(state.status.as_str());
                digest.value(&state.due.into());
                digest.number(state.firings as i64);
            }
        }
    }
}

/// Every spelling, the first included: which one came first is a matter of arrival.
fn names(node: &Node) -> impl Iterator<Item = &str> {
    node.names.iter().map(|(_, name)| name.as_str()).chain([node.raw_id.as_str()])
}

fn stamp_history(stamp: &Stamp, digest: &mut Digest) {
    digest.number(stamp.valid_from);
    digest.text(stamp.origin.as_ref().map_or("", |origin| &origin.source));
    digest.value(&Value::from(stamp.origin.as_ref().map(|origin| origin.seq)));
    digest.number(stamp.seq as i64);
}

fn node_history(node: &Node, digest: &mut Digest) {
    digest.text(&node.id);
    digest.text(&node.entity_type);
    digest.text(&node.raw_id);
    digest.text(&node.key);
    digest.number(node.registered as i64);
    digest.number(node.names.len() as i64);
    for (seq, name) in node.names.iter() {
        digest.number(*seq as i64);
        digest.text(name);
    }
    digest.number(node.mentions.len() as i64);
    for (seq, origin) in node.mentions.iter() {
        digest.number(*seq as i64);
        digest.text(origin.as_ref().map_or("", |origin| &origin.source));
        digest.value(&Value::from(origin.as_ref().map(|origin| origin.seq)));
    }
    digest.number(node.fields.len() as i64);
    for (name, line) in &node.fields {
        digest.text(name);
        digest.number(line.iter().count() as i64);
        for (stamp, cell) in line.iter() {
            stamp_history(stamp, digest);
            digest.value(&cell.value);
            digest.text(cell.original.as_deref().unwrap_or(""));
        }
    }
    digest.number(node.retired.iter().count() as i64);
    for (stamp, ()) in node.retired.iter() {
        stamp_history(stamp, digest);
    }
    digest.number(node.merged_into.len() as i64);
    for (seq, parent) in node.merged_into.iter() {
        digest.number(*seq as i64);
        digest.text(parent.as_deref().unwrap_or(""));
    }
}

fn relation_terms(relation: &Relation, digest: &mut Digest) {
    digest.text(&relation.id);
    digest.text(&relation.from);
    digest.text(&relation.name);
    digest.text(&relation.to);
    digest.value(&relation.confidence.clone().into());
    digest.number(relation.stamp.valid_from);
    digest.text(relation.flag.unwrap_or(""));
}

fn relation_history(relation: &Relation, digest: &mut Digest) {
    relation_terms(relation, digest);
    stamp_history(&relation.stamp, digest);
    digest.value(&relation.valid_to.into());
    digest.number(i64::from(relation.exclusive));
    digest.number(relation.ended.len() as i64);
    for (seq, end) in relation.ended.iter() {
        digest.number(*seq as i64);
        digest.number(*end);
    }
}

fn event_terms(event: &Scheduled, digest: &mut Digest) {
    digest.text(&event.id);
    digest.text(&event.name);
    digest.text(&event.thread);
    for condition in [&event.when, &event.unless] {
        digest.text(condition.as_ref().map_or("", |condition| &condition.source));
    }
    digest.value(&to_value(&event.otherwise).unwrap_or_default());
    digest.value(&to_value(&event.missed).unwrap_or_default());
    digest.value(&Value::List(event.then.iter().map(throughline_protocol::Command::to_value).collect()));
    digest.value(&event.data);
    digest.value(&Value::List(vec![event.after.clone().into(), event.before.clone().into()]));
    digest.value(&event.repeat.as_ref().map(|rule| rule.value.clone()).unwrap_or_default());
}
