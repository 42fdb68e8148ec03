// How a TypeScript project uses the package: compiled by a test, never run.

import { open, list, remove, ThroughlineError, Decimal, type Command, type Domain, type HostTool, type OpenOptions, type TurnView } from "throughline";
const domain: Domain = { name: "d", entity_types: { order: { fields: { total: { type: "decimal" } } } } };
const weigh: HostTool = { schema: { type: "object" }, effect: "read", run: async (args, { signal, idempotencyKey }) => ({ a: args["x"] ?? null, k: idempotencyKey, s: signal.aborted }) };
const options: OpenOptions = { name: "x", domain, tools: { weigh }, model: async (r) => r.messages[0]?.text ?? "" };
const s = await open(options);
const e = await s.registerEntity("order", "A", { fields: { total: 1n } });
const id: string = e.result.entity;
const c: Command = { type: "assert_fact", key: "a", value: new Decimal("1.50") };
await s.execute(c, { actor: { kind: "user" } });
// @ts-expect-error there is no such field
await s.execute({ type: "assert_fact", kee: "a", value: 1 });
const t: TurnView = await s.say("x");
const text: string | undefined = t.answer?.text;
try { await s.at(1).facts({ key: "a" }); } catch (x) { if (x instanceof ThroughlineError) { const code: string = x.code; console.log(code, x.details.suggestion); } }
const stop: () => void = s.subscribe(({ seq, busy }) => console.log(seq, busy));
console.log(id, text, (await list())[0]?.storage, stop);
await remove("x");
