//! What the engine says about a hit and about what goes next, as a person reads it: durations in a unit that fits, and
//! in Chinese where the engine's own words are English. What is not known here is said as the engine says it.

use crate::format::{duration, fill};
use crate::i18n::Lang;

/// Why an event is a hit.
pub(super) fn why(text: &str, lang: Lang) -> String {
    if lang == Lang::En {
        return text.to_owned();
    }
    text.split("; ").map(part).collect::<Vec<_>>().join("；")
}

/// One of the reasons for a hit, in Chinese.
fn part(text: &str) -> String {
    let whole = match text {
        "everything was asked for" => "未设条件，返回全部",
        "in the window" => "在窗口内",
        "lasts into the window" => "持续到窗口内",
        "of the thread" => "属于该线程",
        "of an episode with a hit" => "与某个命中属于同一情节",
        _ => "",
    };
    if !whole.is_empty() {
        return whole.to_owned();
    }
    let rest = |before: &str, after: &str| text.strip_prefix(before)?.strip_suffix(after);
    if let Some((words, score)) = rest("words ", ")").and_then(|rest| rest.rsplit_once(" (score ")) {
        return format!("词语 {}（得分 {score}）", words.replace(" (like ", "（近似 ").replace(')', "）"));
    }
    if let Some(cosine) = rest("vector (cosine ", ")") {
        return format!("向量（余弦 {cosine}）");
    }
    for (before, word) in [("ranks: ", "排名："), ("kind ", "种类 "), ("with ", "涉及 ")] {
        if let Some(list) = rest(before, "") {
            let known = [("words ", "词语 "), ("vector ", "向量 "), ("episode ", "情节 "), ("recency ", "新近程度 ")];
            let known = known.into_iter().chain([("importance ", "重要性 ")]);
            let list = if before == "ranks: " {
                known.fold(list.to_owned(), |list, (en, zh)| list.replace(en, zh))
            } else {
                list.to_owned()
            };
            return format!("{word}{list}");
        }
    }
    text.to_owned()
}

/// Why an event goes next.
pub(super) fn going(text: &str, lang: Lang) -> String {
    let words = lang.views();
    let time = |ms: &str| ms.parse().map(duration).ok();
    for (before, sentence) in [("it ended ", words.going_ended), ("it was last used ", words.going_used)] {
        if let Some((age, most)) = text.strip_prefix(before).and_then(|rest| rest.split_once(" ms ago, more than "))
            && let (Some(age), Some(most)) = (time(age), time(most))
        {
            return fill(sentence, &[("age", &age), ("most", &most)]);
        }
    }
    if let Some(rest) = text.strip_suffix(", and it weighs least") {
        for (between, sentence) in
            [(" events are more than ", words.going_events), (" bytes of text are more than ", words.going_bytes)]
        {
            if let Some((n, most)) = rest.split_once(between) {
                return fill(sentence, &[("n", n), ("most", most)]);
            }
        }
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_next_is_said_with_durations_and_in_both_languages() {
        for (text, en, zh) in [
            (
                "it ended 172800001 ms ago, more than 86400000",
                "It ended 2 d ago, more than 24 h.",
                "结束已有 2 d，超过 24 h。",
            ),
            (
                "it was last used 172800001 ms ago, more than 86400000",
                "It was last used 2 d ago, more than 24 h.",
                "上次使用已过 2 d，超过 24 h。",
            ),
            (
                "13 events are more than 3, and it weighs least",
                "13 events are more than 3, and it weighs least.",
                "事件共 13 个，多于 3 个，而它权重最低。",
            ),
            (
                "900 bytes of text are more than 100, and it weighs least",
                "900 bytes of text are more than 100, and it weighs least.",
                "文本共 900 字节，多于 100 字节，而它权重最低。",
            ),
            ("something newer", "something newer", "something newer"),
        ] {
            assert_eq!((going(text, Lang::En), going(text, Lang::Zh)), (en.to_owned(), zh.to_owned()));
        }
    }

    #[test]
    fn why_an_event_is_a_hit_is_said_in_chinese_too() {
        for (text, zh) in [
            ("everything was asked for", "未设条件，返回全部"),
            ("in the window; kind saw; with pan, stove", "在窗口内；种类 saw；涉及 pan, stove"),
            (
                "words pan ×2, kitchen (like kitchens) (score 1.250); ranks: words 1, recency 3; lasts into the window",
                "词语 pan ×2, kitchen（近似 kitchens）（得分 1.250）；排名：词语 1, 新近程度 3；持续到窗口内",
            ),
            ("vector (cosine 0.912); of an episode with a hit", "向量（余弦 0.912）；与某个命中属于同一情节"),
            ("something newer", "something newer"),
        ] {
            assert_eq!(why(text, Lang::Zh), zh);
            assert_eq!(why(text, Lang::En), text);
        }
    }
}
