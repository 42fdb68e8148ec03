//! A number that keeps its digits.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// The longest number that is read, in characters. A longer one is refused with `number-too-long`.
pub const MAX_NUMBER_CHARS: usize = 256;

/// An exact number as JSON writes it. It keeps the spelling it was read with (`91.70`, `-0.0`,
/// `9007199254740993`), and compares by value (`91.70 == 91.7`).
///
/// ```
/// use throughline_value::Number;
/// let a = Number::parse("91.70").unwrap();
/// assert_eq!(a, Number::parse("9.17e1").unwrap());
/// assert_eq!(a.as_str(), "91.70");
/// assert!(Number::from(2) > Number::parse("1.999").unwrap());
/// ```
#[derive(Clone, Debug)]
pub struct Number(Repr);

#[derive(Clone, Debug)]
enum Repr {
    Int(i64),
    Text(Box<str>),
}

impl Number {
    /// Reads a number in JSON's grammar (RFC 8259 §6); `None` when the text is not one or is longer
    /// than [`MAX_NUMBER_CHARS`].
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > MAX_NUMBER_CHARS || !is_json_number(text) {
            return None;
        }
        if let Ok(int) = text.parse::<i64>()
            && text != "-0"
        {
            return Some(Self(Repr::Int(int)));
        }
        Some(Self(Repr::Text(text.into())))
    }

    /// The number nearest to how `value` prints in its shortest exact form; `None` when it is not finite.
    #[must_use]
    pub fn from_f64(value: f64) -> Option<Self> {
        value.is_finite().then(|| format!("{value:?}")).and_then(|text| Self::parse(&text))
    }

    /// The spelling.
    #[must_use]
    pub fn as_str(&self) -> Cow<'_, str> {
        match &self.0 {
            Repr::Int(int) => Cow::Owned(int.to_string()),
            Repr::Text(text) => Cow::Borrowed(text),
        }
    }

    /// The number as an `i64`, when it is exactly one (`2.0` is 2).
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match &self.0 {
            Repr::Int(int) => Some(*int),
            Repr::Text(_) => self.normal().to_integer_text(20)?.parse().ok(),
        }
    }

    /// The number as a `u64`, when it is exactly one.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        match &self.0 {
            Repr::Int(int) => u64::try_from(*int).ok(),
            Repr::Text(_) => self.normal().to_integer_text(20)?.parse().ok(),
        }
    }

    /// The nearest double: for drawing and ranking only, never for data.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            #[expect(clippy::cast_precision_loss, reason = "the documented nearest double")]
            Repr::Int(int) => *int as f64,
            Repr::Text(text) => text.parse().unwrap_or(f64::NAN),
        }
    }

    /// Whether the number has no fractional part (`3.0` has none).
    #[must_use]
    pub fn is_integer(&self) -> bool {
        matches!(self.0, Repr::Int(_)) || self.normal().exponent >= 0
    }

    /// The one spelling that all equal numbers share: `917e-1` for 91.70. It is what digests hash.
    #[must_use]
    pub fn canonical(&self) -> String {
        let normal = self.normal();
        if let Some(text) = normal.to_integer_text(18) {
            return text;
        }
        let sign = if normal.negative { "-" } else { "" };
        format!("{sign}{}e{}", normal.digits, normal.exponent)
    }

    fn normal(&self) -> Normal {
        Normal::of(&self.as_str())
    }
}

/// `digits × 10^exponent`, without leading or trailing zeros; zero has no digits.
#[derive(PartialEq, Eq)]
struct Normal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Normal {
    fn of(text: &str) -> Self {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        // An exponent of more than 18 digits is clamped; such numbers differ only from each other.
        let mut exponent = exponent.trim_start_matches('+').parse::<i64>().unwrap_or(if exponent.starts_with('-') {
            -1_000_000_000_000_000_000
        } else {
            1_000_000_000_000_000_000
        });
        let (negative, mantissa) = mantissa.strip_prefix('-').map_or((false, mantissa), |rest| (true, rest));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        exponent -= fraction.len() as i64;
        let all = format!("{whole}{fraction}");
        let lead = all.trim_start_matches('0');
        let digits = lead.trim_end_matches('0');
        exponent += (lead.len() - digits.len()) as i64;
        if digits.is_empty() {
            return Self { negative: false, digits: String::new(), exponent: 0 };
        }
        Self { negative, digits: digits.to_owned(), exponent }
    }

    fn to_integer_text(&self, max_digits: i64) -> Option<String> {
        if self.digits.is_empty() {
            return Some("0".to_owned());
        }
        let len = self.digits.len() as i64;
        if self.exponent < 0 || self.exponent > max_digits || len + self.exponent > max_digits {
            return None;
        }
        let zeros = "0".repeat(usize::try_from(self.exponent).ok()?);
        Some(format!("{}{}{zeros}", if self.negative { "-" } else { "" }, self.digits))
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Number {}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        if let (Repr::Int(a), Repr::Int(b)) = (&self.0, &other.0) {
            return a.cmp(b);
        }
        let (a, b) = (self.normal(), other.normal());
        let sign = |n: &Normal| match (n.digits.is_empty(), n.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        sign(&a).cmp(&sign(&b)).then_with(|| {
            let size = |n: &Normal| n.digits.len() as i64 + n.exponent;
            // Same number of places before the point: then the digits compare as text.
            let ordering = size(&a).cmp(&size(&b)).then_with(|| a.digits.cmp(&b.digits));
            if a.negative { ordering.reverse() } else { ordering }
        })
    }
}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.canonical().hash(state);
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.as_str())
    }
}

impl From<i64> for Number {
    fn from(int: i64) -> Self {
        Self(Repr::Int(int))
    }
}

impl From<u64> for Number {
    fn from(int: u64) -> Self {
        i64::try_from(int).map_or_else(|_| Self(Repr::Text(int.to_string().into())), Self::from)
    }
}

impl From<i32> for Number {
    fn from(int: i32) -> Self {
        Self::from(i64::from(int))
    }
}

impl From<u32> for Number {
    fn from(int: u32) -> Self {
        Self::from(i64::from(int))
    }
}

fn is_json_number(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|e| digits(e.strip_prefix(['+', '-']).unwrap_or(e)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(a: &str, b: &str, expected: Ordering) {
        let (x, y) = (Number::parse(a).unwrap(), Number::parse(b).unwrap());
        assert_eq!(x.cmp(&y), expected, "{a} against {b}");
        assert_eq!(x.canonical() == y.canonical(), expected == Ordering::Equal, "{a} and {b} share a canonical form");
    }

    #[test]
    fn numbers_compare_by_value_whatever_their_spelling() {
        use Ordering::{Equal, Greater, Less};
        check("91.70", "91.7", Equal);
        check("-0.0", "0", Equal);
        check("1e3", "1000", Equal);
        check("9007199254740993", "9007199254740992", Greater);
        check("18446744073709551615", "18446744073709551616", Less);
        check("-2", "-1.5", Less);
        check("0.001", "1e-3", Equal);
        check("10", "9.999999999999999999999", Greater);
        check("-1", "1", Less);
        check("1e400", "1e399", Greater);
    }

    #[test]
    fn text_that_is_not_a_json_number_is_not_read() {
        for text in ["", "-", "01", "1.", ".5", "+1", "1e", "NaN", "Infinity", "1 ", "0x1", "１"] {
            assert!(Number::parse(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn integers_convert_only_when_exact() {
        assert_eq!(Number::parse("2.0").unwrap().as_i64(), Some(2));
        assert_eq!(Number::parse("2.5").unwrap().as_i64(), None);
        assert_eq!(Number::parse("18446744073709551615").unwrap().as_u64(), Some(u64::MAX));
        assert_eq!(Number::parse("1e30").unwrap().as_i64(), None);
        assert_eq!(Number::from_f64(0.1).unwrap().as_str(), "0.1");
    }
}
