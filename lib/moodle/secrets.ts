/** Generates site passwords that are safe to use unquoted in the Moodle image's shell and sed commands. */
import { createHmac } from "node:crypto";
import { createRandomHex } from "#lib/base/ids.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Returns a random password of 32 characters (almost 192 bits) that satisfies Moodle's password policy. */
export function generateSitePassword(): string {
  for (;;) {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    const password = Array.from(bytes, (byte) => ALPHABET[byte & 63]).join("");
    const sorts = [/^[A-Za-z0-9]/, /[A-Z]/, /[a-z]/, /[0-9]/, /[-_]/]; // a leading hyphen would look like an option
    if (sorts.every((sort) => sort.test(password))) return password;
  }
}

/**
 * Returns the password for a spoke's account on the mail relay: the HMAC-SHA256 of the user name, in base64url. The
 * relay computes the same password from the shared secret.
 */
export function deriveRelayPassword(secret: string, user: string): string {
  return createHmac("sha256", secret).update(user).digest("base64url");
}

/** Returns a new key of 256 bits, in hexadecimal, with which tickets for a hub's library are signed. */
export function generateLibraryKey(): string {
  return createRandomHex() + createRandomHex();
}
