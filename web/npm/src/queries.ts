// Everything that can be read. Reading changes nothing.

import type { Json, JsonMap, Moment, Time } from "./values.js";

/** Everything that can be read. */
export type Query =
  | StatusQuery
  | RecordsQuery
  | RecordBySeqQuery
  | TimelineQuery
  | DomainQuery
  | DocumentsQuery
  | DocumentQuery
  | EntitiesQuery
  | EntityQuery
  | RelationsQuery
  | EventsQuery
  | FactsQuery
  | FactHistoryQuery
  | MachineQuery
  | CheckPlanQuery
  | RunsQuery
  | RunQuery
  | TurnsQuery
  | RecallQuery
  | ProblemsQuery
  | WhyQuery
  | DigestsQuery
  | EvaluateQuery
  | PromptQuery;

/** Head, counts, clock: {@link Status}. */
export interface StatusQuery {
  type: "status";
}

/** Records in order: {@link RecordPage}. */
export interface RecordsQuery {
  type: "records";
  /** From this record on; from the first when 0. */
  from?: number;
  /** At most so many. */
  limit?: number;
  /** Only these kinds; a kind that ends in `.` stands for the whole room (`fact.`). */
  kinds?: string[];
  /** Only this thread. */
  thread?: string;
}

/** One record with the chain of its causes: {@link RecordDetail}. */
export interface RecordBySeqQuery {
  type: "record";
  /** Its number. */
  seq: number;
}

/** Columns for drawing: {@link Timeline}. */
export interface TimelineQuery {
  type: "timeline";
  /** From this record on. */
  from?: number;
}

/** The loaded domain: {@link DomainView}. */
export interface DomainQuery {
  type: "domain";
  /** The point to view at. */
  at?: Moment;
}

/** The documents: a list of {@link DocumentRow}. */
export interface DocumentsQuery {
  type: "documents";
  /** The point to view at. */
  at?: Moment;
}

/** One document with its text: {@link DocumentView}. */
export interface DocumentQuery {
  type: "document";
  /** Its name. */
  name: string;
  /** The point to view at. */
  at?: Moment;
}

/** The entities: a list of {@link EntityView}. */
export interface EntitiesQuery {
  type: "entities";
  /** The point to view at. */
  at?: Moment;
  /** Only this type. */
  entity_type?: string;
}

/** One entity with its versions and relations: {@link EntityDetail}. */
export interface EntityQuery {
  type: "entity";
  /** Its id, or its raw id, or an alias. */
  entity: string;
  /** The point to view at. */
  at?: Moment;
}

/** Relations: a list of {@link RelationView}. */
export interface RelationsQuery {
  type: "relations";
  /** The point to view at. */
  at?: Moment;
  /** Only those that start or end at this entity. */
  entity?: string;
  /** Only this relation. */
  relation?: string;
}

/** Scheduled events: a list of {@link EventView}. */
export interface EventsQuery {
  type: "events";
  /** The point to view at. */
  at?: Moment;
}

/** Current facts: {@link FactPage}. */
export interface FactsQuery {
  type: "facts";
  /** The point to view at. */
  at?: Moment;
  /** Only this subject. */
  subject?: string;
  /** Only this key. */
  key?: string;
}

/** All versions of one fact: a list of {@link FactView}. */
export interface FactHistoryQuery {
  type: "fact_history";
  /** Its key. */
  key: string;
  /** Its subject; the session when absent. */
  subject?: string;
  /** The point to view at. */
  at?: Moment;
}

/** The machine: {@link MachineView}. */
export interface MachineQuery {
  type: "machine";
  /** The point to view at. */
  at?: Moment;
}

/** Everything wrong with a plan: {@link PlanReport}. */
export interface CheckPlanQuery {
  type: "check_plan";
  /** The plan as text, or in its JSON form. */
  plan: Json;
  /** The names of values it may use. */
  inputs?: string[];
}

/** The runs: a list of {@link RunRow}. */
export interface RunsQuery {
  type: "runs";
  /** The point to view at. */
  at?: Moment;
}

/** One run with its steps and bindings: {@link RunView}. */
export interface RunQuery {
  type: "run";
  /** Its id; the newest when empty. */
  run?: string;
  /** The point to view at. */
  at?: Moment;
}

/** The turns: a list of {@link TurnView}. */
export interface TurnsQuery {
  type: "turns";
  /** The point to view at. */
  at?: Moment;
  /** Only this thread. */
  thread?: string;
}

/** Remembered events: {@link RecallPage}. */
export interface RecallQuery {
  type: "recall";
  /** The point to view at. */
  at?: Moment;
  /** Not before this time. */
  since?: Time;
  /** Before this time. */
  until?: Time;
  /** Only these kinds. */
  kinds?: string[];
  /** Only with one of these entities. */
  entities?: string[];
  /** Only this thread. */
  thread?: string;
  /** Ranked by these words; in order when absent. */
  words?: string;
  /**
   * Ranked by more than words, all together: `episode` (a hit brings the events around it), `recency`,
   * `importance`.
   */
  also_by?: ("episode" | "recency" | "importance")[];
  /** The order without words: `valid` time (when absent), `recorded` time, or `logical` (thread, then the order of writing). */
  order?: "valid" | "recorded" | "logical";
  /** Only what comes before this memory in the order: its id, for going back page by page. */
  before?: string;
  /** At most so many. */
  limit?: number;
}

/** What is open or went wrong: a list of {@link Problem}. */
export interface ProblemsQuery {
  type: "problems";
  /** The point to view at. */
  at?: Moment;
}

/** Why a value is what it is: {@link Why}. */
export interface WhyQuery {
  type: "why";
  /** A record. */
  seq?: number;
  /** A fact's key. */
  key?: string;
  /** A fact's subject. */
  subject?: string;
  /** An entity. */
  entity?: string;
  /** A field of the entity. */
  field?: string;
  /** The point to view at. */
  at?: Moment;
}

/** The three digests: {@link Digests}. */
export interface DigestsQuery {
  type: "digests";
  /** The point to view at. */
  at?: Moment;
}

/** The value of an expression over facts, entities and state: any value. */
export interface EvaluateQuery {
  type: "evaluate";
  /** The expression. */
  expression: string;
  /** Values it may use beside facts, entities and state. */
  names?: JsonMap;
  /** The point to view at. */
  at?: Moment;
}

/** The prompt that a model would be given now: {@link PromptView}. */
export interface PromptQuery {
  type: "prompt";
  /** The stage it is for. */
  stage: string;
  /** The thread. */
  thread?: string;
  /** The point to view at. */
  at?: Moment;
}
