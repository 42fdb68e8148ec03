//! From a name to the entity that is meant.

use throughline_journal::Seq;
use throughline_protocol::{Refusal, nearest};
use throughline_value::{SortedMap, Value};

use crate::entity::Node;
use crate::identity::{EntityId, Rules};
use crate::limits::{MAX_CANDIDATES, MAX_SUGGESTION_NAMES};
use crate::world::World;

/// Seen from the newest record.
pub(crate) const NEWEST: Seq = Seq::MAX;

/// What a name stands for.
pub(crate) enum Found<'a> {
    /// Nothing.
    Nothing,
    /// The node that goes by it.
    One(&'a Node),
    /// Different entities that all go by it.
    Several(Vec<&'a Node>),
}

/// An entity that a command names: the node it was addressed by, and what that counts as.
pub(crate) struct Target<'a> {
    pub(crate) node: &'a Node,
    pub(crate) root: &'a Node,
}

impl World {
    /// The entity of an id, a raw id or an alias, following merges; `None` when there is none, or when
    /// several different ones go by the name.
    #[must_use]
    pub fn resolve(&self, name_or_id: &str, entity_type: Option<&str>) -> Option<EntityId> {
        self.resolve_at(name_or_id, entity_type, NEWEST)
    }

    /// As [`World::resolve`], by what was known after record `seq`.
    #[must_use]
    pub fn resolve_at(&self, name_or_id: &str, entity_type: Option<&str>, seq: Seq) -> Option<EntityId> {
        match self.find(name_or_id, entity_type, seq) {
            Found::One(node) => Some(self.root(node, seq).id.clone()),
            _ => None,
        }
    }

    /// An id before a raw id, a raw id before an alias.
    pub(crate) fn find(&self, name: &str, entity_type: Option<&str>, seq: Seq) -> Found<'_> {
        let of_type = |node: &&Node| entity_type.is_none_or(|t| t == &*node.entity_type) && node.registered <= seq;
        if let Some(node) = self.node(name).filter(of_type) {
            return Found::One(node);
        }
        let named: Vec<(&Node, bool)> = self
            .names
            .spellings(name, entity_type)
            .flat_map(|(t, key)| {
                let rules = self.names.rules(t);
                let nodes = self.names.named(t, &key, seq).into_iter().filter_map(|id| self.node(id));
                nodes.map(|node| (node, rules.apply(&node.raw_id) == key)).collect::<Vec<_>>()
            })
            .collect();
        match self.one_of(named.iter().filter(|(_, raw)| *raw).map(|(node, _)| *node), seq) {
            Found::Nothing => self.one_of(named.into_iter().map(|(node, _)| node), seq),
            found => found,
        }
    }

    /// The entities of a type that go by a name under the rules of the domain, which may be newer than those
    /// that its names were recorded by.
    pub(crate) fn find_by(&self, rules: Rules, name: &str, entity_type: &str) -> Found<'_> {
        if self.names.rules(entity_type) == rules {
            return self.find(name, Some(entity_type), NEWEST);
        }
        let key = rules.apply(name);
        let goes_by = |node: &&Node| {
            let mut names = node.names.iter().map(|(_, name)| name.as_str()).chain([node.raw_id.as_str()]);
            *node.entity_type == *entity_type && names.any(|name| rules.apply(name) == key)
        };
        self.one_of(self.nodes.values().map(AsRef::as_ref).filter(goes_by), NEWEST)
    }

    /// One, when all of them count as the same entity: the one that stands for it, if it is among them.
    fn one_of<'a>(&'a self, nodes: impl Iterator<Item = &'a Node>, seq: Seq) -> Found<'a> {
        let mut by_root: SortedMap<&str, &Node> = SortedMap::new();
        for node in nodes {
            let root = self.root(node, seq);
            let kept = by_root.entry(&root.id).or_insert(node);
            if node.id == root.id {
                *kept = node;
            }
        }
        let mut found = by_root.into_values();
        match (found.next(), found.next()) {
            (None, _) => Found::Nothing,
            (Some(one), None) => Found::One(one),
            (Some(one), Some(two)) => Found::Several([one, two].into_iter().chain(found).collect()),
        }
    }

    /// The entity that a command names.
    pub(crate) fn target(&self, name: &str, entity_type: Option<&str>, path: &str) -> Result<Target<'_>, Refusal> {
        self.meant(self.find(name, entity_type, NEWEST), name, entity_type, path)
    }

    /// The one that was found, or why there is not one.
    pub(crate) fn meant<'a>(
        &'a self,
        found: Found<'a>,
        name: &str,
        entity_type: Option<&str>,
        path: &str,
    ) -> Result<Target<'a>, Refusal> {
        match found {
            Found::One(node) => Ok(Target { node, root: self.root(node, NEWEST) }),
            Found::Several(nodes) => {
                let candidates: Vec<&str> = nodes.iter().take(MAX_CANDIDATES).map(|node| &*node.id).collect();
                let message = format!("`{name}` is the name of {} entities; say which by its id", nodes.len());
                Err(Refusal::new("ambiguous-name", message)
                    .at_path(path)
                    .suggest(format!("one of {}", candidates.join(", ")))
                    .with(Value::from([("candidates", candidates)])))
            }
            Found::Nothing => Err(self.unknown_entity(name, entity_type, path)),
        }
    }

    fn unknown_entity(&self, name: &str, entity_type: Option<&str>, path: &str) -> Refusal {
        let what = entity_type.map_or_else(|| "entity".to_owned(), |t| format!("entity of the type `{t}`"));
        let refusal =
            Refusal::new("unknown-entity", format!("there is no {what} `{name}`; register it first")).at_path(path);
        let nodes = self.nodes.values().filter(|node| entity_type.is_none_or(|t| t == &*node.entity_type));
        let names: Vec<&str> = nodes.take(MAX_SUGGESTION_NAMES).flat_map(|n| [&*n.id, n.raw_id.as_str()]).collect();
        match nearest(name, &names) {
            Some(near) => refusal.suggest(format!("did you mean `{near}`?")),
            None => refusal,
        }
    }
}
