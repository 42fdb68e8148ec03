//! Entities, relations and scheduled events.

use serde::{Deserialize, Serialize};
use throughline_journal::{Millis, Seq};
use throughline_value::{Map, Named, Number, Value};

use super::{RecordRow, views};

views! {
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
}
