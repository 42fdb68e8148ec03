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
        /// Scheduled events: a list of [`crate::view::EventView`].
        "events" => Events,
        /// Current facts: [`crate::view::FactPage`].
        "facts" => Facts,
        /// All versions of one fact: a list of [`crate::view::FactView`].
        "fact_history" => FactHistory,
        /// The machine: [`crate::view::MachineView`].
        "machine" => Machine,
        /// Everything wrong with a plan: [`crate::view::PlanReport`].
        "check_plan" => CheckPlan,
        /// The runs: a list of [`crate::view::RunRow`].
        "runs" => Runs,
        /// One run with its steps and bindings: [`crate::view::RunView`].
        "run" => Run,
        /// The turns: a list of [`crate::view::TurnView`].
        "turns" => Turns,
        /// Remembered events: [`crate::view::RecallPage`].
        "recall" => Recall,
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
    /// The turns.
    Turns {
        /// The point to view at.
        at: Moment,
        /// Only this thread.
        thread: Option<String>,
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
    /// The prompt that a model would be given now.
    Prompt {
        /// The stage it is for.
        stage: String,
        /// The thread.
        thread: Option<String>,
        /// The point to view at.
        at: Moment,
    }
}
