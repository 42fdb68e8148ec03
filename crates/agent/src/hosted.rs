//! What a plan run finds outside of itself: the documents as they stood, and what the domain allows.

use throughline_journal::{Millis, Seq};
use throughline_plan::{Asking, DocumentRef, Evidence, Item, Scope};
use throughline_protocol::query::Recall;
use throughline_protocol::view::MemoryView;
use throughline_protocol::{At, Domain};
use throughline_value::{Map, Value};

use crate::Rooms;
use crate::documents::DocumentAdded;

/// The documents as they stood after a record.
pub struct Hosted<'a> {
    rooms: &'a Rooms,
    seq: Seq,
    valid_at: Option<Millis>,
}

impl<'a> Hosted<'a> {
    /// The documents after record `seq`.
    #[must_use]
    pub fn new(rooms: &'a Rooms, seq: Seq) -> Self {
        Self { rooms, seq, valid_at: None }
    }

    /// The same, as what is valid at this time.
    #[must_use]
    pub fn valid_at(mut self, at: Millis) -> Self {
        self.valid_at = Some(at);
        self
    }

    /// What a plan may use: the domain's sources, tools and patterns, and these inputs.
    #[must_use]
    pub fn scope(domain: &Domain, inputs: impl IntoIterator<Item = String>) -> Scope {
        Scope::of(domain).inputs(inputs)
    }
}

impl throughline_plan::Documents for Hosted<'_> {
    fn document(&self, name: &str, version: Option<u64>) -> Option<DocumentRef<'_>> {
        let found: &DocumentAdded = match version {
            Some(version) => self.rooms.documents.version(name, version)?,
            None => self.rooms.documents.get(name, self.seq)?,
        };
        Some(DocumentRef {
            name: &found.name,
            version: found.version,
            media_type: &found.media_type,
            text: &found.text,
            hash: &found.hash,
        })
    }

    fn items(&self, room: &str, asking: &Asking<'_>) -> Result<Vec<Item>, String> {
        match room {
            "world" => Ok(self.entities(asking)),
            "facts" => Ok(self.facts(asking)),
            "memory" => self.memories(asking),
            other => Err(format!("there is no source of kind `{other}`")),
        }
    }

    fn time_of(&self, evidence: &Evidence) -> Option<Millis> {
        if evidence.version == 0 {
            return None;
        }
        self.rooms.documents.holds_from(&evidence.document, evidence.version)
    }

    fn tokens(&self, text: &str) -> u64 {
        throughline_dialogue::tokens::estimate(text)
    }
}

impl Hosted<'_> {
    fn at(&self) -> At {
        At { seq: self.seq, valid_at: self.valid_at.unwrap_or(Millis::MAX) }
    }

    fn entities(&self, asking: &Asking<'_>) -> Vec<Item> {
        let text = |name: &str| asking.arguments.get(name).and_then(Value::as_str);
        let entities = self.rooms.world.entities(self.at(), text("entity_type").or_else(|| text("type")));
        let domain = self.rooms.domain_at(self.seq);
        let related = text("related_to").map(|to| {
            let to = self.rooms.world.entity(to, self.at()).map(|found| found.entity.id).unwrap_or_default();
            let relations = self.rooms.world.relations(self.at(), Some(&to), text("relation"));
            relations.into_iter().map(|r| if r.from == to { r.to } else { r.from }).collect::<Vec<_>>()
        });
        let wanted = entities
            .into_iter()
            .filter(|entity| !entity.retired && entity.merged_into.is_none())
            .filter(|entity| related.as_ref().is_none_or(|ids| ids.contains(&entity.id)));
        wanted
            .map(|entity| {
                let types = domain.domain.entity_types.get(&entity.entity_type);
                let class = |(name, _): (&String, &Value)| types?.fields.get(name)?.class.clone();
                let classes = entity.fields.iter().filter_map(class).collect();
                let mut value = Map::new();
                value.insert("id".to_owned(), entity.id.as_str().into());
                value.insert("type".to_owned(), entity.entity_type.as_str().into());
                value.insert("raw_id".to_owned(), entity.raw_id.as_str().into());
                value.insert("aliases".to_owned(), entity.aliases.clone().into());
                for (name, field) in &entity.fields {
                    value.entry(name.clone()).or_insert_with(|| field.clone());
                }
                let value = Value::Map(value);
                let evidence = found("entity", &entity.raw_id, entity.version, &value);
                Item { value, evidence, classes }
            })
            .collect()
    }

    fn facts(&self, asking: &Asking<'_>) -> Vec<Item> {
        let text = |name: &str| asking.arguments.get(name).and_then(Value::as_str);
        let page = self.rooms.ledger.facts(self.at(), text("subject"), text("key"));
        let domain = self.rooms.domain_at(self.seq);
        let facts = page.facts.into_iter().map(|fact| {
            let classes =
                domain.domain.facts.get(&fact.key).and_then(|of| of.value.class.clone()).into_iter().collect();
            let name = fact.source.clone().unwrap_or_else(|| fact.key.clone());
            let evidence = found("fact", &name, fact.version, &fact.value);
            let mut value = Map::new();
            value.insert("subject".to_owned(), fact.subject.as_str().into());
            value.insert("key".to_owned(), fact.key.as_str().into());
            value.insert("value".to_owned(), fact.value);
            value.insert("source".to_owned(), fact.source.map_or(Value::Null, Value::Text));
            value.insert("confidence".to_owned(), fact.confidence.map_or(Value::Null, Value::Number));
            value.insert("valid_from".to_owned(), fact.valid_from.into());
            Item { value: Value::Map(value), evidence, classes }
        });
        facts.collect()
    }

    fn memories(&self, asking: &Asking<'_>) -> Result<Vec<Item>, String> {
        let texts = |name: &str| match asking.arguments.get(name) {
            Some(Value::Text(text)) => vec![text.clone()],
            Some(Value::List(list)) => list.iter().filter_map(|v| v.as_str().map(str::to_owned)).collect(),
            _ => Vec::new(),
        };
        let time = |ms: Option<Millis>| ms.map(throughline_protocol::Time::from);
        let query = Recall {
            words: asking.words.map(str::to_owned),
            kinds: texts("kinds"),
            entities: texts("entities"),
            since: time(asking.window.and_then(|window| window.from)),
            until: time(asking.window.and_then(|window| window.to)),
            limit: asking.limit.and_then(|limit| usize::try_from(limit).ok()),
            ..Recall::default()
        };
        let domain = self.rooms.domain_at(self.seq);
        let page =
            self.rooms.memory.recall(self.at(), &query, &domain.domain).map_err(|refusal| refusal.to_string())?;
        let item = |hit: MemoryView| {
            let evidence = found("memory", &hit.id, 0, &Value::from(hit.text.as_str()));
            let mut value = Map::new();
            value.insert("id".to_owned(), hit.id.as_str().into());
            value.insert("kind".to_owned(), hit.kind.as_str().into());
            value.insert("text".to_owned(), hit.text.as_str().into());
            value.insert("at".to_owned(), hit.at.into());
            value.insert("entities".to_owned(), hit.entities.clone().into());
            value.insert("data".to_owned(), hit.data);
            Item { value: Value::Map(value), evidence, classes: Vec::new() }
        };
        Ok(page.hits.into_iter().map(item).collect())
    }
}

/// Evidence for what was found in a room: its name, its version, and it as it stood.
fn found(method: &str, name: &str, version: u64, value: &Value) -> Evidence {
    Evidence { version, ..throughline_plan::evidence::given(name, value, method) }
}
