// Everything that can be read, as methods: of a session now, or of a view at a moment.

import type {
  EntitiesQuery,
  FactsQuery,
  InfluencesQuery,
  NeighbourhoodQuery,
  PathsQuery,
  Query,
  RecallQuery,
  RecordsQuery,
  RelationHistoryQuery,
  RelationsQuery,
  SpansQuery,
  WhyQuery,
} from "./queries.js";
import type { Json, JsonMap, Moment } from "./values.js";
import type {
  Digests,
  DocumentRow,
  DocumentView,
  DomainView,
  EntityDetail,
  EntityView,
  EventView,
  FactPage,
  FactView,
  Influences,
  MachineView,
  MetricsView,
  Neighbourhood,
  PathPage,
  PlanReport,
  Problem,
  PromptView,
  RecallPage,
  RecordDetail,
  RecordPage,
  RelationVersion,
  RelationView,
  ReplayView,
  RunRow,
  RunView,
  Status,
  Timeline,
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
}

