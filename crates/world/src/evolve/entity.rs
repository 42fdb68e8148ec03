//! Folding entities.

use std::sync::Arc;

use throughline_journal::{Record, Seq, Versions};
use throughline_value::{Map, SortedMap, SortedSet, Value};

use crate::bitemporal::{Stamp, Timeline};
use crate::entity::{Cell, Node};
use crate::fields::{flag, optional, text, texts};
use crate::identity::{EntityId, Rules, entity_id};
use crate::world::World;

impl World {
    pub(super) fn entity_registered(&mut self, record: &Record) -> Option<()> {
        let data = record.data();
        let (id, entity_type) = (text(data, "entity")?, text(data, "entity_type")?);
        let (raw_id, key) = (text(data, "raw_id")?, text(data, "key")?);
        let rules = Rules::read(data.get("normalise")?)?;
        let said = Said::read(data)?;
        if self.nodes.contains_key(id) || *entity_id(entity_type, key) != *id {
            return None;
        }
        let (id, entity_type): (EntityId, Arc<str>) = (id.into(), entity_type.into());
        if self.names.knows(&entity_type) && self.names.rules(&entity_type) != rules {
            self.rename(&entity_type, rules);
        }
        Arc::make_mut(&mut self.names).learn(&entity_type, rules);
        let node = Node {
            id: id.clone(),
            entity_type,
            raw_id: raw_id.to_owned(),
            key: key.to_owned(),
            registered: record.seq,
            known_from: Versions::default(),
            names: Versions::default(),
            mentions: Versions::default(),
            origins: SortedSet::new(),
            said_by: SortedSet::new(),
            changed: Versions::default(),
            fields: SortedMap::new(),
            retired: Timeline::default(),
            merged_into: Versions::default(),
            children: SortedSet::new(),
        };
        Arc::make_mut(&mut self.nodes).insert(id.clone(), Arc::new(node));
        self.say(&id, record, &said, true)?;
        self.touch(&id, record.seq);
        Some(())
    }

    pub(super) fn entity_updated(&mut self, record: &Record) -> Option<()> {
        let data = record.data();
        let id = self.id_of(text(data, "of").or_else(|| text(data, "entity"))?)?;
        let said = Said::read(data)?;
        self.say(&id, record, &said, flag(data, "mention"))?;
        if !said.fields.is_empty() || !said.names.is_empty() {
            self.touch(&id, record.seq);
        }
        Some(())
    }

    pub(super) fn entity_merged(&mut self, record: &Record) -> Option<()> {
        let data = record.data();
        let keep = self.id_of(text(data, "entity")?)?;
        let merged = self.id_of(text(data, "merged")?)?;
        let (keep_node, merged_node) = (self.node(&keep)?, self.node(&merged)?);
        let apart = merged_node.parent(record.seq).is_none() && self.root(keep_node, record.seq).id != merged;
        if !apart {
            return None;
        }
        // Both are touched while the link is not there, so that each has its own change.
        self.touch(&merged, record.seq);
        self.touch(&keep, record.seq);
        self.change(&merged, |node| node.merged_into.push(record.seq, Some(keep.clone())))?;
        self.change(&keep, |node| {
            node.children.insert(merged.clone());
        })
    }

    pub(super) fn entity_unmerged(&mut self, record: &Record) -> Option<()> {
        let merged = self.id_of(text(record.data(), "merged")?)?;
        self.node(&merged)?.parent(record.seq)?;
        self.touch(&merged, record.seq);
        self.change(&merged, |node| node.merged_into.push(record.seq, None))
    }

    pub(super) fn entity_retired(&mut self, record: &Record) -> Option<()> {
        let id = self.id_of(text(record.data(), "entity")?)?;
        self.change(&id, |node| node.retired.insert(Stamp::of(record), ()))?;
        self.touch(&id, record.seq);
        Some(())
    }

    /// The domain makes the spellings of this type one by other rules now: its names are looked up anew.
    fn rename(&mut self, entity_type: &Arc<str>, rules: Rules) {
        let names = Arc::make_mut(&mut self.names);
        names.forget(entity_type);
        for node in self.nodes.values().filter(|node| node.entity_type == *entity_type) {
            let all = node.names.iter().map(|(seq, name)| (*seq, name.as_str()));
            for (seq, name) in all.chain([(node.registered, node.raw_id.as_str())]) {
                names.add(entity_type, &rules.apply(name), &node.id, seq);
            }
        }
    }

    fn id_of(&self, id: &str) -> Option<EntityId> {
        self.nodes.get_key_value(id).map(|(id, _)| id.clone())
    }

    pub(super) fn change(&mut self, id: &str, change: impl FnOnce(&mut Node)) -> Option<()> {
        change(Arc::make_mut(Arc::make_mut(&mut self.nodes).get_mut(id)?));
        Some(())
    }

    /// Counts a change of a node, and of everything it is merged into.
    fn touch(&mut self, id: &EntityId, seq: Seq) {
        let mut next = Some(id.clone());
        while let Some(id) = next {
            next = self.node(&id).and_then(|node| node.parent(seq)).cloned();
            let _ = self.change(&id, |node| {
                if node.changed.iter().next_back().is_none_or(|(last, ())| *last != seq) {
                    node.changed.push(seq, ());
                }
            });
        }
    }

    fn say(&mut self, id: &EntityId, record: &Record, said: &Said<'_>, mention: bool) -> Option<()> {
        let entity_type = self.node(id)?.entity_type.clone();
        let rules = self.names.rules(&entity_type);
        let raw_id = self.node(id)?.raw_id.clone();
        for name in said.names.iter().copied().chain([raw_id.as_str()]) {
            Arc::make_mut(&mut self.names).add(&entity_type, &rules.apply(name), id, record.seq);
        }
        self.change(id, |node| {
            node.know_from(record.seq, record.valid_from);
            for name in &said.names {
                if !node.has_name(name) {
                    node.names.push(record.seq, (*name).to_owned());
                }
            }
            let stamp = Stamp::of(record);
            if !said.fields.is_empty() {
                node.said_by.extend(stamp.origin.clone());
            }
            for (name, value) in said.fields {
                let original = said.originals.and_then(|o| o.get(name)).and_then(Value::as_str).map(Arc::from);
                let cell = Cell { value: value.clone(), original };
                match node.fields.get_mut(name.as_str()) {
                    Some(line) => line.insert(stamp.clone(), cell),
                    None => node.fields.entry(name.as_str().into()).or_default().insert(stamp.clone(), cell),
                }
            }
            if mention {
                node.origins.extend(stamp.origin.clone());
                node.mentions.push(record.seq, stamp.origin);
            }
        })
    }
}

/// What a record says of an entity.
struct Said<'a> {
    fields: &'a Map,
    originals: Option<&'a Map>,
    names: Vec<&'a str>,
}

impl<'a> Said<'a> {
    fn read(data: &'a Value) -> Option<Self> {
        static NONE: std::sync::LazyLock<Map> = std::sync::LazyLock::new(Map::new);
        let fields = optional(data, "fields", Value::as_map)?.unwrap_or(&NONE);
        let originals = optional(data, "originals", Value::as_map)?;
        Some(Self { fields, originals, names: texts(data, "aliases")? })
    }
}
