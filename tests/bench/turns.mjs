// A whole turn with recorded replies, early and late in a conversation, beside the loop that keeps its messages in an
// array and sends them all.

import { domain, model } from "./domain.mjs";
import { now, race, result } from "./harness.mjs";

export async function turns({ open, at, say }) {
  const measured = {};
  let own = 0;
  const session = await open({ name: "turns", storage: "memory", host: "here", clock: 0, domain: domain(), model });
  let turn = 0;
  const one = async () => {
    turn += 1;
    await session.say(`I would like a quiet room, ${turn}`, { language: "en" });
  };
  for (const until of at) {
    const start = now();
    while (turn < until) await one();
    say(`  turn ${until} after ${Math.round(now() - start)} ms`);
    const times = await race({ throughline: async () => { for (let i = 0; i < 5; i += 1) await one(); } }, { rounds: 3 });
    measured[until] = times.throughline / 5;
  }
  await session.close();
  const loops = {};
  const messages = [];
  for (const until of at) {
    while (messages.length < until * 2) {
      messages.push({ role: "user", content: `I would like a quiet room, ${messages.length}` }, { role: "assistant", content: "Noted." });
    }
    const times = await race({ loop: () => { own += JSON.stringify({ messages }).length; } }, { rounds: 5 });
    loops[until] = times.loop;
  }
  if (own === 0) throw new Error("the loop built no prompt");
  const [first, last] = [at[0], at.at(-1)];
  const named = (of) => Object.fromEntries(at.map((n) => [`turn ${n}`, of[n]]));
  return {
    results: [
      result("turn", "a whole turn of the agent, the model's time left out", "ms", named(measured), {
        ours: `turn ${first}`,
        growth: { what: `turn ${last} against turn ${first}`, ratio: measured[last] / measured[first], limit: 1.3 },
      }),
      result("loop", "a JavaScript loop builds its prompt from all messages", "ms", named(loops), {
        ours: `turn ${first}`,
        growth: { what: `turn ${last} against turn ${first}`, ratio: loops[last] / loops[first] },
      }),
    ],
    differences: [],
  };
}
