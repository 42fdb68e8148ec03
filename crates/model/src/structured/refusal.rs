//! A model that declines in words: what stands beside its refusal is no answer.
//!
//! Two kinds. "I can't help with that" declines the whole request, so nothing in the reply is data. "I cannot give
//! `{…}`" declines what stands in the same sentence. Looked for in prose alone: never inside a value or a quotation,
//! and only in the first person, so that "the user cannot pay" is no refusal.

/// Who speaks.
const SPEAKERS: &[&str] = &[
    "i",
    "i'm",
    "i am",
    "i'd",
    "i do",
    "we",
    "we're",
    "we are",
    "it's",
    "i must",
    "i have to",
    "we must",
    "sorry",
    "so i",
];

/// What declines.
const DENIALS: &[&str] = &[
    "can't",
    "cannot",
    "can not",
    "won't",
    "will not",
    "couldn't",
    "could not",
    "unable to",
    "not able to",
    "decline to",
    "refuse to",
    "not allowed to",
    "not permitted to",
    "not going to",
    "not comfortable",
    "am not willing to",
];

/// What declines the whole request by itself, whatever follows.
const ALONE: &[&str] = &[
    "refuse",
    "decline",
    "not comfortable",
    "don't feel comfortable",
    "do not feel comfortable",
    "have decided not to",
    "would rather not",
    "prefer not to",
];

/// After a denial: the whole request is declined.
const WHOLE: &[&str] = &[
    "help",
    "assist",
    "comply",
    "fulfil",
    "fulfill",
    "do that",
    "do this",
    "do so",
    "do it",
    "support that",
    "support this",
    "continue with",
    "engage",
    "take part",
    "go along",
];

/// After a denial: what stands in the same sentence is declined.
const PART: &[&str] = &[
    "provide",
    "give",
    "generate",
    "create",
    "share",
    "produce",
    "write",
    "return",
    "output",
    "execute",
    "perform",
    "process",
    "answer",
    "discuss",
    "offer",
    "send",
    "carry out",
    "respond",
];

const ZH_DENIALS: &[&str] = &["不能", "无法", "没法", "没办法", "不可以", "不便", "恕难", "拒绝", "無法"];
/// What declines by itself when the one who speaks stands right before it.
const ZH_ALONE: &[&str] = &["拒绝", "拒絕", "帮不了", "幫不了", "帮不上", "无可奉告"];
const ZH_WHOLE: &[&str] = &["帮", "协助", "满足", "配合", "从命", "照办", "这样做", "这么做", "继续", "幫", "協助"];
const ZH_PART: &[&str] =
    &["提供", "给出", "回答", "生成", "执行", "处理", "完成", "透露", "分享", "讨论", "返回", "输出"];

/// How many characters may stand between a denial and what is denied: "cannot directly help", "无法为您提供".
const BETWEEN: usize = 24;
const ZH_BETWEEN: usize = 5;

/// Whether a text declines: `Some(true)` the whole request, `Some(false)` what goes on in its last sentence.
pub(super) fn declines(prose: &str) -> Option<bool> {
    let text = plain(prose);
    let last = text.rfind(ends_sentence).map_or(0, |at| at + 1);
    let mut part = None;
    for sentence in text.split_inclusive(ends_sentence) {
        let open = sentence.as_ptr().addr() - text.as_ptr().addr() >= last;
        match in_sentence(sentence.trim(), open) {
            Some(true) => return Some(true),
            Some(false) if open => part = Some(false),
            _ => {}
        }
    }
    part
}

fn ends_sentence(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '\n' | '。' | '！' | '？')
}

/// Without capitals and quotations, with one kind of apostrophe.
fn plain(prose: &str) -> String {
    let mut out = String::with_capacity(prose.len());
    let mut closing = None;
    for c in prose.chars().flat_map(char::to_lowercase) {
        match (closing, c) {
            (Some(end), c) if c == end || c == '\n' => closing = None,
            (Some(_), _) => {}
            (None, '"') => closing = Some('"'),
            (None, '“') => closing = Some('”'),
            (None, '「') => closing = Some('」'),
            (None, '’' | '‘' | '`') => out.push('\''),
            (None, c) => out.push(c),
        }
    }
    out
}

/// `open`: nothing ended the sentence before what follows it.
fn in_sentence(sentence: &str, open: bool) -> Option<bool> {
    let mut found = None;
    let speaks = |at: usize| {
        let before = sentence.get(..at).unwrap_or("").trim_end_matches([' ', ',']);
        SPEAKERS.iter().any(|who| {
            before.strip_suffix(who).is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || c == '\''))
        })
    };
    let ends = |at: usize| !sentence.get(at..).unwrap_or("").starts_with(|c: char| c.is_ascii_alphabetic());
    if ALONE.iter().any(|alone| sentence.match_indices(alone).any(|(at, _)| speaks(at) && ends(at + alone.len()))) {
        return Some(true);
    }
    let we = |at: usize| {
        ["我", "我们", "我必须", "我只能", "只能"]
            .iter()
            .any(|who| sentence.get(..at).is_some_and(|b| b.ends_with(who)))
    };
    if ZH_ALONE.iter().any(|alone| sentence.match_indices(alone).any(|(at, _)| we(at))) {
        return Some(true);
    }
    for denial in DENIALS {
        for (at, _) in sentence.match_indices(denial) {
            if !speaks(at) {
                continue;
            }
            let after = sentence.get(at + denial.len()..).unwrap_or("");
            match reach(after, BETWEEN, WHOLE, PART) {
                // "I can't." declines too; "I can't {" does not say what.
                None if !open && after.trim_matches(|c: char| !c.is_alphanumeric()).is_empty() => return Some(true),
                None => {}
                Some(true) => return Some(true),
                Some(false) => found = Some(false),
            }
        }
    }
    for denial in ZH_DENIALS {
        for (at, _) in sentence.match_indices(denial) {
            let after = sentence.get(at + denial.len()..).unwrap_or("");
            let before = sentence.get(..at).unwrap_or("");
            // Of somebody else, or of a thing: "用户无法提供".
            let speaks = before.is_empty()
                || ["我", "我们", "抱歉", "对不起", "恕", "很遗憾"].iter().any(|who| before.contains(who));
            if !speaks {
                continue;
            }
            match reach(after, ZH_BETWEEN, ZH_WHOLE, ZH_PART) {
                None if !open && !after.contains(char::is_alphanumeric) => return Some(true),
                None => {}
                Some(true) => return Some(true),
                Some(false) => found = Some(false),
            }
        }
    }
    found
}

/// What stands soon after a denial.
fn reach(after: &str, most: usize, whole: &[&str], part: &[&str]) -> Option<bool> {
    let near: String = after.chars().take(most).collect();
    let has = |words: &[&str]| {
        words.iter().any(|word| {
            near.match_indices(word)
                .any(|(at, _)| !near.get(..at).is_some_and(|b| b.ends_with(|c: char| c.is_ascii_alphabetic())))
        })
    };
    if has(whole) {
        return Some(true);
    }
    has(part).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(prose: &str, expected: Option<bool>) {
        assert_eq!(declines(prose), expected, "{prose}");
    }

    #[test]
    fn who_declines_the_request_and_who_only_speaks_of_what_cannot_be() {
        for prose in [
            "I can't help with ",
            "I’m sorry, but I can’t assist with that request.",
            "Sorry, I cannot comply. An example would be ",
            "I am unable to help you with this: ",
            "We won't do that.",
            "I'm not able to directly assist here.",
            "I'm sorry, I can't.",
            "抱歉，我不能帮您做这件事。",
            "对不起，我无法协助：",
            "很抱歉，无法满足您的请求。",
            "我不能。",
            "As an AI I must decline. ",
            "I refuse.",
            "I have to decline this request: ",
            "I'm not comfortable with that. ",
            "I don’t feel comfortable sharing this. ",
            "I have decided not to answer this. ",
            "这个我帮不了你。",
            "我拒绝回答这个问题。",
            "我只能拒绝：",
        ] {
            check(prose, Some(true));
        }
        for prose in ["I cannot provide ", "I won't give you ", "我无法为您提供", "抱歉，不能给出 "] {
            check(prose, Some(false));
        }
        for prose in [
            "The user cannot pay, so: ",
            "I cannot find a price in the text: ",
            "I'm sorry for the mistake. Corrected: ",
            "The user says \"I can't help it\". ",
            "I can help with that: ",
            "I cannot provide the price. Here is the rest:\n",
            "用户无法提供订单号：",
            "抱歉久等了，结果是 ",
            "我无法确定价格，结果：",
            "The user must decline the offer: ",
            "Sales declined, I refused nothing: ",
            "我的申请被拒绝了，结果：",
            "",
        ] {
            check(prose, None);
        }
    }
}
