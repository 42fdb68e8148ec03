// Everything that can be read, as methods: of a session now, or of a view at a moment.

import type { ForgetBy } from "./commands.js";
import type {
  EntitiesQuery,
  FactsQuery,
  InfluencesQuery,
  MemoryCountsQuery,
  MemoryEpisodesQuery,
  MemoryHistoryQuery,
  MemoryLastQuery,
  MemoryMomentsQuery,
  MemoryTreeQuery,
  NeighbourhoodQuery,
  PathsQuery,
  PlanPromptQuery,
  Query,
  RecallQuery,
  RecordsQuery,
  RelationHistoryQuery,
  RelationsQuery,
  RenderAnswerQuery,
  SpansQuery,
  WhyQuery,
} from "./queries.js";
import type { Json, JsonMap, Moment, Time } from "./values.js";
import type {
  AnswerView,
  Broken,
  Digests,
  DocumentRow,
  DocumentView,
  DomainView,
  EntityDetail,
  EntityView,
  EpisodeView,
  EventView,
  FactPage,
  FactView,
  ForgettingRow,
  Influences,
  MachineView,
  MemoryCounts,
  MemoryView,
  MetricsView,
  MomentView,
  Neighbourhood,
  Neighbours,
  PathPage,
  PlanPrompt,
  PlanReport,
  PlanScore,
  Problem,
  PromptView,
  RecallPage,
  RecordDetail,
  RecordPage,
  RelationVersion,
  RelationView,
  ReplayView,
  RunDiagnosis,
  RunRow,
  RunView,
  Status,
  Timeline,
  Tombstone,
  TreeView,
  TurnView,
  Why,
} from "./views.js";

/** A query's fields without its type and its moment. */
type Narrow<Q> = Omit<Q, "type" | "at">;

/** Everything that can be read, at one moment. */
export abstract class Reader {
  /** The moment that this reads at; `undefined` is now. */
  abstract readonly moment: Moment | undefined;

  /** Answers a query. Reading changes nothing. */
  abstract query<Answer = Json>(query: Query | string): Promise<Answer>;

  #at<Answer>(query: Query): Promise<Answer> {
    return this.query<Answer>(this.moment === undefined ? query : ({ ...query, at: this.moment } as Query));
  }

  /** Current facts, and how many versions are hidden and why. */
  facts(which: Narrow<FactsQuery> = {}): Promise<FactPage> {
    return this.#at({ type: "facts", ...which });
  }

  /** The value of a fact; `undefined` when there is none. */
  async fact(key: string, subject?: string): Promise<Json | undefined> {
    const { facts } = await this.facts(subject === undefined ? { key } : { key, subject });
    const mine = facts.filter((fact) => subject !== undefined || fact.subject === "session");
    return mine.at(-1)?.value;
  }

  /** All versions of one fact, oldest first. */
  factHistory(key: string, subject?: string): Promise<FactView[]> {
    return this.#at(subject === undefined ? { type: "fact_history", key } : { type: "fact_history", key, subject });
  }

  /** The entities. */
  entities(which: Narrow<EntitiesQuery> = {}): Promise<EntityView[]> {
    return this.#at({ type: "entities", ...which });
  }

  /** One entity with its versions and relations, by its id, its name in the world, or an alias. */
  entity(entity: string): Promise<EntityDetail> {
    return this.#at({ type: "entity", entity });
  }

  /** Relations. */
  relations(which: Narrow<RelationsQuery> = {}): Promise<RelationView[]> {
    return this.#at({ type: "relations", ...which });
  }

  /** Everything that was said of an entity's relations, whatever became of it. */
  relationHistory(which: Narrow<RelationHistoryQuery>): Promise<RelationVersion[]> {
    return this.#at({ type: "relation_history", ...which });
  }

  /** The ways from one entity to another. */
  paths(which: Narrow<PathsQuery>): Promise<PathPage> {
    return this.#at({ type: "paths", ...which });
  }

  /** The entities around one. */
  neighbourhood(which: Narrow<NeighbourhoodQuery>): Promise<Neighbourhood> {
    return this.#at({ type: "neighbourhood", ...which });
  }

  /** The records that led to a field's value, also over the entities upstream. */
  influences(which: Narrow<InfluencesQuery>): Promise<Influences> {
    return this.#at({ type: "influences", ...which });
  }

  /** Scheduled events. */
  events(): Promise<EventView[]> {
    return this.#at({ type: "events" });
  }

  /** The machine: its state, its transitions, which are open and why not. */
  machine(): Promise<MachineView> {
    return this.#at({ type: "machine" });
  }

  /** The loaded domain. */
  domain(): Promise<DomainView> {
    return this.#at({ type: "domain" });
  }

  /** The documents. */
  documents(): Promise<DocumentRow[]> {
    return this.#at({ type: "documents" });
  }

  /** One document with its text. */
  document(name: string): Promise<DocumentView> {
    return this.#at({ type: "document", name });
  }

  /** The runs of plans. */
  runs(): Promise<RunRow[]> {
    return this.#at({ type: "runs" });
  }

  /** One run with its steps and values; the newest without an id. */
  run(run?: string): Promise<RunView> {
    return this.#at(run === undefined ? { type: "run" } : { type: "run", run });
  }

  /** Why a run went wrong, and what to change; the newest run when none is named. */
  diagnose(run?: string): Promise<RunDiagnosis> {
    return this.#at(run === undefined ? { type: "diagnose" } : { type: "diagnose", run });
  }

  /** An answer from a run's values, by an answer of the domain or a template. */
  renderAnswer(which: Narrow<RenderAnswerQuery> = {}): Promise<AnswerView> {
    return this.#at({ type: "render_answer", ...which });
  }

  /** What no longer holds of an answer; nothing when all of it does. */
  verifyAnswer(answer: AnswerView): Promise<Broken[]> {
    return this.#at({ type: "verify_answer", answer: answer as unknown as Json });
  }

  /** The turns of the agent. */
  turns(thread?: string): Promise<TurnView[]> {
    return this.#at(thread === undefined ? { type: "turns" } : { type: "turns", thread });
  }

  /** How the turns went, in figures. */
  metrics(thread?: string): Promise<MetricsView> {
    return this.#at(thread === undefined ? { type: "metrics" } : { type: "metrics", thread });
  }

  /** The turns as OpenTelemetry spans with the GenAI names: OTLP/JSON, what an exporter posts to `/v1/traces`. */
  exportOtlp(which: Narrow<SpansQuery> = {}): Promise<JsonMap> {
    return this.#at({ type: "spans", ...which });
  }

  /** Decides the recorded run again without any call, and names the first record that comes out otherwise. */
  replay(): Promise<ReplayView> {
    return this.#at({ type: "replay" });
  }

  /** Remembered events, by window, kind, entity and words. */
  recall(which: Narrow<RecallQuery> = {}): Promise<RecallPage> {
    return this.#at({ type: "recall", ...which });
  }

  /** Everything that an entity was part of, in order of time. */
  memoryHistory(entity: string, more: Omit<Narrow<MemoryHistoryQuery>, "entity"> = {}): Promise<RecallPage> {
    return this.#at({ type: "memory_history", entity, ...more });
  }

  /** The last event of a kind, before a time where one is given. */
  memoryLast(kind: string, more: Omit<Narrow<MemoryLastQuery>, "kind"> = {}): Promise<MemoryView | null> {
    return this.#at({ type: "memory_last", kind, ...more });
  }

  /** How many events by time and kind. */
  memoryCounts(which: Narrow<MemoryCountsQuery> = {}): Promise<MemoryCounts> {
    return this.#at({ type: "memory_counts", ...which });
  }

  /** The events next to a moment. */
  memoryNeighbours(moment: Time, n = 5): Promise<Neighbours> {
    return this.#at({ type: "memory_neighbours", moment, n });
  }

  /** Simultaneous events together. */
  memoryMoments(which: Narrow<MemoryMomentsQuery> = {}): Promise<MomentView[]> {
    return this.#at({ type: "memory_moments", ...which });
  }

  /** The events that lie so to another one, by Allen's relations; any when none is named. */
  memoryRelated(memory: string, ...relations: string[]): Promise<MemoryView[]> {
    return this.#at({ type: "memory_related", memory, relations });
  }

  /** Events that belong together: those of a window, or the one that an event is part of. */
  memoryEpisodes(which: Narrow<MemoryEpisodesQuery> = {}): Promise<EpisodeView[]> {
    return this.#at({ type: "memory_episodes", ...which });
  }

  /** What a policy would forget next, and why. */
  memoryForgetting(policy: Omit<ForgetBy, "type">, limit?: number): Promise<ForgettingRow[]> {
    return this.#at({ type: "memory_forgetting", policy, ...(limit === undefined ? {} : { limit }) });
  }

  /** The tree of summaries, and what a recall does with each part. */
  memoryTree(which: Narrow<MemoryTreeQuery> = {}): Promise<TreeView> {
    return this.#at({ type: "memory_tree", ...which });
  }

  /** What was purged: ids, times and reasons. */
  memoryPurged(): Promise<Tombstone[]> {
    return this.#at({ type: "memory_purged" });
  }

  /** What is open or went wrong. */
  problems(): Promise<Problem[]> {
    return this.#at({ type: "problems" });
  }

  /** Why a value is what it is: name a record, a fact, or an entity's field. */
  why(what: Narrow<WhyQuery>): Promise<Why> {
    return this.#at({ type: "why", ...what });
  }

  /** The three digests. */
  digests(): Promise<Digests> {
    return this.#at({ type: "digests" });
  }

  /** The value of an expression over facts, entities and state. */
  evaluate(expression: string, names: JsonMap = {}): Promise<Json> {
    return this.#at({ type: "evaluate", expression, names });
  }

  /** The prompt that a model would be given. */
  prompt(stage: string, thread?: string): Promise<PromptView> {
    return this.#at(thread === undefined ? { type: "prompt", stage } : { type: "prompt", stage, thread });
  }
}

/** A view at a moment: reads only, and always the same. */
export class View extends Reader {
  readonly moment: Moment;
  readonly #session: Reader;

  /** @internal */
  constructor(session: Reader, moment: Moment) {
    super();
    this.#session = session;
    this.moment = moment;
  }

  override query<Answer = Json>(query: Query | string): Promise<Answer> {
    return this.#session.query<Answer>(query);
  }
}

/** What is read of the journal itself, whatever the moment. */
export abstract class JournalReader extends Reader {
  /** Head, counts, clock. */
  status(): Promise<Status> {
    return this.query({ type: "status" });
  }

  /** Records in order, a page at a time. */
  records(which: Omit<RecordsQuery, "type"> = {}): Promise<RecordPage> {
    return this.query({ type: "records", ...which });
  }

  /** One record with the chain of its causes. */
  record(seq: number): Promise<RecordDetail> {
    return this.query({ type: "record", seq });
  }

  /** Columns for drawing. */
  timeline(from = 0): Promise<Timeline> {
    return this.query({ type: "timeline", from });
  }

  /** Everything wrong with a plan, without running it. */
  checkPlan(plan: Json, inputs: string[] = []): Promise<PlanReport> {
    return this.query({ type: "check_plan", plan, inputs });
  }

  /** The plan after every repair that a machine can make, and what is left wrong with it. */
  fixPlan(plan: Json, inputs: string[] = []): Promise<PlanReport> {
    return this.query({ type: "check_plan", plan, inputs, fix: true });
  }

  /** What a model is told so that it writes a plan; with `plan`, what was wrong with its last one. */
  planPrompt(asked: Omit<PlanPromptQuery, "type"> = {}): Promise<PlanPrompt> {
    return this.query({ type: "plan_prompt", ...asked });
  }

  /** How near a plan comes to a golden one. */
  scorePlan(plan: Json, golden: Json, inputs: string[] = []): Promise<PlanScore> {
    return this.query({ type: "score_plan", plan, golden, inputs });
  }
}

