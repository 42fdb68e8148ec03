// Named time zones: their rules are loaded before a command that names one.

import type { LoadZone } from "./commands.js";

/** The zones that a command names: of a domain, of what repeats, in commands within it. */
export function zonesIn(command: unknown, found: Set<string> = new Set()): Set<string> {
  if (typeof command !== "object" || command === null) return found;
  const { type, domain, repeat, commands, do: then } = command as Record<string, unknown>;
  const of = type === "load_domain" ? domain : type === "schedule_event" ? repeat : undefined;
  const zone = (of as { zone?: unknown } | null | undefined)?.zone;
  // An offset that is written out needs no rules.
  if (typeof zone === "string" && /^[A-Za-z]/.test(zone) && !/^(utc|z)$/i.test(zone)) found.add(zone);
  for (const inner of [commands, then]) {
    if (Array.isArray(inner)) for (const one of inner) zonesIn(one, found);
  }
  return found;
}

/** The same of a command's text; what cannot be read is the engine's to refuse. */
export function zonesInText(text: string): Set<string> {
  if (!text.includes('"zone"')) return new Set();
  try {
    return zonesIn(JSON.parse(text));
  } catch {
    return new Set();
  }
}

/** What loads a zone; `undefined` when there is none of this name. The rules are a file of their own, loaded now. */
export async function zoneCommand(name: string): Promise<LoadZone | undefined> {
  const { VERSION, ZONES } = await import("./zones.js");
  const find = (wanted: string): string | undefined => {
    const start = ZONES.indexOf(`\n${wanted}=`);
    if (start >= 0) return ZONES.slice(start + wanted.length + 2, ZONES.indexOf("\n", start + 1));
    const same = ZONES.indexOf(`\n${wanted}@`);
    return same < 0 ? undefined : find(ZONES.slice(same + wanted.length + 2, ZONES.indexOf("\n", same + 1)));
  };
  const rules = /^[A-Za-z0-9_+/-]+$/.test(name) ? find(name) : undefined;
  return rules === undefined ? undefined : { type: "load_zone", name, rules, version: VERSION };
}
