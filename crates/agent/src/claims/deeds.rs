//! What a text says was done: "I have booked it", "your order is cancelled", `已为您取消`.
//!
//! Who looks, notes or thinks changes nothing; any other deed of the one who speaks is a claim, and so is one in
//! whatever form that the domain has an action for.

use super::folded;

/// A deed that a text speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Deed {
    /// As it is written, without capitals.
    pub(crate) text: String,
    /// What was done: the stem of the verb.
    pub(crate) verb: String,
    /// Whether the one who speaks did it.
    pub(crate) own: bool,
}

/// What stands between the one who speaks and the verb.
const BETWEEN: &str =
    " have just already also now then successfully gone went ahead and hereby gladly happily personally immediately ";

/// What one does without changing anything, and what is said of saying.
const PERCEIVED: &str = " noted recorded checked looked found seen read understood considered compared got heard reviewed \
searched received remembered kept learned learnt known thought wanted needed hoped tried used based listed included \
mentioned said told explained described summarised summarized suggested recommended proposed asked assumed calculated \
computed counted estimated added-up verified examined decided chosen picked preferred liked stored saved written \
misunderstood missed failed gathered collected identified noticed spotted agreed apologised apologized answered replied ";

/// Verbs whose past does not end in `ed`, with their stems.
const IRREGULAR: [(&str, &str); 14] = [
    ("sent", "send"),
    ("paid", "pay"),
    ("made", "make"),
    ("bought", "buy"),
    ("sold", "sell"),
    ("given", "give"),
    ("gave", "give"),
    ("taken", "take"),
    ("took", "take"),
    ("put", "put"),
    ("set", "set"),
    ("done", "do"),
    ("built", "build"),
    ("withdrawn", "withdraw"),
];

/// What stands right before a verb of what was done to a thing.
const PASSIVE: &str = " is are was were been now already successfully ";

/// What makes it a condition.
const UNSURE: &str = " once if when until unless before whether can could would should may might will ";

/// Who did it, in Chinese; the longer ones first.
const ZH_OWN: [&str; 10] =
    ["我们已经", "已经为您", "已经帮您", "已经替您", "我已经", "我们已", "已为您", "已帮您", "已替您", "我已"];

/// What may follow it before the verb.
const ZH_BETWEEN: [&str; 7] = ["成功", "为您", "帮您", "替您", "给您", "为你", "帮你"];

/// What one does without changing anything.
const ZH_PERCEIVED: [&str; 30] = [
    "记录", "记下", "记住", "了解", "查看", "查询", "查到", "查了", "找到", "收到", "知道", "明白", "注意", "看到",
    "看过", "核对", "核实", "检查", "比较", "考虑", "理解", "说明", "说过", "提到", "推荐", "建议", "听到", "清楚",
    "根据", "保存",
];

/// The stem by which forms of one English verb are the same.
pub(crate) fn stem(word: &str) -> String {
    if let Some((_, stem)) = IRREGULAR.iter().find(|(past, _)| *past == word) {
        return (*stem).trim_end_matches('e').to_owned();
    }
    let mut stem = word;
    for ending in ["ing", "ed", "es", "s"] {
        if let Some(short) = stem.strip_suffix(ending).filter(|short| short.len() > 2) {
            stem = short;
            break;
        }
    }
    let mut stem = stem.trim_end_matches('e').to_owned();
    let mut ends = stem.chars().rev();
    if let (Some(last), Some(before)) = (ends.next(), ends.next())
        && last == before
        && !matches!(last, 's' | 'e' | 'o')
    {
        stem.pop();
    }
    if stem.ends_with('i') {
        stem.pop();
        stem.push('y');
    }
    stem
}

fn is_past(word: &str) -> bool {
    word.len() > 3 && word.ends_with("ed") && !word.ends_with("eed") || IRREGULAR.iter().any(|(past, _)| *past == word)
}

fn among(list: &str, word: &str) -> bool {
    list.contains(&format!(" {word} "))
}

/// The deeds that a text speaks of; `acts` are the stems and the Chinese words of what the domain can do.
pub(crate) fn deeds(text: &str, acts: &[String]) -> Vec<Deed> {
    let text = folded(text).replace('’', "'");
    let mut found = Vec::new();
    for sentence in text.split(['.', '!', '?', ';', '\n', '。', '！', '？', '；']) {
        let words: Vec<&str> =
            sentence.split(|c: char| !(c.is_ascii_alphanumeric() || c == '\'')).filter(|w| !w.is_empty()).collect();
        for (at, word) in words.iter().enumerate() {
            let before = words.get(..at).unwrap_or_default();
            if !is_past(word) {
                continue;
            }
            let unsure = before.iter().rev().take(5).any(|word| among(UNSURE, word));
            let by = before.iter().rposition(|word| !among(BETWEEN, word));
            let speaker = by.and_then(|by| before.get(by)).copied().unwrap_or("");
            let own = matches!(speaker, "i" | "i've" | "we" | "we've") && !among(PERCEIVED, word);
            let verb = stem(word);
            let passive = before.last().is_some_and(|last| among(PASSIVE, last)) && acts.contains(&verb);
            if !unsure && (own || passive) {
                let from = if own { by.unwrap_or(at) } else { at.saturating_sub(1) };
                found.push(Deed { text: words.get(from..=at).unwrap_or_default().join(" "), verb, own });
            }
        }
        found.extend(chinese(sentence, acts));
    }
    found
}

fn chinese(sentence: &str, acts: &[String]) -> Vec<Deed> {
    let mut found = Vec::new();
    let mut rest = sentence;
    while let Some((at, who)) = ZH_OWN
        .iter()
        .filter_map(|who| Some((rest.find(who)?, *who)))
        .min_by_key(|(at, who)| (*at, usize::MAX - who.len()))
    {
        let mut after = rest.get(at + who.len()..).unwrap_or("");
        while let Some(next) = ZH_BETWEEN.iter().find_map(|word| after.strip_prefix(word)) {
            after = next;
        }
        let verb: String = after.chars().take(2).collect();
        if verb.chars().all(super::is_cjk) && !verb.is_empty() && !ZH_PERCEIVED.contains(&verb.as_str()) {
            found.push(Deed { text: format!("{who}{verb}"), verb, own: true });
        }
        rest = after;
    }
    for act in acts.iter().filter(|act| act.starts_with(super::is_cjk)) {
        let said = [
            format!("已{act}"),
            format!("已经{act}"),
            format!("已成功{act}"),
            format!("{act}已"),
            format!("{act}成功"),
        ];
        if let Some(said) = said.into_iter().find(|said| sentence.contains(said.as_str())) {
            found.push(Deed { text: said, verb: act.clone(), own: false });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let acts = ["book".to_owned(), "cancel".to_owned(), "预约".to_owned()];
        let found: Vec<String> = deeds(text, &acts).into_iter().map(|deed| deed.text).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn what_was_done_is_found_and_what_changes_nothing_is_not() {
        check("I have booked a test drive for you.", &["i have booked"]);
        check("I’ve just refunded it, and we already sent a letter.", &["i've just refunded", "we already sent"]);
        check("Good news: I went ahead and cancelled it!", &["i went ahead and cancelled"]);
        check("Your order is cancelled. The drive has been booked.", &["is cancelled", "been booked"]);
        check("I have noted that. I looked at the list and found it.", &[]);
        check("I have not booked it. It is not cancelled yet. Once it is booked, I would tell you.", &[]);
        check("The parcel was delayed and has been shipped.", &[]);
        check("I need a car; I have to book. What you told me fits.", &[]);
        check("已为您取消订单。我已经帮您订好了试驾。", &["已为您取消", "我已经订好"]);
        check("我已记录您的要求，已为您找到一辆车。", &[]);
        check("试驾已预约，周末见", &["已预约"]);
        check("尚未预约，您可以预约试驾。包裹已发出。", &[]);
    }

    #[test]
    fn forms_of_one_verb_have_one_stem() {
        for forms in [
            ["booked", "book", "books"],
            ["cancelled", "cancel", "cancels"],
            ["placed", "place", "places"],
            ["applied", "apply", "applying"],
            ["sent", "send", "sends"],
            ["made", "make", "makes"],
        ] {
            assert!(forms.iter().all(|form| stem(form) == stem(forms[0])), "{forms:?}");
        }
    }
}
