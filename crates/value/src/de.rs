//! Typed structures from values and nodes, with the path of what was wrong.
//!
//! A `Value` inside a structure keeps its digits: it asks for a newtype of a private name, which only this
//! reader answers exactly. Other formats (`serde_json`) see an ordinary value.

use std::fmt;

use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer as _, IntoDeserializer, Visitor};

use crate::json::{Key, Node, NodeData};
use crate::{Error, Map, Number, Span, Value, json};

/// The newtype name by which a [`Value`] asks to be read exactly.
const VALUE_TOKEN: &str = "$throughline::Value";
/// A structure of this name skips the names that it has no field for; every other one refuses them. It is written
/// `#[serde(rename = "open")]`, on what a later version may have written.
const OPEN: &str = "open";

/// Reads a typed structure from a value.
///
/// ```
/// use throughline_value::{from_value, json};
/// #[derive(serde::Deserialize, Debug)]
/// #[serde(deny_unknown_fields)]
/// struct Point { x: i64 }
/// let error = from_value::<Point>(&json::read_value(r#"{"x": "1"}"#)?).unwrap_err();
/// assert_eq!((error.code(), error.path()), ("wrong-type", "/x"));
/// # Ok::<(), throughline_value::Error>(())
/// ```
///
/// # Errors
/// `wrong-type`, `missing-field`, `unknown-field`, `unknown-variant`, `invalid-value`, with the path.
pub fn from_value<T: DeserializeOwned>(value: &Value) -> Result<T, Error> {
    T::deserialize(Reader(Tree::Value(value)))
}

/// Reads a typed structure from a node; errors also carry the span in the text.
///
/// # Errors
/// As [`from_value`].
pub fn from_node<T: DeserializeOwned>(node: &Node) -> Result<T, Error> {
    T::deserialize(Reader(Tree::Node(node)))
}

#[derive(Clone, Copy)]
enum Tree<'a> {
    Value(&'a Value),
    Node(&'a Node),
    /// What a field reads that was not given: nothing but an `Option` can be made of it.
    Missing,
}

enum Shape<'a> {
    Missing,
    Null,
    Bool(bool),
    Number(&'a Number),
    Text(&'a str),
    List,
    Map,
}

#[derive(Clone, Copy)]
struct Name<'a> {
    text: &'a str,
    span: Option<Span>,
}

impl<'a> Tree<'a> {
    #[inline(never)]
    fn shape(self) -> Shape<'a> {
        match self {
            Tree::Value(value) => match value {
                Value::Null => Shape::Null,
                Value::Bool(bool) => Shape::Bool(*bool),
                Value::Number(number) => Shape::Number(number),
                Value::Text(text) => Shape::Text(text),
                Value::List(_) => Shape::List,
                Value::Map(_) => Shape::Map,
            },
            Tree::Node(node) => match &node.data {
                NodeData::Null => Shape::Null,
                NodeData::Bool(bool) => Shape::Bool(*bool),
                NodeData::Number(number) => Shape::Number(number),
                NodeData::Text(text) => Shape::Text(text),
                NodeData::List(_) => Shape::List,
                NodeData::Map(_) => Shape::Map,
            },
            Tree::Missing => Shape::Missing,
        }
    }

    /// The item of a list at a place.
    #[inline(never)]
    fn item(self, at: usize) -> Option<Tree<'a>> {
        match self {
            Tree::Value(Value::List(list)) => list.get(at).map(Tree::Value),
            Tree::Node(Node { data: NodeData::List(list), .. }) => list.get(at).map(Tree::Node),
            _ => None,
        }
    }

    /// The entry of a map at a place.
    #[inline(never)]
    fn entry(self, at: usize) -> Option<(Name<'a>, Tree<'a>)> {
        match self {
            Tree::Value(Value::Map(map)) => {
                map.get_index(at).map(|(k, v)| (Name { text: k, span: None }, Tree::Value(v)))
            }
            Tree::Node(Node { data: NodeData::Map(map), .. }) => {
                map.get(at).map(|(Key { name, span }, v)| (Name { text: name, span: Some(*span) }, Tree::Node(v)))
            }
            _ => None,
        }
    }

    #[inline(never)]
    fn locate(self, error: Error) -> Error {
        match self {
            Tree::Value(_) | Tree::Missing => error,
            Tree::Node(node) => error.at(node.span),
        }
    }

    fn to_value(self) -> Value {
        match self {
            Tree::Value(value) => value.clone(),
            Tree::Node(node) => node.clone().into_value(),
            Tree::Missing => Value::Null,
        }
    }

    /// The place of a name in a map.
    fn find(self, name: &str) -> Option<usize> {
        match self {
            Tree::Value(Value::Map(map)) => map.get_index_of(name),
            Tree::Node(Node { data: NodeData::Map(map), .. }) => map.iter().position(|(key, _)| key.name == name),
            _ => None,
        }
    }
}

#[derive(Clone, Copy)]
struct Reader<'a>(Tree<'a>);

// Every reader of a structure is compiled anew, so what can be shared is kept out of them: each method asks
// only for the kind it is named after, and the errors are built in one place.
impl<'a> Reader<'a> {
    #[cold]
    #[inline(never)]
    fn unexpected(self, expected: &str) -> Error {
        let (article, kind) = match self.0.shape() {
            Shape::Missing => return Error::new("missing-field", String::new()),
            Shape::Null => ("", "null"),
            Shape::Bool(_) => ("a ", "boolean"),
            Shape::Number(_) => ("a ", "number"),
            Shape::Text(_) => ("a ", "text"),
            Shape::List => ("a ", "list"),
            Shape::Map => ("a ", "map"),
        };
        self.0.locate(Error::new("wrong-type", format!("{article}{kind} stands where {expected} is expected")))
    }

    fn integer(self) -> Result<Integer, Error> {
        match self.0.shape() {
            Shape::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(int), _) => Ok(Integer::Signed(int)),
                (None, Some(int)) => Ok(Integer::Unsigned(int)),
                (None, None) => Err(self.unexpected("a whole number")),
            },
            _ => Err(self.unexpected("a number")),
        }
    }

    fn text(self) -> Result<&'a str, Error> {
        if let Shape::Text(text) = self.0.shape() { Ok(text) } else { Err(self.unexpected("a text")) }
    }

    fn list(self) -> Result<Items<'a>, Error> {
        match self.0.shape() {
            Shape::List => Ok(Items { tree: self.0, index: 0 }),
            _ => Err(self.unexpected("a list")),
        }
    }

    fn map(self) -> Result<Entries<'a>, Error> {
        match self.0.shape() {
            Shape::Map => Ok(Entries { tree: self.0, at: 0 }),
            _ => Err(self.unexpected("a map")),
        }
    }
}

enum Integer {
    Signed(i64),
    Unsigned(u64),
}

impl<'de> de::Deserializer<'de> for Reader<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let tree = self.0;
        let result = match tree.shape() {
            Shape::Missing => Err(self.unexpected("")),
            Shape::Null => visitor.visit_unit(),
            Shape::Bool(bool) => visitor.visit_bool(bool),
            Shape::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(int), _) if int < 0 => visitor.visit_i64(int),
                (_, Some(int)) => visitor.visit_u64(int),
                _ => visitor.visit_f64(number.to_f64()),
            },
            Shape::Text(text) => visitor.visit_str(text),
            Shape::List => visitor.visit_seq(Items { tree, index: 0 }),
            Shape::Map => visitor.visit_map(Entries { tree, at: 0 }),
        };
        result.map_err(|e| tree.locate(e))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0.shape() {
            Shape::Bool(bool) => visitor.visit_bool(bool),
            _ => Err(self.unexpected("a boolean")),
        }
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let tree = self.0;
        match self.integer()? {
            Integer::Signed(int) => visitor.visit_i64(int),
            Integer::Unsigned(int) => visitor.visit_u64(int),
        }
        .map_err(|e| tree.locate(e))
    }

    fn deserialize_i8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_i64(visitor)
    }

    fn deserialize_i16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_i64(visitor)
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_i64(visitor)
    }

    fn deserialize_u8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_i64(visitor)
    }

    fn deserialize_u16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_i64(visitor)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_i64(visitor)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_i64(visitor)
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0.shape() {
            Shape::Number(number) => visitor.visit_f64(number.to_f64()),
            _ => Err(self.unexpected("a number")),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let tree = self.0;
        visitor.visit_str(self.text()?).map_err(|e| tree.locate(e))
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0.shape() {
            Shape::Null => visitor.visit_unit(),
            _ => Err(self.unexpected("null")),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let tree = self.0;
        visitor.visit_seq(self.list()?).map_err(|e| tree.locate(e))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let tree = self.0;
        visitor.visit_map(self.map()?).map_err(|e| tree.locate(e))
    }

    // Fields are given in the order of the structure, as a list: a derived reader takes that with half the code
    // that it has for a map, and what it would do for every structure anew is done here.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let mut given = Fields::of(self, fields, name == OPEN)?;
        visitor.visit_seq(&mut given).map_err(|e| given.explain(e))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0.shape() {
            Shape::Null | Shape::Missing => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Error> {
        if name != VALUE_TOKEN {
            return match self.0 {
                Tree::Missing => Err(self.unexpected("")),
                _ => visitor.visit_newtype_struct(self),
            };
        }
        // Plain values go straight; what would lose digits or order goes as bytes of JSON text.
        match self.0.shape() {
            Shape::Missing => Err(self.unexpected("")),
            Shape::Null => visitor.visit_unit(),
            Shape::Bool(bool) => visitor.visit_bool(bool),
            Shape::Text(text) => visitor.visit_str(text),
            _ => visitor.visit_byte_buf(self.0.to_value().to_json().into_bytes()),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let tree = self.0;
        match tree.shape() {
            Shape::Text(text) => visitor.visit_enum(text.into_deserializer()).map_err(|e| tree.locate(e)),
            Shape::Map => match (tree.entry(0), tree.entry(1)) {
                (Some((name, inner)), None) => {
                    visitor.visit_enum(Variant { name: name.text, inner }).map_err(|e| tree.locate(e.within(name.text)))
                }
                _ => Err(self.unexpected("a map with exactly one name")),
            },
            _ => Err(self.unexpected("a text, or a map with one name,")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! { i128 u128 bytes byte_buf }
}

struct Items<'a> {
    tree: Tree<'a>,
    index: usize,
}

impl<'de> de::SeqAccess<'de> for Items<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some(item) = self.tree.item(self.index) else { return Ok(None) };
        let index = self.index;
        self.index += 1;
        seed.deserialize(Reader(item)).map(Some).map_err(|e| in_item(e, item, index))
    }
}

#[cold]
#[inline(never)]
fn in_item(error: Error, item: Tree<'_>, index: usize) -> Error {
    item.locate(error).within(&index.to_string())
}

struct Entries<'a> {
    tree: Tree<'a>,
    /// The next entry.
    at: usize,
}

impl<'a> Entries<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let (name, _) = self.tree.entry(self.at)?;
        self.at += 1;
        Some(name.text)
    }

    /// The value of the last name, or an error that cannot be: a value is asked for after its name.
    #[inline(never)]
    fn value(&self) -> Result<Tree<'a>, Error> {
        let entry = self.at.checked_sub(1).and_then(|at| self.tree.entry(at));
        entry
            .map(|(_, value)| value)
            .ok_or_else(|| Error::new("invalid-value", "a value was asked for before its name"))
    }

    #[cold]
    #[inline(never)]
    fn in_name(&self, error: Error) -> Error {
        match self.at.checked_sub(1).and_then(|at| self.tree.entry(at)) {
            Some((Name { text, span }, _)) => {
                let error = error.within(text);
                if let Some(span) = span { error.at(span) } else { error }
            }
            None => error,
        }
    }

    #[cold]
    #[inline(never)]
    fn in_value(&self, error: Error) -> Error {
        match self.at.checked_sub(1).and_then(|at| self.tree.entry(at)) {
            Some((name, value)) => value.locate(error).within(name.text),
            None => error,
        }
    }
}

impl<'de> de::MapAccess<'de> for Entries<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some(name) = self.next() else { return Ok(None) };
        let key: de::value::StrDeserializer<'_, Error> = name.into_deserializer();
        seed.deserialize(key).map(Some).map_err(|e| self.in_name(e))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(Reader(self.value()?)).map_err(|e| self.in_value(e))
    }
}

/// The fields of a structure, in its own order.
struct Fields<'a> {
    tree: Tree<'a>,
    names: &'static [&'static str],
    /// The next field.
    at: usize,
    /// Whether the last one was not given.
    missing: bool,
}

impl<'a> Fields<'a> {
    #[inline(never)]
    fn of(reader: Reader<'a>, names: &'static [&'static str], open: bool) -> Result<Self, Error> {
        let mut entries = reader.map()?;
        while !open && let Some(name) = entries.next() {
            if !names.contains(&name) {
                return Err(reader.0.locate(entries.in_name(de::Error::unknown_field(name, names))));
            }
        }
        Ok(Self { tree: reader.0, names, at: 0, missing: false })
    }

    /// The value of the next field, and its place when it was given; none after the last field.
    #[inline(never)]
    fn next(&mut self) -> Option<(Tree<'a>, Option<usize>)> {
        let name = self.names.get(self.at)?;
        self.at += 1;
        self.missing = false;
        // Most are given in the order of the structure.
        let near = self.tree.entry(self.at - 1).filter(|(at, _)| at.text == *name).map(|_| self.at - 1);
        let place = near.or_else(|| self.tree.find(name));
        match place.and_then(|place| self.tree.entry(place)) {
            Some((_, value)) => Some((value, place)),
            None => Some((Tree::Missing, None)),
        }
    }

    /// The error of a field, with its name; none when it was not given, and so its default stands.
    #[cold]
    #[inline(never)]
    fn failed(&mut self, error: Error, place: Option<usize>) -> Option<Error> {
        self.missing = place.is_none();
        place.map(|place| Entries { tree: self.tree, at: place + 1 }.in_value(error))
    }

    /// What is wrong with the structure: a field that was not given and has no default is called by its name.
    #[cold]
    #[inline(never)]
    fn explain(&self, error: Error) -> Error {
        let name = self.at.checked_sub(1).and_then(|at| self.names.get(at));
        self.tree.locate(match name {
            Some(name) if self.missing => de::Error::missing_field(name),
            _ => error,
        })
    }
}

impl<'de> de::SeqAccess<'de> for &mut Fields<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some((value, place)) = self.next() else { return Ok(None) };
        match seed.deserialize(Reader(value)) {
            Ok(value) => Ok(Some(value)),
            Err(error) => self.failed(error, place).map_or(Ok(None), Err),
        }
    }
}

struct Variant<'a> {
    name: &'a str,
    inner: Tree<'a>,
}

impl<'de, 'a> de::EnumAccess<'de> for Variant<'a> {
    type Error = Error;
    type Variant = Content<'a>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Content<'a>), Error> {
        let name: de::value::StrDeserializer<'_, Error> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, Content(self.inner)))
    }
}

struct Content<'a>(Tree<'a>);

impl<'de> de::VariantAccess<'de> for Content<'_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        serde::Deserialize::deserialize(Reader(self.0))
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(Reader(self.0))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        Reader(self.0).deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        Reader(self.0).deserialize_struct(OPEN, fields, visitor)
    }
}

impl<'de> serde::Deserialize<'de> for Value {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(VALUE_TOKEN, ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: de::Deserializer<'de>>(self, inner: D) -> Result<Value, D::Error> {
        inner.deserialize_any(self)
    }

    fn visit_newtype_struct<D: de::Deserializer<'de>>(self, inner: D) -> Result<Value, D::Error> {
        inner.deserialize_any(self)
    }

    fn visit_bool<E: de::Error>(self, bool: bool) -> Result<Value, E> {
        Ok(Value::Bool(bool))
    }

    fn visit_i64<E: de::Error>(self, int: i64) -> Result<Value, E> {
        Ok(Value::from(int))
    }

    fn visit_u64<E: de::Error>(self, int: u64) -> Result<Value, E> {
        Ok(Value::from(int))
    }

    fn visit_f64<E: de::Error>(self, double: f64) -> Result<Value, E> {
        Number::from_f64(double).map(Value::Number).ok_or_else(|| E::custom("a number must be finite"))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_byte_buf<E: de::Error>(self, bytes: Vec<u8>) -> Result<Value, E> {
        let text = String::from_utf8(bytes).map_err(E::custom)?;
        json::read_value(&text).map_err(E::custom)
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = seq.next_element()? {
            list.push(item);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((name, value)) = entries.next_entry()? {
            map.insert(name, value);
        }
        Ok(Value::Map(map))
    }
}

impl<'de> serde::Deserialize<'de> for Number {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Number(number) => Ok(number),
            // Foreign formats carry an exact number as text.
            Value::Text(text) => Number::parse(&text).ok_or_else(|| de::Error::custom("a number is expected")),
            other => Err(de::Error::custom(format!("a number is expected, not a {}", other.kind()))),
        }
    }
}
