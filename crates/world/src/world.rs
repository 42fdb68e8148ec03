//! The projection itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use throughline_journal::{Seq, Versions};

use crate::entity::Node;
use crate::event::Agenda;
use crate::identity::{EntityId, Names};
use crate::relation::Edges;

/// The entities, relations and scheduled events that the journal tells of. A clone shares each part until one
/// of the two changes it.
#[derive(Clone, Debug, Default)]
pub struct World {
    pub(crate) nodes: Arc<BTreeMap<EntityId, Arc<Node>>>,
    pub(crate) names: Arc<Names>,
    pub(crate) edges: Arc<Edges>,
    pub(crate) agenda: Arc<Agenda>,
    /// Records of this room that could not be applied, by kind.
    pub(crate) quarantined: Versions<String>,
}

impl World {
    /// A world in which nothing was recorded.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many records of this room were set aside because they are malformed or erased.
    #[must_use]
    pub fn quarantined(&self) -> usize {
        self.quarantined.len()
    }

    /// Whether an entity of this type was ever registered.
    #[must_use]
    pub fn knows_type(&self, entity_type: &str) -> bool {
        self.names.knows(entity_type)
    }

    pub(crate) fn node(&self, id: &str) -> Option<&Node> {
        self.nodes.get(id).map(Arc::as_ref)
    }

    /// The node and everything that counts as it after record `seq`: what was merged into it, and into that.
    pub(crate) fn members(&self, root: &str, seq: Seq) -> Vec<&Node> {
        let mut out: Vec<&Node> = self.node(root).into_iter().collect();
        let mut next = 0;
        // The links of one moment make a forest, so every node is met once.
        while let Some(node) = out.get(next).copied() {
            next += 1;
            let merged = node.children.iter().filter_map(|id| self.node(id));
            out.extend(merged.filter(|child| child.parent(seq).is_some_and(|p| *p == node.id)));
        }
        out
    }

    /// The entity that a node counts as after record `seq`: the end of its merges.
    pub(crate) fn root<'a>(&'a self, node: &'a Node, seq: Seq) -> &'a Node {
        let mut at = node;
        // The fold never links a circle; the bound is for the reader's peace.
        for _ in 0..self.nodes.len() {
            match at.parent(seq).and_then(|id| self.node(id)) {
                Some(parent) => at = parent,
                None => break,
            }
        }
        at
    }
}
