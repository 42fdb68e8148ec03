// The hand-written types name what the engine names: every command, query and view, field by field.
// They are compared with the protocol's source where that lies beside the package.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const beside = new URL("../../../crates/protocol/src/", import.meta.url);
const skip = !existsSync(beside) && "SKIPPED: the protocol's source is not beside the package";

/** A source file, and after it those in the folder of its name. */
function source(folder, name, ending) {
  const parts = new URL(`${name}/`, folder);
  const files = existsSync(parts) ? readdirSync(parts).sort().map((file) => new URL(file, parts)) : [];
  return [new URL(name + ending, folder), ...files].map((file) => readFileSync(file, "utf8")).join("\n");
}
const rust = (name) => source(beside, name, ".rs");
const types = (name) => source(new URL("../src/", import.meta.url), name, ".ts");

/** Every interface with its fields: name → sorted field names. */
function interfaces(source) {
  const found = new Map();
  for (const [, name, body] of source.matchAll(/export interface (\w+) \{\n([^]*?)\n\}/g)) {
    found.set(name, [...body.matchAll(/^ {2}(\w+)\??:/gm)].map(([, field]) => field).sort());
  }
  return found;
}

/** The fields of a Rust structure's body, under the names they have in JSON. */
function fields(body) {
  const found = [];
  let renamed;
  let hidden = false;
  for (const line of body.split("\n").map((line) => line.trim())) {
    if (line.startsWith("///")) continue;
    // What is not in the JSON has no type.
    hidden ||= line.startsWith("#[serde(skip)]");
    renamed = /rename = "(\w+)"/.exec(line)?.[1] ?? renamed;
    const [, field] = /^(?:#\[[^\]]*\]\s*)*(?:pub )?(?:r#)?(\w+)\s*:\s*.+,$/.exec(line) ?? [];
    if (field !== undefined) {
      if (!hidden) found.push(renamed ?? field);
      hidden = false;
      renamed = undefined;
    }
  }
  return found.sort();
}

/** tag → structure, from the list of an enum. */
const tagged = (source) => [...source.matchAll(/^ {8}"(\w+)" => (\w+),$/gm)].map(([, tag, name]) => [tag, name]);

/** name → fields, from a block of structures that a macro makes. */
const inMacro = (source) =>
  new Map([...source.matchAll(/^ {4}(\w+) \{((?:\n[^]*?\n {4})?)\}$/gm)].map(([, name, body]) => [name, fields(body)]));

const structs = (source) =>
  new Map([...source.matchAll(/^pub struct (\w+) \{(\}|\n[^]*?\n\})$/gm)].map(([, name, body]) => [name, fields(body)]));

function tagOf(source, name) {
  return new RegExp(`export interface ${name} \\{\\n  type: "(\\w+)";`).exec(source)?.[1];
}

test("every command of the engine has a type with the same fields", { skip }, () => {
  const source = types("commands");
  const [mine, theirs] = [interfaces(source), structs(rust("command"))];
  const tags = tagged(rust("command"));
  assert.ok(tags.length > 20);
  for (const [tag, name] of tags) {
    assert.equal(tagOf(source, name), tag);
    assert.deepEqual(mine.get(name), [...theirs.get(name), "type"].sort(), name);
  }
  // The rest are parts of commands.
  const commands = new Set(tags.map(([, name]) => name));
  const parts = [...mine.keys()].filter((name) => !commands.has(name));
  assert.ok(parts.includes("MemoryItem") && parts.includes("Repeat"));
  for (const name of parts) assert.deepEqual(mine.get(name), theirs.get(name), name);
});

test("every query of the engine has a type with the same fields", { skip }, () => {
  const source = types("queries");
  const [mine, theirs] = [interfaces(source), inMacro(rust("query"))];
  const tags = tagged(rust("query"));
  assert.ok(tags.length > 20);
  for (const [tag, name] of tags) {
    const type = name.endsWith("Query") ? name : `${name}Query`;
    assert.equal(tagOf(source, type), tag);
    assert.deepEqual(mine.get(type), [...theirs.get(name), "type"].sort(), name);
  }
  assert.equal(mine.size, tags.length);
});

for (const [what, theirFile, myFile] of [
  ["view", "view", "views"],
  ["part of a domain", "domain", "domain"],
]) {
  test(`every ${what} of the engine has a type with the same fields`, { skip }, () => {
    const [mine, theirs] = [interfaces(types(myFile)), inMacro(rust(theirFile))];
    assert.ok(theirs.size > 10);
    for (const [name, expected] of theirs) assert.deepEqual(mine.get(name), expected, name);
    assert.equal(mine.size, theirs.size);
  });
}

const compiler = new URL("../node_modules/typescript/bin/tsc", import.meta.url);

test(
  "a strict TypeScript project compiles against the package and is refused a wrong field",
  { skip: !existsSync(compiler) && "SKIPPED: the compiler is not installed" },
  async () => {
    const project = fileURLToPath(new URL("types/tsconfig.json", import.meta.url));
    const compiled = promisify(execFile)(process.execPath, [fileURLToPath(compiler), "--project", project]);
    await compiled.catch((error) => assert.fail(error.stdout));
  },
);
