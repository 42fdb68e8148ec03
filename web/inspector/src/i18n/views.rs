//! The words of the large views; they are loaded with them.

use super::table::words;

words! {
    // Compare.
    compare_title: "Two moments", "两个时刻";
    compare_none: "Nothing differs between records {a} and {b}.", "记录 {a} 与 {b} 之间没有差异。";
    compare_hint: "Mark a record as A, then look at another one: what differs between them is listed here.",
        "先将一条记录标为 A，再查看另一条；两者的差异会列在这里。";
    compare_mark: "Mark this record as A", "将此记录标为 A";

    // Model.
    prompt_title: "Prompt", "提示词";
    prompt_hint: "Load a domain to see the exact bytes that a model would be given at this record.",
        "载入领域后，即可查看模型在此记录处会收到的确切内容。";
    prompt_left_out: "Left out", "未包含";
    prompt_tokens: "Tokens by section (estimated)", "各部分的词元数（估算）";

    // Memory.
    recall_title: "Recall", "回忆";
    recall_words: "Words", "词语";
    recall_words_hint: "what happened to the pan", "锅子怎么样了";
    recall_kinds: "Kinds", "种类";
    recall_entities: "Entities", "实体";
    recall_since: "Not before", "不早于";
    recall_until: "Before", "早于";
    recall_clear: "Clear the question", "清除条件";
    by_episode: "by episode", "按情节";
    by_recency: "by recency", "按新近程度";
    by_importance: "by importance", "按重要性";
    memory_why: "Why: {why}", "命中原因：{why}";
    forget: "Forget", "遗忘";
    undo: "Undo", "撤销";
    tree_title: "The tree of summaries", "摘要树";
    tree_none: "Nothing is remembered here.", "此处没有任何记忆。";
    tree_hint: "Each box is a part of time with its summary. The question above skips a part, takes its summary whole, opens it, or reads its events.",
        "每个方块是一段时间及其摘要。上方的查询会跳过它、直接采用其摘要、展开它，或逐条读取其事件。";
    tree_cut: "Only {n} parts are shown.", "仅显示 {n} 个部分。";
    tree_level: "Level", "层级";
    tree_step: "The question", "查询方式";
    tree_first: "Begins", "开始";
    tree_span: "Span", "跨度";
    tree_live: "Current", "当前";
    tree_forgotten: "Forgotten", "已遗忘";
    tree_used: "Last used", "最近使用";
    step_skipped: "skipped", "跳过";
    step_whole: "taken whole", "整体采用";
    step_opened: "opened", "展开";
    step_read: "read", "逐条读取";
    forgetting_title: "What goes next", "接下来会遗忘什么";
    forgetting_keep: "Keep at most so many events", "最多保留的事件数";
    forgetting_days: "Nothing older than so many days", "最长保留天数";
    forgetting_none: "Nothing would be forgotten under this budget.", "在此预算下不会遗忘任何内容。";
    forgetting_hint: "Lower the budget to see what would go first, and why.", "降低预算即可查看最先被遗忘的内容及原因。";
    forgetting_score: "Weight", "权重";
    forgetting_why: "Why", "原因";
    forgetting_now: "Forget these now", "立即遗忘这些";
    forgetting_undo: "It can be undone until it is purged.", "在彻底清除之前可以撤销。";
    purged_title: "Purged for good", "已彻底清除";
}
