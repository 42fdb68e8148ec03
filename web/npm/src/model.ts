// How a model is reached, and what comes of asking one beside a journal.

import type { Json, JsonMap } from "./values.js";

/** The providers that the engine reaches by itself. */
export type Provider =
  | "openai"
  | "openai-responses"
  | "anthropic"
  | "gemini"
  | "openrouter"
  | "deepseek"
  | "qwen"
  | "kimi"
  | "glm"
  | "ollama"
  | "llama-cpp"
  | "lm-studio"
  | "vllm"
  | "compatible";

/** How a model is reached. The key stays in memory: it is no part of a journal, an export, a log or an error. */
export interface ModelSettings {
  /** The provider. */
  provider: Provider;
  /** The address, up to where the provider's own paths begin; the provider's when absent. */
  endpoint?: string;
  /** The model's name at the provider. */
  model?: string;
  /** The key. */
  key?: string;
  /** How a value is asked for; as the provider can when absent. */
  structured?: "schema" | "json" | "prompt";
  /**
   * How a turn's action is proposed: by `native` tool calls or as `json`; before the domain's word and the
   * provider's own when given.
   */
  tool_calls?: "native" | "json";
  /** At most so many tokens in a reply, also where a request asks for more. */
  max_tokens?: number;
  /** The context that Ollama is to give, in tokens. */
  context?: number;
  /** The temperature; the provider's own when absent. */
  temperature?: number;
  /** How long the first byte may take, in milliseconds; a minute when absent. */
  first_byte_ms?: number;
  /** How long nothing may come after it, in milliseconds; 45 seconds when absent. */
  idle_ms?: number;
  /** How often a request that failed before its first byte is made again; 2 when absent. */
  retries?: number;
  /** The least wait before that, in milliseconds. */
  retry_floor_ms?: number;
  /** What a million tokens cost. */
  prices?: { prompt: number | string; completion: number | string; cached?: number | string };
  /** The most that one turn may cost, in the prices' currency. */
  spend_cap?: number | string;
  /** The most tokens that one turn may take, of prompts and replies together. */
  token_cap?: number;
}

/** Chrome's built-in model, which exists in windows only. */
export interface BuiltinSettings {
  provider: "builtin";
  /** The languages that are spoken with it, as BCP 47 tags. */
  languages?: string[];
  /** How long it may take to be there, in milliseconds. */
  ready_ms?: number;
  /** How long nothing may come of a reply, in milliseconds; 45 seconds when absent. */
  idle_ms?: number;
}

/** What is asked of a model beside a journal. */
export interface AskedOfModel {
  /** The messages, the stable ones first. */
  messages: { role: "system" | "user" | "assistant"; text: string }[];
  /** What for; names the schema at some providers. */
  purpose?: string;
  /** The JSON Schema of the value that is wanted; free text when absent. */
  schema?: JsonMap;
  /** The tools that the model may call. */
  tools?: { name: string; description?: string; schema?: JsonMap }[];
  /** At most so many tokens in the reply. */
  max_tokens?: number;
  /** The language of the answer, as a BCP 47 tag. */
  language?: string;
}

/** A piece of a reply while it comes in. */
export interface Delta {
  /** The exchange's id in the journal; `request 1` beside one. */
  exchange: string;
  /** The thread; empty beside a journal. */
  thread: string;
  /** The turn; 0 beside a journal. */
  turn: number;
  /** What the exchange is for. */
  purpose: string;
  /** What it is a piece of. */
  channel: "text" | "thinking" | "refusal" | "call";
  /** More of it. */
  text: string;
}

/** How a reply was changed to fit. */
export interface Coercion {
  /** What kind of change it was. */
  code: string;
  /** Where in the value, as a JSON pointer. */
  path: string;
  /** What stood there. */
  from: Json;
  /** What stands there now. */
  to: Json;
}

/** Why a reply gives no value. */
export interface ReplyProblem {
  /** A stable code: `no-json`, `invalid-json`, `schema-mismatch`, `schema-echoed`, `ambiguous-json`, `reply-truncated`, … */
  code: string;
  /** What was wrong and what to do. */
  message: string;
  /** What to tell the model. */
  advice?: string;
  /** How the best candidate does not fit. */
  problems?: { code: string; path: string; message: string; allowed: Json[] }[];
}

/** The one value of a text, or why there is none. */
export interface ReadValue {
  /** The value; it fits the schema. */
  value?: Json;
  /** Whether its text was not valid JSON and was repaired. */
  repaired?: boolean;
  /** Where it stood, in bytes. */
  span?: { start: number; end: number };
  /** What was changed to make it fit. */
  coercions?: Coercion[];
  /** What was passed over or repaired. */
  diagnostics?: { code: string; span: { start: number; end: number }; message: string }[];
  /** What the model thought aloud. */
  thinking?: string;
  /** Why there is no value. */
  problem?: ReplyProblem;
}

/** What came of asking a model. Look at `ending` first: only a reply that is `done` counts. */
export interface ModelReply extends ReadValue {
  /** What the provider said about the end, never a guess. */
  ending: "done" | "truncated" | "refused" | "interrupted" | "failed";
  /** Why it failed or was interrupted. */
  code?: string;
  /** In words, without keys. */
  message?: string;
  /** Whether the same request can succeed later. */
  retryable?: boolean;
  /** How long the provider asks to wait, in milliseconds. */
  retry_after?: number;
  /** The text as far as it came. */
  text?: string;
  /** Why the model declined. */
  refusal?: string;
  /** The tool calls as written, perhaps incomplete. */
  tool_calls?: { id: string; name: string; arguments: string }[];
  /** The tool calls that may be executed: none unless the reply is `done`. */
  calls?: { id: string; name: string; arguments: JsonMap }[];
  /** The tokens it took; `estimated` where the provider gave no count. */
  usage?: { prompt: number; completion: number; cached: number; estimated: boolean };
  /** What it cost, where prices were given. */
  cost?: number;
  provider: string;
  model: string;
  /** The HTTP status; 0 where there was no answer. */
  status: number;
  /** How often the request was made. */
  attempts: number;
  /** From the request to the end, in milliseconds. */
  ms: number;
  /** From the request to the first byte, in milliseconds. */
  first_byte_ms?: number;
}

/** Why a model cannot be reached, and what to do about it. */
export interface Diagnosis {
  ok: boolean;
  /** What is wrong. */
  code:
    | "ok"
    | "offline"
    | "own-policy"
    | "mixed-content"
    | "local-permission"
    | "cors"
    | "not-running"
    | "timed-out"
    | "key-missing"
    | "key"
    | "forbidden"
    | "quota"
    | "rate-limited"
    | "model-name"
    | "context"
    | "server-error"
    | "bad-settings"
    | "no-builtin"
    | "needs-download"
    | "other";
  /** What is wrong, in words. */
  title: { en: string; zh: string };
  /** What to do with this provider. */
  fix: { en: string; zh: string };
  provider: string;
  endpoint: string;
  model: string;
  /** What was said by the browser or the provider, without keys. */
  message: string;
  /** The models that the provider lists, where they were asked for. */
  models?: string[];
  /** How long it took, in milliseconds. */
  ms?: number;
}

/** What the network does to recorded replies. */
export interface Fault {
  /** Cuts a reply off after so many bytes. */
  cut?: number;
  /** The bytes come in other pieces, made from this seed; 0 gives single bytes. */
  rechunk?: number;
  /** Another status. */
  status?: number;
  /** Another body. */
  body?: string;
  /** More after the reply. */
  append?: string;
  /** Other line ends. */
  line_ends?: "cr" | "crlf";
  /** A byte order mark comes first. */
  bom?: boolean;
  /** Only the exchange with this number, from 0. */
  only?: number;
}

/** Exchanges as they came over the wire. */
export interface Recording {
  /** Whether exchanges are recorded now. */
  on: boolean;
  /** How many are recorded. */
  exchanges: number;
  /** How many were left out, because the recording was full. */
  left_out: number;
  /** The cassette. */
  text: string;
}
