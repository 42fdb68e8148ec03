// A whole turn with recorded replies, early and late in a conversation, beside the loop that keeps its messages in an
// array and sends them all.

import { domain, model } from "./domain.mjs";
import { median, now, race, result } from "./harness.mjs";

/** How often a late turn is measured, each time beside an early one of a session of its own. */
const ROUNDS = 31;
/** How many turns a sample is. */
const TURNS = 5;
/** How many turns run before anything counts: engines compile what is hot only after a while. */
const WARM = 300;

export async function turns({ open, at, say }) {
  const opened = async (name) => {
    const session = await open({ name, storage: "memory", host: "here", clock: 0, domain: domain(), model });
    const one = { turn: 0, close: () => session.close() };
    one.on = async (turns) => {
      for (const until = one.turn + turns; one.turn < until; ) {
        one.turn += 1;
        await session.say(`I would like a quiet room, ${one.turn}`, { language: "en" });
      }
    };
    return one;
  };
  const time = async (session) => {
    const start = now();
    await session.on(TURNS);
    return (now() - start) / TURNS;
  };
  const warm = await opened("turns warm");
  await warm.on(WARM);
  await warm.close();
  const [first, ...later] = at;
  const [late, times] = [new Map(), new Map(at.map((turn) => [turn, []]))];
  for (const until of later) {
    const start = now();
    late.set(until, await opened(`turns ${until}`));
    await late.get(until).on(until);
    say(`  turn ${until} after ${Math.round(now() - start)} ms`);
  }
  // All in turn, so that what else the machine does falls on all alike.
  for (let round = 0; round < ROUNDS; round += 1) {
    const early = await opened(`turns early ${round}`);
    await early.on(first - TURNS);
    times.get(first).push(await time(early));
    await early.close();
    for (const [until, session] of late) {
      // As the early one, it has just gone through a few turns.
      await session.on(first - TURNS);
      times.get(until).push(await time(session));
    }
  }
  for (const session of late.values()) await session.close();
  const measured = Object.fromEntries([...times].map(([turn, list]) => [turn, median(list)]));
  let own = 0;
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
  const last = at.at(-1);
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
