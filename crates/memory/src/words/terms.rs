//! The words that are held, by number, and those like one that is not.

/// How many lists of grams there are; two grams may share one.
const GRAMS: usize = 1 << 12;
/// How like a word must be, in hundredths, to stand for one that nothing holds.
const LEAST_LIKENESS: u32 = 55;
/// How many words of the same likeness stand for one.
const MOST_LIKE: usize = 8;
/// A place of the table that is free.
const FREE: u32 = u32::MAX;

/// Words by number: their letters side by side, and a table of places by hash.
#[derive(Clone, Debug, Default)]
pub(super) struct Terms {
    letters: Vec<u8>,
    ends: Vec<u32>,
    table: Vec<u32>,
    /// By hashed gram of three letters: the words that hold it.
    grams: Vec<Vec<u32>>,
}

fn hash(bytes: &[u8]) -> usize {
    let mixed = bytes.iter().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3));
    (mixed ^ (mixed >> 29)) as usize
}

/// The grams of three letters of a word with its edges, as numbers of lists, each once.
fn grams(word: &[u8]) -> Vec<u32> {
    let mut padded = Vec::with_capacity(word.len() + 2);
    padded.push(0);
    padded.extend_from_slice(word);
    padded.push(0);
    let mut list: Vec<u32> = padded.windows(3).map(|gram| (hash(gram) % GRAMS) as u32).collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// Whether a word may be spelt in another way: a number or an identifier may not.
fn has_likes(word: &str) -> bool {
    word.len() > 3 && !word.bytes().any(|b| b.is_ascii_digit())
}

impl Terms {
    fn bytes(&self, term: u32) -> &[u8] {
        let place = term as usize;
        let start = place.checked_sub(1).and_then(|p| self.ends.get(p)).map_or(0, |end| *end as usize);
        let end = self.ends.get(place).map_or(start, |end| *end as usize);
        self.letters.get(start..end).unwrap_or_default()
    }

    pub(super) fn spelling(&self, term: u32) -> &str {
        std::str::from_utf8(self.bytes(term)).unwrap_or("")
    }

    pub(super) fn find(&self, word: &str) -> Option<u32> {
        let mask = self.table.len().checked_sub(1)?;
        let mut at = hash(word.as_bytes()) & mask;
        loop {
            let term = *self.table.get(at)?;
            if term == FREE {
                return None;
            }
            if self.bytes(term) == word.as_bytes() {
                return Some(term);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds a word that is not there.
    pub(super) fn add(&mut self, word: &str) -> u32 {
        let term = u32::try_from(self.ends.len()).unwrap_or(FREE);
        self.letters.extend_from_slice(word.as_bytes());
        self.ends.push(u32::try_from(self.letters.len()).unwrap_or(FREE));
        if self.table.len() < self.ends.len() * 2 {
            self.table = vec![FREE; (self.ends.len() * 4).next_power_of_two()];
            (0..term).for_each(|earlier| self.seat(earlier));
        }
        self.seat(term);
        if has_likes(word) {
            if self.grams.is_empty() {
                self.grams.resize_with(GRAMS, Vec::new);
            }
            for gram in grams(word.as_bytes()) {
                self.grams.get_mut(gram as usize).into_iter().for_each(|list| list.push(term));
            }
        }
        term
    }

    fn seat(&mut self, term: u32) {
        let mask = self.table.len().saturating_sub(1);
        let mut at = hash(self.bytes(term)) & mask;
        while let Some(slot) = self.table.get_mut(at) {
            if *slot == FREE {
                *slot = term;
                return;
            }
            at = (at + 1) & mask;
        }
    }

    /// Takes words' letters away; their numbers stay taken.
    pub(super) fn wipe(&mut self, terms: &[u32]) {
        for term in terms {
            for gram in grams(self.bytes(*term)) {
                self.grams.get_mut(gram as usize).into_iter().for_each(|list| list.retain(|t| t != term));
            }
            let place = *term as usize;
            let start = place.checked_sub(1).and_then(|p| self.ends.get(p)).map_or(0, |end| *end as usize);
            let end = self.ends.get(place).map_or(start, |end| *end as usize);
            if let Some(letters) = self.letters.get_mut(start..end) {
                // No word holds this letter, so the number is never found again; each stays of its own length.
                letters.fill(0);
            }
        }
        self.table.fill(FREE);
        (0..u32::try_from(self.ends.len()).unwrap_or(FREE)).for_each(|term| self.seat(term));
    }

    /// The words most like one that is not there, and how like they are: by the grams that both hold.
    pub(super) fn like(&self, word: &str, is_known: &dyn Fn(u32) -> bool) -> (Vec<u32>, u32) {
        let own = grams(word.as_bytes());
        if !has_likes(word) || self.grams.is_empty() {
            return (Vec::new(), 100);
        }
        let mut shared: Vec<u32> =
            own.iter().filter_map(|gram| self.grams.get(*gram as usize)).flatten().copied().collect();
        shared.sort_unstable();
        let mut best: (Vec<u32>, u32) = (Vec::new(), LEAST_LIKENESS);
        for same in shared.chunk_by(|a, b| a == b) {
            let Some(term) = same.first() else { continue };
            let theirs = grams(self.bytes(*term)).len();
            let likeness = u32::try_from(200 * same.len() / (own.len() + theirs)).unwrap_or(0);
            if likeness > best.1 && is_known(*term) {
                best = (vec![*term], likeness);
            } else if likeness == best.1 && best.0.len() < MOST_LIKE && is_known(*term) {
                best.0.push(*term);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_by_its_letters_until_it_is_wiped_and_one_like_it_when_misspelt() {
        let mut terms = Terms::default();
        let words: Vec<String> =
            (0..500).map(|n| format!("word{}", "x".repeat(n))).chain(["kitchen".into(), "releases".into()]).collect();
        for word in &words {
            assert_eq!(terms.find(word), None);
            terms.add(word);
        }
        for (n, word) in words.iter().enumerate() {
            assert_eq!((terms.find(word), terms.spelling(n as u32)), (Some(n as u32), word.as_str()));
        }
        assert_eq!(terms.like("kitchens", &|_| true).0, [500]);
        assert_eq!(terms.like("release", &|_| true).0, [501]);
        assert_eq!(terms.like("zebra", &|_| true).0, [] as [u32; 0]);
        terms.wipe(&[500]);
        assert_eq!(terms.find("kitchen"), None);
        assert_eq!(terms.like("kitchens", &|_| true).0, [] as [u32; 0]);
        assert!(!terms.letters.windows(4).any(|w| w == b"kitc"));
        assert_eq!(terms.find("wordxx"), Some(2));
    }
}
