//! Relations as they are stored, and until when one is true.
//!
//! What ends a relation is not written into it: a newer one of the same three, or a newer one of a relation
//! that has cardinality one, ends it from its own valid time on. So a late one takes its place between those
//! before and after it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use throughline_journal::{Digest, Millis, Seq, Versions};
use throughline_protocol::At;
use throughline_value::{Number, Value};

use crate::bitemporal::{Stamp, Timeline};
use crate::identity::{EntityId, short};
use crate::world::World;

/// The id of a relation.
pub(crate) type RelationId = Arc<str>;

/// Waits for confirmation: it is under the domain's floor.
pub(crate) const HELD: &str = "held";
/// Under the domain's floor, which says that it is kept.
pub(crate) const BELOW_FLOOR: &str = "below-floor";

/// A relation between two nodes.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    pub(crate) id: RelationId,
    pub(crate) from: EntityId,
    pub(crate) name: Arc<str>,
    pub(crate) to: EntityId,
    pub(crate) confidence: Option<Number>,
    pub(crate) stamp: Stamp,
    pub(crate) valid_to: Option<Millis>,
    pub(crate) flag: Option<&'static str>,
    /// Whether it ends the others of its name from the same entity.
    pub(crate) exclusive: bool,
    /// The earliest time that it was ended at, as it became known.
    pub(crate) ended: Versions<Millis>,
}

impl Relation {
    pub(crate) fn is_held(&self) -> bool {
        self.flag == Some(HELD)
    }
}

/// What was said of one thing, by valid time. Those that are held end nothing and lie apart.
#[derive(Clone, Debug, Default)]
struct Line {
    sure: Timeline<RelationId>,
    held: Timeline<RelationId>,
}

/// The relations, indexed both ways.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edges {
    pub(crate) by_id: BTreeMap<RelationId, Arc<Relation>>,
    pub(crate) by_end: BTreeMap<EntityId, BTreeSet<RelationId>>,
    /// Everything that was said of the same three: by start, name and end.
    triples: BTreeMap<(EntityId, Arc<str>, EntityId), Line>,
    /// Those that end others of any end: by start and name.
    exclusive: BTreeMap<(EntityId, Arc<str>), Timeline<RelationId>>,
}

impl Edges {
    pub(crate) fn insert(&mut self, relation: Relation) {
        for end in [&relation.from, &relation.to] {
            self.by_end.entry(end.clone()).or_default().insert(relation.id.clone());
        }
        let (from, name, to) = (relation.from.clone(), relation.name.clone(), relation.to.clone());
        if relation.exclusive && !relation.is_held() {
            let line = self.exclusive.entry((from.clone(), name.clone())).or_default();
            line.insert(relation.stamp.clone(), relation.id.clone());
        }
        let line = self.triples.entry((from, name, to)).or_default();
        let line = if relation.is_held() { &mut line.held } else { &mut line.sure };
        line.insert(relation.stamp.clone(), relation.id.clone());
        self.by_id.insert(relation.id.clone(), Arc::new(relation));
    }

    /// Everything that was said of the same three.
    pub(crate) fn said(&self, from: &EntityId, name: &str, to: &EntityId) -> impl Iterator<Item = &Arc<Relation>> {
        let line = self.triples.get(&(from.clone(), name.into(), to.clone()));
        let lines = line.into_iter().flat_map(|line| [&line.sure, &line.held]);
        lines.flat_map(Timeline::iter).filter_map(|(_, id)| self.by_id.get(id))
    }

    /// The newest that was said of the same three at a moment: of those that are not held, and of those that
    /// are. Whether they still stand is another question.
    pub(crate) fn newest(&self, from: &EntityId, name: &Arc<str>, to: &EntityId, at: At) -> Vec<&Relation> {
        let line = self.triples.get(&(from.clone(), name.clone(), to.clone()));
        line.map(|line| self.newest_in(line, at)).unwrap_or_default()
    }

    /// As [`Edges::newest`], for every end that a relation of this name from here was ever said of.
    pub(crate) fn newest_to_any(&self, from: &EntityId, name: &Arc<str>, at: At) -> Vec<&Relation> {
        let first = (from.clone(), name.clone(), EntityId::from(""));
        let lines = self.triples.range(first..).take_while(|((f, n, _), _)| f == from && n == name);
        lines.flat_map(|(_, line)| self.newest_in(line, at)).collect()
    }

    fn newest_in(&self, line: &Line, at: At) -> Vec<&Relation> {
        let newest = [&line.sure, &line.held].map(|line| line.at(at));
        newest.into_iter().flatten().filter_map(|(_, id)| self.by_id.get(id)).map(Arc::as_ref).collect()
    }
}

/// The id of a relation: the same statement has the same one.
pub(crate) fn relation_id(
    ends: (&str, &str, &str),
    stamp: (Millis, Option<&throughline_journal::Origin>),
    confidence: Option<&Number>,
    valid_to: Option<Millis>,
) -> RelationId {
    let mut digest = Digest::new("throughline-relation");
    for part in [ends.0, ends.1, ends.2] {
        digest.text(part);
    }
    digest.number(stamp.0);
    digest.text(stamp.1.map_or("", |origin| &origin.source));
    digest.value(&Value::from(stamp.1.map(|origin| origin.seq)));
    digest.value(&Value::from(confidence.cloned()));
    digest.value(&Value::from(valid_to));
    format!("relation_{}", short(digest)).into()
}

impl World {
    /// Until when a relation is true, by what was known after record `seq`.
    pub(crate) fn relation_end(&self, relation: &Relation, seq: Seq) -> Option<Millis> {
        let own = [relation.valid_to, relation.ended.at(seq).copied()].into_iter().flatten().min();
        self.followers(relation, seq).map(|(stamp, _)| stamp.valid_from).chain(own).min()
    }

    /// The first statements that end this one, one for each line that can.
    fn followers<'a>(&'a self, relation: &'a Relation, seq: Seq) -> impl Iterator<Item = &'a (Stamp, RelationId)> {
        let ends = self.alike(&relation.to, seq);
        let triple = move |from: &EntityId, to: &EntityId| {
            let line = self.edges.triples.get(&(from.clone(), relation.name.clone(), to.clone()))?;
            line.sure.after(&relation.stamp, seq)
        };
        self.alike(&relation.from, seq).into_iter().flat_map(move |from| {
            let exclusive = self.edges.exclusive.get(&(from.clone(), relation.name.clone()));
            let exclusive = exclusive.and_then(|line| line.after(&relation.stamp, seq));
            ends.iter().filter_map(|to| triple(from, to)).chain(exclusive).collect::<Vec<_>>()
        })
    }

    /// The record that ended a relation at `end`; none when it only ran out.
    pub(crate) fn ended_by(&self, relation: &Relation, end: Millis, seq: Seq) -> Option<Seq> {
        let by_command = relation.ended.entry_at(seq).filter(|(_, at)| *at == end).map(|(seq, _)| *seq);
        by_command.or_else(|| {
            let followers = self.followers(relation, seq).filter(|(stamp, _)| stamp.valid_from == end);
            followers.map(|(stamp, _)| stamp.seq).min()
        })
    }

    /// Whether a relation is true at a moment, and both its ends are there.
    pub(crate) fn relation_stands(&self, relation: &Relation, at: At) -> bool {
        let there = |id: &EntityId| self.node(id).is_some_and(|node| !self.root(node, at.seq).retired(at));
        relation.stamp.stands(at)
            && self.relation_end(relation, at.seq).is_none_or(|end| at.valid_at < end)
            && there(&relation.from)
            && there(&relation.to)
    }

    /// Every node that counts as the same entity as this one after record `seq`.
    pub(crate) fn alike(&self, id: &EntityId, seq: Seq) -> Vec<&EntityId> {
        let Some(node) = self.node(id) else { return Vec::new() };
        self.members(&self.root(node, seq).id, seq).into_iter().map(|node| &node.id).collect()
    }
}
