// What stands behind a domain's addresses: the request that the engine derived, sent with fetch.

import { ThroughlineError } from "./error.js";
import type { HostTool } from "./link.js";
import type { Json, JsonMap } from "./values.js";

/** The name under which the engine asks the host for what stands at an address. */
export const HTTP_TOOL = "http";

/** The most characters of an answer that are taken. */
const MAX_ANSWER = 8 << 20;

/** How {@link httpTool} sends. */
export interface HttpOptions {
  /** Instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch;
  /** Headers that no domain may hold, such as keys, by the start of the address they are for. */
  headers?: Record<string, Record<string, string>>;
}

/**
 * The tool that asks a domain's `http` and `search` sources. In browsers every session has it; in Node it is given:
 * `open({ tools: { http: httpTool() } })`. Cookies are never sent.
 */
export function httpTool(options: HttpOptions = {}): HostTool {
  return {
    description: "Asks the addresses of the domain's sources",
    effect: "read",
    async run(args, { signal, idempotencyKey }) {
      const { method, url, headers, body } = args as { method: string; url: string; headers?: Record<string, string>; body?: Json };
      const send = options.fetch ?? globalThis.fetch;
      if (typeof send !== "function") throw new ThroughlineError("no-fetch", "there is no fetch here: give httpTool({ fetch })");
      const own = Object.entries(options.headers ?? {}).filter(([start]) => url.startsWith(start));
      const sent: Record<string, string> = { ...headers, ...Object.assign({}, ...own.map(([, more]) => more)) };
      if (body !== undefined) sent["content-type"] ??= "application/json";
      if (method !== "GET") sent["idempotency-key"] ??= idempotencyKey;
      const request: RequestInit = { method, headers: sent, signal, credentials: "omit" };
      if (body !== undefined) request.body = typeof body === "string" ? body : JSON.stringify(body);
      let response: Response;
      try {
        response = await send(url, request);
      } catch (error) {
        throw new ThroughlineError("http-unreachable", `${url} cannot be reached: ${error instanceof Error ? error.message : String(error)}`);
      }
      const text = await response.text();
      if (text.length > MAX_ANSWER) throw new ThroughlineError("document-too-long", `the answer of ${url} has ${text.length} characters`);
      const answer: JsonMap = { status: response.status, content_type: response.headers.get("content-type") ?? "", text };
      return answer;
    },
  };
}

/** Whether this is a browser's page or worker. */
export function inBrowser(): boolean {
  const here = globalThis as { document?: unknown; WorkerGlobalScope?: unknown };
  return here.document !== undefined || here.WorkerGlobalScope !== undefined;
}
