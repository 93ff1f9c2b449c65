/** Secrets that we hand out, and the hashes that we keep of them. */
import { hash } from "node:crypto";
import { encodeBase64urlNoPadding } from "@oslojs/encoding";

const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits as 43 characters that need no quoting in a cookie or a URL. */
export function newSecret(): string {
  return encodeBase64urlNoPadding(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
}

/** Whether the text can be such a secret at all; if not, nobody needs to be asked about it. */
export function isSecret(text: string): boolean {
  return SECRET.test(text);
}

/**
 * SHA-256, and no more: what is hashed has 256 random bits, which nobody guesses however fast they hash, and it is
 * looked up by its hash on every request.
 */
export function hashSecret(secret: string): Uint8Array {
  return hash("sha256", secret, "buffer");
}

const LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"; // 32 of them; none that is read as another

/** A password that can be read aloud and typed: four groups of five characters, 100 random bits. */
export function newPassword(): string {
  const letters = [...crypto.getRandomValues(new Uint8Array(20))].map((byte) => LETTERS[byte % LETTERS.length]);
  return [0, 5, 10, 15].map((start) => letters.slice(start, start + 5).join("")).join("-");
}
