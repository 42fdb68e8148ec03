//! What queries answer. Times are milliseconds since 1970 (UTC).

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use throughline_journal::{Actor, Millis, Origin, Seq};
use throughline_value::{Map, Named, Number, Span, Value};

macro_rules! views {
    ($($(#[$doc:meta])* $name:ident { $($(#[$fdoc:meta])* $field:ident : $type:ty,)* })+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
            #[serde(default)]
            pub struct $name { $($(#[$fdoc])* pub $field: $type,)* }
        )+
    };
}

views! {
    /// Head, counts, clock.
    Status {
        /// The journal's id.
        id: String,
        /// The last record.
        seq: Seq,
        /// The last frame.
        frame: u64,
        /// The chain there.
        chain: String,
        /// The recorded time of the last record.
        recorded_at: Option<Millis>,
        /// The loaded domain's name.
        domain: Option<String>,
        /// How many records of each lane.
        lanes: Named<u64>,
        /// The thread whose turn is going on.
        busy: Option<String>,
        /// When the next scheduled event is due.
        next_due: Option<Millis>,
    }
    /// One record as a row.
    RecordRow {
        /// Its number.
        seq: Seq,
        /// When the engine learned it.
        recorded_at: Millis,
        /// From when it is true.
        valid_from: Millis,
        /// Its thread.
        thread: String,
        /// Its turn.
        turn: u32,
        /// Who.
        actor: Option<Actor>,
        /// The record that led to it.
        cause: Option<Seq>,
        /// Why.
        reason: String,
        /// Where the input came from.
        origin: Option<Origin>,
        /// What happened.
        kind: String,
        /// The lane it is drawn in.
        lane: String,
        /// It in one line.
        summary: String,
        /// What exactly.
        data: Value,
        /// Whether its content was erased.
        erased: bool,
    }
    /// Records in order.
    RecordPage {
        /// The records.
        records: Vec<RecordRow>,
        /// Where to go on; absent at the end.
        next: Option<Seq>,
    }
    /// One record, its causes and its effects.
    RecordDetail {
        /// The record.
        record: RecordRow,
        /// The records that led to it, nearest first.
        causes: Vec<RecordRow>,
        /// The records that it led to directly.
        effects: Vec<Seq>,
        /// The command that it came from.
        command: Value,
        /// The frame it is in.
        frame: u64,
        /// The chain after that frame.
        chain: String,
    }
    /// Columns for drawing, one place a record.
    Timeline {
        /// Numbers.
        seq: Vec<Seq>,
        /// Recorded times.
        recorded_at: Vec<Millis>,
        /// Places in `lanes`.
        lane: Vec<u8>,
        /// The lanes' names.
        lanes: Vec<String>,
        /// One line each.
        summary: Vec<String>,
    }
    /// The loaded domain.
    DomainView {
        /// Its name.
        name: String,
        /// Its version.
        version: String,
        /// SHA-256 of its canonical text.
        hash: String,
        /// The document.
        document: Value,
        /// The record that loaded it.
        seq: Seq,
    }
    /// One document in a list.
    DocumentRow {
        /// Its name.
        name: String,
        /// Its version, from 1.
        version: u64,
        /// Its kind.
        media_type: String,
        /// Its length in bytes.
        bytes: usize,
        /// SHA-256 of its text.
        hash: String,
        /// The record that added it.
        seq: Seq,
    }
    /// One document.
    DocumentView {
        /// Its row.
        row: DocumentRow,
        /// Its text.
        text: String,
    }
    /// An entity as it stands.
    EntityView {
        /// Its id.
        id: String,
        /// Its type.
        entity_type: String,
        /// Its name in the world, as first given.
        raw_id: String,
        /// Its other names.
        aliases: Vec<String>,
        /// Its fields.
        fields: Map,
        /// How many times it was changed, from 1.
        version: u64,
        /// Whether it was ended.
        retired: bool,
        /// The entity it was merged into.
        merged_into: Option<String>,
        /// The record of the last change.
        seq: Seq,
        /// The record of the last change of each field.
        field_seq: Named<Seq>,
    }
    /// An entity, its versions and its relations.
    EntityDetail {
        /// The entity.
        entity: EntityView,
        /// Every version, oldest first.
        versions: Vec<EntityView>,
        /// Its relations.
        relations: Vec<RelationView>,
    }
    /// A relation.
    RelationView {
        /// Its id.
        id: String,
        /// Where it starts.
        from: String,
        /// What it is.
        relation: String,
        /// Where it ends.
        to: String,
        /// How sure, as given.
        confidence: Option<Number>,
        /// From when it is true.
        valid_from: Millis,
        /// Until when it is true.
        valid_to: Option<Millis>,
        /// Whether it waits for confirmation or is below the domain's floor.
        flag: Option<String>,
        /// The record that added it.
        seq: Seq,
    }
    /// A scheduled event.
    EventView {
        /// Its id.
        id: String,
        /// Its name.
        name: String,
        /// `pending`, `held`, `fired`, `dropped`, `skipped` or `cancelled`.
        status: String,
        /// When it is due.
        due: Option<Millis>,
        /// Its condition.
        when: Option<String>,
        /// The condition that cancels it.
        unless: Option<String>,
        /// When it fired.
        fired_at: Option<Millis>,
        /// How late it fired, in milliseconds.
        late: Option<Millis>,
        /// What it carries.
        data: Value,
        /// The record that scheduled it.
        seq: Seq,
        /// The record of its last change.
        last_seq: Seq,
    }
    /// One version of a fact.
    FactView {
        /// What it is about.
        subject: String,
        /// Its key.
        key: String,
        /// Its value.
        value: Value,
        /// Its version, from 1.
        version: u64,
        /// From when it is true.
        valid_from: Millis,
        /// Until when it is true.
        valid_to: Option<Millis>,
        /// When the engine learned it.
        recorded_at: Millis,
        /// The turn it was learned in.
        turn: u32,
        /// Where it comes from.
        source: Option<String>,
        /// How sure.
        confidence: Option<Number>,
        /// `current`, `superseded`, `retracted`, `expired` or `future`.
        status: String,
        /// The record that made it.
        seq: Seq,
        /// The record that ended it.
        ended_by: Option<Seq>,
        /// How many versions the key has.
        versions: u64,
    }
    /// Current facts, and what was left out.
    FactPage {
        /// The facts.
        facts: Vec<FactView>,
        /// How many versions are hidden, by status.
        hidden: IndexMap<String, u64>,
    }
    /// The machine.
    MachineView {
        /// Its name; empty when the domain has none.
        id: String,
        /// The active states, as paths (`review.waiting`).
        state: Vec<String>,
        /// Whether it is finished.
        finished: bool,
        /// Every state.
        states: Vec<StateView>,
        /// Every transition.
        transitions: Vec<TransitionView>,
        /// The record of the last transition.
        seq: Seq,
        /// Transitions that were taken or refused, newest last.
        history: Vec<TransitionLog>,
        /// What the model check found when it was loaded.
        findings: Vec<Finding>,
    }
    /// A state of the machine.
    StateView {
        /// Its path.
        path: String,
        /// Whether it is active.
        active: bool,
        /// Whether it is final.
        is_final: bool,
        /// Whether it is the initial one of its parent.
        initial: bool,
        /// Its description, where the domain gives one.
        description: String,
    }
    /// A transition of the machine.
    TransitionView {
        /// Where it starts.
        from: String,
        /// The event.
        event: String,
        /// Where it ends.
        to: String,
        /// Its guard.
        guard: Option<String>,
        /// Whether it can be taken now; absent when the event is not possible here.
        open: Option<bool>,
    }
    /// A transition that was taken or refused.
    TransitionLog {
        /// The event.
        event: String,
        /// The states before.
        from: Vec<String>,
        /// The states after; the same when it was refused.
        to: Vec<String>,
        /// Whether it was refused.
        refused: bool,
        /// Why.
        reason: String,
        /// The guards that were looked at, and what they gave.
        guards: Vec<GuardResult>,
        /// The record.
        seq: Seq,
    }
    /// What a guard gave.
    GuardResult {
        /// The guard.
        guard: String,
        /// Whether it held; absent when it could not be evaluated.
        held: Option<bool>,
        /// The error, when it could not be evaluated.
        error: Option<String>,
    }
    /// Something found without running.
    Finding {
        /// Its code.
        code: String,
        /// What it is.
        message: String,
        /// Where in the domain.
        path: String,
        /// Whether it is certain, or only possible.
        possible: bool,
    }
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
        /// How it was found: `pattern`, `json-path`, `fact`, `input`, `tool`.
        method: String,
    }
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
    /// A remembered event.
    MemoryView {
        /// Its id.
        id: String,
        /// Its kind.
        kind: String,
        /// What happened.
        text: String,
        /// When.
        at: Millis,
        /// When it ended.
        until: Option<Millis>,
        /// Who and what was part of it.
        entities: Vec<String>,
        /// How important.
        importance: Option<Number>,
        /// More.
        data: Value,
        /// `current` or `forgotten`.
        status: String,
        /// The record that remembered it.
        seq: Seq,
        /// Its thread.
        thread: String,
        /// Why it is a hit.
        why: String,
    }
    /// Remembered events, and what was left out.
    RecallPage {
        /// The hits.
        hits: Vec<MemoryView>,
        /// The window that was applied.
        since: Option<Millis>,
        /// The window that was applied.
        until: Option<Millis>,
        /// How many matched in all.
        total: u64,
        /// How many were hidden, by reason.
        hidden: IndexMap<String, u64>,
    }
    /// Something open or wrong.
    Problem {
        /// Its code.
        code: String,
        /// What it is.
        message: String,
        /// `error`, `warning` or `open`.
        severity: String,
        /// The record.
        seq: Seq,
        /// More.
        details: Value,
    }
    /// Why a value is what it is.
    Why {
        /// The value.
        value: Value,
        /// In words, one line a step, from the value back to its source.
        chain: Vec<WhyStep>,
    }
    /// One step back.
    WhyStep {
        /// In words.
        text: String,
        /// The record.
        record: Option<RecordRow>,
        /// What it rests on.
        evidence: Vec<Evidence>,
    }
    /// The three digests, each 64 hexadecimal digits.
    Digests {
        /// Of the frames' bytes, in sequence.
        chain: String,
        /// Of every version of everything.
        history: String,
        /// Of the current view, without numbers, recorded times, audit and caches.
        content: String,
        /// The record they are of.
        seq: Seq,
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
}
