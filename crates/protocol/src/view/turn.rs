//! The turns of the agent: stages, answers, prompts, figures, replay.

use serde::{Deserialize, Serialize};
use throughline_journal::{Millis, Seq};
use throughline_value::{Named, Number, Value};

use super::{Evidence, views};

views! {
    /// A turn of the agent.
    TurnView {
        /// Its thread.
        thread: String,
        /// Its number.
        turn: u32,
        /// What the user said.
        text: String,
        /// The language of the answer.
        language: String,
        /// `running`, `waiting`, `answered`, `stopped` or `failed`.
        status: String,
        /// The stages it went through.
        stages: Vec<StageView>,
        /// The answer.
        answer: Option<AnswerView>,
        /// What it asks a person.
        ask: Option<AskView>,
        /// The record that began it.
        seq: Seq,
        /// The record of its last change.
        last_seq: Seq,
    }
    /// A stage of a turn.
    StageView {
        /// `interpret`, `ground`, `gather`, `decide` or `respond`.
        stage: String,
        /// `running`, `done`, `fallback`, `asked` or `failed`.
        verdict: String,
        /// What went in.
        input: Value,
        /// What came out.
        output: Value,
        /// How long it took, in milliseconds.
        duration: Option<Millis>,
        /// The record of its end, or of its begin while it runs.
        seq: Seq,
    }
    /// An answer with its references.
    AnswerView {
        /// The text; `[1]` refers to the first footnote.
        text: String,
        /// The references.
        footnotes: Vec<Footnote>,
        /// Figures in the text that rest on nothing.
        unsupported: Vec<String>,
        /// Personal data that was masked, by class and how many times.
        masked: Named<u64>,
        /// The template or model it comes from.
        from: String,
    }
    /// A reference of an answer.
    Footnote {
        /// Its number, from 1.
        number: u32,
        /// The value it is for.
        value: String,
        /// The binding or fact.
        name: String,
        /// What it rests on.
        evidence: Vec<Evidence>,
    }
    /// A question to a person.
    AskView {
        /// Its id.
        id: String,
        /// The question.
        question: String,
        /// Possible answers.
        options: Vec<Value>,
        /// Whether it is answered.
        settled: bool,
    }
    /// A prompt.
    PromptView {
        /// The exact text of each message.
        messages: Vec<PromptMessage>,
        /// Estimated tokens by section.
        tokens: Named<u64>,
        /// What was left out.
        left_out: Vec<String>,
    }
    /// One message of a prompt.
    PromptMessage {
        /// `system` or `user`.
        role: String,
        /// The text.
        text: String,
    }
    /// How the turns went, in figures.
    MetricsView {
        /// How many turns, by status.
        turns: Named<u64>,
        /// The stages, by name.
        stages: Named<StageMetrics>,
        /// How many exchanges with models, by ending.
        exchanges: Named<u64>,
        /// How many replies were judged.
        judged: u64,
        /// How many of them held.
        valid: u64,
        /// How many of them were refused.
        refused: u64,
        /// `valid` of `judged`, with three digits; absent when none was judged.
        validity_rate: Option<Number>,
        /// `refused` of `judged`.
        refusal_rate: Option<Number>,
        /// How many questions were put before a person.
        hand_overs: u64,
        /// All tokens.
        tokens: TokenMetrics,
        /// Each turn, oldest first.
        rows: Vec<TurnMetrics>,
    }
    /// How a stage went.
    StageMetrics {
        /// How many times it ended, by verdict.
        verdicts: Named<u64>,
        /// The replies that were judged for it.
        judged: u64,
        /// The replies that held.
        valid: u64,
        /// The replies that were refused.
        refused: u64,
        /// Questions to a person.
        hand_overs: u64,
        /// Half of the times were at most so long, in milliseconds.
        p50: Option<Millis>,
        /// Of twenty, nineteen were at most so long.
        p95: Option<Millis>,
        /// The tokens of its exchanges.
        tokens: TokenMetrics,
    }
    /// Tokens.
    TokenMetrics {
        /// Of requests.
        prompt: u64,
        /// Of replies.
        completion: u64,
        /// Of requests, in the provider's cache.
        cached: u64,
        /// Exchanges whose count is an estimate.
        estimated: u64,
    }
    /// How one turn went.
    TurnMetrics {
        /// Its thread.
        thread: String,
        /// Its number.
        turn: u32,
        /// Its status.
        status: String,
        /// From its begin to its last change, in milliseconds.
        duration: Millis,
        /// How many exchanges.
        exchanges: u64,
        /// How many replies were refused.
        refused: u64,
        /// Questions to a person.
        hand_overs: u64,
        /// The stages in which rules or templates stood in for the model.
        fallbacks: Vec<String>,
        /// The tokens of its exchanges.
        tokens: TokenMetrics,
        /// The most tokens of one request.
        largest_prompt: u64,
        /// The record that began it.
        seq: Seq,
    }
    /// What deciding a recorded run again gave.
    ReplayView {
        /// Whether every record came out as it is recorded.
        same: bool,
        /// How many records were compared.
        records: u64,
        /// How many recorded replies of models were given instead of asking.
        exchanges: u64,
        /// How many recorded results of tools were given instead of calling.
        results: u64,
        /// How many models and tools were called: none.
        calls: u64,
        /// How many records were taken as they are recorded: what they were decided from was erased, or never kept whole.
        not_decided_again: u64,
        /// The first record that came out otherwise.
        divergence: Option<Divergence>,
    }
    /// Where a run that is decided again leaves what is recorded.
    Divergence {
        /// The record.
        seq: Seq,
        /// Its turn.
        turn: u32,
        /// What is recorded.
        recorded: String,
        /// What came out.
        decided: String,
        /// The first place in the record's data that differs, as a JSON pointer.
        path: String,
        /// What is recorded there.
        expected: Value,
        /// What came out there.
        found: Value,
        /// In words.
        message: String,
    }
}
