//! Enums that are maps with a `type`, read with positions.
//!
//! serde's own tagged enums buffer their content and lose both positions and digits, so the tag is taken
//! off here and the rest is read as the structure it names.

/// Defines an enum of structures, each under its tag, with `read`, `from_value`, `from_node`, `to_value`,
/// `name` and `NAMES`.
macro_rules! tagged {
    ($(#[$meta:meta])* $what:literal, $name:ident { $($(#[$doc:meta])* $tag:literal => $variant:ident,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name {
            $($(#[$doc])* $variant($variant),)+
        }

        impl $name {
            /// Every tag, in the order of the reference.
            pub const NAMES: &'static [&'static str] = &[$($tag),+];

            /// The tag.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $tag,)+ }
            }

            /// Reads it from JSON text.
            ///
            /// # Errors
            /// A refusal with code, path and the byte in the text.
            pub fn read(text: &str) -> Result<Self, $crate::Refusal> {
                let node = throughline_value::json::read(text)?;
                Self::from_node(&node)
            }

            /// Reads it from a tree that knows its positions.
            ///
            /// # Errors
            /// As [`Self::read`].
            pub fn from_node(node: &throughline_value::json::Node) -> Result<Self, $crate::Refusal> {
                let (tag, rest) = $crate::tagged::split_node(node, $what)?;
                match tag.as_str() {
                    $($tag => throughline_value::from_node(&rest).map(Self::$variant).map_err(Into::into),)+
                    other => Err($crate::tagged::unknown($what, other, Self::NAMES)),
                }
            }

            /// Reads it from a value.
            ///
            /// # Errors
            /// As [`Self::read`], without the byte.
            pub fn from_value(value: &throughline_value::Value) -> Result<Self, $crate::Refusal> {
                let (tag, rest) = $crate::tagged::split_value(value, $what)?;
                match tag.as_str() {
                    $($tag => throughline_value::from_value(&rest).map(Self::$variant).map_err(Into::into),)+
                    other => Err($crate::tagged::unknown($what, other, Self::NAMES)),
                }
            }

            /// Writes it as a map with its `type` first.
            #[must_use]
            pub fn to_value(&self) -> throughline_value::Value {
                let inner = match self { $(Self::$variant(inner) => throughline_value::to_value(inner),)+ };
                $crate::tagged::join(self.name(), inner.unwrap_or_default())
            }
        }

        $(impl $crate::Tagged for $variant {
            fn tagged(&self) -> throughline_value::Value {
                $crate::tagged::join($tag, throughline_value::to_value(self).unwrap_or_default())
            }
        })+

        $(impl From<$variant> for $name {
            fn from(inner: $variant) -> Self {
                Self::$variant(inner)
            }
        })+

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.to_value().serialize(serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let value = throughline_value::Value::deserialize(deserializer)?;
                Self::from_value(&value).map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(crate) use tagged;

use throughline_value::json::{Node, NodeData};
use throughline_value::{Error, Map, Value};

use crate::Refusal;

const TAG: &str = "type";

/// A structure that is one of several under its tag.
///
/// Whoever knows which one it is writes it so, and does not carry the writers of all the others.
///
/// ```
/// use throughline_protocol::{Tagged as _, query::Status};
/// assert_eq!(Status {}.tagged().to_json(), r#"{"type":"status"}"#);
/// ```
pub trait Tagged {
    /// The map with its `type` first.
    fn tagged(&self) -> Value;
}

fn no_tag(what: &str) -> Refusal {
    Refusal::new("missing-type", format!("a {what} is a map with a text `type`")).at_path("/type")
}

pub(crate) fn unknown(what: &str, tag: &str, names: &[&str]) -> Refusal {
    let refusal = Refusal::new(&format!("unknown-{what}"), format!("there is no {what} `{tag}`")).at_path("/type");
    match nearest(tag, names) {
        Some(name) => refusal.suggest(format!("did you mean `{name}`?")),
        None => refusal.suggest(format!("the names are {}", names.join(", "))),
    }
}

/// The name that shares the most with `text`, when it is near enough to be a slip: what a refusal suggests.
#[must_use]
pub fn nearest<'a>(text: &str, names: &[&'a str]) -> Option<&'a str> {
    names
        .iter()
        .map(|name| (distance(text, name), *name))
        .min()
        .filter(|(d, _)| *d <= text.chars().count() / 3 + 1)
        .map(|(_, n)| n)
}

/// Levenshtein's distance in characters.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = i;
        let mut left = i + 1;
        for (cell, y) in row.iter_mut().skip(1).zip(&b) {
            let best = (corner + usize::from(x != *y)).min(left + 1).min(*cell + 1);
            corner = *cell;
            *cell = best;
            left = best;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

pub(crate) fn split_node(node: &Node, what: &str) -> Result<(String, Node), Refusal> {
    let NodeData::Map(map) = &node.data else {
        return Err(Refusal::from(Error::new("wrong-type", format!("a {what} is a map")).at(node.span)));
    };
    let mut tag = None;
    let mut rest = Vec::with_capacity(map.len());
    for (key, value) in map {
        match (&value.data, key.name == TAG) {
            (NodeData::Text(text), true) => tag = Some(text.clone()),
            _ => rest.push((key.clone(), value.clone())),
        }
    }
    let tag = tag.ok_or_else(|| no_tag(what))?;
    Ok((tag, Node { span: node.span, data: NodeData::Map(rest) }))
}

pub(crate) fn split_value(value: &Value, what: &str) -> Result<(String, Value), Refusal> {
    let Value::Map(map) = value else {
        return Err(Refusal::new("wrong-type", format!("a {what} is a map, not a {}", value.kind())));
    };
    let tag = map.get(TAG).and_then(Value::as_str).ok_or_else(|| no_tag(what))?.to_owned();
    let rest: Map = map.iter().filter(|(k, _)| *k != TAG).map(|(k, v)| (k.clone(), v.clone())).collect();
    Ok((tag, Value::Map(rest)))
}

pub(crate) fn join(tag: &str, inner: Value) -> Value {
    let mut map = Map::from_iter([(TAG.to_owned(), Value::from(tag))]);
    if let Value::Map(rest) = inner {
        map.extend(rest);
    }
    Value::Map(map)
}
