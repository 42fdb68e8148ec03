//! Plans, their runs, and what values rest on.

use serde::{Deserialize, Serialize};
use throughline_journal::{Millis, Seq};
use throughline_value::{Map, Named, Number, Span, Value};

use super::{AskView, views};

views! {
    /// Everything wrong with a plan.
    PlanReport {
        /// Whether it can run.
        ok: bool,
        /// The problems, in the order of the text.
        diagnostics: Vec<Diagnostic>,
        /// Its steps, when it could be read.
        steps: Vec<PlanStep>,
        /// The steps that can run at the same time, wave by wave.
        waves: Vec<Vec<String>>,
        /// The plan in its text form.
        text: String,
        /// The plan in its normal text form, when it has no errors.
        normal: String,
        /// The plan in its JSON form, when it has no errors.
        json: Value,
        /// How many rounds of repairs were applied.
        mended: u32,
    }
    /// One problem of a plan.
    Diagnostic {
        /// Its code.
        code: String,
        /// `error` or `warning`.
        severity: String,
        /// What is wrong and what to do.
        message: String,
        /// The step.
        step: Option<String>,
        /// Where in the text.
        span: Option<Span>,
        /// What a machine can do about it.
        fix: Option<Fix>,
    }
    /// How near a plan comes to a golden one.
    PlanScore {
        /// From 0 to 1: half what the paired steps have in common, half the arrows that agree.
        score: Option<Number>,
        /// What the paired steps have in common, from 0 to 1.
        steps: Option<Number>,
        /// How many arrows between steps agree, from 0 to 1.
        edges: Option<Number>,
        /// The steps that were paired.
        matched: Vec<PlanMatch>,
        /// The golden steps that no step does.
        missing: Vec<String>,
        /// The steps that do nothing of the golden plan.
        extra: Vec<String>,
        /// The golden plan's arrows that are missing.
        missing_edges: Vec<String>,
        /// The arrows that the golden plan has not.
        extra_edges: Vec<String>,
        /// The score in a sentence.
        explanation: String,
    }
    /// A step and the golden step it was paired with.
    PlanMatch {
        /// The step.
        plan: String,
        /// The golden step.
        golden: String,
        /// How alike they are, from 0 to 1.
        score: Option<Number>,
        /// What differs; empty when nothing does.
        why: String,
    }
    /// What a model is told so that it writes a plan.
    PlanPrompt {
        /// The instructions: operations with examples, what may be used, self-verification, the shape of the
        /// reply with room for thoughts that are no part of the plan.
        system: String,
        /// The question.
        user: String,
        /// What the checker said of the last plan, to be said after it; empty when it held.
        retry: String,
        /// The JSON Schema of the reply.
        schema: Value,
        /// How often a reply that does not hold is asked again.
        retries: u32,
        /// Whether that was often enough.
        give_up: bool,
    }
    /// A repair that a machine can apply.
    Fix {
        /// What it does.
        title: String,
        /// The bytes to replace.
        span: Span,
        /// What to put there.
        replacement: String,
    }
    /// One step of a plan.
    PlanStep {
        /// Its id.
        id: String,
        /// Its operation.
        op: String,
        /// Its arguments.
        args: Map,
        /// The bindings it uses.
        needs: Vec<String>,
        /// What it is for.
        note: String,
        /// Where in the text.
        span: Span,
    }
    /// One run in a list.
    RunRow {
        /// Its id.
        id: String,
        /// `running`, `paused`, `done`, `failed` or `cancelled`.
        status: String,
        /// How many steps are finished.
        done: u64,
        /// How many steps there are.
        total: u64,
        /// The record that started it.
        seq: Seq,
        /// Its thread.
        thread: String,
        /// Its turn.
        turn: u32,
    }
    /// One run.
    RunView {
        /// Its row.
        row: RunRow,
        /// The plan in its text form.
        plan: String,
        /// Its steps.
        steps: Vec<StepView>,
        /// Its values.
        bindings: Vec<BindingView>,
        /// The steps that can run at the same time, wave by wave.
        waves: Vec<Vec<String>>,
        /// The longest chain of steps that waited for each other, by duration.
        critical_path: Vec<String>,
        /// What it asks people, settled or not.
        asks: Vec<AskView>,
        /// Where it pauses by itself.
        breakpoints: Vec<crate::command::Breakpoint>,
        /// Why it is paused, when a breakpoint did it.
        paused_at: Option<String>,
        /// Why it failed.
        error: Option<String>,
        /// The time that the plan is about: `{from, to, tense}`.
        temporal_scope: Value,
        /// The tokens that its calls took.
        tokens: u64,
        /// What it is another run of.
        reruns: Option<RerunOf>,
    }
    /// What a run is another run of.
    RerunOf {
        /// The first run.
        run: String,
        /// The step from which on it was looked at anew.
        from: Option<String>,
        /// What was edited.
        edits: Map,
        /// How many steps of each mark.
        marks: Named<u64>,
    }
    /// One step of a run.
    StepView {
        /// Its id.
        id: String,
        /// Its operation.
        op: String,
        /// What it is for.
        note: String,
        /// Its line in the plan's text.
        source: String,
        /// Where in the plan's text.
        span: Span,
        /// `waiting`, `running`, `done`, `failed`, `skipped` or `blocked`.
        status: String,
        /// The bindings it uses.
        needs: Vec<String>,
        /// Its arguments with values put in.
        input: Value,
        /// What it gave.
        output: Value,
        /// What the output rests on.
        evidence: Vec<Evidence>,
        /// Why it failed, was skipped or is blocked.
        error: Option<String>,
        /// How many times it was tried.
        attempts: u32,
        /// How long it took, in milliseconds.
        duration: Option<Millis>,
        /// The record of its last change.
        seq: Seq,
        /// The stable code of its failure.
        code: Option<String>,
        /// How sure its value is.
        confidence: Option<Number>,
        /// The unit of its value.
        unit: Option<String>,
        /// In a rerun: `reused`, `recomputed`, `live`, `stubbed` or `edited`; `fallback` or `skipped_over` when it
        /// failed and its plan had an answer to that.
        mark: Option<String>,
        /// The answer of the cache that it took.
        cached: Option<CacheHit>,
        /// Which branch an `IF` took.
        branch: Option<bool>,
        /// What was nearly found, when nothing was.
        near: Option<NearMiss>,
        /// When the next attempt is due.
        until: Option<Millis>,
    }
    /// An answer of the cache.
    CacheHit {
        /// The record that it comes from.
        seq: Seq,
        /// How old it was, in milliseconds.
        age: Millis,
    }
    /// What was nearly found.
    NearMiss {
        /// The document, when it is one.
        document: String,
        /// The bytes that were nearly found.
        span: Span,
        /// The text there.
        quote: String,
        /// What finds it: another pattern, another path.
        instead: Option<String>,
    }
    /// Why a run went wrong.
    RunDiagnosis {
        /// The run.
        run: String,
        /// Its status.
        status: String,
        /// The root cause in a sentence.
        cause: String,
        /// The step that it lies in.
        step: Option<String>,
        /// Its code.
        code: Option<String>,
        /// That step as it is written.
        source: String,
        /// What was nearly found.
        near: Option<NearMiss>,
        /// What to change, in a sentence.
        suggestion: String,
        /// The change, as a repair of the plan's text.
        fix: Option<Fix>,
        /// The plan with that change.
        repaired: Option<String>,
        /// The steps that have no value because of it.
        blocked: Vec<String>,
        /// Everything else that went wrong or is doubtful, one sentence each.
        also: Vec<String>,
    }
    /// What no longer holds of an answer.
    Broken {
        /// The footnote; 0 for a figure without evidence.
        number: u32,
        /// A stable code.
        code: String,
        /// What does not hold.
        message: String,
    }
    /// One value of a run.
    BindingView {
        /// Its name.
        name: String,
        /// Its value.
        value: Value,
        /// What it rests on.
        evidence: Vec<Evidence>,
        /// The step it comes from; empty for an input.
        step: String,
        /// How sure.
        confidence: Option<Number>,
    }
    /// What a value rests on.
    Evidence {
        /// The document.
        document: String,
        /// The document's version.
        version: u64,
        /// The page, from 1.
        page: u32,
        /// The bytes in the document's text.
        span: Span,
        /// The text there.
        quote: String,
        /// SHA-256 of the document's text.
        hash: String,
        /// How it was found: `pattern`, `json-path`, `selector`, `cell`, `recogniser`, `passage`, `item`, `fact`, `entity`,
        /// `memory`, `input`, `tool`, `person`.
        method: String,
    }
}
