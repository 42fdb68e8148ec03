//! Characters that may be written in several ways, written in one; nothing is dropped.

mod tables;

use crate::InOrder as _;
use tables::{APART, MARKS, PAIRS};

const SYLLABLES: u32 = 0xac00;
const LEADS: u32 = 0x1100;
const VOWELS: u32 = 0x1161;
const TAILS: u32 = 0x11a7;
const VOWEL_COUNT: u32 = 21;
const TAIL_COUNT: u32 = 28;
const SYLLABLE_COUNT: u32 = 19 * VOWEL_COUNT * TAIL_COUNT;

/// The text in Unicode's normal form C.
///
/// ```
/// assert_eq!(throughline_value::forms::compose("Cafe\u{301}"), "Caf\u{e9}");
/// ```
#[must_use]
pub fn compose(text: &str) -> String {
    if text.chars().all(|c| u32::from(c) < 0x300) {
        return text.to_owned();
    }
    let mut parts: Vec<(u32, u8)> = Vec::new();
    for c in text.chars() {
        take_apart(u32::from(c), &mut parts);
    }
    // Marks that do not touch each other have no order of their own.
    let mut begin = 0;
    while begin < parts.len() {
        let marks = parts.iter().skip(begin).take_while(|(_, class)| *class != 0).count();
        if let Some(run) = parts.get_mut(begin..begin + marks) {
            run.order_by_key(|(_, class)| *class);
        }
        begin += marks.max(1);
    }
    let mut out: Vec<u32> = Vec::with_capacity(parts.len());
    // The last character that stands by itself, and the class of the last mark behind it that stayed.
    let mut base: Option<usize> = None;
    let mut last = 0;
    for (c, class) in parts {
        let next_to = base.is_some_and(|base| base + 1 == out.len());
        let free = if class == 0 { next_to } else { last < class || next_to };
        let whole = base.and_then(|base| out.get(base).copied()).filter(|_| free).and_then(|a| pair(a, c));
        match (whole, base.and_then(|base| out.get_mut(base))) {
            (Some(whole), Some(first)) => *first = whole,
            _ => {
                if class == 0 {
                    base = Some(out.len());
                }
                last = class;
                out.push(c);
            }
        }
    }
    out.into_iter().filter_map(char::from_u32).collect()
}

/// What two characters in a row are as one.
fn pair(a: u32, b: u32) -> Option<u32> {
    if (VOWELS..VOWELS + VOWEL_COUNT).contains(&b) && (LEADS..LEADS + 19).contains(&a) {
        return Some(SYLLABLES + ((a - LEADS) * VOWEL_COUNT + b - VOWELS) * TAIL_COUNT);
    }
    let open = (SYLLABLES..SYLLABLES + SYLLABLE_COUNT).contains(&a) && (a - SYLLABLES).is_multiple_of(TAIL_COUNT);
    if open && (TAILS + 1..TAILS + TAIL_COUNT).contains(&b) {
        return Some(a + b - TAILS);
    }
    PAIRS.iter().find(|(_, first, second)| (*first, *second) == (a, b)).map(|(whole, ..)| *whole)
}

/// The parts of a character with their classes, each as small as it gets.
fn take_apart(c: u32, out: &mut Vec<(u32, u8)>) {
    if (SYLLABLES..SYLLABLES + SYLLABLE_COUNT).contains(&c) {
        let index = c - SYLLABLES;
        out.push((LEADS + index / (VOWEL_COUNT * TAIL_COUNT), 0));
        out.push((VOWELS + index / TAIL_COUNT % VOWEL_COUNT, 0));
        if !index.is_multiple_of(TAIL_COUNT) {
            out.push((TAILS + index % TAIL_COUNT, 0));
        }
        return;
    }
    let row = |table: &[(u32, u32, u32)]| {
        table.binary_search_by_key(&c, |(whole, ..)| *whole).ok().and_then(|at| table.get(at).copied())
    };
    match row(PAIRS).or_else(|| row(APART)) {
        Some((_, first, second)) => {
            take_apart(first, out);
            if second != 0 {
                take_apart(second, out);
            }
        }
        None => out.push((c, class(c))),
    }
}

fn class(c: u32) -> u8 {
    let at = MARKS.partition_point(|(_, last, _)| *last < c);
    MARKS.get(at).filter(|(first, ..)| *first <= c).map_or(0, |(.., class)| *class)
}

/// The katakana that have a half-width form, from U+FF61 on.
const KATAKANA: &str = "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\u{3099}\u{309a}";

/// Every character in its usual width: full-width ASCII is ASCII; a half-width kana and its mark become one.
#[must_use]
pub fn fold_width(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        let usual = match c {
            '\u{3000}' => ' ',
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
            '\u{ff61}'..='\u{ff9f}' => KATAKANA.chars().nth((u32::from(c) - 0xff61) as usize).unwrap_or(c),
            other => other,
        };
        let whole = (usual != c && matches!(usual, '\u{3099}' | '\u{309a}'))
            .then(|| pair(u32::from(out.chars().next_back()?), u32::from(usual)))
            .flatten();
        if let Some(whole) = whole.and_then(char::from_u32) {
            out.pop();
            out.push(whole);
        } else {
            out.push(usual);
        }
    }
    out
}
