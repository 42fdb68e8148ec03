//! Everything that can be read. Reading changes nothing.

use serde::{Deserialize, Serialize};
use throughline_journal::Seq;
use throughline_value::{Map, Value};

use crate::tagged::tagged;
use crate::{Moment, Time};

/// How many records, rows or hits a query gives at most when it names no limit.
pub const DEFAULT_LIMIT: usize = 1_000;

tagged! {
    /// Everything that can be read. The answer of each is named in [`crate::view`].
    "query", Query {
        /// Head, counts, clock: [`crate::view::Status`].
        "status" => Status,
        /// Records in order: [`crate::view::RecordPage`].
        "records" => Records,
        /// One record with the chain of its causes: [`crate::view::RecordDetail`].
        "record" => RecordBySeq,
        /// Columns for drawing: [`crate::view::Timeline`].
        "timeline" => Timeline,
        /// The loaded domain: [`crate::view::DomainView`].
        "domain" => DomainQuery,
        /// The documents: a list of [`crate::view::DocumentRow`].
        "documents" => Documents,
        /// One document with its text: [`crate::view::DocumentView`].
        "document" => Document,
        /// The entities: a list of [`crate::view::EntityView`].
        "entities" => Entities,
        /// One entity with its versions and relations: [`crate::view::EntityDetail`].
        "entity" => Entity,
        /// Relations: a list of [`crate::view::RelationView`].
        "relations" => Relations,
        /// Everything that was said of the relations between two entities: a list of
        /// [`crate::view::RelationVersion`].
        "relation_history" => RelationHistory,
        /// The ways from one entity to another: [`crate::view::PathPage`].
        "paths" => Paths,
        /// The entities around one: [`crate::view::Neighbourhood`].
        "neighbourhood" => Neighbourhood,
        /// The records that led to a value, also over the entities around it: [`crate::view::Influences`].
        "influences" => Influences,
        /// Scheduled events: a list of [`crate::view::EventView`].
        "events" => Events,
        /// Current facts: [`crate::view::FactPage`].
        "facts" => Facts,
        /// All versions of one fact: a list of [`crate::view::FactView`].
        "fact_history" => FactHistory,
        /// The machine: [`crate::view::MachineView`].
        "machine" => Machine,
        /// What can be known of a machine without running it: [`crate::view::MachineCheck`].
        "check_machine" => CheckMachine,
        /// What an event would do, without doing it: [`crate::view::TransitionResult`].
        "transition" => Transition,
        /// Where a saved snapshot goes on under another definition: any value.
        "migrate_snapshot" => MigrateSnapshot,
        /// A state machine of another notation in ours: [`crate::view::ImportedMachine`].
        "import_machine" => ImportMachine,
        /// Where sources disagree and how that was settled: a list of [`crate::view::ConflictView`].
        "conflicts" => Conflicts,
        /// Everything wrong with a plan: [`crate::view::PlanReport`].
        "check_plan" => CheckPlan,
        /// What a model is told so that it writes a plan: [`crate::view::PlanPrompt`].
        "plan_prompt" => PlanPromptQuery,
        /// How near a plan comes to a golden one: [`crate::view::PlanScore`].
        "score_plan" => ScorePlan,
        /// The runs: a list of [`crate::view::RunRow`].
        "runs" => Runs,
        /// One run with its steps and bindings: [`crate::view::RunView`].
        "run" => Run,
        /// Why a run went wrong and what to change: [`crate::view::RunDiagnosis`].
        "diagnose" => Diagnose,
        /// An answer from a run's values: [`crate::view::AnswerView`].
        "render_answer" => RenderAnswer,
        /// What no longer holds of an answer: a list of [`crate::view::Broken`].
        "verify_answer" => VerifyAnswer,
        /// The turns: a list of [`crate::view::TurnView`].
        "turns" => Turns,
        /// Remembered events: [`crate::view::RecallPage`].
        "recall" => Recall,
        /// Everything that an entity was part of: [`crate::view::RecallPage`].
        "memory_history" => MemoryHistory,
        /// The last event of a kind before a time: [`crate::view::MemoryView`], or null.
        "memory_last" => MemoryLast,
        /// How many events by time and kind: [`crate::view::MemoryCounts`].
        "memory_counts" => MemoryCounts,
        /// The events next to a moment: [`crate::view::Neighbours`].
        "memory_neighbours" => MemoryNeighbours,
        /// Simultaneous events together: a list of [`crate::view::MomentView`].
        "memory_moments" => MemoryMoments,
        /// The events that lie so to another one: a list of [`crate::view::MemoryView`].
        "memory_related" => MemoryRelated,
        /// Events that belong together: a list of [`crate::view::EpisodeView`].
        "memory_episodes" => MemoryEpisodes,
        /// What would be forgotten next, and why: a list of [`crate::view::ForgettingRow`].
        "memory_forgetting" => MemoryForgetting,
        /// The tree of summaries: [`crate::view::TreeView`].
        "memory_tree" => MemoryTree,
        /// What was purged: a list of [`crate::view::Tombstone`].
        "memory_purged" => MemoryPurged,
        /// What is open or went wrong: a list of [`crate::view::Problem`].
        "problems" => Problems,
        /// Why a value is what it is: [`crate::view::Why`].
        "why" => Why,
        /// The three digests: [`crate::view::Digests`].
        "digests" => Digests,
        /// The value of an expression over facts, entities and state: any value.
        "evaluate" => Evaluate,
        /// The prompt that a model would be given now: [`crate::view::PromptView`].
        "prompt" => Prompt,
        /// How the turns went, in figures: [`crate::view::MetricsView`].
        "metrics" => Metrics,
        /// The turns as OpenTelemetry spans with the GenAI names: an OTLP/JSON map.
        "spans" => Spans,
        /// The recorded run decided again without any call: [`crate::view::ReplayView`].
        "replay" => Replay,
        /// The tools that a model may call now, in a provider's shape: any value.
        "tool_definitions" => ToolDefinitions,
        /// What is, by area and id: any value.
        "snapshot" => Snapshot,
        /// What differs between two moments: [`crate::view::Difference`].
        "diff" => Diff,
        /// What would not be without a record: [`crate::view::Without`].
        "without" => WithoutRecord,
    }
}

macro_rules! queries {
    ($($(#[$doc:meta])* $name:ident { $($(#[$fdoc:meta])* $field:ident : $type:ty,)* })+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
            #[serde(deny_unknown_fields, default)]
            pub struct $name {
                $($(#[$fdoc])* #[serde(skip_serializing_if = "crate::query::is_default")] pub $field: $type,)*
            }
        )+
    };
}

/// Whether a field has its default and need not be written.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

queries! {
    /// Head, counts, clock.
    Status {}
    /// Records in order.
    Records {
        /// From this record on; from the first when 0.
        from: Seq,
        /// At most so many.
        limit: Option<usize>,
        /// Only these kinds; a kind that ends in `.` stands for the whole room (`fact.`).
        kinds: Vec<String>,
        /// Only this thread.
        thread: Option<String>,
    }
    /// One record.
    RecordBySeq {
        /// Its number.
        seq: Seq,
    }
    /// Columns for drawing.
    Timeline {
        /// From this record on.
        from: Seq,
    }
    /// The loaded domain.
    DomainQuery {
        /// The point to view at.
        at: Moment,
    }
    /// The documents.
    Documents {
        /// The point to view at.
        at: Moment,
    }
    /// One document.
    Document {
        /// Its name.
        name: String,
        /// The point to view at.
        at: Moment,
    }
    /// The entities.
    Entities {
        /// The point to view at.
        at: Moment,
        /// Only this type.
        entity_type: Option<String>,
    }
    /// One entity.
    Entity {
        /// Its id, or its raw id, or an alias.
        entity: String,
        /// The point to view at.
        at: Moment,
    }
    /// Relations.
    Relations {
        /// The point to view at.
        at: Moment,
        /// Only those that start or end at this entity.
        entity: Option<String>,
        /// Only this relation.
        relation: Option<String>,
    }
    /// Everything that was said of the relations of an entity, by valid time, whatever became of it.
    RelationHistory {
        /// The point to view at: nothing that was recorded later is shown.
        at: Moment,
        /// The entity.
        entity: String,
        /// Only with this entity.
        with: Option<String>,
        /// Only this relation.
        relation: Option<String>,
        /// At most so many.
        limit: Option<usize>,
    }
    /// The ways from one entity to another over the relations that are true at a moment, the shortest first.
    Paths {
        /// The point to view at.
        at: Moment,
        /// Where they start.
        from: String,
        /// Where they end.
        to: String,
        /// Only over these relations; over all when empty.
        relations: Vec<String>,
        /// `out` follows relations from start to end only, `in` backwards only, `both` either way; `both` when
        /// absent.
        direction: Option<String>,
        /// At most so many relations in a row; 4 when absent.
        depth: Option<usize>,
        /// At most so many ways; 10 when absent.
        limit: Option<usize>,
    }
    /// The entities around one, over the relations that are true at a moment.
    Neighbourhood {
        /// The point to view at.
        at: Moment,
        /// The entity in the middle.
        entity: String,
        /// Only over these relations; over all when empty.
        relations: Vec<String>,
        /// As in `paths`.
        direction: Option<String>,
        /// How many relations away; 1 when absent.
        depth: Option<usize>,
        /// At most so many entities, the nearest first; 100 when absent.
        limit: Option<usize>,
    }
    /// The records that led to a field's value: its own, their causes, and those of the entities that have a
    /// relation to it, upstream.
    Influences {
        /// The point to view at.
        at: Moment,
        /// The entity.
        entity: String,
        /// The field.
        field: String,
        /// How many relations upstream; 3 when absent.
        depth: Option<usize>,
        /// At most so many records; 100 when absent.
        limit: Option<usize>,
    }
    /// Scheduled events.
    Events {
        /// The point to view at.
        at: Moment,
    }
    /// Current facts.
    Facts {
        /// The point to view at.
        at: Moment,
        /// Only this subject.
        subject: Option<String>,
        /// Only this key.
        key: Option<String>,
    }
    /// Where sources disagree.
    Conflicts {
        /// The point to view at.
        at: Moment,
        /// Only this subject.
        subject: Option<String>,
        /// Only this key.
        key: Option<String>,
    }
    /// What can be known of a machine without running it.
    CheckMachine {
        /// The machine; the loaded one when null.
        machine: Value,
        /// The fact keys that its guards ask for; the domain's when null.
        facts: Value,
        /// The point to view at.
        at: Moment,
    }
    /// What an event would do, without doing it.
    Transition {
        /// The machine; the loaded one when null.
        machine: Value,
        /// Where it stands: a path, a list of paths, or a snapshot. Where it stands now, or where the given
        /// machine begins, when null.
        state: Value,
        /// The event; when empty, what happens without one: the beginning, and what goes on by itself.
        event: String,
        /// What the event carries.
        data: Value,
        /// The facts that guards see; the ledger's when null.
        facts: Value,
        /// The point to view at.
        at: Moment,
    }
    /// Where a saved snapshot goes on under another definition.
    MigrateSnapshot {
        /// The new machine; its `migrate` says where old states go on. The loaded one when null.
        machine: Value,
        /// The snapshot, as the query `transition` gives it.
        snapshot: Value,
    }
    /// A state machine of another notation.
    ImportMachine {
        /// The notation: `asl` (Amazon States Language).
        format: String,
        /// The definition.
        definition: Value,
    }
    /// All versions of one fact.
    FactHistory {
        /// Its key.
        key: String,
        /// Its subject; the session when absent.
        subject: Option<String>,
        /// The point to view at.
        at: Moment,
    }
    /// The machine.
    Machine {
        /// The point to view at.
        at: Moment,
    }
    /// Everything wrong with a plan.
    CheckPlan {
        /// The plan as text, or in its JSON form.
        plan: Value,
        /// The names of values it may use.
        inputs: Vec<String>,
        /// The bindings that the answer uses; when they are given, what leads to none of them is of no use.
        wanted: Vec<String>,
        /// The most steps it may have.
        max_steps: Option<u32>,
        /// Whether to apply every repair and show the plan that comes of it.
        fix: bool,
    }
    /// What a model is told so that it writes a plan.
    PlanPromptQuery {
        /// The language, `en` or `zh`; the domain's first when absent.
        language: Option<String>,
        /// The question.
        question: String,
        /// The names of values the plan may use.
        inputs: Vec<String>,
        /// The last reply's plan, of which the findings are quoted.
        plan: Value,
        /// How many replies there were.
        attempt: u32,
    }
    /// How near a plan comes to a golden one.
    ScorePlan {
        /// The plan, in any spelling.
        plan: Value,
        /// The golden plan.
        golden: Value,
        /// The names of values that both may use.
        inputs: Vec<String>,
    }
    /// The runs.
    Runs {
        /// The point to view at.
        at: Moment,
    }
    /// One run.
    Run {
        /// Its id; the newest when empty.
        run: String,
        /// The point to view at.
        at: Moment,
    }
    /// Why a run went wrong.
    Diagnose {
        /// Its id; the newest when empty.
        run: String,
        /// A run's view to diagnose instead of one of this journal.
        view: Value,
        /// The plan, when it is not the one in the view.
        plan: Value,
        /// The point to view at.
        at: Moment,
    }
    /// An answer from a run's values.
    RenderAnswer {
        /// The run's id; the newest when empty.
        run: String,
        /// An answer of the domain.
        answer: String,
        /// Or a template.
        template: Option<String>,
        /// The language; the domain's first when empty.
        language: String,
        /// The point to view at.
        at: Moment,
    }
    /// What no longer holds of an answer.
    VerifyAnswer {
        /// The answer, as `render_answer` or a turn gave it.
        answer: Value,
        /// The point to view at.
        at: Moment,
    }
    /// The turns.
    Turns {
        /// The point to view at.
        at: Moment,
        /// Only this thread.
        thread: Option<String>,
        /// Only the turn of this number; the one of the thread, or of `main`.
        turn: Option<u32>,
    }
    /// Remembered events.
    Recall {
        /// The point to view at.
        at: Moment,
        /// Not before this time.
        since: Option<Time>,
        /// Before this time.
        until: Option<Time>,
        /// Only these kinds.
        kinds: Vec<String>,
        /// Only with one of these entities.
        entities: Vec<String>,
        /// Only this thread.
        thread: Option<String>,
        /// Ranked by these words; in order when absent.
        words: Option<String>,
        /// Ranked by nearness to this vector: a list of numbers, or base64 of little-endian 32-bit floats.
        vector: Value,
        /// Ranked by more than words, all together: `episode` (a hit brings the events around it), `recency`,
        /// `importance`.
        also_by: Vec<String>,
        /// The order without words: `valid` time (when absent), `recorded` time, or `logical` (thread, then
        /// the order of writing).
        order: Option<String>,
        /// Only what comes before this memory in the order: its id, for going back page by page.
        before: Option<String>,
        /// At most so many.
        limit: Option<usize>,
    }
    /// Everything that an entity was part of, in order of time; the newest when there is more.
    MemoryHistory {
        /// The point to view at.
        at: Moment,
        /// The entity.
        entity: String,
        /// Only what begins before this time.
        before: Option<Time>,
        /// At most so many.
        limit: Option<usize>,
    }
    /// The last event of a kind before a time.
    MemoryLast {
        /// The point to view at.
        at: Moment,
        /// The kind.
        kind: String,
        /// Only what begins before this time.
        before: Option<Time>,
        /// Only with this entity.
        entity: Option<String>,
    }
    /// How many events began in each part of a window, by kind.
    MemoryCounts {
        /// The point to view at.
        at: Moment,
        /// Where the window begins; with the first event when absent.
        since: Option<Time>,
        /// Where it ends; after the last event when absent.
        until: Option<Time>,
        /// How many equal parts; one when absent.
        buckets: Option<usize>,
        /// Only these kinds; all by name when none is named.
        kinds: Vec<String>,
        /// For drawing: parts of a round width, about so many, as of the head; fast whatever the window.
        drawing: bool,
    }
    /// The events next to a moment.
    MemoryNeighbours {
        /// The point to view at.
        at: Moment,
        /// The moment.
        moment: Option<Time>,
        /// How many on either side; 5 when absent.
        n: Option<usize>,
    }
    /// Simultaneous events together: by thread, then by record, then the surest first.
    MemoryMoments {
        /// The point to view at.
        at: Moment,
        /// Where the window begins; with the first event when absent.
        since: Option<Time>,
        /// Where it ends; after the last event when absent.
        until: Option<Time>,
        /// Within how many milliseconds of the first one events count as simultaneous; 0 when absent.
        tolerance: Option<i64>,
    }
    /// The events that lie so to another one.
    MemoryRelated {
        /// The point to view at.
        at: Moment,
        /// The other one.
        memory: String,
        /// Allen's relations, `before` to `after`; any when none is named.
        relations: Vec<String>,
    }
    /// Events that belong together.
    MemoryEpisodes {
        /// The point to view at.
        at: Moment,
        /// The one that this event is part of, with its events; else all of a window.
        memory: Option<String>,
        /// Where the window begins; with the first event when absent.
        since: Option<Time>,
        /// Where it ends; after the last event when absent.
        until: Option<Time>,
        /// `fine` (minutes; when absent) or `coarse` (hours).
        scale: Option<String>,
        /// At most so many, the newest.
        limit: Option<usize>,
    }
    /// What would be forgotten next, and why.
    MemoryForgetting {
        /// The point to view at.
        at: Moment,
        /// The bounds, as of the command `forget_by`.
        policy: crate::command::ForgetBy,
        /// At most so many.
        limit: Option<usize>,
    }
    /// The tree of summaries, and what a recall of a window and kinds does with each part.
    MemoryTree {
        /// The point to view at.
        at: Moment,
        /// Where the window begins.
        since: Option<Time>,
        /// Where it ends.
        until: Option<Time>,
        /// Only these kinds.
        kinds: Vec<String>,
        /// Whose first and last state each part shows.
        entity: Option<String>,
        /// Also below the parts whose summary says all.
        all: bool,
        /// At most so many parts; where there are more, the lowest levels are left out.
        limit: Option<usize>,
    }
    /// What was purged.
    MemoryPurged {
        /// The point to view at.
        at: Moment,
    }
    /// What is open or went wrong.
    Problems {
        /// The point to view at.
        at: Moment,
    }
    /// Why a value is what it is. Name a record, a fact, or an entity's field.
    Why {
        /// A record.
        seq: Option<Seq>,
        /// A fact's key.
        key: Option<String>,
        /// A fact's subject.
        subject: Option<String>,
        /// An entity.
        entity: Option<String>,
        /// A field of the entity.
        field: Option<String>,
        /// The point to view at.
        at: Moment,
    }
    /// The three digests.
    Digests {
        /// The point to view at.
        at: Moment,
    }
    /// The value of an expression.
    Evaluate {
        /// The expression.
        expression: String,
        /// Values it may use beside facts, entities and state.
        names: Map,
        /// The point to view at.
        at: Moment,
    }
    /// The tools that a model may call now.
    ToolDefinitions {
        /// `openai`, `openai_responses`, `anthropic`, `gemini`, `mcp`, `ai_sdk`, or `plain` when empty.
        shape: String,
        /// Also those that the machine's state keeps closed.
        closed: bool,
        /// The point to view at.
        at: Moment,
    }
    /// What is, by area and id.
    Snapshot {
        /// The point to view at.
        at: Moment,
    }
    /// What differs between two moments, or from another session.
    Diff {
        /// The one moment.
        from: Moment,
        /// The other one.
        to: Moment,
        /// Instead of `to`: the `snapshot` of another session.
        other: Value,
    }
    /// What would not be without a record.
    WithoutRecord {
        /// The record.
        seq: Seq,
    }
    /// The prompt that a model would be given now.
    Prompt {
        /// The stage it is for.
        stage: String,
        /// The thread.
        thread: Option<String>,
        /// The point to view at.
        at: Moment,
    }
    /// How the turns went, in figures.
    Metrics {
        /// The point to view at.
        at: Moment,
        /// Only this thread.
        thread: Option<String>,
    }
    /// The turns as OpenTelemetry spans.
    Spans {
        /// The point to view at.
        at: Moment,
        /// Only this thread.
        thread: Option<String>,
        /// Only this turn.
        turn: Option<u32>,
        /// With the texts of prompts, replies, calls and errors; without them when absent.
        content: bool,
    }
    /// The recorded run decided again.
    Replay {
        /// The point to view at.
        at: Moment,
    }
}
