// Facts and the machine.

import type { Exact } from "../exact.js";
import type { Json } from "../values.js";

/** One version of a fact. */
export interface FactView {
  /** What it is about. */
  subject: string;
  /** Its key. */
  key: string;
  /** Its value. */
  value: Json;
  /** Its version, from 1. */
  version: number;
  /** From when it is true. */
  valid_from: number;
  /** Until when it is true. */
  valid_to: number | null;
  /** When the engine learned it. */
  recorded_at: number;
  /** The turn it was learned in. */
  turn: number;
  /** Where it comes from. */
  source: string | null;
  /** How sure. */
  confidence: Exact | null;
  /** `current`, `superseded`, `retracted` or `expired`. */
  status: string;
  /** The record that made it. */
  seq: number;
  /** The record that ended it. */
  ended_by: number | null;
  /** How many versions the key has. */
  versions: number;
  /** How much its source is trusted, where the domain settles conflicts by that. */
  trust: Exact | null;
}

/** Current facts, and what was left out. */
export interface FactPage {
  /** The facts. */
  facts: FactView[];
  /** How many versions are hidden, by status. */
  hidden: Record<string, number>;
}

/** The machine. */
export interface MachineView {
  /** Its name; empty when the domain has none. */
  id: string;
  /** The active states, as paths (`review.waiting`). */
  state: string[];
  /** Whether it is finished. */
  finished: boolean;
  /** Every state. */
  states: StateView[];
  /** Every transition. */
  transitions: TransitionView[];
  /** The record of the last transition. */
  seq: number;
  /** Transitions that were taken or refused, newest last. */
  history: TransitionLog[];
  /** What the model check found when it was loaded. */
  findings: Finding[];
}

/** A state of the machine. */
export interface StateView {
  /** Its path. */
  path: string;
  /** Whether it is active. */
  active: boolean;
  /** Whether it is final. */
  is_final: boolean;
  /** Whether it is the initial one of its parent. */
  initial: boolean;
  /** Its description, where the domain gives one. */
  description: string;
}

/** A transition of the machine. */
export interface TransitionView {
  /** Where it starts. */
  from: string;
  /** The event. */
  event: string;
  /** Where it ends. */
  to: string;
  /** Its guard. */
  guard: string | null;
  /** Whether it can be taken now; absent when the event is not possible here. */
  open: boolean | null;
}

/** A transition that was taken or refused. */
export interface TransitionLog {
  /** The event. */
  event: string;
  /** The states before. */
  from: string[];
  /** The states after; the same when it was refused. */
  to: string[];
  /** Whether it was refused. */
  refused: boolean;
  /** Why. */
  reason: string;
  /** The guards that were looked at, and what they gave. */
  guards: GuardResult[];
  /** The record. */
  seq: number;
}

/** What a guard gave. */
export interface GuardResult {
  /** The guard. */
  guard: string;
  /** Whether it held; absent when it could not be evaluated. */
  held: boolean | null;
  /** The error, when it could not be evaluated. */
  error: string | null;
}

/** Something found without running. */
export interface Finding {
  /** Its code. */
  code: string;
  /** What it is. */
  message: string;
  /** Where in the domain. */
  path: string;
  /** Whether it is certain, or only possible. */
  possible: boolean;
  /** `error` or `warning`. */
  severity: string;
  /** The shortest path that shows it, where there is one. */
  trace: string[];
}

/** What can be known of a machine without running it. */
export interface MachineCheck {
  /** Whether it can be loaded. */
  ok: boolean;
  /** What was found. */
  findings: Finding[];
  /** How many places it can come to. */
  states: number;
  /** How many steps between them. */
  steps: number;
  /** Whether every guard could be answered for certain and everything was looked at. */
  exact: boolean;
}

/** What an event does to a machine. */
export interface TransitionResult {
  /** The active states after it, as paths. */
  state: string[];
  /** What is to be done: exit actions, the transition's own, entry actions. */
  effects: Json[];
  /** Whether the machine is then finished. */
  finished: boolean;
  /** The states that are left, innermost first. */
  exited: string[];
  /** The states that are entered, outermost first. */
  entered: string[];
  /** The guards that were looked at, and what they gave. */
  guards: GuardResult[];
  /** The events of the single steps, when there were several. */
  via: string[];
  /** The events that are known then; delayed and inner ones are not among them. */
  events: string[];
  /** All that is needed to go on from there. */
  snapshot: Json;
}

/** A machine of another notation in ours. */
export interface ImportedMachine {
  /** The machine, for a domain. */
  machine: Json;
  /** What was not carried over, with where it stood. */
  notes: Finding[];
}

/** Sources that disagree about a fact. */
export interface ConflictView {
  /** What it is about. */
  subject: string;
  /** Its key. */
  key: string;
  /** The domain's rule: `newest_valid`, `most_trusted`, `official` or `ask`. */
  rule: string;
  /** Whether a person has to settle it. */
  open: boolean;
  /** What counts. */
  winner: FactView;
  /** What does not. */
  losers: FactView[];
  /** Why, in words. */
  why: string;
}
