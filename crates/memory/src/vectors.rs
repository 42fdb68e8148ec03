//! Vectors of meaning: scanned as small whole numbers, the best of them weighed again with finer ones.
//!
//! A vector is brought to length 1. For the scan each component is a byte, scaled by the vector's largest; for
//! weighing it is a whole number of 32,767ths. Both are whole, so sums of them are exact whatever is added or
//! taken away. Vectors of different dimensions live in different spaces.

mod snap;

use throughline_journal::Millis;
use throughline_protocol::Refusal;
use throughline_value::{SortedMap, Value};

use crate::columns::{decode, encode};
use crate::limits::MAX_DIMENSIONS;

/// What a component of 1 is, as a whole number.
const WHOLE: f32 = 32_767.0;
/// How many of the best of the scan are weighed again, for each hit wanted; and the fewest.
const RESCORED: usize = 4;
const LEAST_RESCORED: usize = 64;
/// How many bytes are multiplied in one go.
#[cfg(target_arch = "wasm32")]
const GO: usize = 64;

/// All vectors, by dimension.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vectors {
    spaces: SortedMap<u32, Space>,
}

#[derive(Clone, Debug, Default)]
struct Space {
    /// Rows in the order of writing.
    rows: Vec<u32>,
    bytes: Vec<i8>,
    scales: Vec<f32>,
    exact: Vec<i16>,
}

/// Reads a vector: a list of numbers, or base64 of little-endian 32-bit floats.
pub(crate) fn read(value: &Value, path: &str) -> Result<Vec<f32>, Refusal> {
    let bad = |message: &str| Refusal::new("bad-vector", message.to_owned()).at_path(path);
    let list: Option<Vec<f32>> = match value {
        Value::List(list) => list.iter().map(|n| n.as_number().map(|n| n.to_f64() as f32)).collect(),
        Value::Text(text) => decode(text).filter(|bytes| bytes.len().is_multiple_of(4)).map(|bytes| {
            let one = |four: &[u8]| four.try_into().map(f32::from_le_bytes).unwrap_or(f32::NAN);
            bytes.chunks(4).map(one).collect()
        }),
        _ => None,
    };
    let list = list.ok_or_else(|| bad("a vector is a list of numbers, or base64 of little-endian 32-bit floats"))?;
    if list.is_empty() || list.len() > MAX_DIMENSIONS {
        return Err(bad(&format!("a vector has 1 to {MAX_DIMENSIONS} components")));
    }
    if list.iter().any(|x| !x.is_finite()) || list.iter().all(|x| *x == 0.0) {
        return Err(bad("the components are finite, and not all of them 0"));
    }
    Ok(list)
}

/// A vector as a record holds it.
pub(crate) fn pack(vector: &[f32]) -> String {
    let bytes: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
    encode(&bytes)
}

/// Whole numbers of 32,767ths, of the vector brought to length 1.
fn exact(vector: &[f32]) -> Vec<i16> {
    let square: f64 = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
    let length = square.sqrt();
    #[expect(clippy::cast_possible_truncation, reason = "clamped to what the type holds")]
    let one = |x: &f32| ((f64::from(*x) / length) * f64::from(WHOLE)).round().clamp(-32_767.0, 32_767.0) as i16;
    vector.iter().map(one).collect()
}

/// Bytes, scaled by the largest component; and the scale.
fn bytes(exact: &[i16]) -> (impl Iterator<Item = i8> + '_, f32) {
    let most = exact.iter().map(|x| x.unsigned_abs()).max().unwrap_or(1).max(1);
    let scale = f32::from(most) / 127.0;
    #[expect(clippy::cast_possible_truncation, reason = "at most 127 by the scale")]
    let one = move |x: &i16| (f32::from(*x) / scale).round().clamp(-127.0, 127.0) as i8;
    (exact.iter().map(one), scale)
}

/// Eight components of the vector that all others are compared with.
#[cfg(target_arch = "wasm32")]
type Eight = core::arch::wasm32::v128;
#[cfg(not(target_arch = "wasm32"))]
type Eight = [i16; 8];

#[cfg(not(target_arch = "wasm32"))]
fn eight(numbers: [i16; 8]) -> Eight {
    numbers
}

#[cfg(target_arch = "wasm32")]
#[target_feature(enable = "simd128")]
fn eight([a, b, c, d, e, f, g, h]: [i16; 8]) -> Eight {
    core::arch::wasm32::i16x8(a, b, c, d, e, f, g, h)
}

/// The components of a vector eight by eight; zeros behind the last.
fn eights(small: &[i16]) -> Vec<Eight> {
    let mut all = Vec::with_capacity(small.len().div_ceil(8));
    for part in small.chunks(8) {
        let mut numbers = [0; 8];
        numbers.iter_mut().zip(part).for_each(|(slot, n)| *slot = *n);
        all.push(eight(numbers));
    }
    all
}

/// The sum of the products of eight bytes with eight numbers.
#[cfg(not(target_arch = "wasm32"))]
fn dot_rest(own: &[i8], query: &Eight) -> i32 {
    own.iter().zip(query).map(|(x, y)| i32::from(i16::from(*x) * *y)).sum()
}

/// The sum of the products.
#[cfg(not(target_arch = "wasm32"))]
fn dot(own: &[i8], query: &[Eight]) -> i32 {
    own.chunks(8).zip(query).map(|(own, query)| dot_rest(own, query)).sum()
}

/// The sum of the products, sixteen bytes read at a time: every browser has these instructions, and the small code
/// that the rest is built for would not use them by itself.
#[cfg(target_arch = "wasm32")]
#[target_feature(enable = "simd128")]
#[inline]
fn dot(own: &[i8], query: &[Eight]) -> i32 {
    use core::arch::wasm32::{
        i16x8_extend_high_i8x16 as high, i16x8_extend_low_i8x16 as low, i32x4_add as add, i32x4_dot_i16x8 as dot,
        i32x4_extract_lane, i32x4_splat, i64x2,
    };
    let bytes = |part: &[i8; 16]| {
        // Read in two pieces: sixteen single bytes would be read one by one.
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = part.map(i8::cast_unsigned);
        i64x2(i64::from_le_bytes([a, b, c, d, e, f, g, h]), i64::from_le_bytes([i, j, k, l, m, n, o, p]))
    };
    let (mut sum, mut other) = (i32x4_splat(0), i32x4_splat(0));
    let (goes, rest) = own.as_chunks::<GO>();
    let query_rest = query.get(goes.len() * (GO / 8)..).unwrap_or_default();
    let (query_goes, _) = query.as_chunks::<{ GO / 8 }>();
    for (go, [s, t, u, v, w, x, y, z]) in goes.iter().zip(query_goes) {
        let ([a, b, c, d], _) = go.as_chunks::<16>() else { break };
        let (a, b, c, d) = (bytes(a), bytes(b), bytes(c), bytes(d));
        // Two sums, so that neither waits for the other.
        sum = add(add(sum, dot(low(a), *s)), dot(low(b), *u));
        other = add(add(other, dot(high(a), *t)), dot(high(b), *v));
        sum = add(add(sum, dot(low(c), *w)), dot(low(d), *y));
        other = add(add(other, dot(high(c), *x)), dot(high(d), *z));
    }
    for (part, pair) in rest.chunks(16).zip(query_rest.chunks(2)) {
        let mut padded = [0; 16];
        padded.iter_mut().zip(part).for_each(|(slot, byte)| *slot = *byte);
        let part = bytes(&padded);
        if let Some(x) = pair.first() {
            sum = add(sum, dot(low(part), *x));
        }
        if let Some(y) = pair.get(1) {
            other = add(other, dot(high(part), *y));
        }
    }
    let sum = add(sum, other);
    i32x4_extract_lane::<0>(sum)
        + i32x4_extract_lane::<1>(sum)
        + i32x4_extract_lane::<2>(sum)
        + i32x4_extract_lane::<3>(sum)
}

fn dot_exact(a: &[i16], b: &[i16]) -> i64 {
    a.iter().zip(b).map(|(x, y)| i64::from(i32::from(*x) * i32::from(*y))).sum()
}

/// The best of many, of which few are kept at a time.
struct Best {
    found: Vec<(f32, u32)>,
    most: usize,
    /// What is below this is not among the best.
    least: f32,
}

fn nearer(a: &(f32, u32), b: &(f32, u32)) -> std::cmp::Ordering {
    b.0.total_cmp(&a.0).then(b.1.cmp(&a.1))
}

impl Best {
    fn of(most: usize) -> Self {
        Self { found: Vec::new(), most, least: f32::NEG_INFINITY }
    }

    #[inline]
    fn add(&mut self, score: f32, place: u32) {
        if score >= self.least {
            self.found.push((score, place));
            if self.found.len() >= self.most.saturating_mul(4) {
                self.cut();
            }
        }
    }

    fn cut(&mut self) {
        if self.found.len() > self.most
            && let Some(last) = self.most.checked_sub(1)
        {
            let (_, (least, _), _) = self.found.select_nth_unstable_by(last, nearer);
            self.least = *least;
            self.found.truncate(self.most);
        }
    }
}

/// Which rows a search is among.
pub(crate) enum Among<'a> {
    /// Those that are kept.
    Kept(&'a dyn Fn(u32) -> bool),
    /// These.
    Rows(&'a [u32]),
}

impl Space {
    fn place(&self, row: u32) -> Option<usize> {
        // Where every row has a vector, a row's place is its distance from the first one.
        let guess = row.checked_sub(*self.rows.first()?)? as usize;
        if self.rows.get(guess) == Some(&row) {
            return Some(guess);
        }
        self.rows.binary_search(&row).ok()
    }

    /// How near the vectors of some places are to one, by their bytes.
    #[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
    fn scan(&self, places: &[u32], size: usize, query: &[Eight], best: &mut Best) {
        for place in places {
            let scale = self.scales.get(*place as usize).copied().unwrap_or(0.0);
            best.add(dot(self.of_bytes(*place, size), query) as f32 * scale, *place);
        }
    }

    fn of(&self, place: usize, dimension: usize) -> &[i16] {
        self.exact.get(place * dimension..(place + 1) * dimension).unwrap_or_default()
    }

    #[inline]
    fn of_bytes(&self, place: u32, size: usize) -> &[i8] {
        let begin = place as usize * size;
        self.bytes.get(begin..begin + size).unwrap_or_default()
    }
}

impl Vectors {
    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.spaces.is_empty()
    }

    /// Adds the vector of a row that is newer than all before it.
    pub(crate) fn add(&mut self, row: u32, vector: &[f32]) {
        self.push(row, &exact(vector));
    }

    fn push(&mut self, row: u32, exact: &[i16]) {
        let space = self.spaces.entry(u32::try_from(exact.len()).unwrap_or(0)).or_default();
        let (small, scale) = bytes(exact);
        space.rows.push(row);
        space.bytes.extend(small);
        space.scales.push(scale);
        space.exact.extend_from_slice(exact);
    }

    /// Gives a row the vector of the version before it.
    pub(crate) fn copy(&mut self, from: u32, to: u32) {
        if let Some(exact) = self.exact(from).map(<[i16]>::to_vec) {
            self.push(to, &exact);
        }
    }

    /// A row's vector as whole numbers.
    pub(crate) fn exact(&self, row: u32) -> Option<&[i16]> {
        self.spaces
            .iter()
            .find_map(|(dimension, space)| space.place(row).map(|place| space.of(place, *dimension as usize)))
    }

    /// Takes a row's vector out.
    pub(crate) fn remove(&mut self, row: u32) {
        for (dimension, space) in self.spaces.iter_mut() {
            let Some(place) = space.place(row) else { continue };
            let range = place * *dimension as usize..(place + 1) * *dimension as usize;
            space.rows.remove(place);
            space.scales.remove(place);
            space.bytes.drain(range.clone());
            space.exact.drain(range);
        }
        self.spaces.retain(|_, space| !space.rows.is_empty());
    }

    /// The rows nearest to a vector, nearest first, with the cosine; and how many rows could have been.
    pub(crate) fn nearest(&self, vector: &[f32], most: usize, among: &Among<'_>) -> (Vec<(u32, f64)>, u64) {
        let query = exact(vector);
        let Some(space) = self.spaces.get(&u32::try_from(query.len()).unwrap_or(0)) else { return (Vec::new(), 0) };
        let small: Vec<i16> = bytes(&query).0.map(i16::from).collect();
        let places: Vec<u32> = match among {
            Among::Kept(keep) => (0u32..).zip(&space.rows).filter(|(_, row)| keep(**row)).map(|(n, _)| n).collect(),
            Among::Rows(rows) => rows.iter().filter_map(|row| u32::try_from(space.place(*row)?).ok()).collect(),
        };
        let mut best = Best::of(most.saturating_mul(RESCORED).max(LEAST_RESCORED));
        space.scan(&places, query.len(), &eights(&small), &mut best);
        best.cut();
        let weigh = |(_, place): &(f32, u32)| {
            let row = space.rows.get(*place as usize).copied().unwrap_or(0);
            (dot_exact(space.of(*place as usize, query.len()), &query), row)
        };
        let mut weighed: Vec<(i64, u32)> = best.found.iter().map(weigh).collect();
        weighed.sort_unstable_by(|a, b| b.cmp(a));
        weighed.truncate(most);
        let whole = f64::from(WHOLE) * f64::from(WHOLE);
        (weighed.into_iter().map(|(n, row)| (row, n as f64 / whole)).collect(), places.len() as u64)
    }

    /// Whether a row has a vector of so many components.
    pub(crate) fn has(&self, row: u32, dimension: usize) -> bool {
        self.exact(row).is_some_and(|own| own.len() == dimension)
    }

    /// How alike two rows are, in thousandths, when both have vectors of one dimension.
    pub(crate) fn likeness(&self, a: u32, b: u32) -> Option<Millis> {
        let (x, y) = (self.exact(a)?, self.exact(b)?);
        (x.len() == y.len()).then(|| dot_exact(x, y) / (32_767 * 32_767 / 1_000))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Deep;

    #[test]
    fn every_component_counts_whatever_their_number() {
        for size in 1..70i16 {
            let own: Vec<i8> = (0..size).map(|n| (n * 37 % 255 - 127) as i8).collect();
            let query: Vec<i16> = (0..size).map(|n| n * 91 % 255 - 127).collect();
            let sum: i32 = own.iter().zip(&query).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
            assert_eq!(dot(&own, &eights(&query)), sum, "{size}");
        }
    }

    #[test]
    fn the_nearest_are_those_of_an_exact_scan_and_a_mean_survives_what_is_taken_out() {
        let mut state = 5u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        let (mut vectors, mut all) = (Vectors::default(), Vec::new());
        for row in 0..2_000u32 {
            let vector: Vec<f32> = (0..48).map(|_| random()).collect();
            vectors.add(row * 3, &vector);
            all.push(vector);
        }
        let cosine = |a: &[f32], b: &[f32]| {
            let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(p, q)| f64::from(*p) * f64::from(*q)).sum::<f64>();
            dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
        };
        let mut same = 0;
        for _ in 0..20 {
            let query: Vec<f32> = (0..48).map(|_| random()).collect();
            let mut gold: Vec<(f64, u32)> =
                all.iter().zip(0u32..).filter(|(_, r)| r % 2 == 0).map(|(v, r)| (cosine(v, &query), r * 3)).collect();
            gold.sort_by(|a, b| b.0.total_cmp(&a.0));
            let (got, total) = vectors.nearest(&query, 10, &Among::Kept(&|row| row / 3 % 2 == 0));
            let rows: Vec<u32> = (0..2_000).filter(|row| row % 2 == 0).map(|row| row * 3).collect();
            assert_eq!(vectors.nearest(&query, 10, &Among::Rows(&rows)), (got.clone(), total));
            assert_eq!(total, 1_000);
            same += got.iter().zip(&gold).filter(|(g, e)| g.0 == e.1 && (g.1 - e.0).abs() < 1e-3).count();
        }
        assert!(same >= 198, "{same} of 200");
        let sum = |vectors: &Vectors, without: u32| {
            let mut deep = Deep::default();
            let rows = (0..6_000).step_by(3).filter(|row| *row != without);
            rows.filter_map(|row| vectors.exact(row)).for_each(|own| deep.add(own));
            deep
        };
        let before = sum(&vectors, 30);
        vectors.remove(30);
        assert_eq!(sum(&vectors, u32::MAX), before);
        assert_eq!((vectors.exact(30), vectors.exact(33).map(<[i16]>::len)), (None, Some(48)));
    }
}
