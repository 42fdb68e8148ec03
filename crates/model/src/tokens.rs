//! An estimate of tokens by classes of characters, for where no count is given.

/// How many tokens a text has, roughly: words of Latin letters count one per four characters, digits one
/// per three, characters of other scripts and marks one each, spaces nothing. A host with an exact counter
/// uses its own.
///
/// ```
/// use throughline_model::estimate_tokens;
/// assert_eq!(estimate_tokens(""), 0);
/// assert_eq!(estimate_tokens("parcel delayed"), 4);
/// assert_eq!(estimate_tokens("包裹延误"), 4);
/// ```
#[must_use]
pub fn estimate_tokens(text: &str) -> u64 {
    let mut tokens = 0u64;
    let mut letters = 0u64;
    let mut digits = 0u64;
    for c in text.chars() {
        if c.is_ascii_alphabetic() {
            tokens += std::mem::take(&mut digits).div_ceil(3);
            letters += 1;
        } else if c.is_ascii_digit() {
            tokens += std::mem::take(&mut letters).div_ceil(4);
            digits += 1;
        } else {
            tokens += std::mem::take(&mut letters).div_ceil(4) + std::mem::take(&mut digits).div_ceil(3);
            tokens += u64::from(!c.is_whitespace());
        }
    }
    tokens + letters.div_ceil(4) + digits.div_ceil(3)
}
