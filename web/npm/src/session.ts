// An opened journal.

import type {
  AddRelation,
  AssertFact,
  Command,
  MemoryItem,
  RegisterEntity,
  RetractFact,
  ScheduleEvent,
  StartRun,
  UpdateEntity,
} from "./commands.js";
import type { Domain } from "./domain.js";
import { ThroughlineError } from "./error.js";
import { encode } from "./exact.js";
import { Link } from "./link.js";
import type { Query } from "./queries.js";
import { JournalReader, View } from "./reader.js";
import type { Done, Json, JsonMap, Meta, Moment, Time } from "./values.js";
import type { Digests, Status, TurnView } from "./views.js";

/** That the journal grew. */
export interface Change {
  /** The last record. */
  seq: number;
  /** The thread whose turn is going on. */
  busy?: string;
}

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

/** Fields of a command without its type and those that are arguments of their own. */
type More<C, Given extends keyof C = never> = Omit<C, "type" | Given>;

/** An opened journal: everything that can be asked to change and to be read. */
export class Session extends JournalReader {
  readonly moment = undefined;
  readonly #link: Link;

  /** @internal */
  constructor(link: Link) {
    super();
    this.#link = link;
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
    const outcome = (await this.#link.call({ type: "execute", command: text, meta: meta as JsonMap })) as JsonMap;
    const { refused } = outcome;
    if (refused !== undefined) throw ThroughlineError.of(refused as unknown as ThroughlineError["details"]);
    return outcome["done"] as unknown as Done<Result>;
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

  /** Loads the rules of the business. */
  loadDomain(domain: Domain, meta?: Meta): Promise<Done> {
    return this.execute({ type: "load_domain", domain }, meta);
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
    return this.execute({ type: "register_entity", entity_type, raw_id, ...more }, meta);
  }

  /** Changes fields of an entity; null clears one. */
  updateEntity(
    entity: string,
    fields: JsonMap,
    more: More<UpdateEntity, "entity" | "fields"> = {},
    meta?: Meta,
  ): Promise<Done> {
    return this.execute({ type: "update_entity", entity, fields, ...more }, meta);
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
    return this.execute({ type: "add_relation", from, relation, to, ...more }, meta);
  }

  /** Ends a relation. */
  endRelation(relation: string, meta?: Meta): Promise<Done> {
    return this.execute({ type: "end_relation", relation }, meta);
  }

  /** Schedules an event at a time, on a condition, or both. */
  scheduleEvent(name: string, more: More<ScheduleEvent, "name">, meta?: Meta): Promise<Done<{ event: string }>> {
    return this.execute({ type: "schedule_event", name, ...more }, meta);
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
    return this.execute({ type: "assert_fact", key, value, ...more }, meta);
  }

  /** Retracts a fact, or one value of a fact that has many. */
  retractFact(key: string, more: More<RetractFact, "key"> = {}, meta?: Meta): Promise<Done> {
    return this.execute({ type: "retract_fact", key, ...more }, meta);
  }

  /** Sends an event to the machine. */
  sendEvent(event: string, data: Json = null, meta?: Meta): Promise<Done<JsonMap>> {
    return this.execute({ type: "send_event", event, data }, meta);
  }

  /** Checks a plan and starts a run of it; rejects with every diagnostic when it cannot run. */
  startRun(plan: Json, more: More<StartRun, "plan"> = {}, meta?: Meta): Promise<Done<{ run: string }>> {
    return this.execute({ type: "start_run", plan, ...more }, meta);
  }

  /** Lets a paused run do its next step. */
  stepRun(run: string, meta?: Meta): Promise<Done> {
    return this.execute({ type: "step_run", run }, meta);
  }

  /** Lets a paused run go on. */
  continueRun(run: string, meta?: Meta): Promise<Done> {
    return this.execute({ type: "continue_run", run }, meta);
  }

  /** Ends a run. */
  cancelRun(run: string, meta?: Meta): Promise<Done> {
    return this.execute({ type: "cancel_run", run }, meta);
  }

  /** Remembers events. */
  remember(items: MemoryItem | MemoryItem[], meta?: Meta): Promise<Done<{ memories: string[] }>> {
    return this.execute({ type: "remember", items: Array.isArray(items) ? items : [items] }, meta);
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
        const turns = await this.turns(mine.thread);
        const turn = turns.find((one) => one.turn === mine.turn);
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

  /** Gives the models' recorded replies: a cassette's text, or its entries. */
  async loadCassette(cassette: string | Json[]): Promise<number> {
    const { exchanges } = (await this.#link.loadCassette(cassetteText(cassette))) as { exchanges: number };
    return exchanges;
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

  /** Reads all stored bytes again, and replays them. */
  async verify(): Promise<Verified> {
    return (await this.#link.call({ type: "verify" })) as unknown as Verified;
  }

  /** Ends the session; what is under way is waited for. The journal stays. */
  close(): Promise<void> {
    return this.#link.close();
  }
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

