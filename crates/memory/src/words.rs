//! Words of a text, and the rows that hold them.
//!
//! Letters and digits in a row make a word, in lower case, full-width forms folded, an accent that follows its letter
//! put on it, and without what only picks a form or a vowel. Characters of scripts that are written without spaces
//! (Chinese, Japanese, Korean) make pairs instead, only inside one run of them; a run of one character is a word of its
//! own. A query for a single such character finds every pair it is in. An emoji is a word. What ends in `+` or `#`, and what begins with a dot, is another word than
//! without: `C++`, `C#` and `.NET` are names; where more than one letter is left, it is found without as well.

mod posting;
mod rank;
mod snap;
mod terms;

use throughline_value::{InOrder as _, Named, SortedMap, forms, order_numbers};

pub(crate) use posting::Posting;
pub(crate) use rank::{Ranked, Weigh};
use terms::Terms;

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
                posting.push(row, u8::try_from(same.len()).unwrap_or(u8::MAX));
            }
        }
        self.places = places;
        total
    }

    /// Gives a row the words of another one, whose text is not here.
    pub(crate) fn repeat(&mut self, from: u32, to: u32) {
        for posting in &mut self.postings {
            let count = posting.count(from);
            if count > 0 {
                posting.push(to, count);
            }
        }
    }

    /// Takes rows out; words that no other row holds are gone with them. Where a row's text is not here, every
    /// posting is looked at.
    pub(crate) fn remove(&mut self, rows: &mut dyn Iterator<Item = (u32, Option<&str>)>) {
        let (mut read, mut unread, mut empty) = (Vec::new(), Vec::new(), Vec::new());
        for (row, text) in rows {
            match text {
                Some(text) => words(text, &mut |word| read.extend(self.terms.find(word).map(|place| (place, row)))),
                None => unread.push(row),
            }
        }
        read.order();
        unread.order();
        // Each posting once, however many rows it loses.
        for same in read.chunk_by(|a, b| a.0 == b.0) {
            let rows: Vec<u32> = same.iter().map(|(_, row)| *row).collect();
            let Some((place, _)) = same.first() else { continue };
            if self.postings.get_mut(*place as usize).is_some_and(|posting| posting.remove(&rows)) {
                empty.push(*place);
            }
        }
        if !unread.is_empty() {
            let all = (0u32..).zip(&mut self.postings);
            empty.extend(all.filter_map(|(place, posting)| posting.remove(&unread).then_some(place)));
        }
        if empty.is_empty() {
            return;
        }
        for terms in self.pairs.values_mut() {
            terms.retain(|term| !empty.contains(term));
        }
        self.pairs.retain(|_, terms| !terms.is_empty());
        self.terms.wipe(&empty);
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

    /// The rows that hold a word.
    pub(crate) fn rows_of(&self, word: &str) -> impl Iterator<Item = u32> + '_ {
        let posting = self.terms.find(word).and_then(|term| self.posting(term));
        posting.into_iter().flat_map(|posting| posting.iter()).map(|(row, _)| row)
    }

    /// The rows that hold a term.
    pub(crate) fn posting(&self, term: u32) -> Option<&Posting> {
        self.postings.get(term as usize)
    }

    /// What a query's text asks for, each word once, in the order of the text. A word that nothing holds asks
    /// for those most like it.
    pub(crate) fn wanted(&self, text: &str) -> Vec<Wanted> {
        self.wanted_of(text, &|_| true)
    }

    /// The same, where only some rows were there: a word that came with others is not known.
    pub(crate) fn wanted_of(&self, text: &str, is_there: &dyn Fn(u32) -> bool) -> Vec<Wanted> {
        // Rows come in the order of writing.
        let first = |term| self.posting(term).and_then(|posting| posting.iter().next());
        let is_known = |term: u32| first(term).is_some_and(|(row, _)| is_there(row));
        let mut seen = Named::<()>::new();
        words(text, &mut |word| {
            seen.insert(word.to_owned(), ());
        });
        let wanted = seen.into_keys().map(|word| {
            let mut chars = word.chars();
            let mut terms: Vec<u32> = self.terms.find(&word).into_iter().filter(|term| is_known(*term)).collect();
            let mut likeness = 100;
            if let (Some(only), None) = (chars.next(), chars.next())
                && is_dense(only)
            {
                terms.extend(self.pairs.get(&only).into_iter().flatten());
            }
            if terms.is_empty() && !word.starts_with(is_dense) {
                (terms, likeness) = self.terms.like(&word, &is_known);
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
    if !text.is_ascii() && text.chars().any(may_have_forms) {
        return split(&forms::compose(&forms::fold_width(text)), found);
    }
    split(text, found);
}

fn split(text: &str, found: &mut dyn FnMut(&str)) {
    let mut word = String::new();
    let mut run: Vec<char> = Vec::new();
    let mut before = ' ';
    let mut chars = text.chars().filter(|c| !is_unseen(*c)).map(fold).peekable();
    while let Some(c) = chars.next() {
        if is_dense(c) {
            end_word(&mut word, found);
            run.push(c);
        } else if c.is_alphanumeric() || is_mark(c) && !word.is_empty() {
            end_run(&mut run, found);
            // A name that begins with a dot: `.NET`, but no end of a sentence, and no number.
            if before == '.' && c.is_alphabetic() && word == "." {
                let mut rest = String::new();
                push_lower(&mut rest, c);
                while let Some(c) = chars.next_if(|c| is_letter(*c) || is_mark(*c)) {
                    push_lower(&mut rest, c);
                    before = c;
                }
                word.push_str(&rest);
                found(&word);
                word.clear();
                word.push_str(&rest);
                continue;
            }
            if word == "." {
                word.clear();
            }
            push_lower(&mut word, c);
        } else {
            if matches!(c, '+' | '#') && word.ends_with(char::is_alphabetic) {
                let mut name = word.clone();
                name.push(c);
                let more = chars.next_if_eq(&c);
                name.extend(more);
                // `C++11` has it, `a+b` and `issue#5` have not.
                let ends = more.is_some() || !chars.peek().is_some_and(|c| is_letter(*c));
                if ends && chars.peek() != Some(&c) {
                    found(&name);
                    if word.chars().count() == 1 {
                        word.clear();
                    }
                }
            }
            end_word(&mut word, found);
            end_run(&mut run, found);
            if is_emoji(c) {
                found(c.encode_utf8(&mut [0; 4]));
            } else if c == '.' && !is_letter(before) && before != '.' {
                word.push('.');
            }
        }
        before = c;
    }
    end_word(&mut word, found);
    end_run(&mut run, found);
}

fn end_word(word: &mut String, found: &mut dyn FnMut(&str)) {
    if !word.is_empty() {
        if word != "." {
            found(word);
        }
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

/// Adds a letter without its case. Letters that differ in one case only are one.
fn push_lower(word: &mut String, c: char) {
    match c {
        _ if c.is_ascii() => word.push(c.to_ascii_lowercase()),
        'ß' | 'ẞ' => word.push_str("ss"),
        'ς' => word.push('σ'),
        'İ' => word.push('i'),
        _ => word.extend(c.to_lowercase()),
    }
}

/// Whether a character is there for how a text looks or is pronounced, and may as well be absent: a soft hyphen, what
/// joins or picks forms, Hebrew points, Arabic vowels.
fn is_unseen(c: char) -> bool {
    !c.is_ascii()
        && matches!(c,
        '\u{ad}'
        | '\u{591}'..='\u{5bd}'
        | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c4}' | '\u{5c5}' | '\u{5c7}'
        | '\u{640}'
        | '\u{64b}'..='\u{65f}'
        | '\u{670}'
        | '\u{200c}'..='\u{200f}'
        | '\u{2060}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{e0100}'..='\u{e01ef}')
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

/// Whether a character makes words with those beside it.
fn is_letter(c: char) -> bool {
    c.is_alphanumeric() && !is_dense(c)
}

/// Whether a character may be written otherwise: an accent apart from its letter, half a width, a part of a syllable.
fn may_have_forms(c: char) -> bool {
    is_mark(c) || matches!(c, '\u{3099}' | '\u{309a}' | '\u{ff61}'..='\u{ff9f}' | '\u{1100}'..='\u{11ff}')
}

/// Whether a character is a picture that says something by itself; what only colours or joins pictures is not.
fn is_emoji(c: char) -> bool {
    matches!(c,
        '\u{2600}'..='\u{27bf}'
        | '\u{2b00}'..='\u{2bff}'
        | '\u{1f000}'..='\u{1f3fa}'
        | '\u{1f400}'..='\u{1faff}')
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
        check("Ünïcode E\u{301}té", &["ünïcode", "été"]);
        check("--- ... . .. .5 a. b", &["5", "a", "b"]);
        check("C++ is no C, nor C#; f# and (C++)", &["c++", "is", "no", "c", "nor", "c#", "f#", "and", "c++"]);
        check("C++11, g++ 4+4 a+b a++b x+++", &["c++", "11", "g++", "4", "4", "a", "b", "a++", "b", "x"]);
        check("notepad++ issue#5 #tag", &["notepad++", "notepad", "issue", "5", "tag"]);
        check(
            ".NET and ASP.NET, the end.Next. .Net",
            &[".net", "net", "and", "asp", "net", "the", "end", "next", ".net", "net"],
        );
        check("fire 🔥🔥 好🔥 ❤\u{fe0f} 👍🏽 👨\u{200d}👩", &["fire", "🔥", "🔥", "好", "🔥", "❤", "👍", "👨", "👩"]);
        check("用C++和.NET开发", &["用", "c++", "和", ".net", "net", "开发"]);
        check("🇩🇪", &["🇩", "🇪"]);
        check("ｶﾞｽ \u{304b}\u{3099}", &["ガス", "が"]);
        check(
            "co\u{ad}operate Straße STRASSE ΟΔΟΣ οδος İzmir",
            &["cooperate", "strasse", "strasse", "οδοσ", "οδοσ", "izmir"],
        );
        check("العَرَبِيَّة العربية שָׁלוֹם", &["العربية", "العربية", "שלום"]);
        check("葛\u{e0100}城市 می\u{200c}خواهم", &["葛城", "城市", "میخواهم"]);
        check("Ça co\u{302}te\u{301}", &["ça", "côté"]);
    }
}
