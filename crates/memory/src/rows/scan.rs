//! Looking for kinds in the columns of a block, many rows at a time.

use std::ops::Range;

use super::COMPARED;

/// How many rows are compared at a time.
const STRIDE: usize = 16;
/// How many rows are looked at at a time: one bit each says which are found.
const ROWS: usize = 64;
/// So many found rows are written at a time, wanted or not: to ask after each whether there is another one takes
/// longer, for nobody can guess the answer.
const WRITTEN: usize = 8;

/// Something that sixteen rows at once are compared with.
#[cfg(target_arch = "wasm32")]
type Lanes = core::arch::wasm32::v128;
#[cfg(not(target_arch = "wasm32"))]
type Lanes = u8;

#[cfg(not(target_arch = "wasm32"))]
fn lanes(kind: u8) -> Lanes {
    kind
}

#[cfg(target_arch = "wasm32")]
#[target_feature(enable = "simd128")]
#[inline]
fn lanes(kind: u8) -> Lanes {
    core::arch::wasm32::u8x16_splat(kind)
}

/// Which of sixteen rows are of one of the kinds, one bit each.
#[cfg(not(target_arch = "wasm32"))]
fn hits<const N: usize>(rows: &[u8; STRIDE], kinds: &[Lanes; N]) -> u16 {
    (0u32..).zip(rows).fold(0, |hits, (place, kind)| hits | u16::from(kinds.contains(kind)) << place)
}

/// Which of sixteen rows are of one of the kinds, one bit each; all sixteen compared at once.
#[cfg(target_arch = "wasm32")]
#[target_feature(enable = "simd128")]
#[inline]
fn hits<const N: usize>(rows: &[u8; STRIDE], kinds: &[Lanes; N]) -> u16 {
    use core::arch::wasm32::{i8x16_bitmask, u8x16_eq, u8x16_splat, u64x2, v128_or};
    // Read in two pieces: sixteen single bytes would be read one by one.
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *rows;
    let rows = u64x2(u64::from_le_bytes([a, b, c, d, e, f, g, h]), u64::from_le_bytes([i, j, k, l, m, n, o, p]));
    let mut found = u8x16_splat(0);
    for kind in kinds {
        found = v128_or(found, u8x16_eq(rows, *kind));
    }
    i8x16_bitmask(found)
}

/// Which of sixty-four rows are of one of the kinds.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
#[inline]
fn found_in(rows: &[u8; ROWS], kinds: &[Lanes; COMPARED]) -> u64 {
    let (parts, _) = rows.as_chunks::<STRIDE>();
    let mut found = 0;
    for (number, part) in parts.iter().enumerate() {
        found |= u64::from(hits(part, kinds)) << (number * STRIDE);
    }
    found
}

/// Appends the rows of a few kinds that stand in some places of a block's columns.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(super) fn fill(
    few: [u8; COMPARED],
    kinds: &[u8],
    first: u32,
    rows: &[u16],
    places: Range<usize>,
    out: &mut Vec<u32>,
) {
    let [a, b, c, d] = few;
    let wanted = [lanes(a), lanes(b), lanes(c), lanes(d)];
    let mut at = places.start;
    while at < places.end {
        // The last look begins so early that it ends with the columns: what it sees again does not count.
        let begin = at.min(kinds.len().saturating_sub(ROWS));
        let looked = kinds.get(begin..).and_then(|kinds| kinds.first_chunk::<ROWS>());
        let (Some(looked), Some(rows)) = (looked, rows.get(begin..).and_then(|rows| rows.first_chunk::<ROWS>())) else {
            break;
        };
        let mut found = found_in(looked, &wanted) >> (at - begin) << (at - begin);
        let until = places.end - begin;
        if until < ROWS {
            found &= (1 << until) - 1;
        }
        let end = out.len() + found.count_ones() as usize;
        while found != 0 {
            let mut some = [0; WRITTEN];
            for slot in &mut some {
                let row = rows.get(found.trailing_zeros() as usize % ROWS).copied().unwrap_or(0);
                *slot = first.wrapping_add(u32::from(row));
                found &= found.wrapping_sub(1);
            }
            out.extend_from_slice(&some);
        }
        out.truncate(end);
        at = begin + ROWS;
    }
    // Columns too short for that.
    let rest = at.min(places.end)..places.end;
    let (kinds, rows) = (kinds.get(rest.clone()).unwrap_or_default(), rows.get(rest).unwrap_or_default());
    let of_kind = kinds.iter().zip(rows).filter(|(kind, _)| few.contains(kind));
    out.extend(of_kind.map(|(_, row)| first.wrapping_add(u32::from(*row))));
}

/// The last place of a kind, before an end.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(super) fn last_of(kinds: &[u8], kind: u8) -> Option<usize> {
    let wanted = [lanes(kind)];
    let mut end = kinds.len();
    while let Some(chunk) = kinds.get(..end).and_then(|head| head.last_chunk::<STRIDE>()) {
        let found = hits(chunk, &wanted);
        if found != 0 {
            return Some(end - STRIDE + found.ilog2() as usize);
        }
        end -= STRIDE;
    }
    let mut rest = kinds.get(..end)?.iter();
    while let Some(own) = rest.next_back() {
        if *own == kind {
            return Some(rest.len());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_in_any_places_of_columns_of_any_length_is_what_a_look_at_each_row_finds() {
        let mut state = 11u64;
        let mut random = move |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        for step in 0..4_000 {
            let len = random(if step % 2 == 0 { 1_025 } else { 140 }) as usize;
            let most = 1 + random(9);
            let kinds: Vec<u8> = (0..len).map(|_| (random(most) * 31 % 256) as u8).collect();
            let rows: Vec<u16> = (0..len).map(|_| random(65_536) as u16).collect();
            let start = random(len as u64 + 1) as usize;
            let end = start + random((len - start) as u64 + 1) as usize;
            let few = [(); COMPARED].map(|()| (random(most) * 31 % 256) as u8);
            let first = random(u64::from(u32::MAX)) as u32;
            let places = (start..end).filter(|place| few.contains(&kinds[*place]));
            let mut expected = vec![7];
            expected.extend(places.map(|place| first.wrapping_add(u32::from(rows[place]))));
            let mut out = vec![7];
            fill(few, &kinds, first, &rows, start..end, &mut out);
            assert_eq!(out, expected, "{start}..{end} of {len}");
            let last = kinds.iter().rposition(|kind| *kind == few[0]);
            assert_eq!(last_of(&kinds, few[0]), last);
        }
    }
}
