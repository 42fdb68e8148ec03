//! Values from typed structures.

use serde::ser::{self, Serialize};

use crate::{Error, Map, Number, Value};

/// The newtype name by which a [`Number`] hands over its digits.
const NUMBER_TOKEN: &str = "$throughline::Number";

/// Writes a typed structure as a value. Fields that are skipped are absent; `None` is null.
///
/// # Errors
/// `unwritable-value`: a map whose names are not text, bytes, or a number that is not finite.
pub fn to_value<T: Serialize + ?Sized>(from: &T) -> Result<Value, Error> {
    from.serialize(Writer)
}

impl Serialize for Number {
    fn serialize<S: ser::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.as_i64() {
            Some(int) if self.as_str() == int.to_string() => serializer.serialize_i64(int),
            _ => serializer.serialize_newtype_struct(NUMBER_TOKEN, self.as_str().as_ref()),
        }
    }
}

impl Serialize for Value {
    fn serialize<S: ser::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(bool) => serializer.serialize_bool(*bool),
            Value::Number(number) => number.serialize(serializer),
            Value::Text(text) => serializer.serialize_str(text),
            Value::List(list) => list.serialize(serializer),
            Value::Map(map) => serializer.collect_map(map),
        }
    }
}

struct Writer;

impl ser::Serializer for Writer {
    type Ok = Value;
    type Error = Error;
    type SerializeSeq = Items;
    type SerializeTuple = Items;
    type SerializeTupleStruct = Items;
    type SerializeTupleVariant = Items;
    type SerializeMap = Entries;
    type SerializeStruct = Entries;
    type SerializeStructVariant = Entries;

    fn serialize_bool(self, v: bool) -> Result<Value, Error> {
        Ok(Value::Bool(v))
    }

    fn serialize_i8(self, v: i8) -> Result<Value, Error> {
        Ok(Value::from(i64::from(v)))
    }

    fn serialize_i16(self, v: i16) -> Result<Value, Error> {
        Ok(Value::from(i64::from(v)))
    }

    fn serialize_i32(self, v: i32) -> Result<Value, Error> {
        Ok(Value::from(v))
    }

    fn serialize_i64(self, v: i64) -> Result<Value, Error> {
        Ok(Value::from(v))
    }

    fn serialize_u8(self, v: u8) -> Result<Value, Error> {
        Ok(Value::from(i64::from(v)))
    }

    fn serialize_u16(self, v: u16) -> Result<Value, Error> {
        Ok(Value::from(i64::from(v)))
    }

    fn serialize_u32(self, v: u32) -> Result<Value, Error> {
        Ok(Value::from(i64::from(v)))
    }

    fn serialize_u64(self, v: u64) -> Result<Value, Error> {
        Ok(Value::from(v))
    }

    fn serialize_f32(self, v: f32) -> Result<Value, Error> {
        self.serialize_f64(f64::from(v))
    }

    fn serialize_f64(self, v: f64) -> Result<Value, Error> {
        Number::from_f64(v).map(Value::Number).ok_or_else(|| Error::new("unwritable-value", "a number must be finite"))
    }

    fn serialize_char(self, v: char) -> Result<Value, Error> {
        Ok(Value::Text(v.to_string()))
    }

    fn serialize_str(self, v: &str) -> Result<Value, Error> {
        Ok(Value::from(v))
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<Value, Error> {
        Err(Error::new("unwritable-value", "bytes are not a value; write them as text"))
    }

    fn serialize_none(self) -> Result<Value, Error> {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, v: &T) -> Result<Value, Error> {
        v.serialize(self)
    }

    fn serialize_unit(self) -> Result<Value, Error> {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Value, Error> {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<Value, Error> {
        Ok(Value::from(variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, v: &T) -> Result<Value, Error> {
        let value = v.serialize(self)?;
        match (name, &value) {
            (NUMBER_TOKEN, Value::Text(text)) => Number::parse(text)
                .map(Value::Number)
                .ok_or_else(|| Error::new("unwritable-value", "these are not the digits of a number")),
            _ => Ok(value),
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        v: &T,
    ) -> Result<Value, Error> {
        v.serialize(Self).map(|value| varied(variant, value))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Items, Error> {
        Ok(Items { list: Vec::new(), variant: None, failed: None })
    }

    fn serialize_tuple(self, _: usize) -> Result<Items, Error> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Items, Error> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_variant(self, _: &'static str, _: u32, variant: &'static str, _: usize) -> Result<Items, Error> {
        Ok(Items { list: Vec::new(), variant: Some(variant), failed: None })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Entries, Error> {
        Ok(Entries { map: Map::new(), name: None, variant: None, failed: None })
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Entries, Error> {
        self.serialize_map(None)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Entries, Error> {
        Ok(Entries { map: Map::new(), name: None, variant: Some(variant), failed: None })
    }
}

/// A value under the name of a variant.
#[inline(never)]
fn varied(variant: &'static str, value: Value) -> Value {
    let mut map = Map::new();
    map.insert(variant.to_owned(), value);
    Value::Map(map)
}

// Every writer of a structure is compiled anew. What can fail is therefore kept until the end, so that the writers
// have nothing to do about it after each field.
struct Items {
    list: Vec<Value>,
    variant: Option<&'static str>,
    failed: Option<Error>,
}

impl Items {
    #[inline(never)]
    fn add(&mut self, item: Result<Value, Error>) {
        match item {
            Ok(value) => self.list.push(value),
            Err(error) => self.failed = self.failed.take().or(Some(error)),
        }
    }

    #[inline(never)]
    fn finish(self) -> Result<Value, Error> {
        let list = Value::List(self.list);
        match (self.failed, self.variant) {
            (Some(error), _) => Err(error),
            (None, Some(variant)) => Ok(varied(variant, list)),
            (None, None) => Ok(list),
        }
    }
}

macro_rules! items {
    ($trait:ident, $method:ident) => {
        impl ser::$trait for Items {
            type Ok = Value;
            type Error = Error;

            #[inline(always)]
            fn $method<T: Serialize + ?Sized>(&mut self, v: &T) -> Result<(), Error> {
                self.add(v.serialize(Writer));
                Ok(())
            }

            fn end(self) -> Result<Value, Error> {
                self.finish()
            }
        }
    };
}

items!(SerializeSeq, serialize_element);
items!(SerializeTuple, serialize_element);
items!(SerializeTupleStruct, serialize_field);
items!(SerializeTupleVariant, serialize_field);

struct Entries {
    map: Map,
    name: Option<String>,
    variant: Option<&'static str>,
    failed: Option<Error>,
}

impl Entries {
    #[inline(never)]
    fn add(&mut self, name: &'static str, value: Result<Value, Error>) {
        self.name = Some(name.to_owned());
        self.fill(value);
    }

    #[inline(never)]
    fn called(&mut self, name: Result<Value, Error>) {
        let name = match name {
            Ok(Value::Text(text)) => Ok(text),
            Ok(Value::Number(number)) => Ok(number.to_string()),
            Ok(other) => Err(Error::new("unwritable-value", format!("a {} cannot be a name", other.kind()))),
            Err(error) => Err(error),
        };
        match name {
            Ok(name) => self.name = Some(name),
            Err(error) => self.failed = self.failed.take().or(Some(error)),
        }
    }

    #[inline(never)]
    fn fill(&mut self, value: Result<Value, Error>) {
        let name = self.name.take().unwrap_or_default();
        match value {
            Ok(value) => {
                self.map.insert(name, value);
            }
            Err(error) => self.failed = self.failed.take().or(Some(error)),
        }
    }

    #[inline(never)]
    fn finish(self) -> Result<Value, Error> {
        let map = Value::Map(self.map);
        match (self.failed, self.variant) {
            (Some(error), _) => Err(error),
            (None, Some(variant)) => Ok(varied(variant, map)),
            (None, None) => Ok(map),
        }
    }
}

impl ser::SerializeMap for Entries {
    type Ok = Value;
    type Error = Error;

    #[inline(always)]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.called(key.serialize(Writer));
        Ok(())
    }

    #[inline(always)]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, v: &T) -> Result<(), Error> {
        self.fill(v.serialize(Writer));
        Ok(())
    }

    fn end(self) -> Result<Value, Error> {
        self.finish()
    }
}

macro_rules! entries {
    ($trait:ident) => {
        impl ser::$trait for Entries {
            type Ok = Value;
            type Error = Error;

            #[inline(always)]
            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, v: &T) -> Result<(), Error> {
                self.add(name, v.serialize(Writer));
                Ok(())
            }

            fn end(self) -> Result<Value, Error> {
                self.finish()
            }
        }
    };
}

entries!(SerializeStruct);
entries!(SerializeStructVariant);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{from_node, from_value, json};

    #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        id: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        value: Value,
        mode: Mode,
        amount: Number,
    }

    #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
    #[serde(rename_all = "snake_case")]
    enum Mode {
        Plain,
        Every(u32),
    }

    #[test]
    fn structures_keep_the_digits_of_their_values() {
        let text = r#"{"id":18446744073709551615,"value":{"a":[1.10,1e400,null]},"mode":{"every":3},"amount":91.70}"#;
        let sample: Sample = from_node(&json::read(text).unwrap()).unwrap();
        assert_eq!(sample.id, u64::MAX);
        assert_eq!(sample.amount.as_str(), "91.70");
        assert_eq!(to_value(&sample).unwrap().to_json(), text);
        assert_eq!(from_value::<Sample>(&to_value(&sample).unwrap()).unwrap(), sample);
    }

    #[track_caller]
    fn check(text: &str, expected: (&str, &str, usize)) {
        let error = from_node::<Sample>(&json::read(text).unwrap()).unwrap_err();
        assert_eq!((error.code(), error.path(), error.span().map_or(usize::MAX, |s| s.start)), expected, "{error}");
    }

    #[test]
    fn errors_carry_code_path_and_byte() {
        check(r#"{"id":1,"value":1,"mode":"plain","amount":1,"x":2}"#, ("unknown-field", "/x", 44));
        check(r#"{"id":"1","value":1,"mode":"plain","amount":1}"#, ("wrong-type", "/id", 6));
        check(r#"{"id":1,"mode":"plain","amount":1}"#, ("missing-field", "/value", 0));
        check(r#"{"id":1,"value":1,"mode":"fast","amount":1}"#, ("unknown-variant", "/mode", 25));
    }

    #[test]
    fn another_format_sees_ordinary_values_and_exact_numbers_as_text() {
        let value = json::read_value(r#"{"a":[1,0.10,true]}"#).unwrap();
        assert_eq!(serde_json::to_string(&value).unwrap(), r#"{"a":[1,"0.10",true]}"#);
        let back: Value = serde_json::from_str(r#"{"a":[1,0.5,null]}"#).unwrap();
        assert_eq!(back.to_json(), r#"{"a":[1,0.5,null]}"#);
    }
}
