//! Exact decimal arithmetic: nothing is a float, nothing wraps, and rounding is asked for.
//!
//! A [`Number`] has any number of digits and keeps its spelling; a [`Decimal`] is what is computed with:
//! up to 28 digits after the point, up to ±79228162514264337593543950335. Reading a number into a decimal
//! is exact or an error. A result is exact as long as it fits; one that needs more digits is rounded half
//! to even at the last digit that fits; one that is too large, or of which nothing would be left, is an error.

use rust_decimal::RoundingStrategy;
use throughline_value::{MAX_NUMBER_CHARS, Number};

use crate::error::{Code, Error};

pub use rust_decimal::Decimal;

/// The most digits after the point that a decimal holds.
pub const MAX_SCALE: u32 = 28;

/// How a digit that is cut off changes the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rounding {
    /// To the nearest; a half away from zero: 2.5 → 3, -2.5 → -3. The default.
    #[default]
    HalfUp,
    /// To the nearest; a half to the even neighbour: 2.5 → 2, 3.5 → 4.
    HalfEven,
    /// To the nearest; a half towards zero: 2.5 → 2.
    HalfDown,
    /// Away from zero.
    Up,
    /// Towards zero.
    Down,
    /// Towards minus infinity.
    Floor,
    /// Towards plus infinity.
    Ceil,
}

impl Rounding {
    /// Every mode with its spelling.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("half-up", Self::HalfUp),
        ("half-even", Self::HalfEven),
        ("half-down", Self::HalfDown),
        ("up", Self::Up),
        ("down", Self::Down),
        ("floor", Self::Floor),
        ("ceil", Self::Ceil),
    ];

    /// The mode of this spelling.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, mode)| *mode)
    }

    const fn strategy(self) -> RoundingStrategy {
        match self {
            Self::HalfUp => RoundingStrategy::MidpointAwayFromZero,
            Self::HalfEven => RoundingStrategy::MidpointNearestEven,
            Self::HalfDown => RoundingStrategy::MidpointTowardZero,
            Self::Up => RoundingStrategy::AwayFromZero,
            Self::Down => RoundingStrategy::ToZero,
            Self::Floor => RoundingStrategy::ToNegativeInfinity,
            Self::Ceil => RoundingStrategy::ToPositiveInfinity,
        }
    }
}

fn out_of_range(what: &str) -> Error {
    Error::new(
        Code::NumberOutOfRange,
        format!("{what}: exact arithmetic holds 28 digits after the point and values up to ±7.9e28"),
    )
}

/// The number as a decimal, exactly.
///
/// # Errors
/// `number-out-of-range` when it has more digits than a decimal holds.
pub fn from_number(number: &Number) -> Result<Decimal, Error> {
    if let Some(int) = number.as_i64() {
        return Ok(Decimal::from(int));
    }
    exact(&number.as_str()).ok_or_else(|| {
        let text = number.as_str();
        let shown: String = text.chars().take(40).collect();
        out_of_range(&format!("{shown}{} cannot be computed with", if shown.len() < text.len() { "…" } else { "" }))
    })
}

/// `digits × 10^exponent` of a text in JSON's number grammar.
fn exact(text: &str) -> Option<Decimal> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (negative, mantissa) = mantissa.strip_prefix('-').map_or((false, mantissa), |rest| (true, rest));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let lead = all.trim_start_matches('0');
    let digits = lead.trim_end_matches('0');
    if digits.is_empty() {
        return Some(Decimal::ZERO);
    }
    let exponent = exponent.strip_prefix('+').unwrap_or(exponent).parse::<i64>().ok()?;
    let zeros = i64::try_from(lead.len() - digits.len()).ok()?;
    let exponent = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?.checked_add(zeros)?;
    if digits.len() > 29 || exponent > 28 {
        return None;
    }
    let mantissa: i128 = digits.parse().ok()?;
    let mantissa = if negative { -mantissa } else { mantissa };
    match u32::try_from(exponent) {
        Ok(power) => Decimal::try_from_i128_with_scale(mantissa.checked_mul(10i128.checked_pow(power)?)?, 0).ok(),
        Err(_) => Decimal::try_from_i128_with_scale(mantissa, u32::try_from(-exponent).ok()?).ok(),
    }
}

/// Reads extracted text as a number and keeps its spelling: `91.70` stays `91.70`. White space around
/// it, a plus sign, a bare point (`.5`, `5.`), zeros in front and full-width digits are understood;
/// thousands separators and units are the caller's business.
///
/// # Errors
/// `bad-number` when the text is not a number.
pub fn number_from_text(text: &str) -> Result<Number, Error> {
    let bad = || {
        let shown: String = text.chars().take(40).collect();
        Error::new(Code::BadNumber, format!("{shown:?} is not a number; take separators and units off first"))
    };
    if text.len() > 4 * MAX_NUMBER_CHARS {
        return Err(bad());
    }
    let folded: String = text.trim().chars().map(half_width).collect();
    if let Some(number) = Number::parse(&folded) {
        return Ok(number);
    }
    let (sign, rest) = match folded.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", folded.strip_prefix('+').unwrap_or(&folded)),
    };
    let (mantissa, exponent) = rest.find(['e', 'E']).map_or((rest, ""), |at| rest.split_at(at));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return Err(bad());
    }
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let point = if fraction.is_empty() { "" } else { "." };
    Number::parse(&format!("{sign}{whole}{point}{fraction}{exponent}")).ok_or_else(bad)
}

fn half_width(c: char) -> char {
    match c {
        '０'..='９' => char::from_digit(u32::from(c) - u32::from('０'), 10).unwrap_or(c),
        '．' => '.',
        '－' | '−' => '-',
        '＋' => '+',
        c => c,
    }
}

/// Reads extracted text as a decimal.
///
/// # Errors
/// `bad-number`, or `number-out-of-range` when it has too many digits.
pub fn parse(text: &str) -> Result<Decimal, Error> {
    from_number(&number_from_text(text)?)
}

/// The decimal as a number, without zeros at the end: arithmetic has no spelling to keep.
#[must_use]
pub fn to_number(decimal: Decimal) -> Number {
    let normal = decimal.normalize();
    if normal.is_zero() {
        return Number::from(0);
    }
    // A decimal prints in JSON's number grammar.
    Number::parse(&normal.to_string()).unwrap_or_else(|| Number::from(0))
}

/// `a + b`.
///
/// # Errors
/// `number-out-of-range`.
pub fn add(a: Decimal, b: Decimal) -> Result<Decimal, Error> {
    a.checked_add(b).ok_or_else(|| out_of_range("the sum is too large"))
}

/// `a - b`.
///
/// # Errors
/// `number-out-of-range`.
pub fn sub(a: Decimal, b: Decimal) -> Result<Decimal, Error> {
    a.checked_sub(b).ok_or_else(|| out_of_range("the difference is too large"))
}

/// `a × b`.
///
/// # Errors
/// `number-out-of-range` when the product is too large, or so small that nothing of it would be left.
pub fn mul(a: Decimal, b: Decimal) -> Result<Decimal, Error> {
    let product = a.checked_mul(b).ok_or_else(|| out_of_range("the product is too large"))?;
    if product.is_zero() && !a.is_zero() && !b.is_zero() {
        return Err(out_of_range("the product is too small"));
    }
    Ok(product)
}

/// `a ÷ b`, rounded half to even at the last digit that fits.
///
/// # Errors
/// `division-by-zero`, `number-out-of-range`.
pub fn div(a: Decimal, b: Decimal) -> Result<Decimal, Error> {
    if b.is_zero() {
        return Err(Error::new(Code::DivisionByZero, "division by zero; test the divisor first"));
    }
    let quotient = a.checked_div(b).ok_or_else(|| out_of_range("the quotient is too large"))?;
    if quotient.is_zero() && !a.is_zero() {
        return Err(out_of_range("the quotient is too small"));
    }
    Ok(quotient)
}

/// What is left of `a` after dividing by `b`, with the sign of `a`.
///
/// # Errors
/// `division-by-zero`, `number-out-of-range`.
pub fn rem(a: Decimal, b: Decimal) -> Result<Decimal, Error> {
    if b.is_zero() {
        return Err(Error::new(Code::DivisionByZero, "remainder by zero; test the divisor first"));
    }
    a.checked_rem(b).ok_or_else(|| out_of_range("the remainder cannot be computed"))
}

/// Rounds to `digits` after the point; negative ones round tens, hundreds and so on.
///
/// # Errors
/// `number-out-of-range` when the rounded number is too large.
pub fn round(value: Decimal, digits: i32, mode: Rounding) -> Result<Decimal, Error> {
    if let Ok(digits) = u32::try_from(digits) {
        return Ok(value.round_dp_with_strategy(digits.min(MAX_SCALE), mode.strategy()));
    }
    if digits < -28 {
        return Err(out_of_range("there are no more than 28 places before the point"));
    }
    let unit = 10i128.checked_pow(digits.unsigned_abs()).map(|unit| Decimal::try_from_i128_with_scale(unit, 0).ok());
    let Some(Some(unit)) = unit else {
        return Err(out_of_range("there are no more than 28 places before the point"));
    };
    // Exact whole and remainder parts, so that no digit is lost before the rounding is decided.
    let rest = rem(value, unit)?;
    let whole = sub(value, rest)?;
    let step = step(rest, unit, mode, whole)?;
    add(whole, step)
}

/// What is added to `whole` (a multiple of `unit`) so that `whole + rest` is rounded to a multiple.
fn step(rest: Decimal, unit: Decimal, mode: Rounding, whole: Decimal) -> Result<Decimal, Error> {
    if rest.is_zero() {
        return Ok(Decimal::ZERO);
    }
    let negative = rest.is_sign_negative();
    let twice = mul(rest.abs(), Decimal::TWO)?;
    let odd = || Ok::<_, Error>(!rem(div(whole, unit)?, Decimal::TWO)?.is_zero());
    let away = match mode {
        Rounding::HalfUp => twice >= unit,
        Rounding::HalfDown => twice > unit,
        Rounding::HalfEven => twice > unit || (twice == unit && odd()?),
        Rounding::Up => true,
        Rounding::Down => false,
        Rounding::Floor => negative,
        Rounding::Ceil => !negative,
    };
    Ok(match (away, negative) {
        (false, _) => Decimal::ZERO,
        (true, false) => unit,
        (true, true) => -unit,
    })
}

/// The number with exactly `digits` after the point, zeros included.
#[must_use]
pub fn fixed(value: Decimal, digits: u32, mode: Rounding) -> String {
    let digits = digits.min(MAX_SCALE);
    let rounded = value.round_dp_with_strategy(digits, mode.strategy()).normalize();
    let text = if rounded.is_zero() { "0".to_owned() } else { rounded.to_string() };
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    if digits == 0 {
        return whole.to_owned();
    }
    format!("{whole}.{fraction:0<width$}", width = digits as usize)
}
