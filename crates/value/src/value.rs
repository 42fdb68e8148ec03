//! The value itself.

use crate::{Named, Number, json};

/// Named values in the order they were given; equality does not look at the order.
pub type Map = Named<Value>;

/// What a field, a fact, an argument or a reply can hold: JSON's model with exact numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Value {
    /// Nothing, said on purpose; an absent field is something else.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// An exact number.
    Number(Number),
    /// Text.
    Text(String),
    /// Values in order.
    List(Vec<Value>),
    /// Named values.
    Map(Map),
}

impl Value {
    /// An empty map.
    #[must_use]
    pub fn map() -> Self {
        Self::Map(Map::new())
    }

    /// The value under `name`, when this is a map that has it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.as_map()?.get(name)
    }

    /// The value at a path of names and list positions.
    ///
    /// ```
    /// use throughline_value::json;
    /// let v = json::read_value(r#"{"a": [{"b": 1}]}"#).unwrap();
    /// assert_eq!(v.at(&["a", "0", "b"]).and_then(|v| v.as_i64()), Some(1));
    /// ```
    #[must_use]
    pub fn at(&self, path: &[&str]) -> Option<&Value> {
        path.iter().try_fold(self, |value, step| match value {
            Self::Map(map) => map.get(step),
            Self::List(list) => list.get(step.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// The text, when this is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The number, when this is one.
    #[must_use]
    pub fn as_number(&self) -> Option<&Number> {
        if let Self::Number(number) = self { Some(number) } else { None }
    }

    /// The number as an `i64`, when this is exactly one.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    /// The truth value, when this is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(bool) = self { Some(*bool) } else { None }
    }

    /// The list, when this is one.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Value]> {
        if let Self::List(list) = self { Some(list) } else { None }
    }

    /// The map, when this is one.
    #[must_use]
    pub fn as_map(&self) -> Option<&Map> {
        if let Self::Map(map) = self { Some(map) } else { None }
    }

    /// Whether this is null.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The kind in one word, for messages: `null`, `boolean`, `number`, `text`, `list` or `map`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::Text(_) => "text",
            Self::List(_) => "list",
            Self::Map(_) => "map",
        }
    }

    /// The value as compact JSON text, numbers as they were written.
    #[must_use]
    pub fn to_json(&self) -> String {
        json::write(self)
    }

    /// The one text that all equal values share: names sorted, numbers in [`Number::canonical`] form.
    /// Digests hash it; it is not for reading.
    #[must_use]
    pub fn canonical(&self) -> String {
        json::canonical(self)
    }
}

impl From<bool> for Value {
    fn from(bool: bool) -> Self {
        Self::Bool(bool)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        Self::Number(number)
    }
}

impl From<i64> for Value {
    fn from(int: i64) -> Self {
        Self::Number(Number::from(int))
    }
}

impl From<i32> for Value {
    fn from(int: i32) -> Self {
        Self::Number(Number::from(int))
    }
}

impl From<u64> for Value {
    fn from(int: u64) -> Self {
        Self::Number(Number::from(int))
    }
}

impl From<usize> for Value {
    fn from(int: usize) -> Self {
        Self::Number(Number::from(int as u64))
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(list: Vec<T>) -> Self {
        Self::List(list.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl From<Map> for Value {
    fn from(map: Map) -> Self {
        Self::Map(map)
    }
}

impl<K: Into<String>, V: Into<Value>, const N: usize> From<[(K, V); N]> for Value {
    fn from(pairs: [(K, V); N]) -> Self {
        named(Vec::from(pairs))
    }
}

/// Compiled for each kind of pair, and not for each count of them too.
#[inline(never)]
fn named<K: Into<String>, V: Into<Value>>(pairs: Vec<(K, V)>) -> Value {
    let mut map = Map::with_capacity(pairs.len());
    for (name, value) in pairs {
        map.insert(name.into(), value.into());
    }
    Value::Map(map)
}
