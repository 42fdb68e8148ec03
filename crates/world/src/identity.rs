//! Who is who: reproducible ids, and how the spellings of a name are made one.

use std::collections::BTreeMap;
use std::sync::Arc;

use throughline_journal::{Digest, Seq};
use throughline_protocol::Refusal;
use throughline_protocol::domain::EntityType;
use throughline_value::{SortedMap, SortedSet, Value, forms};

/// The id of an entity: its type, `_`, and 16 hexadecimal digits.
pub type EntityId = Arc<str>;

/// How the spellings of a name are made one. Nothing is ever dropped but white space around the name.
///
/// ```
/// use throughline_world::Rules;
/// let all = Rules { trim: true, fold_width: true, fold_case: true, nfc: true };
/// assert_eq!(all.apply(" ＤＧＩＡ　"), "dgia");
/// assert_eq!(all.apply("Cafe\u{301}"), "caf\u{e9}");
/// assert_eq!(Rules::default().apply(" ＤＧＩＡ"), "ＤＧＩＡ");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// White space around the name does not count.
    pub trim: bool,
    /// Full-width ASCII is ASCII, half-width katakana are katakana, and the ideographic space is a space.
    pub fold_width: bool,
    /// Upper case is lower case, in every script that has cases.
    pub fold_case: bool,
    /// What Unicode may write in several ways is written in one: normal form C.
    pub nfc: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self { trim: true, fold_width: false, fold_case: false, nfc: false }
    }
}

impl Rules {
    /// The rules of a domain's entity type: `trim` alone when it names none.
    ///
    /// # Errors
    /// `bad-domain` when it names one that does not exist.
    pub fn of(kind: Option<&EntityType>) -> Result<Self, Refusal> {
        match kind {
            Some(kind) if !kind.normalise.is_empty() => Self::named(kind.normalise.iter().map(String::as_str)),
            _ => Ok(Self::default()),
        }
    }

    fn named<'a>(names: impl Iterator<Item = &'a str>) -> Result<Self, Refusal> {
        let mut rules = Self { trim: false, fold_width: false, fold_case: false, nfc: false };
        for name in names {
            match name {
                "trim" => rules.trim = true,
                "fold_width" => rules.fold_width = true,
                "fold_case" => rules.fold_case = true,
                "nfc" => rules.nfc = true,
                other => {
                    let message = format!("the domain normalises by `{other}`, which there is none");
                    return Err(Refusal::new("bad-domain", message)
                        .suggest("the rules are trim, fold_width, fold_case and nfc"));
                }
            }
        }
        Ok(rules)
    }

    /// As recorded, so that the fold need not ask the domain.
    pub(crate) fn read(value: &Value) -> Option<Self> {
        Self::named(value.as_list()?.iter().filter_map(Value::as_str)).ok()
    }

    pub(crate) fn to_value(self) -> Value {
        let names =
            [(self.trim, "trim"), (self.fold_width, "fold_width"), (self.fold_case, "fold_case"), (self.nfc, "nfc")];
        Value::List(names.into_iter().filter(|(on, _)| *on).map(|(_, name)| name.into()).collect())
    }

    /// The one spelling that all spellings of a name share.
    #[must_use]
    pub fn apply(self, name: &str) -> String {
        let mut out = if self.fold_width { forms::fold_width(name) } else { name.to_owned() };
        if self.trim {
            out = out.trim().to_owned();
        }
        if self.fold_case {
            // Character by character: the final sigma is a sigma wherever it stands.
            out = out.chars().flat_map(char::to_lowercase).map(|c| if c == 'ς' { 'σ' } else { c }).collect();
        }
        if self.nfc { forms::compose(&out) } else { out }
    }
}

/// The id of the entity of a type under a normalised name: the same on every machine.
#[must_use]
pub fn entity_id(entity_type: &str, key: &str) -> EntityId {
    let mut digest = Digest::new("throughline-entity");
    digest.text(entity_type);
    digest.text(key);
    format!("{entity_type}_{}", short(digest)).into()
}

/// The first 16 hexadecimal digits.
pub(crate) fn short(digest: Digest) -> String {
    digest.finish().chars().take(16).collect()
}

/// Which entities go by a name. Names are only ever added; each says since which record.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    types: SortedMap<Arc<str>, TypeNames>,
}

#[derive(Clone, Debug, Default)]
struct TypeNames {
    rules: Rules,
    by_key: BTreeMap<Arc<str>, SortedMap<EntityId, Seq>>,
}

impl Names {
    /// From now on names of this type are looked up by these rules.
    pub(crate) fn learn(&mut self, entity_type: &Arc<str>, rules: Rules) {
        self.types.entry(Arc::clone(entity_type)).or_default().rules = rules;
    }

    pub(crate) fn add(&mut self, entity_type: &Arc<str>, key: &str, id: &EntityId, seq: Seq) {
        let names = self.types.entry(Arc::clone(entity_type)).or_default();
        names
            .by_key
            .entry(key.into())
            .or_default()
            .entry(Arc::clone(id))
            .and_modify(|since| *since = seq.min(*since))
            .or_insert(seq);
    }

    pub(crate) fn knows(&self, entity_type: &str) -> bool {
        self.types.contains_key(entity_type)
    }

    /// Before its names are added again by other rules.
    pub(crate) fn forget(&mut self, entity_type: &str) {
        if let Some(names) = self.types.get_mut(entity_type) {
            names.by_key.clear();
        }
    }

    pub(crate) fn rules(&self, entity_type: &str) -> Rules {
        self.types.get(entity_type).map_or_else(Rules::default, |names| names.rules)
    }

    /// Each type, or the one asked for, with the name's normal spelling there.
    pub(crate) fn spellings<'a>(
        &'a self,
        name: &'a str,
        entity_type: Option<&'a str>,
    ) -> impl Iterator<Item = (&'a Arc<str>, String)> {
        self.types
            .iter()
            .filter(move |(t, _)| entity_type.is_none_or(|wanted| wanted == &***t))
            .map(move |(t, names)| (t, names.rules.apply(name)))
    }

    /// The entities that went by a normalised name after record `seq`.
    pub(crate) fn named(&self, entity_type: &str, key: &str, seq: Seq) -> SortedSet<&EntityId> {
        let ids = self.types.get(entity_type).and_then(|names| names.by_key.get(key));
        ids.into_iter().flatten().filter(|(_, since)| **since <= seq).map(|(id, _)| id).collect()
    }

    /// Every type, normalised name, and the entities that went by it after record `seq`.
    pub(crate) fn all(&self, seq: Seq) -> impl Iterator<Item = (&Arc<str>, &Arc<str>, Vec<&EntityId>)> {
        self.types.iter().flat_map(move |(t, names)| {
            names.by_key.iter().map(move |(key, ids)| {
                (t, key, ids.iter().filter(|(_, since)| **since <= seq).map(|(id, _)| id).collect())
            })
        })
    }
}
