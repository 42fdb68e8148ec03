//! Words of a text, and the rows that hold them.
//!
//! Letters and digits in a row make a word, in lower case, full-width forms folded. Characters of scripts
//! that are written without spaces (Chinese, Japanese, Korean) make pairs instead, only inside one run of
//! them; a run of one character is a word of its own. A query for a single such character finds every pair
//! it is in.

mod rank;

use throughline_value::{Named, SortedMap, order_numbers};

use crate::memory::Names;

pub(crate) use rank::{Ranked, score};

/// Rows by word.
#[derive(Clone, Debug, Default)]
pub(crate) struct WordIndex {
    terms: Names,
    /// By term: rows in the order of writing, and how often the term stands in each.
    postings: Vec<Vec<(u32, u16)>>,
    /// By character: the pairs it is in.
    pairs: SortedMap<char, Vec<u32>>,
}

/// What a query looks for: one or more terms that count as one.
pub(crate) struct Wanted {
    pub(crate) text: String,
    pub(crate) terms: Vec<u32>,
}

impl WordIndex {
    /// Adds the words of a row's text; gives how many there are.
    pub(crate) fn add(&mut self, row: u32, text: &str) -> u32 {
        let mut places: Vec<u32> = Vec::new();
        let mut total = 0u32;
        words(text, &mut |word| {
            total = total.saturating_add(1);
            let place = match self.terms.get_index_of(word) {
                Some(place) => place,
                None => self.new_term(word),
            };
            places.extend(u32::try_from(place));
        });
        order_numbers(&mut places, &mut |a, b| a.cmp(&b));
        for same in places.chunk_by(|a, b| a == b) {
            let posting = same.first().and_then(|place| self.postings.get_mut(*place as usize));
            if let Some(posting) = posting {
                posting.push((row, u16::try_from(same.len()).unwrap_or(u16::MAX)));
            }
        }
        total
    }

    fn new_term(&mut self, word: &str) -> usize {
        let place = self.terms.add(word);
        self.postings.push(Vec::new());
        let mut chars = word.chars();
        if let (Some(first), Some(second), None) = (chars.next(), chars.next(), chars.next())
            && is_dense(first)
            && let Ok(term) = u32::try_from(place)
        {
            self.pairs.entry(first).or_default().push(term);
            if second != first {
                self.pairs.entry(second).or_default().push(term);
            }
        }
        place
    }

    /// The rows that hold a term, in the order of writing.
    pub(crate) fn posting(&self, term: u32) -> &[(u32, u16)] {
        self.postings.get(term as usize).map(Vec::as_slice).unwrap_or_default()
    }

    /// What a query's text asks for, each word once, in the order of the text.
    pub(crate) fn wanted(&self, text: &str) -> Vec<Wanted> {
        let mut seen = Named::<()>::new();
        words(text, &mut |word| {
            seen.insert(word.to_owned(), ());
        });
        let term = |word: &str| self.terms.get_index_of(word).and_then(|i| u32::try_from(i).ok());
        let wanted = seen.into_keys().map(|word| {
            let mut chars = word.chars();
            let mut terms: Vec<u32> = term(&word).into_iter().collect();
            if let (Some(only), None) = (chars.next(), chars.next())
                && is_dense(only)
            {
                terms.extend(self.pairs.get(&only).into_iter().flatten());
            }
            Wanted { text: word, terms }
        });
        wanted.collect()
    }
}

/// Calls `found` with each word of a text, in order.
pub(crate) fn words(text: &str, found: &mut dyn FnMut(&str)) {
    let mut word = String::new();
    let mut run: Vec<char> = Vec::new();
    for c in text.chars().map(fold) {
        if is_dense(c) {
            end_word(&mut word, found);
            run.push(c);
        } else if c.is_alphanumeric() || is_mark(c) && !word.is_empty() {
            end_run(&mut run, found);
            word.extend(c.to_lowercase());
        } else {
            end_word(&mut word, found);
            end_run(&mut run, found);
        }
    }
    end_word(&mut word, found);
    end_run(&mut run, found);
}

fn end_word(word: &mut String, found: &mut dyn FnMut(&str)) {
    if !word.is_empty() {
        found(word);
        word.clear();
    }
}

fn end_run(run: &mut Vec<char>, found: &mut dyn FnMut(&str)) {
    if let [only] = run.as_slice() {
        found(only.encode_utf8(&mut [0; 4]));
    }
    for pair in run.windows(2) {
        found(&pair.iter().collect::<String>());
    }
    run.clear();
}

/// Full-width letters, digits and marks as their usual forms.
fn fold(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '\u{3000}' => ' ',
        other => other,
    }
}

/// Whether a character belongs to a script that is written without spaces between words.
fn is_dense(c: char) -> bool {
    matches!(c,
        '\u{3040}'..='\u{30ff}' // kana
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' // Han
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}'
        | '\u{3005}'..='\u{3007}' // iteration and zero
        | '\u{ac00}'..='\u{d7a3}' // Hangul
        | '\u{ff66}'..='\u{ff9f}' // half-width kana
    ) && c != '\u{30fb}'
}

/// Accents that follow their letter.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let mut got = Vec::new();
        words(text, &mut |word| got.push(word.to_owned()));
        assert_eq!(got, expected, "{text}");
    }

    #[test]
    fn latin_words_are_lower_case_and_dense_scripts_make_pairs_inside_one_run() {
        check("Parcel SF123456789, late!", &["parcel", "sf123456789", "late"]);
        check("人工智能", &["人工", "工智", "智能"]);
        check("東京 大阪", &["東京", "大阪"]);
        check("订单A7延误", &["订单", "a7", "延误"]);
        check("好", &["好"]);
        check("ＡＢＣ１２３　ｘ", &["abc123", "x"]);
        check("Ünïcode E\u{301}té", &["ünïcode", "e\u{301}té"]);
        check("--- ...", &[]);
    }
}
