//! What a model is told so that it writes a plan that holds: every operation with an example, what to look at
//! before replying, the shape of the reply with room for thoughts that are no part of the plan, and, when a
//! reply did not hold, what the checker said of it.

use std::fmt::Write as _;

use throughline_protocol::Domain;
use throughline_protocol::view::{Diagnostic, PlanPrompt, PlanReport};
use throughline_value::{Value, json};

use crate::Op;
use crate::scope::{Scope, Target};

/// How often a reply that does not hold is asked again, when the domain does not say.
pub const DEFAULT_RETRIES: u32 = 2;

/// The most of the checker's findings that a retry quotes.
pub const MAX_QUOTED: usize = 12;

/// The most sources, tools and patterns that are listed, each.
const MAX_LISTED: usize = 64;

/// A plan that has every operation, over sources of its own. A test checks it.
pub const EXAMPLE: &str = include_str!("prompt/example.txt");

/// The words of one language.
struct Words {
    task: &'static str,
    operations: &'static str,
    /// What each operation does, in the order of [`Op::ALL`].
    does: [&'static str; 12],
    rules: &'static str,
    example: &'static str,
    may_use: &'static str,
    sources: &'static str,
    tools: &'static str,
    patterns: &'static str,
    inputs: &'static str,
    none: &'static str,
    verify: &'static str,
    reply: &'static str,
    question: &'static str,
    again: &'static str,
    repair: &'static str,
    more: &'static str,
}

const ENGLISH: Words = Words {
    task: "Write a plan that finds everything an answer to the question needs. You see no document now: the plan is run later, and its values carry their places in the sources into the answer. One step a line: `$name = OPERATION …`. A step may use the values of steps before it as `$name`.",
    operations: "Operations:",
    does: [
        "reads a source",
        "searches a source for words; gives a list of finds",
        "takes one value out of a document or a text",
        "asks the world, the facts, the memory or another source; gives a list of items",
        "computes exactly; numbers are decimals, never floats",
        "chooses between two values; the steps of the other branch are not run",
        "gives true, or the step fails with the message",
        "makes one list or one map of several",
        "keeps the items for which the rule about `item` holds",
        "settles between sources that disagree, by policies in this order",
        "asks a person",
        "calls a tool",
    ],
    rules: "Behind a step may stand `AS type`, `UNIT \"unit\"` and `WITH name: value, …` (temporal_scope, fallback, retry, backoff, timeout, max_age, max_tokens, on_failure). `PLAN WITH temporal_scope: \"2026-Q1\"` in the first line says which time the plan is about. Regular expressions are written r\"…\" with exactly one (group), around the value. It is not Python: write null, true, `a ~ b` to join texts, `x | round(2)`.",
    example: "Example:",
    may_use: "You may use only these:",
    sources: "Sources",
    tools: "Tools",
    patterns: "Patterns",
    inputs: "Values that are given",
    none: "none",
    verify: "Before you reply, check your plan:\n1. Is every $name given a value in a line before the one that uses it, once?\n2. Does every source, tool and pattern stand in the lists above, spelt so?\n3. Has every PATTERN exactly one group and an r before its quotes?\n4. Does every source that depends on time have a temporal_scope?\n5. Is every value used, or is it what the question asks for?\n6. Where two sources may disagree: is there an ARBITRATE?\n7. Is nothing guessed that a source or a person could say?",
    reply: "Reply with one JSON value: {\"scratch\": \"your thoughts and the check above; they are no part of the plan\", \"plan\": \"the plan, one step a line\"}. Nothing of `scratch` is read as a plan.",
    question: "Question:",
    again: "Your last plan does not hold. The checker found:",
    repair: "it can be mended so",
    more: "and more of the same",
};

const CHINESE: Words = Words {
    task: "写一份计划，找齐回答问题所需的一切。现在你看不到任何文档：计划稍后才运行，它得到的每个值都会把在来源中的位置带进答案。每行一步：`$名字 = 操作 …`。每一步可以用 `$名字` 引用前面步骤的值。",
    operations: "操作：",
    does: [
        "读取一个来源",
        "在来源中按词搜索，得到结果列表",
        "从文档或文本中取出一个值",
        "查询世界、事实、记忆或其他来源，得到条目列表",
        "精确计算；数字是十进制，绝不是浮点数",
        "在两个值中选择；另一分支的步骤不会运行",
        "成立则为 true，否则该步骤以此消息失败",
        "把几个列表或几个映射合成一个",
        "只保留满足关于 `item` 的规则的条目",
        "来源不一致时，按所列策略依次裁决",
        "向人提问",
        "调用工具",
    ],
    rules: "步骤后面可以写 `AS 类型`、`UNIT \"单位\"` 和 `WITH 名称: 值, …`（temporal_scope、fallback、retry、backoff、timeout、max_age、max_tokens、on_failure）。首行的 `PLAN WITH temporal_scope: \"2026-Q1\"` 说明计划针对哪段时间。正则表达式写作 r\"…\"，只有一个（分组），正好括住要取的值。这不是 Python：请写 null、true，用 `a ~ b` 连接文本，用 `x | round(2)` 取整。标点一律用半角。",
    example: "示例：",
    may_use: "只能使用以下内容：",
    sources: "来源",
    tools: "工具",
    patterns: "模式",
    inputs: "已给出的值",
    none: "无",
    verify: "回复之前，逐条检查你的计划：\n1. 每个 $名字 是否都在使用它的那一行之前恰好赋值一次？\n2. 每个来源、工具和模式是否都在上面的清单里，拼写一致？\n3. 每个 PATTERN 是否恰好有一个分组，引号前有 r？\n4. 每个与时间有关的来源是否都有 temporal_scope？\n5. 每个值是否都被用到，或正是问题所问？\n6. 两个来源可能不一致的地方，是否有 ARBITRATE？\n7. 凡是来源或人能说明的，是否都没有猜测？",
    reply: "只回复一个 JSON 值：{\"scratch\": \"你的思考和上述检查，不属于计划\", \"plan\": \"计划，每行一步\"}。`scratch` 中的任何内容都不会被当作计划读取。",
    question: "问题：",
    again: "你上一份计划不成立。检查器发现：",
    repair: "可以这样修正",
    more: "以及更多同类问题",
};

/// The shape of a reply.
const SCHEMA: &str = r#"{"type":"object","additionalProperties":false,"required":["plan"],"properties":{
    "scratch":{"type":"string","description":"Thoughts; no part of the plan."},
    "plan":{"type":"string","minLength":1,"maxLength":262144,"description":"The plan, one step a line."}}}"#;

/// The shape of a reply as a JSON Schema.
#[must_use]
pub fn schema() -> Value {
    json::read_value(SCHEMA).unwrap_or_default()
}

/// The prompt for one question. `report` is what the checker said of the last reply, if there was one, and
/// `attempt` how many there were.
#[must_use]
pub fn prompt(
    domain: &Domain,
    scope: &Scope,
    language: &str,
    question: &str,
    report: Option<&PlanReport>,
    attempt: u32,
) -> PlanPrompt {
    let words = words(language);
    let retries = domain.agent.retries.unwrap_or(DEFAULT_RETRIES);
    let retry = report.filter(|r| !r.ok).map(|report| quoted(report, language)).unwrap_or_default();
    PlanPrompt {
        system: instructions(domain, scope, language),
        user: if question.is_empty() { String::new() } else { format!("{}\n{question}", words.question) },
        give_up: report.is_some_and(|r| !r.ok) && attempt > retries,
        retry,
        schema: schema(),
        retries,
    }
}

fn words(language: &str) -> &'static Words {
    if language.starts_with("zh") { &CHINESE } else { &ENGLISH }
}

/// What a model is told of plans, whatever the question.
#[must_use]
pub fn instructions(domain: &Domain, scope: &Scope, language: &str) -> String {
    let words = words(language);
    let mut out = format!("{}\n\n{}\n", words.task, words.operations);
    for (op, does) in Op::ALL.iter().zip(words.does) {
        let _ = writeln!(out, "- {}: {does}", op.usage());
    }
    let _ = write!(out, "\n{}\n\n{}\n{EXAMPLE}\n{}\n", words.rules, words.example, words.may_use);
    let described = |text: &str| if text.is_empty() { String::new() } else { format!(": {text}") };
    let sources = scope.sources.iter().map(|(name, target)| {
        let about = domain.sources.get(name).map_or("", |s| s.description.get(language));
        let timed = scope.source_rules.get(name).is_some_and(|r| r.temporal);
        let how = match target {
            Target::World | Target::Facts | Target::Memory => " (QUERY)",
            Target::Search(_) => " (SEARCH)",
            _ => "",
        };
        format!("{name}{how}{}{}", if timed { " (temporal_scope)" } else { "" }, described(about))
    });
    list(&mut out, words, words.sources, sources);
    let tools = scope.tools.iter().map(|(name, rule)| {
        let about = domain.tools.get(name).map_or("", |t| t.description.get(language));
        let arguments = rule.schema.get("properties").and_then(Value::as_map);
        let arguments: Vec<_> = arguments.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        format!("{name}({}){}", arguments.join(", "), described(about))
    });
    list(&mut out, words, words.tools, tools);
    list(&mut out, words, words.patterns, scope.patterns.keys().cloned());
    list(&mut out, words, words.inputs, scope.inputs.iter().map(|name| format!("${name}")));
    let _ = write!(out, "\n{}\n\n{}", words.verify, words.reply);
    out
}

fn list(out: &mut String, words: &Words, head: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.take(MAX_LISTED).collect();
    if items.is_empty() {
        let _ = writeln!(out, "{head}: {}", words.none);
        return;
    }
    let _ = writeln!(out, "{head}:");
    for item in items {
        let _ = writeln!(out, "- {item}");
    }
}

/// The checker's findings as a model can use them: what, where, and the repair.
#[must_use]
pub fn findings(report: &PlanReport, language: &str) -> Vec<String> {
    let words = words(language);
    let errors = report.diagnostics.iter().filter(|d| d.severity == "error");
    errors.map(|error| finding(report, error, words)).collect()
}

fn finding(report: &PlanReport, error: &Diagnostic, words: &Words) -> String {
    let mut out = error.code.clone();
    if let Some(part) = error.span.and_then(|s| report.text.get(s.start..s.end)).filter(|p| !p.trim().is_empty()) {
        let line = report.text.get(..error.span.map_or(0, |s| s.start)).map_or(0, |t| t.matches('\n').count()) + 1;
        let short: String = part.chars().take(80).collect();
        let _ = write!(out, " (line {line}, `{short}`)");
    }
    let _ = write!(out, ": {}", error.message);
    if let Some(fix) = error.fix.as_ref().filter(|f| !f.replacement.contains('\n')) {
        let _ = write!(out, "; {}: {}", words.repair, fix.title);
    }
    out
}

fn quoted(report: &PlanReport, language: &str) -> String {
    let words = words(language);
    let found = findings(report, language);
    let mut out = format!("{}\n", words.again);
    for finding in found.iter().take(MAX_QUOTED) {
        let _ = writeln!(out, "- {finding}");
    }
    if found.len() > MAX_QUOTED {
        let _ = writeln!(out, "- {} ({})", words.more, found.len() - MAX_QUOTED);
    }
    out
}
