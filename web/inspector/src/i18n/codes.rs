//! What the most frequent codes of refusals mean, in Chinese: the engine's own words are English and stand below.

/// The codes, in order, with their meaning.
static ZH: &[(&str, &str)] = &[
    ("already-settled", "已处理过，不能再次作答。"),
    ("ambiguous-name", "名称不唯一，请使用编号。"),
    ("approval-required", "须先由人批准。"),
    ("bad-domain", "规则文件有误。"),
    ("bad-duration", "时长格式无效。"),
    ("bad-key", "密钥包含无法发送的字符。"),
    ("bad-settings", "设置有误。"),
    ("closed", "日志未打开。"),
    ("constraint-broken", "违反约束，未执行。"),
    ("domain-broken", "规则文件已损坏。"),
    ("engine-crashed", "引擎已停止，请重新打开日志。"),
    ("file-too-large", "文件过大。"),
    ("illegal-transition", "当前状态不允许此事件。"),
    ("invalid-json", "不是有效的 JSON。"),
    ("limit-too-large", "数量超出上限。"),
    ("missing-field", "缺少必填字段。"),
    ("no-model", "没有可用的模型或录制回复。"),
    ("no-turn", "当前没有进行中的轮次。"),
    ("not-a-journal", "此文件不是日志。"),
    ("not-allowed", "当前不允许此操作。"),
    ("not-authorised", "未获授权。"),
    ("not-open", "日志未打开。"),
    ("out-of-range", "超出允许范围。"),
    ("plan-invalid", "计划有错误，无法运行。"),
    ("proposal-refused", "模型的提议未通过检查。"),
    ("read-only", "此日志为只读。"),
    ("spend-cap", "已达到费用上限。"),
    ("text-too-long", "文本过长。"),
    ("too-many", "数量过多。"),
    ("turn-under-way", "当前轮次尚未结束。"),
    ("unknown-binding", "没有此变量。"),
    ("unknown-entity", "没有此实体。"),
    ("unknown-event", "没有此事件。"),
    ("unknown-fact", "没有此事实。"),
    ("unknown-field", "没有此字段。"),
    ("unknown-memory", "没有此记忆。"),
    ("unknown-record", "没有此记录。"),
    ("unknown-run", "没有此次运行。"),
    ("unknown-tool", "没有此工具。"),
    ("version-conflict", "他人已先行修改，请按最新版本重试。"),
    ("weak-passphrase", "口令至少需要八个字符。"),
    ("wrong-passphrase", "口令不正确。"),
    ("wrong-type", "值的类型不符。"),
    ("wrong-unit", "单位不符。"),
];

/// What a code means, where this page knows it.
pub(crate) fn meaning(code: &str) -> Option<&'static str> {
    let place = ZH.binary_search_by_key(&code, |(known, _)| known).ok()?;
    ZH.get(place).map(|(_, words)| *words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_found_and_an_unknown_one_is_not() {
        assert!(ZH.iter().all(|(code, words)| meaning(code) == Some(words)), "the codes stand in order");
        assert_eq!(meaning("no-such-code"), None);
    }
}
