/**
 * Passwords: made here, put into the cluster, and kept nowhere else.
 *
 * Letters, digits, hyphen and underscore alone, because the image passes them through shell and sed unquoted.
 */
import { createHmac } from "node:crypto";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** 32 characters, 192 bits less what Moodle's password policy takes: one of each sort, and no hyphen in front. */
export function newSitePassword(): string {
  for (;;) {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    const password = Array.from(bytes, (byte) => ALPHABET[byte & 63]).join("");
    const sorts = [/^[A-Za-z0-9]/, /[A-Z]/, /[a-z]/, /[0-9]/, /[-_]/]; // a first hyphen would look like an option
    if (sorts.every((sort) => sort.test(password))) return password;
  }
}

/**
 * The password of a spoke's account at the mail relay: HMAC-SHA256 of the account's name under the relay's secret, in
 * base64url. The relay makes the same from the same two, so nobody hands passwords over; and from one spoke's password
 * nobody learns another's.
 */
export function relayPassword(secret: string, user: string): string {
  return createHmac("sha256", secret).update(user).digest("base64url");
}
