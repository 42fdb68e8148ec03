import assert from "node:assert/strict";
import { test } from "node:test";
import { Decimal, decode, encode } from "../dist/node.js";
import { opened, refusal } from "./help.mjs";

/** A value as text, and the text as that value again. */
function check(value, text) {
  assert.equal(encode(value), text);
}

test("every digit is written, and what JSON has no word for is refused with its place", () => {
  check([1, 0.1, -0, 1e21, 9007199254740993n, new Decimal("1e400")], "[1,0.1,-0,1e+21,9007199254740993,1e400]");
  check({ a: undefined, b: [undefined], c: new Date(0) }, '{"b":[null],"c":"1970-01-01T00:00:00.000Z"}');
  check(JSON.parse('{"__proto__":{"a":1},"constructor":2}'), '{"__proto__":{"a":1},"constructor":2}');
  for (const [value, path] of [
    [{ a: [NaN] }, "/a/0"],
    [[Infinity], "/0"],
    [{ "x/y": new Map([["k", 1]]) }, "/x~1y"],
    [{ f: () => 1 }, "/f"],
    [new Set(), ""],
    [{ b: new Uint8Array(1) }, "/b"],
  ]) {
    assert.throws(() => encode(value), (error) => error.code === "unwritable-value" && error.details.path === path);
  }
  const circle = {};
  circle.again = circle;
  assert.throws(() => encode(circle), { code: "value-too-deep" });
  assert.throws(() => new Decimal("1_000"), { code: "not-a-number" });
});

test("what the engine marks as exact becomes a bigint or a decimal, and a map that looks so stays a map", () => {
  assert.deepEqual(decode('{"a":{"$number":"9007199254740993"},"b":[{"$number":"0.30000000000000000001"}]}'), {
    a: 9007199254740993n,
    b: [new Decimal("0.30000000000000000001")],
  });
  assert.deepEqual(decode('[{"$$number":"12"},{"$number":5},{"$number":"1","b":2}]'), [
    { $number: "12" },
    { $number: 5 },
    { $number: "1", b: 2 },
  ]);
});

test("every value is the same after writing, saving, exporting, importing and reading", async () => {
  const state = {
    a: false,
    b: 0,
    c: "",
    d: null,
    e: [],
    f: {},
    g: -0,
    h: 9007199254740993n,
    i: 18446744073709551615n,
    j: new Decimal("0.30000000000000000001"),
    k: { x: 1 },
    l: { $number: "12" },
    m: JSON.parse('{"__proto__": {"polluted": true}}'),
    n: "\u0000 \u2028 \ud83d\ude00 中文",
  };
  const session = await opened();
  await session.assertFact("state", state);
  assert.deepEqual(await session.fact("state"), state);
  assert.equal({}.polluted, undefined);
  assert.equal(await session.fact("absent"), undefined);

  const copy = await opened();
  await copy.import((await session.export()).text);
  const read = await copy.fact("state");
  assert.deepEqual(read, state);
  assert.ok(Object.is(read.g, -0), "minus zero keeps its sign");
  assert.equal(JSON.stringify(read.k), '{"x":1}');
});

test("half a character is refused and not replaced by another one", async () => {
  const session = await opened();
  const error = await refusal(session.assertFact("text", "\ud83d"));
  assert.equal(typeof error.code, "string");
  assert.equal(await session.fact("text"), undefined);
});
