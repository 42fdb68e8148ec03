//! Whether a text denies the claim that stands in it: "does not cost 100", `不是100元`. More, less, before and after are
//! no denial of the figure itself.

use super::folded;

/// How many words may stand between what denies and the claim.
const MAX_BETWEEN: usize = 3;

/// Words of Latin letters that deny what follows.
const NOT: [&str; 5] = ["not", "never", "cannot", "neither", "nor"];

/// Words after which a figure is a bound, or something else than what is denied.
const BOUND: &str = " more less fewer over under above below than only just exceed exceeds exceeding until till before after \
earlier later beyond within merely about around up reach reaches but ";

/// Signs and words of Chinese that deny, the longer ones first.
const CHINESE: [&str; 12] =
    ["并不是", "并非", "不是", "不为", "不在", "不要", "不会在", "不收", "不重", "不值", "不卖", "不于"];

/// Whether the claim that begins at this byte is denied by the words before it.
pub(crate) fn is_denied(text: &str, start: usize) -> bool {
    let before = text.get(..start).unwrap_or_default();
    let clause = before.rsplit(['.', ',', ';', ':', '!', '?', '\n', '。', '，', '；', '：', '！', '？', '、']).next();
    let clause = folded(clause.unwrap_or_default());
    let bare = clause.trim_end_matches([' ', '$', '€', '£', '¥', '\u{1}']);
    if CHINESE.iter().any(|word| bare.ends_with(word)) {
        return true;
    }
    let words: Vec<&str> = bare.split_whitespace().collect();
    let near = words.iter().rev().take(MAX_BETWEEN + 1);
    for word in near {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        if NOT.contains(&word) || word.ends_with("n't") || word.ends_with("n’t") {
            return true;
        }
        if BOUND.contains(&format!(" {word} ")) {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, denied: bool) {
        let start = text.find(|c: char| c.is_ascii_digit()).unwrap();
        assert_eq!(is_denied(text, start), denied, "{text}");
    }

    #[test]
    fn a_figure_is_denied_by_what_stands_before_it_and_a_bound_is_none() {
        check("It does not cost 100.", true);
        check("It doesn't cost 100.", true);
        check("It isn’t $100.", true);
        check("It will never be 100.", true);
        check("价格不是100元", true);
        check("It costs 100.", false);
        check("It is not more than 100.", false);
        check("It is not only 100 in gold.", false);
        check("Not that one, it costs 100.", false);
        check("It will not come before 5 March.", false);
        check("价格不超过100元", false);
        check("不到100元", false);
        check("It is not a bad lamp at all and costs 100.", false);
    }
}
