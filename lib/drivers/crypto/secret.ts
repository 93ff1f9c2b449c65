/** Creates secrets and passwords, and the hashes of secrets that are stored. */
import { hash } from "node:crypto";
import { encodeBase64urlNoPadding } from "@oslojs/encoding";

const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** Returns 256 random bits as 43 characters that need no quoting in cookies and URLs. */
export function newSecret(): string {
  return encodeBase64urlNoPadding(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
}

/** Whether the text has the format of a secret. If not, no query is needed. */
export function isSecret(text: string): boolean {
  return SECRET.test(text);
}

/**
 * Returns the SHA-256 of a secret, by which requests find their session or token. A slow hash is unnecessary, because
 * 256 random bits cannot be guessed.
 */
export function hashSecret(secret: string): Uint8Array {
  return hash("sha256", secret, "buffer");
}

const LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"; // 32 characters that are not mistaken for each other

/** Returns a password that is easy to read aloud and type: four groups of five characters, 100 random bits. */
export function generatePassword(): string {
  const letters = [...crypto.getRandomValues(new Uint8Array(20))].map((byte) => LETTERS[byte % LETTERS.length]);
  return [0, 5, 10, 15].map((start) => letters.slice(start, start + 5).join("")).join("-");
}
