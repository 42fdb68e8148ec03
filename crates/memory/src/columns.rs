//! Many events as columns: small numbers packed into text, so that a frame holds a hundred thousand of them.
//!
//! A column of numbers is base64 (standard alphabet, no padding needed) of LEB128 varints. `at` holds the
//! difference to the row before, zigzag; the others are plain. Whoever writes by hand gives lists instead.

use std::cell::RefCell;

use throughline_journal::Millis;
use throughline_protocol::Refusal;
use throughline_protocol::command::RememberColumns;
use throughline_value::{Map, Value};

use crate::limits::{
    MAX_COLUMN_ROWS, MAX_DIMENSIONS, MAX_ENTITIES, MAX_KINDS, MAX_MILLIS, MAX_NAME_BYTES, MAX_TEXT_BYTES,
};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes as base64 without padding.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let digit = |six: u32| ALPHABET.get((six & 63) as usize).copied().unwrap_or(b'A');
    let mut out = vec![0; bytes.len() * 4 / 3 + 4];
    let (threes, rest) = bytes.as_chunks::<3>();
    for ([a, b, c], four) in threes.iter().zip(out.as_chunks_mut::<4>().0) {
        let word = u32::from(*a) << 16 | u32::from(*b) << 8 | u32::from(*c);
        *four = [digit(word >> 18), digit(word >> 12), digit(word >> 6), digit(word)];
    }
    out.truncate(threes.len() * 4);
    if !rest.is_empty() {
        let word = rest.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - rest.len()));
        out.extend((0..=rest.len()).map(|place| digit(word >> (18 - 6 * place))));
    }
    String::from_utf8(out).unwrap_or_default()
}

/// What no character of base64 stands for.
const NO_DIGIT: u8 = 64;

/// What each byte stands for.
#[expect(clippy::indexing_slicing, reason = "worked out by the compiler, which would say so")]
const DIGITS: [u8; 256] = {
    let mut digits = [NO_DIGIT; 256];
    let mut n = 0;
    while n < 256 {
        let byte = n as u8;
        digits[n] = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => NO_DIGIT,
        };
        n += 1;
    }
    digits
};

/// The bytes of base64, padded or not.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=').as_bytes();
    let mut out = Vec::with_capacity(text.len() * 3 / 4);
    let digit = |byte: u8| DIGITS.get(usize::from(byte)).copied().unwrap_or(NO_DIGIT);
    let (fours, rest) = text.as_chunks::<4>();
    let mut all = 0;
    for [a, b, c, d] in fours {
        let (a, b, c, d) = (digit(*a), digit(*b), digit(*c), digit(*d));
        all |= a | b | c | d;
        out.extend_from_slice(&[a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d]);
    }
    match rest.iter().map(|byte| digit(*byte)).collect::<Vec<_>>().as_slice() {
        [] => {}
        [a, b] => {
            all |= a | b;
            out.push(a << 2 | b >> 4);
        }
        [a, b, c] => {
            all |= a | b | c;
            out.extend_from_slice(&[a << 2 | b >> 4, b << 4 | c >> 2]);
        }
        _ => return None,
    }
    if all & NO_DIGIT != 0 {
        return None;
    }
    Some(out)
}

fn zigzag(n: i64) -> u64 {
    (n.wrapping_shl(1) ^ (n >> 63)).cast_unsigned()
}

fn unzigzag(n: u64) -> i64 {
    (n >> 1).cast_signed() ^ -(n & 1).cast_signed()
}

fn numbers(bytes: &[u8]) -> Option<Vec<u64>> {
    let mut out = Vec::with_capacity(bytes.len());
    let (mut n, mut shift) = (0u64, 0u32);
    for byte in bytes {
        if shift > 63 {
            return None;
        }
        n |= u64::from(byte & 127) << shift;
        shift += 7;
        if byte & 128 == 0 {
            out.push(n);
            (n, shift) = (0, 0);
        }
    }
    (shift == 0).then_some(out)
}

/// Times as a column.
fn pack_times(times: &[Millis]) -> String {
    let mut before = 0;
    pack(times.iter().map(|at| {
        let difference = zigzag(at.wrapping_sub(before));
        before = *at;
        difference
    }))
}

/// How many bytes are gathered before they are put to the others.
const STAGED: usize = 256;
/// The most bytes of one number.
const LONGEST: usize = 10;

fn pack(numbers: impl ExactSizeIterator<Item = u64>) -> String {
    let mut out = Vec::with_capacity(numbers.len() * 2 + STAGED);
    let (mut staged, mut len) = ([0u8; STAGED], 0);
    for n in numbers {
        if len + LONGEST > STAGED {
            out.extend_from_slice(staged.get(..len).unwrap_or_default());
            len = 0;
        }
        let mut n = n;
        while n > 127 {
            staged.get_mut(len).into_iter().for_each(|slot| *slot = (n & 127) as u8 | 128);
            (n, len) = (n >> 7, len + 1);
        }
        staged.get_mut(len).into_iter().for_each(|slot| *slot = n as u8);
        len += 1;
    }
    out.extend_from_slice(staged.get(..len).unwrap_or_default());
    encode(&out)
}

/// Many events, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    /// The names that `kind` and `entity` stand for.
    pub kinds: Vec<String>,
    /// As `kinds`.
    pub entities: Vec<String>,
    /// When each event was.
    pub at: Vec<Millis>,
    /// Its kind, as a place among the kinds.
    pub kind: Vec<u16>,
    /// How many entities it has.
    pub entity_count: Vec<u32>,
    /// Their places among the entities, one event after the other.
    pub entity: Vec<u32>,
    /// The texts, one after the other.
    pub text: String,
    /// How many bytes each has; empty when there are no texts.
    pub text_bytes: Vec<u32>,
    /// How long it lasts, in milliseconds; empty when none does.
    pub lasts: Vec<u64>,
    /// Its importance in thousandths, one above it; 0 for none given. Empty when none is.
    pub importance: Vec<u16>,
    /// Its number at the source; empty when the record's holds for all.
    pub place: Vec<u64>,
    /// How many components each vector has; 0 when there are none.
    pub vector_size: u32,
    /// The vectors of all rows one after the other, as little-endian 32-bit floats; zeros for a row without.
    pub vector: Vec<u8>,
    /// Rows that were purged.
    pub gone: Vec<u32>,
}

/// Columns that were read, for whoever gets them packed next: so that they are read once on their way from the page
/// through the decision to the fold. Only an aid; the packed ones are what holds, and what is kept is handed out only
/// for the very same packed ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Handed(RefCell<Option<(u64, Box<Columns>)>>);

/// Columns as a command or a record holds them.
pub(crate) struct Packed<'a> {
    columns: [Option<&'a str>; 9],
    text: &'a str,
}

impl<'a> Packed<'a> {
    pub(crate) fn of_command(command: &'a RememberColumns) -> Self {
        let columns = [
            command.at.as_str(),
            command.kind.as_str(),
            command.entity_count.as_str(),
            command.entity.as_str(),
            command.text_bytes.as_str(),
            command.lasts.as_str(),
            command.importance.as_str(),
            command.place.as_str(),
            Some(command.vector.as_str()).filter(|vector| !vector.is_empty()),
        ];
        Self { columns, text: &command.text }
    }

    pub(crate) fn of_data(data: &'a Value) -> Self {
        let names = ["at", "kind", "entity_count", "entity", "text_bytes", "lasts", "importance", "place", "vector"];
        let column = |name: &str| data.get(name).and_then(Value::as_str);
        Self { columns: names.map(column), text: column("text").unwrap_or_default() }
    }

    /// A number by which the columns are known again, beside the texts; `None` when they are not packed.
    fn print(&self) -> Option<u64> {
        let [Some(_), ..] = self.columns else { return None };
        let mut print = 0u64;
        let mut add = |word: u64| print = (print.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
        for column in self.columns {
            let (eights, rest) = column.unwrap_or_default().as_bytes().as_chunks::<8>();
            add(column.map_or(u64::MAX, |column| column.len() as u64));
            eights.iter().for_each(|eight| add(u64::from_le_bytes(*eight)));
            add(rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
        }
        Some(print)
    }
}

impl Handed {
    /// Keeps what the packed columns were made from.
    pub(crate) fn put(&self, packed: &Packed<'_>, columns: Columns) {
        *self.0.borrow_mut() = packed.print().map(|print| (print, Box::new(columns)));
    }

    /// What the packed columns were made from, when that was put here last. Nothing is kept after this. The names are
    /// compared by whoever has them.
    pub(crate) fn take(&self, packed: &Packed<'_>, same_names: impl FnOnce(&Columns) -> bool) -> Option<Columns> {
        let (print, columns) = self.0.borrow_mut().take()?;
        (packed.print()? == print && columns.text == packed.text && same_names(&columns)).then_some(*columns)
    }
}

/// Whether a record's names are these.
pub(crate) fn same_names(names: &[String], data: Option<&Value>) -> bool {
    let given = data.and_then(Value::as_list).unwrap_or_default();
    given.len() == names.len() && given.iter().zip(names).all(|(given, name)| given.as_str() == Some(name))
}

/// A column as it may be given.
fn column(value: &Value, times: bool) -> Option<Vec<i64>> {
    match value {
        Value::Null => Some(Vec::new()),
        Value::List(list) => list.iter().map(Value::as_i64).collect(),
        Value::Text(text) => {
            let plain = numbers(&decode(text)?)?;
            if !times {
                return plain.into_iter().map(|n| i64::try_from(n).ok()).collect();
            }
            let mut before = 0i64;
            Some(
                plain
                    .into_iter()
                    .map(|n| {
                        before = before.wrapping_add(unzigzag(n));
                        before
                    })
                    .collect(),
            )
        }
        _ => None,
    }
}

/// A column of lengths.
pub(crate) fn lengths(value: &Value) -> Option<Vec<i64>> {
    column(value, false)
}

fn narrow<T: TryFrom<i64>>(list: Vec<i64>) -> Option<Vec<T>> {
    list.into_iter().map(|n| T::try_from(n).ok()).collect()
}

impl Columns {
    /// Reads a command's columns.
    ///
    /// # Errors
    /// `bad-column` with the column's path, `too-many-items`, and those of [`Columns::check`].
    pub(crate) fn read(command: &RememberColumns) -> Result<Self, Refusal> {
        let bad = |name: &str| {
            let message = format!("`{name}` is neither a list of whole numbers nor a packed column");
            Refusal::new("bad-column", message).at_path(format!("/{name}"))
        };
        let get = |value: &Value, name: &str, times: bool| column(value, times).ok_or_else(|| bad(name));
        let this = Self {
            kinds: command.kinds.clone(),
            entities: command.entities.clone(),
            at: get(&command.at, "at", true)?,
            kind: narrow(get(&command.kind, "kind", false)?).ok_or_else(|| bad("kind"))?,
            entity_count: narrow(get(&command.entity_count, "entity_count", false)?)
                .ok_or_else(|| bad("entity_count"))?,
            entity: narrow(get(&command.entity, "entity", false)?).ok_or_else(|| bad("entity"))?,
            text: command.text.clone(),
            text_bytes: narrow(get(&command.text_bytes, "text_bytes", false)?).ok_or_else(|| bad("text_bytes"))?,
            lasts: narrow(get(&command.lasts, "lasts", false)?).ok_or_else(|| bad("lasts"))?,
            importance: narrow(get(&command.importance, "importance", false)?).ok_or_else(|| bad("importance"))?,
            place: narrow(get(&command.place, "place", false)?).ok_or_else(|| bad("place"))?,
            vector_size: command.vector_size,
            vector: decode(&command.vector).ok_or_else(|| bad("vector"))?,
            gone: Vec::new(),
        };
        this.check()?;
        Ok(this)
    }

    /// The command that remembers these columns, all of them packed.
    pub(crate) fn to_command(&self) -> RememberColumns {
        let mut packed = if let Value::Map(map) = self.to_value() { map } else { Map::new() };
        let mut take = |name: &str| packed.shift_remove(name).unwrap_or_default();
        RememberColumns {
            kinds: self.kinds.clone(),
            entities: self.entities.clone(),
            at: take("at"),
            kind: take("kind"),
            entity_count: take("entity_count"),
            entity: take("entity"),
            text: self.text.clone(),
            text_bytes: take("text_bytes"),
            lasts: take("lasts"),
            importance: take("importance"),
            place: take("place"),
            vector_size: self.vector_size,
            vector: encode(&self.vector),
        }
    }

    /// Reads what [`Columns::to_value`] wrote.
    pub(crate) fn of(data: &Value) -> Option<Self> {
        let get = |name: &str| column(data.get(name).unwrap_or(&Value::Null), name == "at");
        let names = |name: &str| -> Option<Vec<String>> {
            data.get(name).map_or(Some(Vec::new()), |list| {
                list.as_list()?.iter().map(|n| n.as_str().map(str::to_owned)).collect()
            })
        };
        let this = Self {
            kinds: names("kinds")?,
            entities: names("entities")?,
            at: get("at")?,
            kind: narrow(get("kind")?)?,
            entity_count: narrow(get("entity_count")?)?,
            entity: narrow(get("entity")?)?,
            text: data.get("text").map_or(Some(""), Value::as_str)?.to_owned(),
            text_bytes: narrow(get("text_bytes")?)?,
            lasts: narrow(get("lasts")?)?,
            importance: narrow(get("importance")?)?,
            place: narrow(get("place")?)?,
            vector_size: u32::try_from(data.get("vector_size").map_or(Some(0), Value::as_i64)?).ok()?,
            vector: decode(data.get("vector").map_or(Some(""), Value::as_str)?)?,
            gone: narrow(get("gone")?)?,
        };
        this.check().ok()?;
        Some(this)
    }

    /// The columns as a record holds them.
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.to_value_as(&RememberColumns::default())
    }

    /// The same; what was given as a packed column already is taken as it is.
    pub(crate) fn to_value_as(&self, given: &RememberColumns) -> Value {
        let mut map = Map::new();
        map.insert("kinds".into(), self.kinds.clone().into());
        if !self.entities.is_empty() {
            map.insert("entities".into(), self.entities.clone().into());
        }
        let mut set = |name: &str, given: &Value, len: usize, packed: &dyn Fn() -> String| {
            if len > 0 {
                let column = if let Value::Text(_) = given { given.clone() } else { packed().into() };
                map.insert(name.to_owned(), column);
            }
        };
        set("at", &given.at, self.at.len(), &|| pack_times(&self.at));
        set("kind", &given.kind, self.kind.len(), &|| pack(self.kind.iter().map(|n| u64::from(*n))));
        let count = &self.entity_count;
        set("entity_count", &given.entity_count, count.len(), &|| pack(count.iter().map(|n| u64::from(*n))));
        set("entity", &given.entity, self.entity.len(), &|| pack(self.entity.iter().map(|n| u64::from(*n))));
        let bytes = &self.text_bytes;
        set("text_bytes", &given.text_bytes, bytes.len(), &|| pack(bytes.iter().map(|n| u64::from(*n))));
        set("lasts", &given.lasts, self.lasts.len(), &|| pack(self.lasts.iter().copied()));
        let importance = &self.importance;
        set("importance", &given.importance, importance.len(), &|| pack(importance.iter().map(|n| u64::from(*n))));
        set("place", &given.place, self.place.len(), &|| pack(self.place.iter().copied()));
        set("gone", &Value::Null, self.gone.len(), &|| pack(self.gone.iter().map(|n| u64::from(*n))));
        set("vector", &Value::Null, self.vector.len(), &|| encode(&self.vector));
        if !self.vector.is_empty() {
            map.insert("vector_size".into(), i64::from(self.vector_size).into());
        }
        if !self.text.is_empty() {
            map.insert("text".into(), self.text.as_str().into());
        }
        Value::Map(map)
    }

    /// Whether the columns fit one another and every limit.
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        let rows = self.at.len();
        let refuse =
            |code: &str, path: &str, message: String| Err(Refusal::new(code, message).at_path(format!("/{path}")));
        if rows == 0 {
            return refuse("nothing-to-remember", "at", "give at least one event".to_owned());
        }
        if rows > MAX_COLUMN_ROWS {
            let message = format!("{rows} rows are more than {MAX_COLUMN_ROWS}; give them in several commands");
            return refuse("too-many-items", "at", message);
        }
        let lengths = [
            ("kind", self.kind.len(), false),
            ("entity_count", self.entity_count.len(), true),
            ("text_bytes", self.text_bytes.len(), true),
            ("lasts", self.lasts.len(), true),
            ("importance", self.importance.len(), true),
            ("place", self.place.len(), true),
        ];
        for (name, len, optional) in lengths {
            if len != rows && !(optional && len == 0) {
                return refuse("bad-column", name, format!("the column has {len} rows where `at` has {rows}"));
            }
        }
        let names = self.kinds.iter().chain(&self.entities);
        if self.kinds.len() > MAX_KINDS || self.kinds.iter().any(|kind| kind.trim().is_empty()) {
            return refuse("empty-kind", "kinds", format!("name 1 to {MAX_KINDS} kinds of events"));
        }
        if names.into_iter().any(|name| name.len() > MAX_NAME_BYTES) {
            return refuse("name-too-long", "kinds", format!("a name has at most {MAX_NAME_BYTES} bytes"));
        }
        let distinct = |names: &[String]| {
            let mut seen = throughline_value::Named::<(), &str>::new();
            names.iter().all(|name| seen.insert(name.as_str(), ()).is_none())
        };
        if !distinct(&self.kinds) || !distinct(&self.entities) {
            return refuse("bad-column", "kinds", "a name stands once among the kinds or entities".to_owned());
        }
        if self.kind.iter().any(|kind| usize::from(*kind) >= self.kinds.len()) {
            return refuse("bad-column", "kind", format!("a place among the {} kinds is below that", self.kinds.len()));
        }
        if self.entity.iter().any(|entity| *entity as usize >= self.entities.len()) {
            let message = format!("a place among the {} entities is below that", self.entities.len());
            return refuse("bad-column", "entity", message);
        }
        let given: u64 = self.entity_count.iter().map(|n| u64::from(*n)).sum();
        if given != self.entity.len() as u64 || self.entity_count.iter().any(|n| *n as usize > MAX_ENTITIES) {
            let message = format!("`entity_count` sums up to {given}, and `entity` has {}", self.entity.len());
            return refuse("bad-column", "entity_count", message);
        }
        if self.at.iter().any(|at| at.abs() > MAX_MILLIS) {
            return refuse("time-out-of-range", "at", format!("give times within {MAX_MILLIS} ms of 1970"));
        }
        if self.lasts.iter().any(|lasts| *lasts > MAX_MILLIS.cast_unsigned()) {
            return refuse("time-out-of-range", "lasts", format!("nothing lasts more than {MAX_MILLIS} ms"));
        }
        if self.importance.iter().any(|n| *n > 1_001) {
            return refuse("importance-out-of-range", "importance", "importance goes from 0 to 1".to_owned());
        }
        let size = self.vector_size as usize;
        if size > MAX_DIMENSIONS || self.vector.len() != size * 4 * rows {
            let message = format!(
                "`vector` holds {size} floats of four bytes for each of {rows} rows, and has {}",
                self.vector.len()
            );
            return refuse("bad-column", "vector", message);
        }
        let floats = self.vector.chunks_exact(4).filter_map(|four| four.try_into().ok()).map(f32::from_le_bytes);
        if floats.into_iter().any(|x| !x.is_finite()) {
            return refuse("bad-vector", "vector", "the components are finite".to_owned());
        }
        let mut end = 0usize;
        for bytes in &self.text_bytes {
            end += *bytes as usize;
            if *bytes as usize > MAX_TEXT_BYTES {
                return refuse("text-too-long", "text_bytes", format!("a text has at most {MAX_TEXT_BYTES} bytes"));
            }
            if !self.text.is_char_boundary(end) {
                return refuse("bad-column", "text_bytes", format!("a text ends at byte {end}, inside a character"));
            }
        }
        if end != self.text.len() {
            let message = format!("`text_bytes` sums up to {end}, and `text` has {} bytes", self.text.len());
            return refuse("bad-column", "text_bytes", message);
        }
        Ok(())
    }

    /// Puts another text in the place of each, or of all together where the lengths do not fit them.
    pub fn each_text(&mut self, change: impl Fn(&str) -> String) {
        let (mut text, mut lengths, mut byte) = (String::with_capacity(self.text.len()), Vec::new(), 0usize);
        for bytes in &self.text_bytes {
            let end = byte + *bytes as usize;
            let Some(own) = self.text.get(byte..end) else {
                self.text = change(&self.text);
                return;
            };
            let own = change(own);
            lengths.push(u32::try_from(own.len()).unwrap_or(u32::MAX));
            text.push_str(&own);
            byte = end;
        }
        (self.text, self.text_bytes) = (text, lengths);
    }

    /// The vector of a row; `None` when it has none.
    pub(crate) fn vector_of(&self, row: usize) -> Option<Vec<f32>> {
        let bytes = self.vector_size as usize * 4;
        let own = self.vector.get(row * bytes..(row + 1) * bytes).filter(|own| own.iter().any(|byte| *byte != 0))?;
        let vector: Vec<f32> =
            own.chunks_exact(4).filter_map(|four| four.try_into().ok()).map(f32::from_le_bytes).collect();
        vector.iter().any(|x| *x != 0.0).then_some(vector)
    }

    /// The same without some rows; their numbers stay taken.
    pub(crate) fn without(&self, rows: &dyn Fn(u32) -> bool) -> Self {
        let mut rest = Self { text: String::with_capacity(self.text.len()), ..self.clone() };
        rest.entity.clear();
        let (mut entity, mut byte) = (0usize, 0usize);
        for row in 0..self.at.len() {
            let number = u32::try_from(row).unwrap_or(u32::MAX);
            let gone = rows(number);
            if gone && !rest.gone.contains(&number) {
                rest.gone.push(number);
            }
            let count = self.entity_count.get(row).map_or(0, |n| *n as usize);
            let bytes = self.text_bytes.get(row).map_or(0, |n| *n as usize);
            if gone {
                // A row that is gone takes the values of none: zeros everywhere.
                rest.at.get_mut(row).into_iter().for_each(|at| *at = 0);
                rest.kind.get_mut(row).into_iter().for_each(|kind| *kind = 0);
                for column in [&mut rest.entity_count, &mut rest.text_bytes] {
                    column.get_mut(row).into_iter().for_each(|n| *n = 0);
                }
                let bytes = self.vector_size as usize * 4;
                rest.vector.get_mut(row * bytes..(row + 1) * bytes).into_iter().for_each(|own| own.fill(0));
                for column in [&mut rest.lasts, &mut rest.place] {
                    column.get_mut(row).into_iter().for_each(|n| *n = 0);
                }
                rest.importance.get_mut(row).into_iter().for_each(|n| *n = 0);
            } else {
                rest.entity.extend_from_slice(self.entity.get(entity..entity + count).unwrap_or_default());
                rest.text.push_str(self.text.get(byte..byte + bytes).unwrap_or(""));
            }
            entity += count;
            byte += bytes;
        }
        // Names that nobody has any more go too; the places of the others move.
        let used = |len: usize, of: &dyn Fn(usize) -> bool| -> Vec<Option<usize>> {
            let mut next = 0;
            (0..len)
                .map(|place| {
                    of(place).then(|| {
                        next += 1;
                        next - 1
                    })
                })
                .collect()
        };
        let mut has = vec![false; self.entities.len()];
        rest.entity.iter().for_each(|e| has.get_mut(*e as usize).into_iter().for_each(|slot| *slot = true));
        let moved = used(self.entities.len(), &|place| has.get(place).copied().unwrap_or(false));
        rest.entities = self.entities.iter().zip(&moved).filter(|(_, m)| m.is_some()).map(|(n, _)| n.clone()).collect();
        for entity in &mut rest.entity {
            let place = moved.get(*entity as usize).copied().flatten().unwrap_or(0);
            *entity = u32::try_from(place).unwrap_or(0);
        }
        let mut has = vec![false; self.kinds.len()];
        for (row, kind) in (0u32..).zip(&rest.kind) {
            if !rest.gone.contains(&row) {
                has.get_mut(usize::from(*kind)).into_iter().for_each(|slot| *slot = true);
            }
        }
        let moved = used(self.kinds.len(), &|place| has.get(place).copied().unwrap_or(false));
        rest.kinds = self.kinds.iter().zip(&moved).filter(|(_, m)| m.is_some()).map(|(n, _)| n.clone()).collect();
        if rest.kinds.is_empty() {
            rest.kinds.push("purged".to_owned());
        }
        for kind in &mut rest.kind {
            let place = moved.get(usize::from(*kind)).copied().flatten().unwrap_or(0);
            *kind = u16::try_from(place).unwrap_or(0);
        }
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_read_back_and_half_a_column_is_not() {
        for len in 0..20u8 {
            let bytes: Vec<u8> = (0..len).map(|n| n.wrapping_mul(37)).collect();
            assert_eq!(decode(&encode(&bytes)).unwrap(), bytes);
        }
        let times = [5, 5, -7, 1_772_675_400_000, i64::MIN / 4, 0];
        assert_eq!(column(&pack_times(&times).into(), true).unwrap(), times);
        assert_eq!(numbers(&[128]), None, "a number that does not end");
        assert_eq!(decode("*"), None);
    }

    #[test]
    fn a_row_that_is_taken_out_leaves_no_byte_and_the_others_stay() {
        let columns = Columns {
            kinds: vec!["a".into(), "secret".into()],
            entities: vec!["x".into(), "hidden".into()],
            at: vec![1, 2, 3],
            kind: vec![0, 1, 0],
            entity_count: vec![1, 2, 0],
            entity: vec![0, 1, 0],
            text: "onetwothree".into(),
            text_bytes: vec![3, 3, 5],
            place: vec![7, 777_123, 9],
            ..Columns::default()
        };
        columns.check().unwrap();
        let rest = columns.without(&|row| row == 1);
        rest.check().unwrap();
        assert_eq!(
            (rest.text.as_str(), &rest.kinds, &rest.entities),
            ("onethree", &vec!["a".to_owned()], &vec!["x".to_owned()])
        );
        assert_eq!((&rest.at, &rest.gone, &rest.place), (&vec![1, 0, 3], &vec![1], &vec![7, 0, 9]));
        assert_eq!(Columns::of(&rest.to_value()).unwrap(), rest);
    }
}
