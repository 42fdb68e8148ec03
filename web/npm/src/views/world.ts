// Entities, relations and scheduled events.

import type { Exact } from "../exact.js";
import type { Json, JsonMap } from "../values.js";
import type { RecordRow } from "../views.js";

/** An entity as it stands. */
export interface EntityView {
  /** Its id. */
  id: string;
  /** Its type. */
  entity_type: string;
  /** Its name in the world, as first given. */
  raw_id: string;
  /** Its other names. */
  aliases: string[];
  /** Its fields. */
  fields: JsonMap;
  /** How many times it was changed, from 1. */
  version: number;
  /** Whether it was ended. */
  retired: boolean;
  /** The entity it was merged into. */
  merged_into: string | null;
  /** The record of the last change. */
  seq: number;
  /** The record of the last change of each field. */
  field_seq: Record<string, number>;
}

/** An entity, its versions and its relations. */
export interface EntityDetail {
  /** The entity. */
  entity: EntityView;
  /** Every version, oldest first. */
  versions: EntityView[];
  /** Its relations. */
  relations: RelationView[];
}

/** A relation. */
export interface RelationView {
  /** Its id. */
  id: string;
  /** Where it starts. */
  from: string;
  /** What it is. */
  relation: string;
  /** Where it ends. */
  to: string;
  /** How sure, as given. */
  confidence: Exact | null;
  /** From when it is true. */
  valid_from: number;
  /** Until when it is true. */
  valid_to: number | null;
  /** Whether it waits for confirmation or is below the domain's floor. */
  flag: string | null;
  /** The record that added it. */
  seq: number;
}

/** A scheduled event. */
export interface EventView {
  /** Its id. */
  id: string;
  /** Its name. */
  name: string;
  /** `pending`, `held`, `fired`, `dropped`, `skipped` or `cancelled`. */
  status: string;
  /** When it is due. */
  due: number | null;
  /** Its condition. */
  when: string | null;
  /** The condition that cancels it. */
  unless: string | null;
  /** When it fired. */
  fired_at: number | null;
  /** How late it fired, in milliseconds. */
  late: number | null;
  /** What it carries. */
  data: Json;
  /** The record that scheduled it. */
  seq: number;
  /** The record of its last change. */
  last_seq: number;
  /** How it repeats; null when it does not. */
  repeat: Json;
  /** How many times it fired. */
  firings: number;
  /** The events that must have happened before it. */
  after: string[];
  /** The events that it must come before. */
  before: string[];
  /** Why it is as it is. */
  reason: string;
}

/** One statement of a relation, and what became of it. */
export interface RelationVersion {
  /** The statement, with the end that it has by what was known at the moment. */
  relation: RelationView;
  /** `current`, `ended`, `future`, `held`, or `gone` when an end of it is not there. */
  status: string;
  /** When the engine learned it. */
  recorded_at: number;
  /** The record that ended it, when a command or a newer statement did. */
  ended_by: number | null;
}

/** One way from an entity to another. */
export interface RelationPath {
  /** The entities on it, the first and the last included. */
  entities: string[];
  /** The relations between them. */
  relations: RelationView[];
  /** How sure the least sure of them is. */
  confidence: Exact | null;
}

/** The ways from one entity to another. */
export interface PathPage {
  /** The ways, the shortest first, then the surest. */
  paths: RelationPath[];
  /** Whether there may be more than are shown. */
  more: boolean;
}

/** An entity near another. */
export interface Neighbour {
  /** Its id. */
  id: string;
  /** Its type. */
  entity_type: string;
  /** Its name in the world. */
  raw_id: string;
  /** How many relations away. */
  depth: number;
  /** Whether it was ended. */
  retired: boolean;
}

/** The entities around one. */
export interface Neighbourhood {
  /** The entities, the one in the middle first. */
  entities: Neighbour[];
  /** The relations between them. */
  relations: RelationView[];
  /** How many entities within the depth are not shown. */
  left_out: number;
}

/** A record that led to a value. */
export interface Influence {
  /** The record. */
  record: RecordRow;
  /** How many relations upstream of the entity. */
  depth: number;
  /** `value`, `cause`, `relation`, `field` or `entity`: how it led there. */
  by: string;
  /** The entity that it is about. */
  entity: string;
  /** The field that it set. */
  field: string | null;
  /** The record here that it led to. */
  led_to: number | null;
}

/** The records that led to a value. */
export interface Influences {
  /** The value. */
  value: Json;
  /** The records, the nearest first. */
  records: Influence[];
  /** How many more there are within the depth. */
  left_out: number;
}
