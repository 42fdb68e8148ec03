//! BM25, with arithmetic that gives the same bits everywhere.

/// How fast more of the same word stops to count.
const K1: f64 = 1.2;
/// How much a long text is held against it.
const B: f64 = 0.75;

/// A row with its score.
#[derive(Clone, Debug)]
pub(crate) struct Ranked {
    pub(crate) row: u32,
    pub(crate) score: f64,
    /// How near its vector is to the one asked for.
    pub(crate) cosine: Option<f64>,
    /// Its rank in each of several rankings.
    pub(crate) ranks: Vec<(&'static str, u64)>,
    /// What those ranks give together.
    pub(crate) points: u64,
}

impl Ranked {
    /// A row with nothing that was looked for.
    pub(crate) fn unranked(row: u32) -> Self {
        Self { row, score: 0.0, cosine: None, ranks: Vec::new(), points: 0 }
    }

    /// A row whose vector is so near to the one asked for.
    pub(crate) fn near(row: u32, cosine: f64) -> Self {
        Self { cosine: Some(cosine), ..Self::unranked(row) }
    }
}

#[cfg(test)]
fn score(count: u8, len: u32, with: u64, texts: u64, all: u64) -> f64 {
    Weigh::new(with, texts, all).score(count, len)
}

/// What one word adds to the score of a text: `count` times in a text of `len` words, the word being in
/// `with` of `texts` texts whose words are `all` together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weigh {
    rare: f64,
    flat: f64,
    slope: f64,
}

impl Weigh {
    #[expect(clippy::cast_precision_loss, reason = "scores are for ranking only")]
    pub(crate) fn new(with: u64, texts: u64, all: u64) -> Self {
        let (with, texts) = (with as f64, (texts.max(1)) as f64);
        let rare = ln(1.0 + (texts - with + 0.5) / (with + 0.5));
        let mean = (all.max(1)) as f64 / texts;
        Self { rare: rare * (K1 + 1.0), flat: K1 * (1.0 - B), slope: K1 * B / mean }
    }

    pub(crate) fn score(self, count: u8, len: u32) -> f64 {
        let count = f64::from(count);
        self.rare * count / (count + self.flat + self.slope * f64::from(len))
    }
}

/// The natural logarithm of a number of at least 1 from additions, multiplications and divisions alone, which
/// every platform rounds alike; the libraries' own logarithms differ in the last bit.
fn ln(x: f64) -> f64 {
    let mut mantissa = x;
    let mut halvings = 0.0;
    while mantissa > 1.5 {
        mantissa /= 2.0;
        halvings += 1.0;
    }
    // ln m = 2 artanh((m-1)/(m+1)), whose series converges fast for m between 0.75 and 1.5.
    let z = (mantissa - 1.0) / (mantissa + 1.0);
    let square = z * z;
    let mut power = z;
    let mut sum = 0.0;
    for odd in (1..40).step_by(2) {
        sum += power / f64::from(odd);
        power *= square;
    }
    2.0 * sum + halvings * std::f64::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_close_to_the_librarys() {
        for x in [1.0, 1.2, 1.5, 1.6, 2.0, 3.3, 10.0, 12_345.6, 1e9] {
            assert!((ln(x) - f64::ln(x)).abs() < 1e-12, "{x}");
        }
    }

    #[test]
    fn rarer_words_and_shorter_texts_score_higher() {
        assert!(score(1, 10, 1, 100, 1_000) > score(1, 10, 50, 100, 1_000));
        assert!(score(1, 5, 1, 100, 1_000) > score(1, 50, 1, 100, 1_000));
        assert!(score(2, 10, 1, 100, 1_000) > score(1, 10, 1, 100, 1_000));
    }
}
