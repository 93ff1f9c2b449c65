/**
 * Passwords: made here, put into the cluster by create, and kept nowhere else.
 *
 * Letters, digits, hyphen and underscore alone, because the image passes them through shell and sed unquoted.
 */
import * as v from "valibot";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** 32 characters, 192 bits less what Moodle's password policy takes: one of each sort, and no hyphen in front. */
export function newPassword(): string {
  for (;;) {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    const password = Array.from(bytes, (byte) => ALPHABET[byte & 63]).join("");
    const sorts = [/^[A-Za-z0-9]/, /[A-Z]/, /[a-z]/, /[0-9]/, /[-_]/]; // a first hyphen would look like an option
    if (sorts.every((sort) => sort.test(password))) return password;
  }
}

/** A mail password that comes through shell and sed as it is: no blanks, quotes, wildcards, or one of \\ | & ; $ `. */
export const MailPassword = v.pipe(v.string(), v.regex(/^[A-Za-z0-9._@+=/:!#%^~,(){}<>-]{1,254}$/));
