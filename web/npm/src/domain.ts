// The rules of a business, as a document.

import type { Exact } from "./exact.js";
import type { Json } from "./values.js";

/** A text in several languages, by BCP 47 tag, or one text for all. */
export type Text = string | Record<string, string>;

/** The rules of a business. */
export interface Domain {
  /** Its name. */
  name?: string;
  /** Its version. */
  version?: string;
  /** What it is about. */
  description?: Text;
  /** The languages it answers in, the first is the default. */
  languages?: string[];
  /** The zone in which times without one are read; they are refused when absent. */
  zone?: string;
  /** The entity types, by name. */
  entity_types?: Record<string, EntityType>;
  /** The relations, by name. */
  relations?: Record<string, RelationType>;
  /** The fact keys, by name. When empty, any key is taken, with cardinality one. */
  facts?: Record<string, FactType>;
  /** The state machine, in XState's shape. */
  machine?: Json;
  /** What must hold for every proposal. */
  constraints?: Constraint[];
  /** The sources that plans may use, by name. */
  sources?: Record<string, Source>;
  /** The tools that plans and the agent may call, by name. */
  tools?: Record<string, Tool>;
  /** What a user can want, by name. */
  intents?: Record<string, Intent>;
  /** The actions that the model may propose, by name. */
  actions?: Record<string, ProposedAction>;
  /** Answer templates, by name. */
  answers?: Record<string, AnswerTemplate>;
  /** Patterns that extract values by name, for plans and for interpretation by rules. */
  patterns?: Record<string, Pattern>;
  /** How the agent goes about it. */
  agent?: AgentRules;
}

/** The contract of an entity type. */
export interface EntityType {
  /** What it is called. */
  label?: Text;
  /** Its fields; any other is refused. */
  fields?: Record<string, FieldType>;
  /** How raw ids are made one: any of `trim`, `fold_width`, `fold_case`, `nfc`. `trim` alone when empty. */
  normalise?: string[];
  /** The pattern that a raw id must match as a whole. */
  id_pattern?: string;
}

/** The type of a field or a fact. */
export interface FieldType {
  /** What it is called. */
  label?: Text;
  /** `text`, `integer`, `decimal`, `boolean`, `instant`, `duration`, `enum`, `reference`, `list` or `any`. */
  type?: string;
  /** The values of an `enum`. */
  values?: Json[];
  /** The unit of a number. */
  unit?: string;
  /** The entity type of a `reference`. */
  to?: string;
  /** The type of a `list`'s items. */
  items?: FieldType;
  /** Whether it must be there. */
  required?: boolean;
  /** The class of personal data it is (`phone`, `email`, `name`, `id`, `address`, or your own): answers mask it. */
  class?: string;
}

/** A relation between entity types. */
export interface RelationType {
  /** What it is called. */
  label?: Text;
  /** The types it may start at; any when empty. */
  from?: string[];
  /** The types it may end at; any when empty. */
  to?: string[];
  /** `one` (a new one ends the old one) or `many`; `many` when absent. */
  cardinality?: string;
  /** How long it is true, as an ISO 8601 duration. */
  ttl?: string;
  /** The least confidence. */
  confidence_floor?: Exact;
  /** What happens below it: `drop`, `hold` or `keep`. */
  below_floor?: string;
}

/** A fact key. */
export interface FactType {
  /** What it is called. */
  label?: Text;
  /** `one`, `many`, `interval` or `append`; `one` when absent. */
  cardinality?: string;
  /** The type of its values; `any` when absent. */
  value?: FieldType;
  /** How conflicts between sources are settled: `newest_valid`, `most_trusted`, `official` or `ask`. */
  conflict?: string;
  /**
   * What becomes of it when the memories that it rests on alone are purged: `purge` (it is erased, too), `end` or
   * `keep`; `purge` when absent.
   */
  on_purge?: string;
  /** Who may say it: any of `user`, `rule`, `tool`, `model`, `import`; anybody when empty. */
  said_by?: string[];
}

/** What must hold for every proposal. */
export interface Constraint {
  /** Its name. */
  name?: string;
  /** An expression over `proposal`, `facts`, `state`; it must be true. */
  rule?: string;
  /** Only for these actions; for all when empty. */
  actions?: string[];
  /**
   * Entity types it is also about: it must hold for each such entity that a proposal or an answer names, with
   * the entity's fields as `proposal`. With any here, it is about proposals that have its fields.
   */
  about?: string[];
  /** What in an answer's words proposes something that it must hold for. */
  says?: Saying[];
  /** What is said when it is broken. */
  message?: Text;
}

/** Words of an answer that propose something. */
export interface Saying {
  /** A regular expression with exactly one group. The text is tried as it is, and without capitals. */
  pattern?: string;
  /** The field of the proposal that the group becomes, as a number when it reads as one. */
  field?: string;
  /** The field's value, instead of the group. */
  value?: Json;
  /** Phrases that do not count: `no hybrid`. */
  except?: string[];
}

/** A source that plans may use. */
export interface Source {
  /** What it is. */
  description?: Text;
  /** The document it reads. */
  document?: string;
  /** The tool it calls. */
  tool?: string;
  /** How much it is trusted, from 0 to 1. */
  trust?: Exact;
  /** Whether it is the official one. */
  official?: boolean;
  /** What it is: `document`, `tool`, `http`, `search` (Elasticsearch or OpenSearch), `world`, `facts` or `memory`. When absent it follows from the fields that are there; a document of its own name at last. */
  kind?: string;
  /** The address of `http` and `search`; `{name}` in it is a place for an argument. */
  url?: string;
  /** The method of `http`; `GET` when absent. */
  method?: string;
  /** The headers of `http` and `search`. Keys are no part of a domain: the host adds them. */
  headers?: Record<string, string>;
  /** The index of `search`. */
  index?: string;
  /** The fields in which `search` looks for words; all when empty. */
  fields?: string[];
  /** The field or argument that holds an item's time, from which range filters are made. */
  time_field?: string;
  /** Whether what it says depends on time, so that a plan must say which time it asks about. */
  temporal?: boolean;
  /** How old an answer of the cache may be, as a duration; nothing is kept when absent. */
  max_age?: string;
  /** The JSON Schema of its arguments. */
  schema?: Json;
}

/** A tool. */
export interface Tool {
  /** What it does. */
  description?: Text;
  /** The JSON Schema of its arguments. */
  schema?: Json;
  /** Whether it changes the world (`write`) or not (`read`). */
  effect?: string;
  /** The states in which it is open; all when empty. */
  states?: string[];
  /** Whether a person must approve each call. */
  approval?: boolean;
}

/** What a user can want. */
export interface Intent {
  /** What it is. */
  description?: Text;
  /** The plan that gathers what the answer needs, used when the model's plan cannot be. */
  plan?: Json;
  /** The answer template. */
  answer?: string;
  /** The events sent to the machine when a stage ends, by stage. */
  events?: Record<string, string>;
  /** The actions that may be proposed; none is proposed when empty. */
  actions?: string[];
  /** The rule-based fallback for the decision: the first whose `when` holds. */
  rules?: DecisionRule[];
  /** The facts asserted from a run's values after gathering: fact key to expression. */
  facts?: Record<string, string>;
  /** Words that point to this intent when interpretation falls back to rules. */
  keywords?: string[];
  /**
   * `plan` (the model writes the plan that gathers) or `action` (it proposes actions only, and the domain's plan
   * gathers); as `model_plans` says when absent.
   */
  mode?: "plan" | "action";
}

/** A rule of the fallback. */
export interface DecisionRule {
  /** When it applies; always when absent. */
  when?: string;
  /** The action it proposes. */
  action?: string;
  /** Its arguments; texts that start with `=` are expressions. */
  args?: Json;
}

/** An action that the model may propose. */
export interface ProposedAction {
  /** What it does. */
  description?: Text;
  /** The JSON Schema of its arguments. */
  schema?: Json;
  /** The states in which it is open; all when empty. */
  states?: string[];
  /** The commands it stands for; texts in them that start with `=` are expressions over `args`. */
  commands?: Json[];
  /** Whether a person must approve it. */
  approval?: boolean;
}

/** An answer template in each language. */
export interface AnswerTemplate {
  /** The template, by language. */
  template?: Text;
  /** The states in which it may be used; all when empty. */
  states?: string[];
  /** The classes of personal data that it shows unmasked. */
  reveals?: string[];
}

/** A pattern that extracts a value. */
export interface Pattern {
  /** A regular expression with exactly one group. */
  regex?: string;
  /** The entity type whose raw id it finds. */
  entity_type?: string;
  /** The fact whose value it finds. */
  fact?: string;
  /** The class of personal data it finds; that of the fact when absent. */
  class?: string;
}

/** How the agent goes about it. */
export interface AgentRules {
  /** What the model is told about its task, by language. */
  instructions?: Text;
  /** Below this confidence the agent asks a person. */
  confidence?: Exact;
  /** How many times a reply that does not validate is asked again. */
  retries?: number;
  /** The tools and actions that a model may call by itself; all when empty. */
  tools?: string[];
  /** The most tokens of a prompt. */
  prompt_budget?: number;
  /**
   * The most tokens that one turn may take, prompts and replies together. A request that would go over it is not made
   * (`spend-cap`), and the rules go on.
   */
  token_cap?: number;
  /** Whether the model writes the plan; else the intent's plan is used. */
  model_plans?: boolean;
  /**
   * Whether the model words the answer. What it says is checked against ledger, evidence and constraints; when it
   * does not hold, the template speaks.
   */
  model_answers?: boolean;
  /**
   * How the model proposes an action: by the provider's `native` tool calls, or as one `json` value; as the settings
   * or the provider have it when absent.
   */
  tool_calls?: "native" | "json";
}
