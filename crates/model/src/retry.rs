//! When a request that failed is made again, and what a reply may cost. Randomness is an argument.

use throughline_protocol::{ModelSettings, Prices, Refusal};
use throughline_value::Number;

use crate::{Ending, Usage};

/// How long the first byte may take, in milliseconds, when the settings do not say.
pub const FIRST_BYTE_MS: u32 = 60_000;

/// How long nothing may come after it, in milliseconds; comments and pings count as life.
pub const IDLE_MS: u32 = 45_000;

/// How often a request is made again, when the settings do not say.
pub const RETRIES: u32 = 2;

/// The most often that settings can ask for.
pub const MAX_RETRIES: u32 = 8;

/// The least wait before that, in milliseconds.
pub const RETRY_FLOOR_MS: u32 = 500;

/// The longest wait. A provider that asks for more is not asked again by itself.
pub const MAX_WAIT_MS: u64 = 60_000;

/// Codes after which the same request gives the same: a new attempt is a waste.
const FINAL: &[&str] = &[
    "no-model",
    "cassette-mismatch",
    "spend-cap",
    "unauthorized",
    "forbidden",
    "quota-exceeded",
    "model-not-found",
    "context-full",
    "bad-request",
    "not-reachable",
    "unknown-provider",
    "no-endpoint",
    "bad-endpoint",
    "key-in-endpoint",
    "no-model-name",
    "bad-key",
    "bad-prices",
    "cap-without-prices",
    "bad-settings",
    "too-many-retries",
];

/// Whether asking again after this failure gives the same.
#[must_use]
pub fn is_final(code: &str) -> bool {
    FINAL.contains(&code)
}

/// How long to wait before attempt `attempt` (from 1 for the first repetition), in milliseconds; none when it
/// is not worth it. `asked` is what the provider asked for, `random` any number.
///
/// ```
/// use throughline_model::retry::wait;
/// assert!((500..=1_000).contains(&wait(1, 500, None, 12_345).unwrap()));
/// assert!(wait(1, 500, Some(7_000), 3).unwrap() >= 7_000);
/// assert_eq!(wait(1, 500, Some(600_000), 3), None);
/// ```
#[must_use]
pub fn wait(attempt: u32, floor: u32, asked: Option<u64>, random: u64) -> Option<u64> {
    let floor = u64::from(floor);
    if let Some(asked) = asked {
        let wait = asked.max(floor);
        return (wait <= MAX_WAIT_MS).then(|| wait + random % (wait / 10 + 1));
    }
    let window = floor.saturating_mul(1 << (attempt.clamp(1, 16) - 1)).min(MAX_WAIT_MS / 2);
    // Between once and twice the window: never below the floor, never all at once.
    Some((window + random % (window + 1)).min(MAX_WAIT_MS))
}

/// Whether a failure may pass.
#[must_use]
pub fn is_retryable(ending: &Ending) -> bool {
    matches!(ending, Ending::Failed { retryable: true, .. })
}

/// What tokens cost, exactly, in the prices' currency.
///
/// ```
/// use throughline_model::{Usage, retry::cost};
/// use throughline_protocol::Prices;
/// use throughline_value::Number;
/// let price = |text| Number::parse(text).unwrap();
/// let prices = Prices { prompt: price("0.15"), completion: price("0.6"), cached: None };
/// let usage = Usage { prompt: 1_000, completion: 500, cached: 0, estimated: false };
/// assert_eq!(cost(&prices, &usage).unwrap().as_str(), "0.00045");
/// ```
#[must_use]
pub fn cost(prices: &Prices, usage: &Usage) -> Option<Number> {
    let cached = usage.cached.min(usage.prompt);
    let parts = [
        (usage.prompt - cached, &prices.prompt),
        (cached, prices.cached.as_ref().unwrap_or(&prices.prompt)),
        (usage.completion, &prices.completion),
    ];
    // In 10^-12 of the currency.
    let mut pico: i128 = 0;
    for (tokens, price) in parts {
        pico = pico.checked_add(i128::from(tokens).checked_mul(scaled(price, 6)?)?)?;
    }
    Some(decimal(pico, 12))
}

/// A number times 10^`places`, where that is whole and not out of all proportion.
fn scaled(number: &Number, places: i32) -> Option<i128> {
    let canonical = number.canonical();
    let (digits, exponent) = canonical.split_once('e').unwrap_or((&canonical, "0"));
    let shift = exponent.parse::<i32>().ok()?.checked_add(places)?;
    let digits: i128 = digits.parse().ok()?;
    let power = 10i128.checked_pow(shift.unsigned_abs())?;
    if shift >= 0 { digits.checked_mul(power) } else { Some(digits / power) }
}

fn decimal(value: i128, places: usize) -> Number {
    let digits = format!("{:0>width$}", value.unsigned_abs(), width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let fraction = fraction.trim_end_matches('0');
    let sign = if value < 0 { "-" } else { "" };
    let text = if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") };
    Number::parse(&text).unwrap_or_else(|| Number::from(0))
}

/// The least room for a reply: with less, a request is a waste of its prompt.
pub const MIN_REPLY_TOKENS: u64 = 16;

/// How many tokens the reply to the next request may have, within what one turn may take: `spent` is what it took so
/// far, `prompt` the tokens of the next request.
///
/// # Errors
/// `spend-cap`, with what was spent and what is allowed.
///
/// ```
/// use throughline_model::{Usage, retry::room};
/// let spent = Usage { prompt: 700, completion: 100, ..Usage::default() };
/// assert_eq!(room(2_000, &spent, 900), Ok(300));
/// assert_eq!(room(1_710, &spent, 900).unwrap_err().code, "spend-cap");
/// ```
pub fn room(cap: u64, spent: &Usage, prompt: u64) -> Result<u64, Refusal> {
    let taken = spent.prompt.saturating_add(spent.completion);
    let room = cap.saturating_sub(taken.saturating_add(prompt));
    if room >= MIN_REPLY_TOKENS {
        return Ok(room);
    }
    let message = format!(
        "this turn has taken {taken} tokens and its next request takes {prompt}, with {MIN_REPLY_TOKENS} at least for the reply; {cap} are allowed: raise `token_cap`, or ask for less"
    );
    Err(Refusal::new("spend-cap", message))
}

/// The settings with room for a reply that does not take a turn over their caps.
///
/// # Errors
/// `spend-cap`: the request must not be made.
///
/// ```
/// use throughline_model::{Usage, retry::capped};
/// use throughline_protocol::{ModelSettings, Prices};
/// use throughline_value::Number;
/// let price = |text| Number::parse(text).unwrap();
/// let prices = Prices { prompt: price("1"), completion: price("2"), cached: None };
/// let settings = ModelSettings { prices: Some(prices), spend_cap: Some(price("0.001")), ..ModelSettings::default() };
/// assert_eq!(capped(&settings, &Usage::default(), 400).unwrap().max_tokens, Some(300));
/// assert_eq!(capped(&settings, &Usage::default(), 990).unwrap_err().code, "spend-cap");
/// ```
pub fn capped(settings: &ModelSettings, spent: &Usage, prompt: u64) -> Result<ModelSettings, Refusal> {
    let room = within(settings, spent, prompt)?.map(|room| u32::try_from(room).unwrap_or(u32::MAX));
    let max_tokens = settings.max_tokens.into_iter().chain(room).min();
    Ok(ModelSettings { max_tokens, ..settings.clone() })
}

/// How many tokens the caps leave for a reply; `None` where there are none.
fn within(settings: &ModelSettings, spent: &Usage, prompt: u64) -> Result<Option<u64>, Refusal> {
    let by_tokens = settings.token_cap.map(|cap| room(cap, spent, prompt)).transpose()?;
    let by_price = settings.spend_cap.as_ref().zip(settings.prices.as_ref());
    let by_price = by_price.map(|(cap, prices)| affordable(cap, prices, spent, prompt)).transpose()?;
    Ok(by_tokens.into_iter().chain(by_price).min())
}

/// How many tokens of a reply a cap pays for.
fn affordable(cap: &Number, prices: &Prices, spent: &Usage, prompt: u64) -> Result<u64, Refusal> {
    let with = |completion: u64| {
        let next = Usage { prompt: spent.prompt + prompt, completion: spent.completion + completion, ..*spent };
        // What cannot be reckoned is out of all proportion.
        cost(prices, &next).filter(|cost| cost <= cap).is_some()
    };
    if !with(MIN_REPLY_TOKENS) {
        let next = Usage { prompt: spent.prompt + prompt, completion: spent.completion + MIN_REPLY_TOKENS, ..*spent };
        let would = cost(prices, &next).map_or_else(|| "too much".to_owned(), |cost| cost.to_string());
        let message = format!(
            "with its next request and {MIN_REPLY_TOKENS} tokens of a reply this turn costs {would}; {cap} is allowed: raise `spend_cap`, or ask for less"
        );
        return Err(Refusal::new("spend-cap", message));
    }
    let (mut low, mut high) = (MIN_REPLY_TOKENS, u64::from(u32::MAX));
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if with(middle) { low = middle } else { high = middle - 1 }
    }
    Ok(low)
}
