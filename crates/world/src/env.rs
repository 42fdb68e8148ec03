//! The world as expressions see it: `entities.<id>.<field>` and `<type>.<raw id>.<field>`.

use throughline_protocol::At;
use throughline_value::{Map, SortedSet, Value};

use crate::entity::Node;
use crate::find::Found;
use crate::world::World;

/// The name under which all entities stand, by id.
const ENTITIES: &str = "entities";

impl World {
    /// The value at a path, without building more than it names: `["entities", id, field, …]` or
    /// `[type, raw id or alias, field, …]`; with fewer steps, the map below. `None` when nothing is there.
    #[must_use]
    pub fn get_path(&self, path: &[&str], at: At) -> Option<Value> {
        let (first, rest) = path.split_first()?;
        let of_type = (*first != ENTITIES).then_some(*first);
        let Some((name, rest)) = rest.split_first() else {
            return match of_type {
                None => Some(Value::Map(self.by_name(at, None, |node| node.id.to_string()))),
                Some(t) => {
                    let map = self.by_name(at, Some(t), |node| node.raw_id.clone());
                    (!map.is_empty()).then_some(Value::Map(map))
                }
            };
        };
        let Found::One(node) = self.find(name, of_type, at.seq) else { return None };
        let root = self.root(node, at.seq);
        if !self.is_there(root, at) {
            return None;
        }
        let Some((field, rest)) = rest.split_first() else { return Some(Value::Map(self.field_map(root, at))) };
        let (_, cell) = self.field_of(root, field, at)?;
        if cell.value.is_null() { None } else { cell.value.at(rest).cloned() }
    }

    /// Everything that expressions can see, as one value. Large: [`World::get_path`] looks up one path.
    #[must_use]
    pub fn env_value(&self, at: At) -> Value {
        let mut out = Map::new();
        let types: SortedSet<&str> = self.nodes.values().map(|node| &*node.entity_type).collect();
        for name in std::iter::once(ENTITIES).chain(types.into_iter().filter(|t| *t != ENTITIES)) {
            if let Some(value) = self.get_path(&[name], at) {
                out.insert(name.to_owned(), value);
            }
        }
        Value::Map(out)
    }

    fn by_name(&self, at: At, entity_type: Option<&str>, name: impl Fn(&Node) -> String) -> Map {
        let nodes = self.nodes.values().filter(|node| entity_type.is_none_or(|t| *t == *node.entity_type));
        let roots = nodes.filter(|node| node.parent(at.seq).is_none() && self.is_there(node, at));
        roots.map(|node| (name(node), Value::Map(self.field_map(node, at)))).collect()
    }

    fn field_map(&self, root: &Node, at: At) -> Map {
        self.fields_of(root, at).into_iter().map(|(name, (_, cell))| (name.to_owned(), cell.value.clone())).collect()
    }
}
