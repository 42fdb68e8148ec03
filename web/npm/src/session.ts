// An opened journal.

import type {
  AddRelation,
  Amend,
  AssertFact,
  Breakpoint,
  CallTool,
  Command,
  ForgetBy,
  MemoryItem,
  Propose,
  Purged,
  RegisterEntity,
  Rerun,
  RetractFact,
  ScheduleEvent,
  StartRun,
  UpdateEntity,
} from "./commands.js";
import type { Domain } from "./domain.js";
import { ThroughlineError } from "./error.js";
import type { Intervention } from "./interventions.js";
import { checkNames } from "./options.js";
import { decode, encode } from "./exact.js";
import { Gather, command, metaOf, partsOf, pause } from "./importing.js";
import type { EventColumns, ImportOptions, Imported, Part } from "./importing.js";
import { Rows, noRows } from "./rows.js";
import { Link } from "./link.js";
import type { Query } from "./queries.js";
import type { Delta, Fault, ModelSettings, Recording } from "./model.js";
import { JournalReader, View } from "./reader.js";
import { zoneCommand, zonesIn, zonesInText } from "./zone.js";
import type { Done, Json, JsonMap, Meta, Moment, Span, Time } from "./values.js";
import type { Difference, Digests, ForkReport, Status, TurnView, Without } from "./views.js";

/** That the journal grew. */
export interface Change {
  /** The last record. */
  seq: number;
  /** The thread whose turn is going on. */
  busy?: string;
  /** Whether another session of the journal appended some of it. */
  foreign?: boolean;
}

/** How a journal is forked. */
export interface ForkOptions {
  /** The last record that both have; the head when absent, or the one before the first intervention. */
  at?: number;
  /** What is otherwise after it: the commands after it are decided again. */
  interventions?: Intervention[];
  /** Goes on with what came later up to this record; to the head when there are interventions, and else not. */
  until?: number;
  /** What becomes of calls and exchanges that were not recorded: left open for this fork's tools and model
   *  (`recompute`, when absent), or failed with `not-recorded` (`stub`). */
  unrecorded?: "recompute" | "stub";
  /** The id of the new journal; made from this one's when absent. */
  id?: string;
  /** The name of the new journal; made from this one's when absent. */
  name?: string;
  /** Where it is kept; where this one is when absent. */
  storage?: "indexeddb" | "memory";
}

/** A fork: its own session, and what it did. */
export interface Forked {
  session: Session;
  report: ForkReport;
}

/** Opens another journal in the same way as this one. @internal */
export type OpenLike = (name: string, storage: "indexeddb" | "memory" | undefined) => Promise<Session>;

/** The journal as one file. */
export interface Exported {
  /** The file: a manifest line, then one line a frame. */
  text: string;
  /** The last record in it. */
  seq: number;
  /** The chain there. */
  chain: string;
}

/** What reading all stored bytes again found. */
export interface Verified {
  /** Whether every byte is as it was written. */
  ok: boolean;
  /** The last record that is good. */
  seq: number;
  /** The digests up to there. */
  digests: Digests;
  /** What is wrong with the next, and where. */
  error: { code: string; message: string; details?: Json } | null;
}

/** How a turn is said. */
export interface Say {
  /** The logical timeline; `main` when absent. */
  thread?: string;
  /** The language of the answer, as a BCP 47 tag; the domain's first when absent. */
  language?: string;
  /** Ends the wait, and the turn with it. */
  signal?: AbortSignal;
}

/** Why the rules of a zone were loaded. */
const ZONE_REASON = "a command names the zone";

/** What became of a proposal. */
export interface Proposed extends JsonMap {
  /** `done`, `failed` when one of its commands was refused, or `asked`. */
  status: "done" | "failed" | "asked";
  /** The action. */
  action: string;
}

/** Fields of a command without its type and those that are arguments of their own. */
type More<C, Given extends keyof C = never> = Omit<C, "type" | Given>;

/** An opened journal: everything that can be asked to change and to be read. */
export class Session extends JournalReader {
  readonly moment = undefined;
  readonly #link: Link;
  #rows: Rows | undefined;
  #rowsOf: object | undefined;
  readonly #zones = new Set<string>();
  #zonesLoading: Promise<void> | undefined;

  readonly #openLike: OpenLike;

  /** @internal */
  constructor(link: Link, openLike: OpenLike) {
    super();
    this.#link = link;
    this.#openLike = openLike;
  }

  /** The journal's name. */
  get name(): string {
    return this.#link.name;
  }

  /**
   * Runs a command. Resolves when it is durable; rejects with the refusal, which is in the journal too and
   * has left the state as it was.
   *
   * @param command the command, or its JSON text
   */
  async execute<Result extends Json = Json>(command: Command | string, meta: Meta = {}): Promise<Done<Result>> {
    const text = typeof command === "string" ? command : encode(command);
    const zones = typeof command === "string" ? zonesInText(command) : zonesIn(command);
    if (zones.size > 0) this.#zonesLoading = this.#loadZones(zones);
    // Commands are done in the order in which they were given.
    if (this.#zonesLoading !== undefined) await this.#zonesLoading;
    return this.#run<Result>(text, meta);
  }

  async #run<Result extends Json>(text: string, meta: Meta): Promise<Done<Result>> {
    const outcome = (await this.#link.call({ type: "execute", command: text, meta: meta as JsonMap })) as JsonMap;
    const { refused } = outcome;
    if (refused !== undefined) throw ThroughlineError.of(refused as unknown as ThroughlineError["details"]);
    return outcome["done"] as unknown as Done<Result>;
  }

  /** Loads those rules that this session has not loaded; a name that there is no zone of is the engine's to refuse. */
  async #loadZones(names: Set<string>): Promise<void> {
    await this.#zonesLoading;
    for (const name of names) {
      if (this.#zones.has(name)) continue;
      const command = await zoneCommand(name);
      if (command === undefined) continue;
      await this.#run(encode(command), { reason: ZONE_REASON }).catch(() => undefined);
      this.#zones.add(name);
    }
    this.#zonesLoading = undefined;
  }

  /** Loads the rules of a named time zone. Commands that name one do so by themselves; expressions do not. */
  async loadZone(name: string, meta?: Meta): Promise<Done<{ zone: string; version: string }>> {
    const command = await zoneCommand(name);
    if (command === undefined) throw new ThroughlineError("unknown-zone", `there is no time zone \`${name}\``);
    return this.execute(command, meta);
  }

  /** Answers a query. @param query the query, or its JSON text */
  override async query<Answer = Json>(query: Query | string): Promise<Answer> {
    const text = typeof query === "string" ? query : encode(query);
    return (await this.#link.call({ type: "query", query: text })) as Answer;
  }

  /** A view at a moment: after a record, at what was known at a time, or at what was true at a time. */
  at(moment: Moment | number): View {
    return new View(this, typeof moment === "number" ? { seq: moment } : moment);
  }

  /**
   * Loads the rules of the business: a document, or its JSON text. What is wrong with it is told all at once, in
   * `error.details.details.problems`, each with its place; of a text also in bytes.
   */
  async loadDomain(domain: Domain | string, meta?: Meta): Promise<Done> {
    if (typeof domain !== "string") return this.execute({ type: "load_domain", domain }, meta);
    const before = '{"type":"load_domain","domain":';
    try {
      return await this.execute(`${before}${domain}}`, meta);
    } catch (error) {
      throw error instanceof ThroughlineError ? moved(error, before.length) : error;
    }
  }

  /** Does what a model's tool call asks for, in any provider's shape; `reply` of the result is for the model. */
  callTool(call: Json, shape?: CallTool["shape"], meta?: Meta): Promise<Done<{ tool: string; id: Json; result: Json; reply: Json }>> {
    return this.execute({ type: "call_tool", call, ...(shape === undefined ? {} : { shape }) }, meta);
  }

  /** Adds a document or a new version of one. */
  addDocument(name: string, text: string, media_type?: string, meta?: Meta): Promise<Done> {
    return this.execute({ type: "add_document", name, ...(media_type === undefined ? {} : { media_type }), text }, meta);
  }

  /** Registers an entity; the same one again changes nothing. */
  registerEntity(
    entity_type: string,
    raw_id: string,
    more: More<RegisterEntity, "entity_type" | "raw_id"> = {},
    meta?: Meta,
  ): Promise<Done<{ entity: string; created: boolean }>> {
    return this.execute({ ...more, type: "register_entity", entity_type, raw_id }, meta);
  }

  /** Changes fields of an entity; null clears one. */
  updateEntity(
    entity: string,
    fields: JsonMap,
    more: More<UpdateEntity, "entity" | "fields"> = {},
    meta?: Meta,
  ): Promise<Done> {
    return this.execute({ ...more, type: "update_entity", entity, fields }, meta);
  }

  /** Makes one entity of two. */
  mergeEntities(keep: string, merge: string, meta?: Meta): Promise<Done> {
    return this.execute({ type: "merge_entities", keep, merge }, meta);
  }

  /** Undoes a merge exactly. */
  unmergeEntities(merged: string, meta?: Meta): Promise<Done> {
    return this.execute({ type: "unmerge_entities", merged }, meta);
  }

  /** Ends an entity. */
  retireEntity(entity: string, meta?: Meta): Promise<Done> {
    return this.execute({ type: "retire_entity", entity }, meta);
  }

  /** Adds a relation between two entities. */
  addRelation(
    from: string,
    relation: string,
    to: string,
    more: More<AddRelation, "from" | "relation" | "to"> = {},
    meta?: Meta,
  ): Promise<Done<{ relation: string }>> {
    return this.execute({ ...more, type: "add_relation", from, relation, to }, meta);
  }

  /** Ends a relation. */
  endRelation(relation: string, meta?: Meta): Promise<Done> {
    return this.execute({ type: "end_relation", relation }, meta);
  }

  /** Schedules an event at a time, on a condition, or both. */
  scheduleEvent(name: string, more: More<ScheduleEvent, "name">, meta?: Meta): Promise<Done<{ event: string }>> {
    return this.execute({ ...more, type: "schedule_event", name }, meta);
  }

  /** Fires an event by hand. */
  triggerEvent(event: string, meta?: Meta): Promise<Done> {
    return this.execute({ type: "trigger_event", event }, meta);
  }

  /** Cancels an event. */
  cancelEvent(event: string, meta?: Meta): Promise<Done> {
    return this.execute({ type: "cancel_event", event }, meta);
  }

  /** Asserts a fact; a new version when the value differs. */
  assertFact(key: string, value: Json, more: More<AssertFact, "key" | "value"> = {}, meta?: Meta): Promise<Done<JsonMap>> {
    return this.execute({ ...more, type: "assert_fact", key, value }, meta);
  }

  /** Retracts a fact, or one value of a fact that has many. */
  retractFact(key: string, more: More<RetractFact, "key"> = {}, meta?: Meta): Promise<Done> {
    return this.execute({ ...more, type: "retract_fact", key }, meta);
  }

  /** Sends an event to the machine. */
  sendEvent(event: string, data: Json = null, meta?: Meta): Promise<Done<JsonMap>> {
    return this.execute({ type: "send_event", event, data }, meta);
  }

  /** Checks a plan and starts a run of it; rejects with every diagnostic when it cannot run. */
  startRun(plan: Json, more: More<StartRun, "plan"> = {}, meta?: Meta): Promise<Done<{ run: string }>> {
    return this.execute({ ...more, type: "start_run", plan }, meta);
  }

  /** Lets a paused run do its next step. */
  stepRun(run: string, meta?: Meta): Promise<Done> {
    return this.execute({ type: "step_run", run }, meta);
  }

  /** Lets a paused run go on. */
  continueRun(run: string, meta?: Meta): Promise<Done> {
    return this.execute({ type: "continue_run", run }, meta);
  }

  /** Pauses a run before its next step. */
  pauseRun(run: string, meta?: Meta): Promise<Done> {
    return this.execute({ type: "pause_run", run }, meta);
  }

  /** Says where a run pauses by itself. */
  setBreakpoints(run: string, breakpoints: Breakpoint[], meta?: Meta): Promise<Done> {
    return this.execute({ type: "set_breakpoints", run, breakpoints }, meta);
  }

  /** Gives a binding of a paused run another value. */
  editBinding(run: string, binding: string, value: Json, meta?: Meta): Promise<Done<{ before: Json }>> {
    return this.execute({ type: "edit_binding", run, binding, value }, meta);
  }

  /** Runs a plan again as a new run that reuses what does not change. */
  rerun(run: string, more: More<Rerun, "run"> = {}, meta?: Meta): Promise<Done<{ run: string; reruns: string }>> {
    return this.execute({ ...more, type: "rerun", run }, meta);
  }

  /** Ends a run. */
  cancelRun(run: string, meta?: Meta): Promise<Done> {
    return this.execute({ type: "cancel_run", run }, meta);
  }

  /** Remembers events. */
  remember(items: MemoryItem | MemoryItem[], meta?: Meta): Promise<Done<{ memories: string[] }>> {
    return this.execute({ type: "remember", items: Array.isArray(items) ? items : [items] }, meta);
  }

  /** Corrects a remembered event; what is not given stays. */
  amend(memory: string, more: More<Amend, "memory">, meta?: Meta): Promise<Done> {
    return this.execute({ type: "amend", memory, ...more }, meta);
  }

  /** Notes that remembered events were used: they are forgotten later. */
  touch(memories: string[], meta?: Meta): Promise<Done<{ touched: number }>> {
    return this.execute({ type: "touch", memories }, meta);
  }

  /** Forgets what a budget or an age does not keep, undoably. */
  forgetBy(policy: More<ForgetBy>, meta?: Meta): Promise<Done<{ forgotten: number; more: number }>> {
    return this.execute({ type: "forget_by", ...policy }, meta);
  }

  /**
   * Purges remembered events: nothing of what they said is left, in memory or stored, when it resolves, but in the
   * records of `also_in`, which hold their words and cannot be erased.
   */
  purge(memories: string[], meta?: Meta): Promise<Done<Purged>> {
    return this.execute({ type: "purge", memories }, meta);
  }

  /**
   * The synchronous rows of the memory, where the engine runs on this thread (`host: "here"`); `undefined` where it
   * runs in a worker.
   */
  get rows(): Rows | undefined {
    const there = this.#link.rows;
    if (there === undefined) return undefined;
    if (this.#rows === undefined || this.#rowsOf !== there) {
      this.#rowsOf = there;
      this.#rows = new Rows(() => (this.#link.rows ?? raise()).raw, there.memory);
    }
    return this.#rows;
  }

  /**
   * Remembers many events: columns, or events one by one from anything that can be iterated. They go in as a few
   * large records; in between the page can do something else.
   */
  async importEvents(
    events: EventColumns | Iterable<MemoryItem> | AsyncIterable<MemoryItem>,
    options: ImportOptions = {},
  ): Promise<Imported> {
    const done: Imported = { count: 0, duplicates: 0, records: [], cancelled: false };
    const columns = "at" in events && "kinds" in events ? events : undefined;
    const total = columns?.at.length;
    const rows = options.rows ?? (columns === undefined ? 8_192 : 100_000);
    if (!(Number.isInteger(rows) && rows > 0)) {
      throw new ThroughlineError("bad-rows", `a record holds a whole number of events, at least one, not ${rows}`);
    }
    // The number of the next event at the source.
    let number = 0;
    /** Gives a part; how many of the source's events are in by it. */
    const give = async (part: Part): Promise<number> => {
      const rows = part.at.length;
      const result = await this.#insert(part, metaOf(options, number));
      const { count = rows, record } = result;
      // A record that begins with this event is there already, of whatever length: the rest goes on after it.
      const taken = result.unchanged === true ? count : rows;
      number += taken;
      done.count += Math.min(taken, rows);
      if (result.unchanged === true) done.duplicates += Math.min(taken, rows);
      if (record !== undefined) done.records.push(record);
      options.onProgress?.({ done: done.count, total });
      await pause();
      done.cancelled = options.signal?.aborted === true;
      return taken;
    };
    if (options.signal?.aborted === true) return { ...done, cancelled: true };
    if (columns !== undefined) {
      const parts = partsOf(columns, rows);
      // Room is made once: what grows part by part is copied again and again.
      this.rows?.expect(columns.at.length, columns.entity?.length ?? 0);
      for (let part = parts.next(); part.done !== true && !done.cancelled; ) {
        const { length } = part.value.at;
        const taken = await give(part.value);
        // What was in already may go on beyond the part.
        const beyond = Math.max(0, Math.min(number, columns.at.length) - (number - taken) - length);
        done.count += beyond;
        done.duplicates += beyond;
        part = parts.next(taken);
      }
      return done;
    }
    let gather = new Gather();
    let known = 0;
    const flush = async (): Promise<void> => {
      while (gather.size > 0 && !done.cancelled) {
        const { size } = gather;
        const taken = await give(gather.part());
        known = Math.max(0, taken - size);
        gather = taken < size ? gather.after(taken) : new Gather();
      }
    };
    for await (const item of events as AsyncIterable<MemoryItem>) {
      if (known > 0) {
        // In already, with what came before it.
        known -= 1;
        done.count += 1;
        done.duplicates += 1;
        continue;
      }
      try {
        gather.add(item);
      } catch (error) {
        // Whoever gave a million events must know which of them it was; those of earlier parts are in.
        if (!(error instanceof ThroughlineError)) throw error;
        const event = number + gather.size;
        throw new ThroughlineError(error.code, `event ${event}: ${error.message}`, { details: { event, imported: done.count } });
      }
      if (gather.size < rows && !gather.full) continue;
      await flush();
      if (done.cancelled) return done;
    }
    await flush();
    return done;
  }

  async #insert(part: Part, meta: Meta): Promise<{ count?: number; record?: number; unchanged?: boolean }> {
    const { rows } = this;
    const plain = [...part.kinds, ...part.entities].every((name) => !/[\r\n]/.test(name));
    if (rows === undefined || !plain) return (await this.execute(command(part), meta)).result as never;
    // On this thread the columns go in as they are.
    const lines = (names: string[]): string => names.map((name) => `${name}\n`).join("");
    const text = await rows.insert(
      lines(part.kinds),
      lines(part.entities),
      part.at,
      part.kind,
      part.entityCount,
      part.entity,
      part.text,
      part.textBytes,
      part.lasts,
      part.importance,
      part.place,
      part.vectorSize,
      part.vector,
      encode(meta as JsonMap),
    );
    const outcome = decode(text as string) as JsonMap;
    const { refused } = outcome;
    if (refused !== undefined) throw ThroughlineError.of(refused as unknown as ThroughlineError["details"]);
    return (outcome["done"] as JsonMap)["result"] as never;
  }

  /** Forgets remembered events, undoably. */
  forget(memories: string[], meta?: Meta): Promise<Done> {
    return this.execute({ type: "forget", memories }, meta);
  }

  /** Brings forgotten events back. */
  recover(memories: string[], meta?: Meta): Promise<Done> {
    return this.execute({ type: "recover", memories }, meta);
  }

  /** Answers what the engine asked a person. */
  answer(ask: string, answer: Json, meta?: Meta): Promise<Done> {
    return this.execute({ type: "answer", ask, answer }, meta);
  }

  /**
   * Proposes an action of the domain, as the model of a turn does: it is done, put before a person
   * (`status: "asked"`), or refused.
   */
  propose(action: string, args: JsonMap = {}, more: More<Propose, "action" | "args"> = {}, meta?: Meta): Promise<Done<Proposed>> {
    return this.execute({ type: "propose", action, args, ...more }, meta);
  }

  /** Several commands; all or none. */
  batch(commands: Command[], meta?: Meta): Promise<Done<Json[]>> {
    return this.execute({ type: "batch", commands }, meta);
  }

  /**
   * Says something to the agent, and waits for the turn's end: an answer, a question to a person
   * (`status: "waiting"`), or a failure.
   */
  async say(text: string, how: Say = {}): Promise<TurnView> {
    const { thread, language, signal } = how;
    const meta: Meta = thread === undefined ? {} : { thread };
    const command: Command = language === undefined ? { type: "begin_turn", text } : { type: "begin_turn", text, language };
    const begun = await this.execute<{ thread: string; turn: number }>(command, meta);
    const mine = begun.result;
    const stop = () => void this.execute({ type: "stop_turn" }, { thread: mine.thread }).catch(() => undefined);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
    try {
      return await this.#until(async () => {
        const [turn] = await this.query<TurnView[]>({ type: "turns", ...mine });
        return turn !== undefined && turn.status !== "running" ? turn : undefined;
      });
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  /** Looks after every change until there is something to give. */
  #until<T>(look: () => Promise<T | undefined>): Promise<T> {
    return new Promise((resolve, reject) => {
      let looking = false;
      let again = false;
      const end = () => {
        unsubscribe();
        unfail();
      };
      const fail = (error: unknown) => {
        end();
        reject(error);
      };
      const check = async () => {
        if (looking) {
          again = true;
          return;
        }
        looking = true;
        try {
          do {
            again = false;
            const found = await look();
            if (found !== undefined) {
              end();
              resolve(found);
            }
          } while (again);
        } catch (error) {
          fail(error);
        } finally {
          looking = false;
        }
      };
      const unsubscribe = this.subscribe(() => void check());
      const unfail = this.#link.onFailure(fail);
      void check();
    });
  }

  /** Calls after every change, by this session or another one of the same journal. Gives what ends it. */
  subscribe(listener: (change: Change) => void): () => void {
    return this.#link.onChange(listener);
  }

  /**
   * Gives the models' recorded replies: a cassette's text, or its entries. They go before a model; without a cassette
   * they are taken away, and the model is asked again. Gives how many there are.
   */
  async loadCassette(cassette: string | Json[] = ""): Promise<number> {
    const { exchanges } = (await this.#link.loadCassette(cassetteText(cassette))) as { exchanges: number };
    return exchanges;
  }

  /**
   * Attaches a model by its settings; it is asked where there is no cassette. Without settings it is taken away.
   * Gives what it will be reached by. The key stays in memory.
   */
  async setModel(settings?: ModelSettings): Promise<{ provider?: string; model?: string; endpoint?: string }> {
    return (await this.#link.setModel(settings)) as { provider?: string; model?: string; endpoint?: string };
  }

  /** Calls with every piece of a reply as it comes from a provider. Gives what ends it. */
  onDelta(listener: (delta: Delta) => void): () => void {
    return this.#link.onDelta(listener);
  }

  /** Turns the recording of exchanges on or off, or only looks. The text is a cassette. */
  async recordCassette(on?: boolean): Promise<Recording> {
    return (await this.#link.call({ type: "record", ...(on === undefined ? {} : { on }) })) as unknown as Recording;
  }

  /** Harms recorded replies on their way from now on, for tests; `{}` ends it. */
  async harm(fault: Fault): Promise<void> {
    await this.#link.call({ type: "fault", ...(fault as JsonMap) });
  }

  /** Moves the session's own clock by so many milliseconds; due events fire. Gives the new time. */
  async advance(ms: number): Promise<number> {
    return this.#clock({ advance: ms });
  }

  /** Sets the session's own clock; due events fire. */
  async setClock(now: Time | Date): Promise<number> {
    return this.#clock({ now: millis(now) });
  }

  /** Waits until nothing goes on by itself any more, but for tools and models. Gives the session's time. */
  async settled(): Promise<number> {
    return this.#clock({});
  }

  async #clock(change: JsonMap): Promise<number> {
    return ((await this.#link.call({ type: "clock", ...change })) as { now: number }).now;
  }

  /** The journal as one file. */
  async export(): Promise<Exported> {
    return (await this.#link.call({ type: "export" })) as unknown as Exported;
  }

  /** Takes a file into the empty journal: verified as a whole first, then all of it or nothing. */
  async import(text: string): Promise<Status> {
    return (await this.#link.call({ type: "import", text })) as unknown as Status;
  }

  /**
   * Makes another journal that starts at a moment of this one, and opens it. With interventions the commands after
   * the moment are decided again under other premises; recorded calls and exchanges are not made again, and the
   * report says of each what became of it.
   */
  async fork(options: ForkOptions = {}): Promise<Forked> {
    checkNames("fork", options, FORK_OPTIONS);
    const { name, storage, ...fork } = options;
    const { text, report } = (await this.#link.call({ type: "fork", ...(fork as unknown as JsonMap) })) as unknown as {
      text: string;
      report: ForkReport;
    };
    const session = await this.#openLike(name ?? `${this.name} ~ ${report.id.slice(-12)}`, storage);
    try {
      await session.import(text);
    } catch (error) {
      await session.close();
      throw error;
    }
    return { session, report };
  }

  /** What would not be without a record: what it led to, and what would be otherwise at the head. */
  without(seq: number): Promise<Without> {
    return this.query({ type: "without", seq });
  }

  /** What differs between two moments of this journal, or between this journal and another session's. */
  async diff(from: Moment | number | Session, to?: Moment | number): Promise<Difference> {
    if (from instanceof Session) return this.query({ type: "diff", other: await from.query<Json>({ type: "snapshot" }) });
    const at = (moment: Moment | number | undefined): Moment => (typeof moment === "number" ? { seq: moment } : (moment ?? {}));
    return this.query({ type: "diff", from: at(from), to: at(to) });
  }

  /** Reads all stored bytes again, and replays them. */
  async verify(): Promise<Verified> {
    return (await this.#link.call({ type: "verify" })) as unknown as Verified;
  }

  /**
   * Reads the texts of rows that are not here, so that `rows.text` gives them; they stay as long as the budget of
   * `open` lets them. Gives back how many of the rows are here now, and how many frames were read.
   */
  async fetchRows(rows: Iterable<number>): Promise<{ rows: number; frames: number }> {
    return (await this.#link.call({ type: "fetch_rows", rows: [...rows] })) as unknown as { rows: number; frames: number };
  }

  /** Ends the session; what is under way is waited for. The journal stays. */
  close(): Promise<void> {
    return this.#link.close();
  }
}

const FORK_OPTIONS = ["at", "interventions", "until", "unrecorded", "id", "name", "storage"];

/** The same error with its places in a text that begins `by` bytes later. */
function moved(error: ThroughlineError, by: number): ThroughlineError {
  const shift = (one: JsonMap): JsonMap => {
    const span = one["span"] as unknown as Span | undefined;
    return span === undefined || span === null ? one : { ...one, span: { start: span.start - by, end: span.end - by } };
  };
  const details = shift(error.details as unknown as JsonMap);
  const inner = details["details"] as JsonMap | undefined;
  const problems = inner?.["problems"];
  if (inner !== undefined && Array.isArray(problems)) {
    details["details"] = { ...inner, problems: problems.map((one) => shift(one as JsonMap)) };
  }
  return ThroughlineError.of(details as unknown as ThroughlineError["details"]);
}

/** There were rows, and there are none any more. */
function raise(): never {
  throw noRows();
}

/** A cassette as text: one entry a line. */
export function cassetteText(cassette: string | Json[]): string {
  return typeof cassette === "string" ? cassette : cassette.map((entry) => `${encode(entry)}\n`).join("");
}

/** An instant in milliseconds. */
export function millis(time: Time | Date): number {
  const ms = typeof time === "number" ? time : time instanceof Date ? time.getTime() : Date.parse(time);
  if (!Number.isSafeInteger(ms)) {
    throw new ThroughlineError("not-an-instant", `${String(time)} is no instant: give milliseconds, a Date, or RFC 3339 with a zone`);
  }
  return ms;
}

