// Everything that can be read. Reading changes nothing.

import type { ForgetBy } from "./commands.js";
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
  | RelationHistoryQuery
  | PathsQuery
  | NeighbourhoodQuery
  | InfluencesQuery
  | EventsQuery
  | FactsQuery
  | FactHistoryQuery
  | MachineQuery
  | CheckMachineQuery
  | TransitionQuery
  | MigrateSnapshotQuery
  | ImportMachineQuery
  | ConflictsQuery
  | CheckPlanQuery
  | PlanPromptQuery
  | ScorePlanQuery
  | RunsQuery
  | RunQuery
  | DiagnoseQuery
  | RenderAnswerQuery
  | VerifyAnswerQuery
  | TurnsQuery
  | RecallQuery
  | MemoryHistoryQuery
  | MemoryLastQuery
  | MemoryCountsQuery
  | MemoryNeighboursQuery
  | MemoryMomentsQuery
  | MemoryRelatedQuery
  | MemoryEpisodesQuery
  | MemoryForgettingQuery
  | MemoryTreeQuery
  | MemoryPurgedQuery
  | ProblemsQuery
  | WhyQuery
  | DigestsQuery
  | EvaluateQuery
  | PromptQuery
  | MetricsQuery
  | SpansQuery
  | ReplayQuery
  | ToolDefinitionsQuery
  | SnapshotQuery
  | DiffQuery
  | WithoutRecordQuery;

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

/** Everything that was said of the relations of an entity, by valid time: a list of {@link RelationVersion}. */
export interface RelationHistoryQuery {
  type: "relation_history";
  /** The point to view at: nothing that was recorded later is shown. */
  at?: Moment;
  /** The entity. */
  entity: string;
  /** Only with this entity. */
  with?: string;
  /** Only this relation. */
  relation?: string;
  /** At most so many. */
  limit?: number;
}

/** The ways from one entity to another over the relations that are true at a moment: {@link PathPage}. */
export interface PathsQuery {
  type: "paths";
  /** The point to view at. */
  at?: Moment;
  /** Where they start. */
  from: string;
  /** Where they end. */
  to: string;
  /** Only over these relations; over all when empty. */
  relations?: string[];
  /** Follows relations from start to end only, backwards only, or either way; `both` when absent. */
  direction?: "out" | "in" | "both";
  /** At most so many relations in a row; 4 when absent. */
  depth?: number;
  /** At most so many ways; 10 when absent. */
  limit?: number;
}

/** The entities around one, over the relations that are true at a moment: {@link Neighbourhood}. */
export interface NeighbourhoodQuery {
  type: "neighbourhood";
  /** The point to view at. */
  at?: Moment;
  /** The entity in the middle. */
  entity: string;
  /** Only over these relations; over all when empty. */
  relations?: string[];
  /** As in `paths`. */
  direction?: "out" | "in" | "both";
  /** How many relations away; 1 when absent. */
  depth?: number;
  /** At most so many entities, the nearest first; 100 when absent. */
  limit?: number;
}

/** The records that led to a field's value, also over the entities upstream: {@link Influences}. */
export interface InfluencesQuery {
  type: "influences";
  /** The point to view at. */
  at?: Moment;
  /** The entity. */
  entity: string;
  /** The field. */
  field: string;
  /** How many relations upstream; 3 when absent. */
  depth?: number;
  /** At most so many records; 100 when absent. */
  limit?: number;
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

/** What can be known of a machine without running it: {@link MachineCheck}. */
export interface CheckMachineQuery {
  type: "check_machine";
  /** The machine; the loaded one when null. */
  machine?: Json;
  /** The fact keys that its guards ask for; the domain's when null. */
  facts?: Json;
  /** The point to view at. */
  at?: Moment;
}

/** What an event would do, without doing it: {@link TransitionResult}. */
export interface TransitionQuery {
  type: "transition";
  /** The machine; the loaded one when null. */
  machine?: Json;
  /**
   * Where it stands: a path, a list of paths, or a snapshot. Where it stands now, or where the given machine
   * begins, when null.
   */
  state?: Json;
  /** The event; when empty, what happens without one: the beginning, and what goes on by itself. */
  event?: string;
  /** What the event carries. */
  data?: Json;
  /** The facts that guards see; the ledger's when null. */
  facts?: Json;
  /** The point to view at. */
  at?: Moment;
}

/** Where a saved snapshot goes on under another definition: any value. */
export interface MigrateSnapshotQuery {
  type: "migrate_snapshot";
  /** The new machine; its `migrate` says where old states go on. The loaded one when null. */
  machine?: Json;
  /** The snapshot, as the query `transition` gives it. */
  snapshot?: Json;
}

/** A state machine of another notation in ours: {@link ImportedMachine}. */
export interface ImportMachineQuery {
  type: "import_machine";
  /** The notation: `asl` (Amazon States Language). */
  format?: string;
  /** The definition. */
  definition?: Json;
}

/** Where sources disagree and how that was settled: a list of {@link ConflictView}. */
export interface ConflictsQuery {
  type: "conflicts";
  /** The point to view at. */
  at?: Moment;
  /** Only this subject. */
  subject?: string;
  /** Only this key. */
  key?: string;
}

/** Everything wrong with a plan: {@link PlanReport}. */
export interface CheckPlanQuery {
  type: "check_plan";
  /** The plan as text, or in its JSON form. */
  plan: Json;
  /** The names of values it may use. */
  inputs?: string[];
  /** The bindings that the answer uses; when they are given, what leads to none of them is of no use. */
  wanted?: string[];
  /** The most steps it may have. */
  max_steps?: number;
  /** Whether to apply every repair and show the plan that comes of it. */
  fix?: boolean;
}

/** What a model is told so that it writes a plan: {@link PlanPrompt}. */
export interface PlanPromptQuery {
  type: "plan_prompt";
  /** The language, `en` or `zh`; the domain's first when absent. */
  language?: string;
  /** The question. */
  question?: string;
  /** The names of values the plan may use. */
  inputs?: string[];
  /** The last reply's plan, of which the findings are quoted. */
  plan?: Json;
  /** How many replies there were. */
  attempt?: number;
}

/** How near a plan comes to a golden one: {@link PlanScore}. */
export interface ScorePlanQuery {
  type: "score_plan";
  /** The plan, in any spelling. */
  plan: Json;
  /** The golden plan. */
  golden: Json;
  /** The names of values that both may use. */
  inputs?: string[];
}

/** The runs: a list of {@link RunRow}. */
export interface RunsQuery {
  type: "runs";
  /** The point to view at. */
  at?: Moment;
}

/** Why a run went wrong and what to change: {@link RunDiagnosis}. */
export interface DiagnoseQuery {
  type: "diagnose";
  /** Its id; the newest when empty. */
  run?: string;
  /** A run's view to diagnose instead of one of this journal. */
  view?: Json;
  /** The plan, when it is not the one in the view. */
  plan?: Json;
  /** The point to view at. */
  at?: Moment;
}

/** An answer from a run's values: {@link AnswerView}. */
export interface RenderAnswerQuery {
  type: "render_answer";
  /** The run's id; the newest when empty. */
  run?: string;
  /** An answer of the domain. */
  answer?: string;
  /** Or a template. */
  template?: string;
  /** The language; the domain's first when empty. */
  language?: string;
  /** The point to view at. */
  at?: Moment;
}

/** What no longer holds of an answer: a list of {@link Broken}. */
export interface VerifyAnswerQuery {
  type: "verify_answer";
  /** The answer, as `render_answer` or a turn gave it. */
  answer: Json;
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
  /** Only the turn of this number; the one of the thread, or of `main`. */
  turn?: number;
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
  /** Ranked by nearness to this vector: a list of numbers, or base64 of little-endian 32-bit floats. */
  vector?: Json;
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

/** Everything that an entity was part of, in order of time; the newest when there is more. */
export interface MemoryHistoryQuery {
  type: "memory_history";
  /** The point to view at. */
  at?: Moment;
  /** The entity. */
  entity: string;
  /** Only what begins before this time. */
  before?: Time;
  /** At most so many. */
  limit?: number;
}

/** The last event of a kind before a time. */
export interface MemoryLastQuery {
  type: "memory_last";
  /** The point to view at. */
  at?: Moment;
  /** The kind. */
  kind: string;
  /** Only what begins before this time. */
  before?: Time;
  /** Only with this entity. */
  entity?: string;
}

/** How many events began in each part of a window, by kind. */
export interface MemoryCountsQuery {
  type: "memory_counts";
  /** The point to view at. */
  at?: Moment;
  /** Where the window begins; with the first event when absent. */
  since?: Time;
  /** Where it ends; after the last event when absent. */
  until?: Time;
  /** How many equal parts; one when absent. */
  buckets?: number;
  /** Only these kinds; all by name when none is named. */
  kinds?: string[];
  /** For drawing: parts of a round width, about so many, as of the head; fast whatever the window. */
  drawing?: boolean;
}

/** The events next to a moment. */
export interface MemoryNeighboursQuery {
  type: "memory_neighbours";
  /** The point to view at. */
  at?: Moment;
  /** The moment. */
  moment?: Time;
  /** How many on either side; 5 when absent. */
  n?: number;
}

/** Simultaneous events together: by thread, then by record, then the surest first. */
export interface MemoryMomentsQuery {
  type: "memory_moments";
  /** The point to view at. */
  at?: Moment;
  /** Where the window begins; with the first event when absent. */
  since?: Time;
  /** Where it ends; after the last event when absent. */
  until?: Time;
  /** Within how many milliseconds of the first one events count as simultaneous; 0 when absent. */
  tolerance?: number;
}

/** The events that lie so to another one. */
export interface MemoryRelatedQuery {
  type: "memory_related";
  /** The point to view at. */
  at?: Moment;
  /** The other one. */
  memory: string;
  /** Allen's relations, `before` to `after`; any when none is named. */
  relations?: string[];
}

/** Events that belong together. */
export interface MemoryEpisodesQuery {
  type: "memory_episodes";
  /** The point to view at. */
  at?: Moment;
  /** The one that this event is part of, with its events; else all of a window. */
  memory?: string;
  /** Where the window begins; with the first event when absent. */
  since?: Time;
  /** Where it ends; after the last event when absent. */
  until?: Time;
  /** `fine` (minutes; when absent) or `coarse` (hours). */
  scale?: string;
  /** At most so many, the newest. */
  limit?: number;
}

/** What would be forgotten next, and why. */
export interface MemoryForgettingQuery {
  type: "memory_forgetting";
  /** The point to view at. */
  at?: Moment;
  /** The bounds, as of the command `forget_by`. */
  policy?: Omit<ForgetBy, "type">;
  /** At most so many. */
  limit?: number;
}

/** The tree of summaries, and what a recall of a window and kinds does with each part. */
export interface MemoryTreeQuery {
  type: "memory_tree";
  /** The point to view at. */
  at?: Moment;
  /** Where the window begins. */
  since?: Time;
  /** Where it ends. */
  until?: Time;
  /** Only these kinds. */
  kinds?: string[];
  /** Whose first and last state each part shows. */
  entity?: string;
  /** Also below the parts whose summary says all. */
  all?: boolean;
  /** At most so many parts. */
  limit?: number;
}

/** What was purged. */
export interface MemoryPurgedQuery {
  type: "memory_purged";
  /** The point to view at. */
  at?: Moment;
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

/** The tools that a model may call now, in a provider's shape: any value. */
export interface ToolDefinitionsQuery {
  type: "tool_definitions";
  /** `plain` when absent: `{name, description, parameters, writes}`. */
  shape?: "openai" | "openai_responses" | "anthropic" | "gemini" | "mcp" | "ai_sdk" | "plain";
  /** Also those that the machine's state keeps closed. */
  closed?: boolean;
  /** The point to view at. */
  at?: Moment;
}

/** What is, by area and id: any value. */
export interface SnapshotQuery {
  type: "snapshot";
  /** The point to view at. */
  at?: Moment;
}

/** What differs between two moments, or from another session: {@link Difference}. */
export interface DiffQuery {
  type: "diff";
  /** The one moment. */
  from?: Moment;
  /** The other one. */
  to?: Moment;
  /** Instead of `to`: the `snapshot` of another session. */
  other?: Json;
}

/** What would not be without a record: {@link Without}. */
export interface WithoutRecordQuery {
  type: "without";
  /** The record. */
  seq: number;
}

/** How the turns went, in figures: {@link MetricsView}. */
export interface MetricsQuery {
  type: "metrics";
  /** The point to view at. */
  at?: Moment;
  /** Only this thread. */
  thread?: string;
}

/** The turns as OpenTelemetry spans with the GenAI names: an OTLP/JSON map. */
export interface SpansQuery {
  type: "spans";
  /** The point to view at. */
  at?: Moment;
  /** Only this thread. */
  thread?: string;
  /** Only this turn. */
  turn?: number;
  /** With the texts of prompts, replies, calls and errors; without them when absent. */
  content?: boolean;
}

/** The recorded run decided again without any call: {@link ReplayView}. */
export interface ReplayQuery {
  type: "replay";
  /** The point to view at. */
  at?: Moment;
}
