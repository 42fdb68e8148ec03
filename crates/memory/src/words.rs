//! Words of a text, and the rows that hold them.
//!
//! Letters and digits in a row make a word, in lower case, full-width forms folded. Characters of scripts
//! that are written without spaces (Chinese, Japanese, Korean) make pairs instead, only inside one run of
//! them; a run of one character is a word of its own. A query for a single such character finds every pair
//! it is in.

mod rank;
mod terms;

use throughline_value::{Named, SortedMap, order_numbers};

pub(crate) use rank::{Ranked, Weigh};
use terms::Terms;

/// The rows that hold a term, in the order of writing, and how often it stands in each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Posting {
    pub(crate) rows: Vec<u32>,
    counts: Vec<u8>,
    /// How many of the rows are not live now.
    dead: u32,
}

impl Posting {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, u8)> + '_ {
        self.rows.iter().copied().zip(self.counts.iter().copied())
    }

    /// How many of the rows are live now.
    pub(crate) fn live(&self) -> u64 {
        (self.rows.len() as u64).saturating_sub(u64::from(self.dead))
    }

    /// How often the term stands in a row.
    pub(crate) fn count(&self, row: u32) -> u8 {
        self.rows.binary_search(&row).ok().and_then(|place| self.counts.get(place)).copied().unwrap_or(0)
    }
}

/// Rows by word.
#[derive(Clone, Debug, Default)]
pub(crate) struct WordIndex {
    terms: Terms,
    postings: Vec<Posting>,
    /// By character: the pairs it is in.
    pairs: SortedMap<char, Vec<u32>>,
    /// The places of one text's words; kept so that it need not be made for each.
    places: Vec<u32>,
}

/// What a query looks for: one or more terms that count as one.
pub(crate) struct Wanted {
    pub(crate) text: String,
    pub(crate) terms: Vec<u32>,
    /// How much they are like the word, in hundredths: 100 for the word itself.
    pub(crate) likeness: u32,
}

impl WordIndex {
    /// Adds the words of a row's text; gives how many there are.
    pub(crate) fn add(&mut self, row: u32, text: &str) -> u32 {
        if text.is_empty() {
            return 0;
        }
        let mut places = std::mem::take(&mut self.places);
        places.clear();
        words(text, &mut |word| {
            let place = self.terms.find(word).unwrap_or_else(|| self.new_term(word));
            places.push(place);
        });
        let total = u32::try_from(places.len()).unwrap_or(u32::MAX);
        if places.len() > 1 {
            order_numbers(&mut places, &mut |a, b| a.cmp(&b));
        }
        for same in places.chunk_by(|a, b| a == b) {
            let posting = same.first().and_then(|place| self.postings.get_mut(*place as usize));
            if let Some(posting) = posting {
                posting.rows.push(row);
                posting.counts.push(u8::try_from(same.len()).unwrap_or(u8::MAX));
            }
        }
        self.places = places;
        total
    }

    /// Notes that a row with this text is no longer live, or is again.
    pub(crate) fn turn(&mut self, text: &str, live: bool) {
        self.each_posting(text, &mut |posting| {
            posting.dead = if live { posting.dead.saturating_sub(1) } else { posting.dead.saturating_add(1) };
        });
    }

    /// Takes a row that is not live out; words that no other row holds are gone with it.
    pub(crate) fn remove(&mut self, row: u32, text: &str) {
        let mut places = self.each_posting(text, &mut |posting| {
            if let Ok(place) = posting.rows.binary_search(&row) {
                posting.rows.remove(place);
                posting.counts.remove(place);
                posting.dead = posting.dead.saturating_sub(1);
            }
        });
        places.retain(|place| self.postings.get(*place as usize).is_some_and(|posting| posting.rows.is_empty()));
        for place in places {
            for terms in self.pairs.values_mut() {
                terms.retain(|term| *term != place);
            }
            self.terms.wipe(place);
        }
        self.pairs.retain(|_, terms| !terms.is_empty());
    }

    /// Calls with the posting of each different word of a text; gives their numbers.
    fn each_posting(&mut self, text: &str, change: &mut dyn FnMut(&mut Posting)) -> Vec<u32> {
        let mut places = Vec::new();
        words(text, &mut |word| places.extend(self.terms.find(word)));
        order_numbers(&mut places, &mut |a, b| a.cmp(&b));
        places.dedup();
        for place in &places {
            if let Some(posting) = self.postings.get_mut(*place as usize) {
                change(posting);
            }
        }
        places
    }

    fn new_term(&mut self, word: &str) -> u32 {
        let term = self.terms.add(word);
        if self.postings.len() <= term as usize {
            self.postings.push(Posting::default());
        }
        let mut chars = word.chars();
        if let (Some(first), Some(second), None) = (chars.next(), chars.next(), chars.next())
            && is_dense(first)
        {
            self.pairs.entry(first).or_default().push(term);
            if second != first {
                self.pairs.entry(second).or_default().push(term);
            }
        }
        term
    }

    /// The rows that hold a term.
    pub(crate) fn posting(&self, term: u32) -> Option<&Posting> {
        self.postings.get(term as usize)
    }

    /// What a query's text asks for, each word once, in the order of the text. A word that nothing holds asks
    /// for those most like it.
    pub(crate) fn wanted(&self, text: &str) -> Vec<Wanted> {
        let mut seen = Named::<()>::new();
        words(text, &mut |word| {
            seen.insert(word.to_owned(), ());
        });
        let wanted = seen.into_keys().map(|word| {
            let mut chars = word.chars();
            let mut terms: Vec<u32> = self.terms.find(&word).into_iter().collect();
            let mut likeness = 100;
            if let (Some(only), None) = (chars.next(), chars.next())
                && is_dense(only)
            {
                terms.extend(self.pairs.get(&only).into_iter().flatten());
            }
            if terms.is_empty() && !word.starts_with(is_dense) {
                (terms, likeness) = self.terms.like(&word);
            }
            Wanted { text: word, terms, likeness }
        });
        wanted.collect()
    }

    /// The spelling of a term.
    pub(crate) fn spelling(&self, term: u32) -> &str {
        self.terms.spelling(term)
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
