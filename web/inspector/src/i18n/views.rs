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
    prompt_no_turn: "Ask a question: the prompt is then shown here, byte for byte.", "提出问题后，此处会逐字节显示提示词。";
    rules_open: "Open a file of rules", "打开规则文件";
    prompt_bytes: "{n} bytes", "{n} 字节";
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
    axis_title: "Time axis", "时间轴";
    axis_help: "Drag or use the arrow keys to move, the wheel or + and − to zoom, 0 for all. Shift and an arrow move the marker; a click or Enter takes the part under it as the window of the question, Escape clears it. B sets a bookmark.",
        "拖动或用方向键移动，滚轮或 + − 缩放，0 显示全部。Shift 加方向键移动标记；单击或按 Enter 将标记处的时段设为查询窗口，Escape 清除。B 添加书签。";
    axis_none: "Nothing is remembered here.", "此处没有任何记忆。";
    axis_none_hint: "Generate events to try the memory out, or let the agent remember some.", "可生成事件来试用记忆，或让智能体记住一些事件。";
    axis_marks: "Errors, bookmarks", "错误与书签";
    axis_others: "others", "其他";
    axis_part: "{from} – {to}: {n} events{kinds}", "{from} – {to}：{n} 个事件{kinds}";
    axis_shown: "{n} events from {from} to {to}", "{from} 至 {to}：{n} 个事件";
    axis_table: "What is shown, as a table", "以表格显示";
    axis_from: "From", "从";
    axis_to: "To", "至";
    axis_events: "Events", "事件";
    axis_errors: "Errors", "错误";
    axis_window: "Take as the window", "设为窗口";
    axis_bookmark: "Set a bookmark", "添加书签";
    axis_bookmarks: "Bookmarks:", "书签：";
    axis_unmark: "Remove the bookmark {time}", "移除书签 {time}";
    axis_unwindow: "Clear the window", "清除窗口";
    generate: "Generate a million events", "生成一百万个事件";
    generate_hint: "What a household robot perceives through many breakfasts: made here from a seed, nothing is downloaded.",
        "家用机器人在许多次早餐中的感知：由种子在本地生成，无需下载。";
    generating: "{n} of {total} events are in memory.", "已记入 {total} 个事件中的 {n} 个。";
    generate_stop: "Cancel", "取消";
    forgettings_title: "What was forgotten", "已遗忘的内容";
    forgettings_n: "{n} events", "{n} 个事件";
    purge: "Purge for good", "彻底清除";
    purge_sure: "Purge {n} events for good? Their words go from the index, the summaries, exports and this browser's storage. This cannot be undone.",
        "彻底清除 {n} 个事件？其内容将从索引、摘要、导出文件和浏览器存储中删除。此操作无法撤销。";
    purge_yes: "Purge: it cannot be undone", "清除（无法撤销）";
    purge_no: "Keep them", "保留";
    tiers_title: "What memory takes", "内存占用";
    tiers_here: "{n} of texts are held in memory, of {budget} that they may take.", "内存中存有 {n} 的文本，上限为 {budget}。";
    tiers_cold: "{n} more lie in this browser's storage; what a question needs of them is read when it is asked.",
        "另有 {n} 存放在浏览器存储中；查询需要时才会读取。";
    tiers_all_here: "No text lies in storage alone: all are in memory.", "没有仅存放在存储中的文本：全部都在内存里。";
    tiers_read: "{n} stored parts were read since the journal was opened.", "打开日志以来读取过 {n} 个存储块。";
    tiers_read_none: "No stored part has been read since the journal was opened.", "打开日志以来尚未读取任何存储块。";
    tiers_snapshot: "It was opened from a snapshot of the index, without reading the texts.", "打开时使用了索引快照，未读取文本。";
    tiers_folded: "It was opened by reading its records.", "打开时逐条读取了记录。";
    tiers_hint: "Times, kinds, entities, words' index and summaries are always in memory; only texts come and go.",
        "时间、种类、实体、词语索引与摘要始终在内存中；只有文本会移入移出。";
    tree_title: "The tree of summaries", "摘要树";
    tree_none: "Nothing is remembered here.", "此处没有任何记忆。";
    tree_hint: "Each box is a part of time with its summary. The question above skips a part, takes its summary whole, opens it, or reads its events. Click a box, or use the arrow keys, to see its summary; Enter takes its time as the window.",
        "每个方块是一段时间及其摘要。上方的查询会跳过它、直接采用其摘要、展开它，或逐条读取其事件。单击方块或用方向键可查看其摘要，按 Enter 将其时段设为查询窗口。";
    tree_choose: "Choose a box to see its summary.", "选择一个方块以查看其摘要。";
    tree_rows: "The {n} highest of {total} parts; the drawing has all.", "共 {total} 个部分，此处列出层级最高的 {n} 个；图中包含全部。";
    tree_show: "Show", "查看";
    tree_summary: "Summary", "摘要";
    tree_last: "Last event", "最后事件";
    tree_importance: "Importance", "重要性";
    tree_importance_of: "{sum} in all, {mean} on average", "合计 {sum}，平均 {mean}";
    tree_never: "never", "从未";
    tree_vectors: "Vectors", "向量";
    tree_vectors_of: "{n}; their mean is {mean} long (1 when all point the same way)", "{n} 个；均值长度 {mean}（方向全部一致时为 1）";
    tree_first_state: "First state of the entity", "该实体的最初状态";
    tree_last_state: "Last state of the entity", "该实体的最后状态";
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

    // What would be otherwise.
    without_title: "Without this record", "如果没有这条记录";
    without_hint: "What would not be, had record {n} not been.", "如果没有记录 {n}，以下内容将有所不同。";
    without_none: "Nothing would be otherwise at the head.", "最新状态不会有任何不同。";
    without_led_to: "It led to", "它引发了";
    without_effects: "Recorded effects after it", "其后已记录的外部结果";
    fork_without: "Fork without this record", "去掉此记录后分叉";
    fork_here: "Fork here", "在此分叉";
    fork_made: "{name} was made; this journal is as it was.", "已创建 {name}；本日志保持不变。";
    how_reused: "reused", "复用";
    how_recomputed: "recomputed", "重新计算";
    how_stubbed: "stubbed", "占位";
    how_dropped: "dropped", "去除";

    // World.
    ego_title: "Around an entity", "实体周边";
    ego_none: "There is no entity at this record.", "此记录处没有实体。";
    ego_more: "{n} more are not shown.", "另有 {n} 个未显示。";
    ego_choose: "Put in the middle:", "设为中心：";
    influences_title: "What led to a field", "字段的来由";
    influences_hint: "Press “Why?” beside a field below: the records that led to its value, through causes and relations, are listed here.",
        "点击下方字段旁的“为什么？”，此处会列出经由因果与关系导致其取值的记录。";
    why: "Why?", "为什么？";

    // Model.
    prompt_stage: "Stage", "阶段";
    exchanges_title: "Exchanges", "模型交互";
    exchanges_none: "No model has been asked up to this record.", "截至此记录尚未询问过模型。";
    exchanges_hint: "Ask a question, or load a cassette of recorded replies.", "请提出问题，或载入已录制的回复。";
    exchanges_older: "Look further back", "继续向前查找";
    exchange_show: "Show", "查看";
    exchange_hide: "Hide", "收起";
    exchange_live: "{purpose}: a reply is coming in, {n} pieces so far", "{purpose}：正在接收回复，已收到 {n} 段";
    exchange_attempt: "attempt {n}", "第 {n} 次";
    exchange_attempts: "{n} requests", "请求 {n} 次";
    exchange_refused: "Did not hold", "未通过检查";
    exchange_tokens: "{a} tokens in, {b} out", "输入 {a} 词元，输出 {b} 词元";
    exchange_tokens_estimated: "about {a} tokens in, {b} out", "约输入 {a} 词元，输出 {b} 词元";
    exchange_cached: "{n} of them cached", "其中 {n} 来自缓存";
    exchange_first: "first byte after {time}", "首字节 {time}";
    exchange_took: "{time} in all", "共 {time}";
    exchange_cost: "cost {cost}", "费用 {cost}";
    exchange_value: "The value that counts", "生效的值";
    exchange_changes: "Changed to be read:", "读取时的修正：";
    exchange_reply: "Reply", "回复";
    exchange_thinking: "Thinking, which does not count", "思考过程（不生效）";
    exchange_declined: "Why it declined", "拒绝原因";
    exchange_calls: "Tool calls as written", "工具调用原文";
    exchange_timing: "How it came", "接收过程";
    exchange_timing_label: "{n} pieces, {bytes} bytes in {time}", "{n} 段，{bytes} 字节，用时 {time}";
    exchange_raw: "The stream as it came: {n} bytes", "原始数据流：{n} 字节";
    exchange_asked: "What was asked", "请求内容";
    exchange_schema: "The schema that the value must fit", "值须符合的模式";
    ending_open: "waiting", "等待中";
    ending_done: "done", "完成";
    ending_truncated: "cut off", "被截断";
    ending_refused: "declined", "模型拒绝";
    ending_interrupted: "interrupted", "中断";
    ending_failed: "failed", "失败";
    record_start: "Record a cassette", "开始录制";
    record_stop: "Stop and save the cassette", "停止并保存录制";
    record_on: "Every reply is being recorded, without the key.", "正在录制每次回复，不含密钥。";
    record_hint: "Every reply's bytes with their timing; open the file above to play it again without a network.",
        "保存每次回复的原始字节与时间；在上方打开该文件即可离线重放。";
    metrics_title: "Figures", "指标";
    metrics_none: "No turn has ended up to this record.", "截至此记录尚无已结束的轮次。";
    metrics_hint: "Ask a question: its stages, replies and tokens are counted here.", "提出问题后，各阶段、回复与词元会在此统计。";
    metrics_judged: "Replies judged", "已评判的回复";
    metrics_validity: "Valid", "有效率";
    metrics_refusals: "Refused", "拒绝率";
    metrics_refused: "Refused", "拒绝";
    metrics_handovers: "Handed to a person", "转交人工";
    metrics_prompt_tokens: "Prompt tokens", "提示词元";
    metrics_reply_tokens: "Reply tokens", "回复词元";
    metrics_estimated: "Exchanges with estimated counts", "词元数为估算的交互";
    metrics_tokens: "Prompt tokens by turn", "每轮提示词元";
    metrics_reply_by_turn: "Reply tokens by turn", "每轮回复词元";
    metrics_time: "Time by turn", "每轮用时";
    metrics_refused_by_turn: "Replies that did not hold, by turn", "每轮未通过的回复";
    metrics_turns: "Turns", "轮次";
    metrics_exchanges: "Exchanges", "模型交互";
    spans_title: "OpenTelemetry", "OpenTelemetry";
    spans_hint: "The turns as spans with the GenAI names, to be posted to /v1/traces.", "以 GenAI 语义约定命名的调用跨度，可发送至 /v1/traces。";
    spans_save: "Save the spans", "保存跨度数据";
    spans_content: " with the texts of prompts and replies", " 包含提示词与回复文本";
    metrics_stages: "Stages", "各阶段";
    metrics_stage: "Stage", "阶段";
    settings_title: "Connection", "连接";
    settings_hint: "The key stays in this tab's memory. It is never stored, exported, logged or put into an address.",
        "密钥仅保存在此标签页的内存中，绝不会被存储、导出、记录或写入地址。";
    settings_provider: "Provider", "服务商";
    settings_endpoint: "Address", "地址";
    settings_endpoint_hint: "the provider's own", "服务商默认地址";
    settings_model: "Model", "模型";
    settings_key: "Key", "密钥";
    settings_test: "Test the connection", "测试连接";
    settings_use: "Use it for this journal", "用于此日志";
    settings_sign_in: "Sign in at OpenRouter", "通过 OpenRouter 登录";
    settings_ok: "It answers.", "连接正常。";
    settings_signed_in: "Signed in: the key is in the field. Test the connection, or use it.", "已登录，密钥已填入。可测试连接或直接使用。";
    settings_more: "More settings", "更多设置";
    settings_structured: "A value is asked for by", "取值方式";
    structured_own: "what the provider can", "按服务商能力";
    structured_schema: "schema", "模式";
    structured_json: "JSON mode", "JSON 模式";
    structured_prompt: "words", "文字说明";
    settings_max_tokens: "Longest reply, in tokens", "最长回复（词元）";
    settings_temperature: "Temperature", "温度";
    settings_first_byte: "Wait for the first byte, ms", "首字节等待（毫秒）";
    settings_idle: "Wait between pieces, ms", "数据间隔等待（毫秒）";
    settings_price_in: "A million tokens in cost", "每百万输入词元价格";
    settings_price_out: "A million tokens out cost", "每百万输出词元价格";
    settings_cap: "Most that a turn may cost", "单轮费用上限";
    answers_recorded: "{n} recorded replies answer; nothing is sent anywhere.", "由 {n} 条已录制的回复作答；不会发送任何内容。";
    answers_model: "{name} answers.", "由 {name} 作答。";
    answers_nobody: "Nobody answers yet: use a model below, or open a cassette.", "尚无作答者：请在下方启用模型，或打开录制文件。";
    answers_open: "Open a cassette", "打开录制文件";
    answers_play: "Play the {n} recorded replies again", "重新使用 {n} 条已录制的回复";
    answers_away: "Take it away", "停用";
    key_title: "Keep the key in this browser", "在此浏览器中保存密钥";
    key_hint: "Encrypted with your passphrase, which is kept nowhere.", "以您的口令加密；口令不会被保存。";
    key_passphrase: "Passphrase", "口令";
    key_keep: "Keep it sealed", "加密保存";
    key_open: "Open the kept key", "取出已保存的密钥";
    key_drop: "Delete the kept key", "删除已保存的密钥";
    key_kept: "The key is kept here, sealed.", "密钥已加密保存。";
    key_opened: "The key is in the field.", "密钥已填入。";
    key_dropped: "The kept key is gone.", "已删除保存的密钥。";
    diagnosis_said: "What was said", "返回信息";
    diagnosis_took: "Took", "用时";
    diagnosis_models: "{n} models are listed", "列出 {n} 个模型";

    // The plan.
    plan_layers: "The plan's steps in layers; scrolls sideways", "计划步骤分层图，可横向滚动";
    plan_critical: "Longest chain:", "最长链：";
    plan_bar: "Control of the run", "运行控制";
    plan_step: "Step", "单步";
    plan_continue: "Continue", "继续";
    plan_pause: "Pause", "暂停";
    plan_cancel: "Cancel", "取消";
    start_paused: "start paused", "启动后先暂停";
    stops_and_reruns: "Breakpoints, and running again", "断点与重新运行";
    stops: "Breakpoints", "断点";
    stop_step: "Before a step", "在步骤之前";
    stop_binding: "When a value comes", "当值产生时";
    stop_when: "When a condition holds", "当条件成立时";
    stop_when_hint: "$rate < 90", "$rate < 90";
    stop_before: "before ${step}", "在 ${step} 之前";
    stop_at_binding: "when ${step} gets its value", "当 ${step} 取得值时";
    stop_at_condition: "when {step}", "当 {step}";
    stop_clear: "Remove the breakpoint {what}", "移除断点：{what}";
    rerun: "Run again", "重新运行";
    rerun_all: "Run again", "重新运行";
    rerun_here: "Run again from here", "从此处重新运行";
    rerun_from_step: "Run again from here: ${step}", "从此处重新运行：${step}";
    rerun_from: "From", "起始步骤";
    rerun_start: "the start", "开头";
    rerun_hint: "A run of its own beside this one. What neither changed nor depends on a change is reused; every step says how it came to its value.",
        "在此运行之外另起一次运行。未改变且不受影响的步骤会被复用；每个步骤都会标明其值的由来。";
    rerun_fresh: "do the first step again although nothing changed", "即使无变化也重做首个步骤";
    rerun_of: "Another run of {run}:", "{run} 的再次运行：";
    effects: "Calls whose arguments change", "参数改变的调用";
    effects_safe: "live when they only read, else stubbed", "只读则实际调用，否则占位";
    effects_live: "live", "实际调用";
    effects_stub: "stubbed", "占位";
    how_live: "live", "实际调用";
    how_edited: "edited", "已编辑";
    how_fallback: "fallback", "后备";
    how_skipped_over: "skipped over", "跳过";
    branch_then: "then", "真分支";
    branch_else: "else", "假分支";
    step_cached: "From the cache, {age} old", "来自缓存，已有 {age}";
    step_until: "Tried again at {time}", "将于 {time} 重试";
    step_unit: "in {unit}", "单位：{unit}";
    edit: "Edit", "编辑";
    edit_value: "Edit ${name}", "编辑 ${name}";
    edit_drafts: "Edited, in no run yet:", "已编辑，尚未进入任何运行：";
    edit_rerun: "Run again with it", "带此修改重新运行";
    edit_into: "Put into this run", "写入当前运行";
    edit_discard: "Discard", "放弃";
    diagnosis: "What went wrong", "问题诊断";
    diagnosis_near: "nearly found", "近似匹配";
    diagnosis_instead: "is found by", "可用以下方式找到：";
    diagnosis_try: "Try this:", "建议：";
    diagnosis_take: "Put the change into the plan's text", "将修改写入计划文本";
    diagnosis_blocked: "No value because of it: {list}", "因此没有值：{list}";
    editor_title: "The plan's text", "计划文本";
    editor_placeholder: "Write a plan, or paste one in any spelling", "编写计划，或粘贴任意写法的计划";
    editor_run: "Run this plan", "运行此计划";
    editor_fix_all: "Apply all repairs", "应用全部修复";
    editor_format: "Format", "格式化";
    editor_back: "Back to the run's plan", "恢复为运行的计划";
    editor_fix: "Repair:", "修复：";
    editor_line: "{line}:{column}, show line and column", "{line}:{column}，显示该行该列";
    editor_empty: "Nothing is written yet.", "尚未编写。";
    editor_clean: "No problems: this plan can run.", "没有问题：此计划可以运行。";
    editor_found: "{n} errors, {m} warnings, {k} with a repair", "{n} 个错误，{m} 个警告，{k} 个可自动修复";
    editor_read_as: "Read as", "读作";
    editor_take: "Write it so", "采用此写法";
    editor_json: "The same plan as JSON", "同一计划的 JSON 形式";
    answer_title: "Answer", "回答";
    answer_none: "There is no answer before a run is done.", "运行完成之前没有回答。";
    answer_hint: "Run a plan, or choose a run that is done.", "请运行计划，或选择已完成的运行。";
    answer_which: "Template", "模板";
    answer_holds: "✓ Every figure still holds: each hash was computed again.", "✓ 所有数字仍然成立：每个哈希均已重新计算。";
    answer_broken: "No longer holds", "已不再成立";
    versus_title: "Two runs side by side", "两次运行对照";
    versus_none: "There is one run at most.", "至多只有一次运行。";
    versus_hint: "Run the plan again with another value: what differs is listed here.", "用其他取值重新运行计划，差异会列在这里。";
    versus_count: "{n} of {total} values differ.", "{total} 个值中有 {n} 个不同。";
    versus_differs: "differs", "不同";

    // The machine.
    machine_refused: "Refused", "被拒绝的转移";
    check_title: "What the model check says", "模型检查结果";
    check_none: "There is no machine at this record.", "此记录处没有状态机。";
    check_hint: "A machine comes with the domain.", "状态机随领域文件载入。";
    check_looked: "{places} places and {steps} steps between them were looked at.", "已检查 {places} 个位置及其间 {steps} 个步骤。";
    check_exact: "exact", "精确";
    check_possible: "some guards could not be answered for certain", "部分守卫无法确定";
    check_certain: "certain", "确定";
    check_clean: "✓ Nothing was found.", "✓ 未发现问题。";
    check_trace: "Shortest way to it:", "最短路径：";
    trial_title: "What an event would do", "事件会产生什么结果";
    trial_hint: "Nothing is done: the guards are asked with the facts of this record.", "不会真正执行：守卫按此记录处的事实求值。";
    trial_state: "It would stand in", "将处于";
    trial_effects: "It would do", "将执行";

    // Replay.
    replay_title: "Replay", "重放";
    replay_hint: "Decides the recorded run again from its recorded replies and results, without any call.",
        "依据已记录的回复与结果重新推导整个运行过程，不发起任何调用。";
    replay_now: "Replay now", "立即重放";
    replay_figures: "{records} records compared, {exchanges} recorded replies and {results} recorded results given, {calls} calls made.",
        "比较了 {records} 条记录，使用了 {exchanges} 次已记录回复和 {results} 个已记录结果，发起调用 {calls} 次。";
    replay_same: "Every record came out as it is recorded.", "所有记录均与原记录一致。";
    replay_other: "The first record that comes out otherwise:", "首个不一致的记录：";
    replay_where: "Where", "位置";
    replay_recorded: "Recorded", "原记录";
    replay_found: "Now", "本次结果";
}
