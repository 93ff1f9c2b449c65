/** Creates site passwords that are safe in the image's unquoted shell and sed commands. */
import { createHmac } from "node:crypto";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Returns 32 characters (almost 192 bits) that satisfy Moodle's password policy and do not start with a hyphen. */
export function generateSitePassword(): string {
  for (;;) {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    const password = Array.from(bytes, (byte) => ALPHABET[byte & 63]).join("");
    const sorts = [/^[A-Za-z0-9]/, /[A-Z]/, /[a-z]/, /[0-9]/, /[-_]/]; // a leading hyphen would look like an option
    if (sorts.every((sort) => sort.test(password))) return password;
  }
}

/**
 * Returns the password of a spoke's account at the mail relay: HMAC-SHA256 of the user name in base64url. The relay
 * computes the same password from the shared secret.
 */
export function deriveRelayPassword(secret: string, user: string): string {
  return createHmac("sha256", secret).update(user).digest("base64url");
}
