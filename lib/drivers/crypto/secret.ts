/** Creates random secrets and passwords, and the hashes that are stored instead of secrets. */
import { hash } from "node:crypto";
import { encodeBase64urlNoPadding } from "@oslojs/encoding";

const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** Returns 256 random bits as 43 characters that are safe in cookies and URLs. */
export function createSecret(): string {
  return encodeBase64urlNoPadding(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
}

/** Returns whether the text has the format of a secret. This check saves a database query for other text. */
export function hasSecretFormat(text: string): boolean {
  return SECRET.test(text);
}

/**
 * Returns the SHA-256 hash of a secret, which is stored instead of the secret. A slow hash is unnecessary, because 256
 * random bits cannot be guessed.
 */
export function hashSecret(secret: string): Uint8Array {
  return hash("sha256", secret, "buffer");
}

const LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"; // 32 characters that are easy to tell apart

/** Returns a password that is easy to read aloud and type: four groups of five characters, with 100 random bits. */
export function generatePassword(): string {
  const letters = [...crypto.getRandomValues(new Uint8Array(20))].map((byte) => LETTERS[byte % LETTERS.length]);
  return [0, 5, 10, 15].map((start) => letters.slice(start, start + 5).join("")).join("-");
}
