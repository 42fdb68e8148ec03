import assert from "node:assert/strict";
import { test } from "node:test";
import { opened, refusal } from "./help.mjs";

test("the rules of a zone are loaded before the command that names it, once", async () => {
  const session = await opened({ clock: Date.parse("2026-03-27T00:00:00Z") });
  await session.loadDomain({ name: "reminders", zone: "Europe/Berlin" });
  const { result } = await session.scheduleEvent("daily", { at: "2026-03-28T09:00", repeat: { every: "P1D" } });
  assert.equal(result.due, Date.parse("2026-03-28T08:00:00Z"));
  await session.scheduleEvent("weekly", { at: "2026-03-28T09:00", repeat: { every: "P1W", zone: "Europe/Berlin" } });
  const { records } = await session.records({ kinds: ["zone."] });
  assert.deepEqual(records.map((record) => record.data.name), ["Europe/Berlin"]);
  await session.setClock("2026-03-29T08:00:00Z");
  const [daily] = await session.events();
  assert.equal(daily.firings, 2);
  assert.equal(daily.due, Date.parse("2026-03-30T07:00:00Z"));
});

test("commands keep their order while a zone is loaded", async () => {
  const session = await opened();
  const both = [session.loadDomain({ name: "d", zone: "Asia/Tokyo" }), session.assertFact("a", 1)];
  const [first, second] = await Promise.all(both);
  assert.ok(first.records[0] < second.records[0]);
});

test("a zone that there is none of is refused, with what would work", async () => {
  const session = await opened();
  const error = await refusal(session.loadDomain({ name: "d", zone: "Europe/Berlim" }));
  assert.equal(error.code, "unknown-zone");
  assert.equal((await refusal(session.loadZone("Europe/Berlim"))).code, "unknown-zone");
  const loaded = await session.loadZone("America/New_York");
  assert.equal(loaded.result.zone, "America/New_York");
});
