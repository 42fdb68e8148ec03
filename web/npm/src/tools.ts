// The engine as tools for somebody else's loop: definitions in a provider's shape, and calls back by one door.
//
// Whatever the shape, a call becomes the same command: gated by the machine's state, checked by schema and
// constraints, put before a person where the domain wants it, recorded either way.

import { ThroughlineError } from "./error.js";
import type { Refusal } from "./error.js";
import type { Session } from "./session.js";
import type { Json, JsonMap, Meta, Moment } from "./values.js";

/** The shapes in which providers take definitions and give calls. */
export type ToolShape = "openai" | "openai_responses" | "anthropic" | "gemini" | "mcp" | "ai_sdk" | "plain";

/** A tool for `tools` of OpenAI's chat completions, and of all that speak like it. */
export interface OpenAiTool {
  type: "function";
  function: { name: string; description: string; parameters: JsonMap };
}

/** A tool for `tools` of OpenAI's responses. */
export interface OpenAiResponsesTool {
  type: "function";
  name: string;
  description: string;
  parameters: JsonMap;
  strict: boolean;
}

/** A tool for `tools` of Anthropic's messages. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: JsonMap;
}

/** The one entry of `tools` of Gemini. */
export interface GeminiTools {
  functionDeclarations: { name: string; description: string; parameters: JsonMap }[];
}

/** A tool of an MCP server's `tools/list`. */
export interface McpTool {
  name: string;
  description: string;
  inputSchema: JsonMap;
  annotations: JsonMap;
}

/** A tool as the engine describes it. */
export interface PlainTool {
  name: string;
  description: string;
  parameters: JsonMap;
  /** Whether it changes anything. */
  writes: boolean;
  /** Whether a person must approve each call. */
  approval: boolean;
}

/** What each shape's definitions are. */
export interface ToolDefinitions {
  openai: OpenAiTool[];
  openai_responses: OpenAiResponsesTool[];
  anthropic: AnthropicTool[];
  gemini: GeminiTools[];
  mcp: McpTool[];
  ai_sdk: Record<string, { description: string; inputSchema: JsonMap }>;
  plain: PlainTool[];
}

/** Which definitions. */
export interface WhichTools {
  /** Also those that the machine's state keeps closed. */
  closed?: boolean;
  /** At this moment; now when absent. */
  at?: Moment;
}

/** What waits for a person. */
export interface Asked {
  /** The question's id. */
  ask: string;
  /** The question. */
  question: string;
  /** The action. */
  action: string;
  /** Its arguments. */
  args: Json;
}

/** How a call is handled. */
export interface HowToCall {
  /** Who, when, why; the actor is the model whatever stands here. */
  meta?: Meta;
  /**
   * Asks a person, and gives whether it is approved. Without it, what needs approval waits in the journal
   * (`status: "asked"`) until somebody answers with `session.answer(ask, "approve")`.
   */
  approve?(asked: Asked): boolean | Promise<boolean>;
}

/** What became of a call. */
export interface ToolOutcome {
  /** Whether it was done. */
  ok: boolean;
  /** The tool. */
  tool: string;
  /** What it gave; nothing when it was refused. */
  result: Json;
  /** The message for the model, in the shape of the call: append it to the conversation as it is. */
  reply: Json;
  /** What waits for a person. */
  asked?: Asked;
  /** Why it was refused. */
  refusal?: Refusal;
  /** The records that it made. */
  records: number[];
}

/** The tools that a model may call now, in a shape. */
export async function toolDefinitions<Shape extends ToolShape>(
  session: Session,
  shape: Shape,
  which: WhichTools = {},
): Promise<ToolDefinitions[Shape]> {
  return session.query<ToolDefinitions[Shape]>({ type: "tool_definitions", shape, ...which });
}

/**
 * Does what a model's tool call asks for, given as the provider gave it. A refusal is no exception: it goes back to
 * the model as `reply`, and the journal has it.
 */
export async function handleToolCall(
  session: Session,
  shape: ToolShape,
  call: Json,
  how: HowToCall = {},
): Promise<ToolOutcome> {
  try {
    const { result, records } = await session.execute<JsonMap>({ type: "call_tool", call, ...(shape === "plain" ? {} : { shape }) }, how.meta);
    const done: ToolOutcome = { ok: true, tool: String(result["tool"]), result: result["result"] ?? null, reply: result["reply"] ?? null, records };
    const asked = askedOf(done.result);
    if (asked === undefined) return done;
    if (how.approve === undefined) return { ...done, asked };
    const approved = await how.approve(asked);
    return settle(session, shape, done, asked, approved);
  } catch (error) {
    if (!(error instanceof ThroughlineError)) throw error;
    const refusal = refusalOf(error);
    // What the journal has not refused (the session is gone) is the caller's.
    if (refusal.seq === undefined) throw error;
    const { code, message } = refusal;
    const given = (refusal.details as JsonMap | undefined)?.["reply"];
    const reply = given ?? inReply(shape, emptyReply(shape, call), shape === "gemini" ? { code, message } : { error: { code, message } }, true);
    return { ok: false, tool: nameOf(call), result: null, reply, refusal, records: [] };
  }
}

/** Gives a person's answer and says what came of it, again in the shape of the call. */
async function settle(
  session: Session,
  shape: ToolShape,
  done: ToolOutcome,
  asked: Asked,
  approved: boolean,
): Promise<ToolOutcome> {
  const answer = async (): Promise<ToolOutcome> => {
    const { result, records } = await session.answer(asked.ask, approved ? "approve" : "reject");
    return { ...done, ok: approved, result: result as Json, reply: inReply(shape, done.reply, result as Json, !approved), records: [...done.records, ...records] };
  };
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof ThroughlineError)) throw error;
    const refusal = refusalOf(error);
    const told = { code: refusal.code, message: refusal.message };
    return { ...done, ok: false, result: null, reply: inReply(shape, done.reply, told, true), refusal };
  }
}

/** The reply to a call that could not be read, without its content. */
function emptyReply(shape: ToolShape, call: Json): JsonMap {
  const map = (typeof call === "object" && call !== null && !Array.isArray(call) ? call : {}) as JsonMap;
  const name = nameOf(call);
  const id = map["id"] ?? null;
  switch (shape) {
    case "openai":
      return { role: "tool", tool_call_id: id };
    case "openai_responses":
      return { type: "function_call_output", call_id: map["call_id"] ?? id };
    case "anthropic":
      return { type: "tool_result", tool_use_id: id };
    case "gemini":
      return { functionResponse: { name } };
    case "mcp":
      return id === null ? {} : { jsonrpc: "2.0", id, result: {} };
    case "ai_sdk":
      return { type: "tool-result", toolCallId: map["toolCallId"] ?? null, toolName: name };
    default:
      return { id, name };
  }
}

/** The reply to a call with another content. */
function inReply(shape: ToolShape, reply: Json, content: Json, failed: boolean): Json {
  if (typeof reply !== "object" || reply === null || Array.isArray(reply)) return content;
  const text = JSON.stringify(content, (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value));
  const map = reply as JsonMap;
  switch (shape) {
    case "openai":
      return { ...map, content: text };
    case "openai_responses":
      return { ...map, output: text };
    case "anthropic":
      return { ...map, content: text, is_error: failed };
    case "gemini": {
      const response: JsonMap = failed ? { error: content } : { result: content };
      return { functionResponse: { ...(map["functionResponse"] as JsonMap), response } };
    }
    case "mcp": {
      const body: JsonMap = { content: [{ type: "text", text }], structuredContent: content, isError: failed };
      return map["result"] === undefined ? body : { ...map, result: body };
    }
    case "ai_sdk":
      return { ...map, output: { type: failed ? "error-json" : "json", value: content } };
    default:
      return { ...map, ok: !failed, value: content };
  }
}

function askedOf(result: Json): Asked | undefined {
  if (typeof result !== "object" || result === null || Array.isArray(result)) return undefined;
  const { status, ask, question, action, args } = result as JsonMap;
  if (status !== "asked" || typeof ask !== "string") return undefined;
  return { ask, question: String(question ?? ""), action: String(action ?? ""), args: args ?? null };
}

function refusalOf(error: ThroughlineError): Refusal {
  return { ...(error.details as object), code: error.code, message: error.message } as unknown as Refusal;
}

/** The name of the tool in a call of any shape. */
function nameOf(call: Json): string {
  const at = (value: Json | undefined, ...path: string[]): Json | undefined =>
    path.reduce<Json | undefined>(
      (inner, name) => (typeof inner === "object" && inner !== null && !Array.isArray(inner) ? (inner as JsonMap)[name] : undefined),
      value,
    );
  const names = [["name"], ["function", "name"], ["functionCall", "name"], ["params", "name"], ["toolName"]];
  return String(names.map((path) => at(call, ...path)).find((name) => typeof name === "string") ?? "");
}

/** How the AI SDK recognises a schema that is not made by a library of schemas. */
const SCHEMA = Symbol.for("vercel.ai.schema");

/** A JSON Schema as the AI SDK takes one: what its `jsonSchema()` makes. */
export interface AiSdkSchema {
  jsonSchema: JsonMap;
  validate: undefined;
}

/** A tool of the AI SDK: what its `tool()` takes and gives. */
export interface AiSdkTool {
  description: string;
  inputSchema: AiSdkSchema;
  /** Does the call. Gives what goes back to the model; a refusal is a result too, as `{ error }`. */
  execute(input: JsonMap, options: { toolCallId: string }): Promise<Json>;
}

/** The tools for `tools` of `generateText` and `streamText`: each has `execute`, so the SDK's loop runs by itself. */
export async function aiSdkTools(session: Session, how: HowToCall & WhichTools = {}): Promise<Record<string, AiSdkTool>> {
  const { closed, at, ...call } = how;
  const which: WhichTools = { ...(closed === undefined ? {} : { closed }), ...(at === undefined ? {} : { at }) };
  const definitions = await toolDefinitions(session, "ai_sdk", which);
  const tool = (name: string, description: string, jsonSchema: JsonMap): AiSdkTool => ({
    description,
    inputSchema: { [SCHEMA]: true, jsonSchema, validate: undefined } as AiSdkSchema,
    async execute(input, { toolCallId }) {
      const outcome = await handleToolCall(session, "ai_sdk", { type: "tool-call", toolCallId, toolName: name, input }, call);
      if (outcome.refusal === undefined) return outcome.result;
      const { code, message, suggestion } = outcome.refusal;
      return { error: { code, message, ...(suggestion === undefined ? {} : { suggestion }) } as JsonMap };
    },
  });
  return Object.fromEntries(Object.entries(definitions).map(([name, { description, inputSchema }]) => [name, tool(name, description, inputSchema)]));
}

/** The tools of one session, bound to it. */
export interface SessionTools {
  /** The tools that a model may call now. */
  definitions<Shape extends ToolShape>(shape: Shape, which?: WhichTools): Promise<ToolDefinitions[Shape]>;
  /** As {@link handleToolCall}. */
  handleToolCall(shape: ToolShape, call: Json, how?: HowToCall): Promise<ToolOutcome>;
  /** As {@link aiSdkTools}. */
  aiSdk(which?: WhichTools): Promise<Record<string, AiSdkTool>>;
}

/** The engine as tools: `const { definitions, handleToolCall } = toolsOf(session)`. `how` holds for every call. */
export function toolsOf(session: Session, how: HowToCall = {}): SessionTools {
  return {
    definitions: (shape, which) => toolDefinitions(session, shape, which),
    handleToolCall: (shape, call, more) => handleToolCall(session, shape, call, { ...how, ...more }),
    aiSdk: (which) => aiSdkTools(session, { ...how, ...which }),
  };
}
