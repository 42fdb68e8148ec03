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
    /// What differs between two moments.
    Difference {
        /// The changes, by area and id.
        changes: Vec<ChangeRow>,
    }
    /// One thing that differs.
    ChangeRow {
        /// `domain`, `fact`, `entity`, `relation`, `event`, `machine`, `run` or `memory`.
        area: String,
        /// Which one.
        id: String,
        /// `added`, `removed` or `changed`.
        change: String,
        /// What it was.
        before: Value,
        /// What it is.
        after: Value,
    }
    /// What would not be without a record.
    Without {
        /// The record.
        seq: Seq,
        /// The records that it led to, forwards through the cause graph.
        effects: Vec<RecordRow>,
        /// What would be otherwise at the head: `before` as it is, `after` without the record.
        changes: Vec<ChangeRow>,
        /// What became of the commands after it.
        commands: Vec<ForkCommand>,
        /// What became of the recorded effects after it.
        recorded: Vec<ForkEffect>,
    }
    /// What a fork did.
    ForkReport {
        /// The id of the journal it comes from.
        from: String,
        /// Its own id.
        id: String,
        /// The last record that both have.
        at: Seq,
        /// Its last record.
        seq: Seq,
        /// The commands that were decided again.
        commands: Vec<ForkCommand>,
        /// The recorded effects of the world outside.
        effects: Vec<ForkEffect>,
        /// What is otherwise at its head: `before` in the journal it comes from, `after` in the fork.
        changes: Vec<ChangeRow>,
    }
    /// A command that a fork decided again.
    ForkCommand {
        /// Its first record in the journal that was forked; absent for an inserted one.
        seq: Option<Seq>,
        /// Its type.
        command: String,
        /// `same`, `otherwise`, `now_done`, `now_refused`, `dropped`, `replaced`, `delayed` or `inserted`.
        outcome: String,
        /// Its records in the fork.
        records: Vec<Seq>,
        /// Why it was refused in the fork.
        code: Option<String>,
    }
    /// What became of a recorded effect.
    ForkEffect {
        /// Its record in the journal that was forked; absent when the fork asked for something new.
        seq: Option<Seq>,
        /// `call` or `exchange`.
        kind: String,
        /// The tool, or what the model was asked for.
        name: String,
        /// `reused`, `recomputed` (left open for a host to do), `stubbed` or `dropped`.
        how: String,
        /// Why.
        why: String,
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
        /// The time zones whose rules are loaded, and the version of each.
        zones: Named<String>,
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
        /// How it repeats; null when it does not.
        repeat: Value,
        /// How many times it fired.
        firings: u64,
        /// The events that must have happened before it.
        after: Vec<String>,
        /// The events that it must come before.
        before: Vec<String>,
        /// Why it is as it is.
        reason: String,
    }
    /// One statement of a relation, and what became of it.
    RelationVersion {
        /// The statement, with the end that it has by what was known at the moment.
        relation: RelationView,
        /// `current`, `ended`, `future`, `held`, or `gone` when an end of it is not there.
        status: String,
        /// When the engine learned it.
        recorded_at: Millis,
        /// The record that ended it, when a command or a newer statement did.
        ended_by: Option<Seq>,
    }
    /// One way from an entity to another.
    RelationPath {
        /// The entities on it, the first and the last included.
        entities: Vec<String>,
        /// The relations between them.
        relations: Vec<RelationView>,
        /// How sure the least sure of them is.
        confidence: Option<Number>,
    }
    /// The ways from one entity to another.
    PathPage {
        /// The ways, the shortest first, then the surest.
        paths: Vec<RelationPath>,
        /// Whether there may be more than are shown.
        more: bool,
    }
    /// An entity near another.
    Neighbour {
        /// Its id.
        id: String,
        /// Its type.
        entity_type: String,
        /// Its name in the world.
        raw_id: String,
        /// How many relations away.
        depth: u64,
        /// Whether it was ended.
        retired: bool,
    }
    /// The entities around one.
    Neighbourhood {
        /// The entities, the one in the middle first.
        entities: Vec<Neighbour>,
        /// The relations between them.
        relations: Vec<RelationView>,
        /// How many entities within the depth are not shown.
        left_out: u64,
    }
    /// A record that led to a value.
    Influence {
        /// The record.
        record: RecordRow,
        /// How many relations upstream of the entity.
        depth: u64,
        /// `value` (it set the value), `cause` (it led to another record here), `relation` (it joined an entity
        /// upstream), `field` (it set a field upstream) or `entity` (it made an entity that is part of this one).
        by: String,
        /// The entity that it is about.
        entity: String,
        /// The field that it set.
        field: Option<String>,
        /// The record here that it led to.
        led_to: Option<Seq>,
    }
    /// The records that led to a value.
    Influences {
        /// The value.
        value: Value,
        /// The records, the nearest first.
        records: Vec<Influence>,
        /// How many more there are within the depth.
        left_out: u64,
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
        /// How much its source is trusted, where the domain settles conflicts by that.
        trust: Option<Number>,
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
        /// `error` or `warning`.
        severity: String,
        /// The shortest path that shows it, where there is one.
        trace: Vec<String>,
    }
    /// What can be known of a machine without running it.
    MachineCheck {
        /// Whether it can be loaded.
        ok: bool,
        /// What was found.
        findings: Vec<Finding>,
        /// How many places it can come to.
        states: u64,
        /// How many steps between them.
        steps: u64,
        /// Whether every guard could be answered for certain and everything was looked at.
        exact: bool,
    }
    /// What an event does to a machine.
    TransitionResult {
        /// The active states after it, as paths.
        state: Vec<String>,
        /// What is to be done: exit actions, the transition's own, entry actions.
        effects: Vec<Value>,
        /// Whether the machine is then finished.
        finished: bool,
        /// The states that are left, innermost first.
        exited: Vec<String>,
        /// The states that are entered, outermost first.
        entered: Vec<String>,
        /// The guards that were looked at, and what they gave.
        guards: Vec<GuardResult>,
        /// The events of the single steps, when there were several.
        via: Vec<String>,
        /// The events that are known then; delayed and inner ones are not among them.
        events: Vec<String>,
        /// All that is needed to go on from there.
        snapshot: Value,
    }
    /// A machine of another notation in ours.
    ImportedMachine {
        /// The machine, for a domain.
        machine: Value,
        /// What was not carried over, with where it stood.
        notes: Vec<Finding>,
    }
    /// Sources that disagree about a fact.
    ConflictView {
        /// What it is about.
        subject: String,
        /// Its key.
        key: String,
        /// The domain's rule: `newest_valid`, `most_trusted`, `official` or `ask`.
        rule: String,
        /// Whether a person has to settle it.
        open: bool,
        /// What counts.
        winner: FactView,
        /// What does not.
        losers: Vec<FactView>,
        /// Why, in words.
        why: String,
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
        /// How sure.
        confidence: Option<Number>,
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
    /// Counts by part of a window and kind.
    MemoryCounts {
        /// The kinds, in the order of the columns.
        kinds: Vec<String>,
        /// Where the parts begin, and where the last one ends.
        edges: Vec<Millis>,
        /// By part, then by kind.
        counts: Vec<Vec<u64>>,
    }
    /// The events next to a moment, in order of time.
    Neighbours {
        /// Those before it.
        before: Vec<MemoryView>,
        /// Those at it and after it.
        after: Vec<MemoryView>,
    }
    /// Events that count as simultaneous.
    MomentView {
        /// When the first one begins.
        from: Millis,
        /// When the last one begins.
        to: Millis,
        /// The events.
        events: Vec<MemoryView>,
    }
    /// Events that belong together.
    EpisodeView {
        /// When the first one begins.
        since: Millis,
        /// When the last one ends.
        until: Millis,
        /// Their thread.
        thread: String,
        /// How many there are.
        count: u64,
        /// How many of each kind.
        kinds: Named<u64>,
        /// The sum of their importance, in thousandths.
        importance: u64,
        /// The first one's id.
        first: String,
        /// The last one's id.
        last: String,
        /// Whether more belongs to it than is shown.
        cut: bool,
        /// The events, where one episode was asked for.
        events: Vec<MemoryView>,
    }
    /// What would be forgotten, and why.
    ForgettingRow {
        /// The event.
        id: String,
        /// What it weighs, in millionths.
        score: u64,
        /// Why.
        reason: String,
    }
    /// The tree of summaries over the time axis.
    TreeView {
        /// How many levels there are, blocks included.
        levels: u64,
        /// The parts, each before those below it.
        parts: Vec<TreePart>,
        /// Whether there are more parts than are shown.
        cut: bool,
    }
    /// The summary of a part of the tree.
    TreePart {
        /// How many levels above the events, from 0 for a block.
        level: u64,
        /// When its first event begins.
        first: Millis,
        /// When its last event begins.
        last: Millis,
        /// One past the latest end.
        end: Millis,
        /// How many versions of events it holds.
        rows: u64,
        /// How many are current.
        live: u64,
        /// How many are forgotten.
        forgotten: u64,
        /// The sum of the importance of what is current, in thousandths.
        importance: u64,
        /// How many are current, by kind.
        kinds: Named<u64>,
        /// When any of it was last used.
        last_used: Option<Millis>,
        /// How many have vectors.
        vectors: u64,
        /// How long the mean of the vectors is, in thousandths: 1,000 when all point the same way.
        cohesion: Option<u64>,
        /// The first event of the entity asked for.
        first_state: Option<String>,
        /// The last one.
        last_state: Option<String>,
        /// What the recall does: `skipped`, `whole` (its summary says all), `opened`, `read` (a block, row by row).
        step: String,
    }
    /// What is left of a purged event.
    Tombstone {
        /// Its id.
        id: String,
        /// The record that remembered it.
        remembered: Seq,
        /// The record that purged it.
        seq: Seq,
        /// When.
        recorded_at: Millis,
        /// Why.
        reason: String,
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
