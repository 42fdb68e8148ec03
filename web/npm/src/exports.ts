// What every entry of the package exports.

export { Decimal, decode, encode } from "./exact.js";
export type { Exact } from "./exact.js";
export { ThroughlineError } from "./error.js";
export type { Refusal } from "./error.js";
export { Session } from "./session.js";
export type { Change, Exported, ForkOptions, Forked, Say, Verified } from "./session.js";
export type { Intervention } from "./interventions.js";
export { View } from "./reader.js";
export { LANES, NOT_RESIDENT, Rows } from "./rows.js";
export type { Which, WhichCounts } from "./rows.js";
export { generatedEvents, generatedEventsSoon } from "./generate.js";
export type { Generated } from "./generate.js";
export { endpointEmbedder, staticEmbedder } from "./embedding.js";
export type { Embed, EmbeddingEndpoint } from "./embedding.js";
export type { EventColumns, ImportOptions, Imported } from "./importing.js";
export type { HostModel, HostTool, ModelRequest, ToolContext } from "./link.js";
export { httpTool } from "./http.js";
export type { HttpOptions } from "./http.js";
export type { DocumentInput, Listed, OpenOptions, Storage, Where } from "./api.js";
export type { WorkerStart } from "./worker-host.js";
export type { Actor, Done, Json, JsonMap, Meta, Moment, Origin, Span, Time } from "./values.js";
export type * from "./commands.js";
export type * from "./queries.js";
export type * from "./views.js";
export type * from "./domain.js";
export { beginOpenRouter, finishOpenRouter, sealKey, unsealKey } from "./keys.js";
export type { SignIn } from "./keys.js";
export { builtinModel } from "./builtin.js";
export type {
  AskedOfModel,
  BuiltinSettings,
  Coercion,
  Delta,
  Diagnosis,
  Fault,
  ModelReply,
  ModelSettings,
  Provider,
  ReadValue,
  Recording,
  ReplyProblem,
} from "./model.js";
export type { CompleteOptions } from "./api.js";
