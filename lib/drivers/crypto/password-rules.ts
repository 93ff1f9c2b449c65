/**
 * Checks new passwords: they must be long and not easy to guess. All Unicode characters are allowed, because rules
 * about digits and capitals produce worse passwords.
 */
import { isCommonPassword } from "#lib/drivers/crypto/common-passwords.ts";
import { Fault } from "#lib/base/errors.ts";

/** Length limits in code points. */
export const MIN_PASSWORD_LENGTH = 12, MAX_PASSWORD_LENGTH = 256;

/** Returns the problem as the end of a sentence that starts with "the password", or null. `email` is the user's. */
export function findPasswordProblem(password: string, email?: string): string | null {
  if (!password.isWellFormed() || password.includes("\0")) return "must be well-formed text";
  const characters = [...password];
  if (characters.length < MIN_PASSWORD_LENGTH || characters.length > MAX_PASSWORD_LENGTH) {
    return `must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`;
  }
  if (isCommonPassword(password)) return "must not be a common password";
  if (isRepeated(password) || isSequence(characters)) return "must not be an easily guessed pattern";
  if (email !== undefined && isAddress(password, email)) return "must not be the account's email address";
  return null;
}

/** Throws an `invalid` fault if this account may not have the password. */
export function requirePassword(password: string, email: string): void {
  const problem = findPasswordProblem(password, email);
  if (problem !== null) throw new Fault("invalid", "invalid_input", `password ${problem}`);
}

/**
 * Whether the password is the address or its part before the @. Ignores case and surrounding digits, symbols and
 * spaces.
 */
function isAddress(password: string, email: string): boolean {
  const local = email.slice(0, email.lastIndexOf("@"));
  return [email, local].some((known) => {
    const letters = lettersOf(known);
    return password.toLowerCase() === known || letters !== "" && lettersOf(password) === letters;
  });
}

/** Returns the text from the first to the last letter, in lower case. */
function lettersOf(text: string): string {
  return text.toLowerCase().replace(/^\P{L}+|\P{L}+$/gu, "");
}

/** Whether a short part is repeated: "aaaaaaaaaaaa", "moodle!moodle!". */
function isRepeated(password: string): boolean {
  return /^(.{1,8})\1+$/su.test(password);
}

/** Whether the characters are a sequence: "abcdefghijklm", "987654321098". */
function isSequence(characters: readonly string[]): boolean {
  const steps = characters.slice(1).map((character, i) => character.codePointAt(0)! - characters[i]!.codePointAt(0)!);
  return [1, -1].some((step) => steps.every((each) => each === step || each === -9 * step));
}
