//! The words of the page that is loaded at first.

use super::table::words;

words! {
    // The page.
    skip: "Skip to the content", "跳到正文";
    theme: "Theme", "主题";
    theme_system: "System", "跟随系统";
    theme_light: "Light", "浅色";
    theme_dark: "Dark", "深色";
    help: "Keyboard and help", "键盘与帮助";
    close: "Close", "关闭";
    cancel: "Cancel", "取消";
    working: "Working…", "正在处理…";
    home: "Home", "首页";
    try_again: "Try again", "重试";
    dismiss: "Dismiss", "知道了";
    error_code: "code {code}", "代码 {code}";
    error_byte: "at byte {byte}", "位于第 {byte} 字节";
    error_path: "at {path}", "位于 {path}";

    // Home.
    tagline: "See what a long-running agent did, step through it record by record, and ask why.",
        "看清长期运行的智能体做过什么，逐条记录地回放，并追问每个值的来由。";
    drop_title: "Drop a journal file here, or press Ctrl+O", "把日志文件拖到这里，或按 Ctrl+O";
    drop_note: "Nothing leaves this computer.", "任何内容都不会离开这台电脑。";
    drop_now: "Drop to open", "松开即可打开";
    reading_file: "Reading {name}…", "正在读取 {name}…";
    file_failed: "{name} could not be opened. Nothing was stored.", "无法打开 {name}。没有保存任何内容。";
    demos: "Demos", "演示";
    demos_note: "Recorded model replies: no key, no network.", "模型回复均已录制：无需密钥，无需联网。";
    no_demos: "No demos lie beside this page.", "此页面旁没有演示文件。";
    open_demo: "Open the demo", "打开演示";
    journals: "Journals on this computer", "这台电脑上的日志";
    no_journals: "None yet. Open a demo or drop a file: it is kept here, in this browser.",
        "还没有。打开演示或拖入文件后，会保存在此浏览器中。";
    open: "Open", "打开";
    delete: "Delete", "删除";
    delete_title: "Delete {name}?", "删除 {name}？";
    delete_text: "All its records are removed from this browser. This cannot be undone; export it first if you may need it.",
        "它的所有记录都会从此浏览器中移除，且无法撤销；如可能还需要，请先导出。";
    records_n: "{n} records", "{n} 条记录";

    // Opening and the journal's fate.
    opening: "Opening {name}…", "正在打开 {name}…";
    loading_demo: "Loading the demo's rules and documents…", "正在载入演示的规则与文档…";
    open_failed: "This journal could not be opened", "无法打开此日志";
    open_in_memory: "Open without saving", "不保存地打开";
    not_saved: "Changes are not kept: this browser gives no storage here. Export the journal before you close the page.",
        "更改不会保留：此浏览器未提供存储。关闭页面前请导出日志。";
    data_removed: "The browser has removed this journal's records ({n} were here). If you exported it, import the file again.",
        "浏览器已移除此日志的记录（原有 {n} 条）。若曾导出，请重新导入文件。";
    session_failed: "The engine stopped. What was saved is safe.", "引擎已停止。已保存的内容是安全的。";
    reopen: "Open again", "重新打开";
    other_tab: "Another tab changed this journal; its records were taken over.", "另一个标签页更改了此日志；其记录已并入。";
    action_failed: "That was refused", "操作被拒绝";

    // The bar at the top.
    export: "Export", "导出";
    export_hint: "Save the journal as one file", "把日志存为一个文件";
    import: "Import", "导入";
    import_hint: "Replace this journal by a file", "用文件替换此日志";
    import_title: "Replace this journal?", "替换此日志？";
    import_text: "The {n} records of {name} are removed and those of the file take their place. Export first if you may need them.",
        "{name} 的 {n} 条记录将被移除，由文件中的记录取代。如可能还需要，请先导出。";
    import_do: "Replace", "替换";
    clear: "Clear", "清空";
    clear_hint: "Remove all records of this journal", "移除此日志的所有记录";
    clear_title: "Clear {name}?", "清空 {name}？";
    clear_text: "Its {n} records are removed from this browser. This cannot be undone; export first if you may need them.",
        "它的 {n} 条记录将从此浏览器中移除，且无法撤销；如可能还需要，请先导出。";
    verify: "Verify", "校验";
    verify_hint: "Read all stored bytes again and compare", "重新读取所有已存字节并比较";
    verify_title: "Verify the journal", "校验日志";
    verify_running: "Reading all stored bytes and replaying them…", "正在读取并重放所有已存字节…";
    verify_ok: "All {n} records read back and replay to the same state.", "全部 {n} 条记录均可读回，重放得到相同状态。";
    verify_bad: "The stored bytes do not verify", "已存字节未通过校验";
    digest_chain: "Chain: the frames' bytes, in sequence", "链：按顺序的帧字节";
    digest_history: "History: every version of everything", "历史：一切的每个版本";
    digest_content: "Content: the current view", "内容：当前视图";
    digests_at: "Digests at record {n}", "第 {n} 条记录处的摘要";
    empty_journal: "This journal is empty.", "此日志为空。";
    empty_journal_demo: "Load the demo's rules and documents again, or import a file.", "可重新载入演示的规则与文档，或导入文件。";
    empty_journal_file: "Import a file to fill it.", "导入文件即可填充。";
    load_demo: "Load the demo", "载入演示";
    import_file: "Import a file", "导入文件";

    // The step bar.
    steps_bar: "Steps", "步进";
    first: "First record", "第一条记录";
    back: "One back", "后退一条";
    forward: "One forward", "前进一条";
    last: "Newest record", "最新记录";
    play: "Play", "播放";
    pause: "Pause", "暂停";
    position: "Record", "记录";
    of_total: "of {n}", "共 {n} 条";
    following: "Following the newest", "跟随最新";
    looking_back: "Looking at the past", "正在查看过去";
    cursor_line: "Record {n} of {total}, {kind}, {time}. {summary}", "第 {n} 条，共 {total} 条，{kind}，{time}。{summary}";

    // The timeline.
    timeline: "Timeline", "时间线";
    timeline_help: "Every record in its lane. Arrow keys move by record, plus and minus zoom, 0 shows all. The records table holds the same.",
        "每条记录位于其泳道中。方向键逐条移动，加减号缩放，0 显示全部。记录表包含相同内容。";
    axis: "Axis", "横轴";
    axis_order: "By order", "按顺序";
    axis_time: "By time", "按时间";
    axis_memory: "Remembered", "记忆事件";
    zoom_in: "Zoom in", "放大";
    zoom_out: "Zoom out", "缩小";
    zoom_all: "Show all", "显示全部";
    bookmark: "Bookmark this record", "为此记录添加书签";
    no_records: "No records yet.", "还没有记录。";
    lane_message: "Messages", "消息";
    lane_exchange: "Model", "模型";
    lane_action: "Actions", "动作";
    lane_fact: "Facts", "事实";
    lane_state: "State", "状态";
    lane_plan: "Plan", "计划";
    lane_event: "Schedule", "日程";
    lane_memory: "Memory", "记忆";
    lane_error: "Refusals", "拒绝";

    // The conversation.
    conversation: "Conversation", "对话";
    ask_label: "Ask the agent", "向智能体提问";
    ask_placeholder: "Ask a question…", "输入问题…";
    ask_send: "Ask", "提问";
    ask_busy: "The agent is at work…", "智能体正在处理…";
    ask_from_past: "Asking goes on from the newest record.", "提问会从最新记录继续。";
    suggestions: "Try one of these", "试试这些问题";
    no_turns: "Nothing was asked yet.", "还没有提问。";
    no_turns_here: "Nothing was asked yet at this record.", "到此记录为止还没有提问。";
    you: "You", "你";
    agent: "Agent", "智能体";
    stages: "Stages", "阶段";
    stage_interpret: "Interpret", "理解";
    stage_ground: "Ground", "落地";
    stage_gather: "Gather", "收集";
    stage_decide: "Decide", "决策";
    stage_respond: "Respond", "回答";
    status_running: "running", "进行中";
    status_waiting: "waiting for a person", "等待人工";
    status_answered: "answered", "已回答";
    status_stopped: "stopped", "已停止";
    status_failed: "failed", "失败";
    stop: "Stop", "停止";
    footnote: "Footnote {n}: {value}", "脚注 {n}：{value}";
    footnotes: "Sources", "来源";
    unsupported: "These figures rest on no evidence: {list}", "这些数字没有证据支持：{list}";
    what_next: "What happens next", "接下来";
    clock: "Clock", "时钟";
    clock_hint: "This journal's own clock. It stands still until it is moved.", "此日志自己的时钟，不拨动就静止。";
    clock_advance: "Move the clock", "拨动时钟";
    question_for_you: "A question for you", "需要你回答";

    // The views.
    views: "Views", "视图";
    view_overview: "Overview", "概览";
    view_events: "Records", "记录";
    view_plan: "Plan", "计划";
    view_state: "State", "状态";
    view_facts: "Facts", "事实";
    view_world: "World", "世界";
    view_schedule: "Schedule", "日程";
    view_memory: "Memory", "记忆";
    view_problems: "Problems", "问题";
    view_compare: "Compare", "对比";
    view_model: "Model", "模型";
    at_record: "at record {n}", "于第 {n} 条记录";
    more: "More of this record", "此记录的更多内容";
    show_record: "Go to record {n}", "转到第 {n} 条记录";

    // Records.
    filter: "Filter the records", "筛选记录";
    filter_placeholder: "Words or lane ( / )", "文字或泳道（ / ）";
    filter_none: "No record matches. Clear the filter to see all {n}.", "没有匹配的记录。清除筛选可查看全部 {n} 条。";
    filter_clear: "Clear the filter", "清除筛选";
    filter_count: "{n} of {total}", "{n} / {total}";
    col_seq: "No.", "序号";
    col_time: "Time", "时间";
    col_lane: "Lane", "泳道";
    col_kind: "Kind", "种类";
    col_summary: "What happened", "发生了什么";

    // Facts.
    no_facts: "No facts at record {n}.", "第 {n} 条记录处没有事实。";
    facts_hint: "Facts appear when the agent learns something. Step forward, or ask a question.", "智能体得知信息后会出现事实。请前进或提问。";
    col_key: "Key", "键";
    col_value: "Value", "值";
    col_version: "Version", "版本";
    col_since: "Since", "始于";
    col_source: "Source", "来源";
    col_confidence: "Conf.", "置信度";
    history: "History", "历史";
    history_show: "Show the versions of {key}", "显示 {key} 的各版本";
    hidden_limit: "beyond what is shown", "超出显示数量";
    hidden_n: "Not shown: {list}", "未显示：{list}";
    fact_current: "current", "当前";
    fact_superseded: "superseded", "已取代";
    fact_retracted: "retracted", "已撤回";
    fact_expired: "expired", "已过期";

    // State.
    no_machine: "The domain has no machine at record {n}.", "第 {n} 条记录处没有状态机。";
    machine_hint: "A machine comes with the domain. Step forward to where it is loaded.", "状态机随领域文件载入。请前进到载入处。";
    transitions: "Transitions", "转移";
    open_now: "can be taken", "可执行";
    closed_now: "guard does not hold", "守卫不成立";
    not_here: "not from this state", "不在此状态";
    guard: "Guard", "守卫";
    guard_held: "held", "成立";
    guard_failed: "did not hold", "不成立";
    guard_error: "could not be evaluated", "无法求值";
    taken: "taken", "已执行";
    refused: "refused", "被拒绝";
    last_transitions: "Transitions so far", "至此的转移";
    machine_chart: "Chart of the machine; the list below says the same", "状态机图；下方列表内容相同";

    // The world.
    entities: "Entities", "实体";
    relations: "Relations", "关系";
    no_entities: "No entities at record {n}.", "第 {n} 条记录处没有实体。";
    entities_hint: "Entities appear when the agent registers what a question is about.", "智能体登记问题所涉对象后会出现实体。";
    no_relations: "No relations at record {n}.", "第 {n} 条记录处没有关系。";

    // The plan.
    no_runs: "No plan has run at record {n}.", "第 {n} 条记录处还没有计划运行。";
    runs_hint: "A plan runs when a question needs facts gathered. Ask one, or step forward.", "当问题需要收集事实时会运行计划。请提问或前进。";
    run_label: "Run", "运行";
    run_steps: "{done} of {total} steps done", "已完成 {done} / {total} 步";
    plan_steps: "Steps", "步骤";
    bindings: "Values", "值";
    evidence: "Evidence", "证据";
    rests_on: "What “{value}” rests on", "“{value}”的依据";
    step_waiting: "waiting", "等待";
    step_running: "running", "运行中";
    step_done: "done", "完成";
    step_failed: "failed", "失败";
    step_skipped: "skipped", "跳过";
    step_blocked: "blocked", "受阻";
    run_paused: "paused", "已暂停";
    run_cancelled: "cancelled", "已取消";

    // The schedule.
    no_events: "Nothing is scheduled at record {n}.", "第 {n} 条记录处没有日程。";
    events_hint: "The agent schedules events to watch a deadline or a condition.", "智能体会安排事件以监视期限或条件。";
    event_due: "due {time}", "应于 {time}";
    event_fired: "fired {time}", "触发于 {time}";
    event_late: "{late} late", "迟到 {late}";
    event_when: "when", "当";
    event_unless: "unless", "除非";
    ev_pending: "pending", "待触发";
    ev_held: "held", "搁置";
    ev_fired: "fired", "已触发";
    ev_dropped: "dropped", "已丢弃";
    ev_skipped: "skipped", "已跳过";
    ev_cancelled: "cancelled", "已取消";

    // Memory and problems.
    no_memories: "Nothing is remembered at record {n}.", "第 {n} 条记录处没有记忆。";
    memories_hint: "Turns and observations are remembered as they happen.", "轮次与观察会随发生而被记住。";
    forgotten: "forgotten", "已遗忘";
    no_problems: "No problems at record {n}.", "第 {n} 条记录处没有问题。";
    problems_hint: "Refusals, failed steps and open questions are listed here.", "拒绝、失败的步骤和未决问题会列在这里。";
    sev_error: "error", "错误";
    sev_warning: "warning", "警告";
    sev_open: "open", "未决";

    // Details.
    details: "Details", "详情";
    no_detail: "Step to a record to see what it holds.", "请步进到某条记录以查看其内容。";
    erased: "The content of this record was erased.", "此记录的内容已被删除。";
    recorded_at: "Recorded", "记录时间";
    valid_from: "True from", "生效于";
    actor: "By", "由";
    actor_user: "user", "用户";
    actor_model: "model", "模型";
    actor_tool: "tool", "工具";
    actor_rule: "rule", "规则";
    actor_import: "import", "导入";
    thread_turn: "Thread and turn", "线程与轮次";
    reason: "Reason", "理由";
    origin: "Origin", "出处";
    frame: "Frame", "帧";
    causes: "Because of", "起因";
    causes_more: "{n} more, further back", "更早的 {n} 条";
    no_causes: "Nothing in the journal led to it.", "日志中没有更早的起因。";
    effects: "Led to", "导致";
    no_effects: "Nothing yet.", "尚无。";
    data: "Data", "数据";
    command: "Command", "命令";
    raw_json: "Raw JSON", "原始 JSON";

    // A document.
    doc_version: "version {n}", "第 {n} 版";
    doc_page: "page {n}", "第 {n} 页";
    doc_bytes: "bytes {start}–{end}", "字节 {start}–{end}";
    doc_missing: "The document is not in this journal at this record.", "此记录处的日志中没有该文档。";
    doc_moved: "The document has changed since; this is version {n}.", "文档之后已更改；此处为第 {n} 版。";

    // The keyboard.
    keys_title: "Keyboard", "键盘";
    keys_note: "Single keys do nothing while you type in a field.", "在输入框中输入时，单键不起作用。";
    keys_single: "Use single keys", "启用单键快捷键";
    key_step: "Step forward / back", "前进 / 后退";
    key_ends: "First / newest record", "第一条 / 最新记录";
    key_play: "Play or pause", "播放或暂停";
    key_views: "Views; c compares, m shows the model", "视图；c 为对比，m 为模型";
    key_filter: "Filter the records", "筛选记录";
    key_rows: "Next / previous row in the table", "表中下一行 / 上一行";
    key_cause: "To the cause", "转到起因";
    key_bookmark: "Bookmark, next bookmark", "添加书签，下一个书签";
    key_zoom: "Zoom the timeline, show all", "缩放时间线，显示全部";
    key_theme: "Theme", "主题";
    key_open: "Open a file", "打开文件";
    key_save: "Export", "导出";
    key_history: "Back through where you looked", "返回看过的位置";
    key_help: "This list", "此列表";
}
