// Keys at rest, and the easy way to one.

import { ThroughlineError } from "./error.js";

/** How often a passphrase is hashed. */
const ROUNDS = 600_000;
const PREFIX = "throughline-key-1";

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;

function base64url(data: ArrayBuffer | Uint8Array): string {
  const binary = Array.from(new Uint8Array(data as ArrayBuffer), (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function unbase64url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (char) => char.charCodeAt(0)) as Uint8Array<ArrayBuffer>;
}

async function cipher(passphrase: string, salt: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const base = await crypto.subtle.importKey("raw", bytes(passphrase), "PBKDF2", false, ["deriveKey"]);
  const how = { name: "PBKDF2", hash: "SHA-256", salt, iterations: ROUNDS };
  return crypto.subtle.deriveKey(how, base, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

/** Encrypts a key with a passphrase, to be kept wherever the page likes. */
export async function sealKey(key: string, passphrase: string): Promise<string> {
  if (passphrase.length < 8) {
    throw new ThroughlineError("weak-passphrase", "a passphrase has at least eight characters; several words are better");
  }
  const salt = crypto.getRandomValues(new Uint8Array(16));
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, await cipher(passphrase, salt), bytes(key));
  return [PREFIX, base64url(salt), base64url(iv), base64url(sealed)].join(".");
}

/** Decrypts what {@link sealKey} gave. Rejects with `wrong-passphrase`, and never says what the key is. */
export async function unsealKey(sealed: string, passphrase: string): Promise<string> {
  const [prefix, salt, iv, data] = sealed.split(".");
  if (prefix !== PREFIX || salt === undefined || iv === undefined || data === undefined) {
    throw new ThroughlineError("not-a-sealed-key", "this is no key that was sealed here");
  }
  try {
    const key = await cipher(passphrase, unbase64url(salt));
    return new TextDecoder().decode(await crypto.subtle.decrypt({ name: "AES-GCM", iv: unbase64url(iv) }, key, unbase64url(data)));
  } catch {
    throw new ThroughlineError("wrong-passphrase", "the passphrase does not open this key");
  }
}

/** A sign-in with OpenRouter that was begun. Keep `verifier` until the person comes back. */
export interface SignIn {
  /** Where the person signs in. */
  url: string;
  /** The secret that proves that it was this page that began: for `sessionStorage`, and for nobody else. */
  verifier: string;
}

/** Begins to sign in with OpenRouter: no key to copy, no server of one's own. */
export async function beginOpenRouter(callback: string | URL, base = "https://openrouter.ai"): Promise<SignIn> {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  const url = new URL("/auth", base);
  url.searchParams.set("callback_url", String(callback));
  url.searchParams.set("code_challenge", base64url(await crypto.subtle.digest("SHA-256", bytes(verifier))));
  url.searchParams.set("code_challenge_method", "S256");
  return { url: url.href, verifier };
}

/**
 * Ends the sign-in: gives the person's key for what came back in the address as `code`. Take the code out of the
 * address afterwards: `history.replaceState(null, "", location.pathname)`.
 */
export async function finishOpenRouter(code: string, verifier: string, base = "https://openrouter.ai"): Promise<string> {
  const response = await fetch(new URL("/api/v1/auth/keys", base), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code, code_verifier: verifier, code_challenge_method: "S256" }),
    referrerPolicy: "no-referrer",
  }).catch(() => undefined);
  if (response === undefined) throw new ThroughlineError("not-reachable", "OpenRouter could not be reached; try again");
  const given = (await response.json().catch(() => ({}))) as { key?: unknown };
  if (!response.ok || typeof given.key !== "string") {
    throw new ThroughlineError("sign-in-failed", `OpenRouter did not give a key (status ${response.status}); begin again`);
  }
  return given.key;
}
