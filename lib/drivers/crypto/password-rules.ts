/**
 * Checks that a new password is long and hard to guess. A password may contain any Unicode characters. Rules that
 * require digits or capital letters result in worse passwords.
 */
import { isCommonPassword } from "#lib/drivers/crypto/common-passwords.ts";
import { Fault } from "#lib/base/errors.ts";

/** The minimum and maximum length of a password, in Unicode code points. */
export const MIN_PASSWORD_LENGTH = 12, MAX_PASSWORD_LENGTH = 256;

/** Returns the problem, worded to follow "The password", or null. `email` is the user's email address. */
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

/** Throws the fault `invalid_input` if the password is not allowed for the user with this email address. */
export function requireStrongPassword(password: string, email: string): void {
  const problem = findPasswordProblem(password, email);
  if (problem !== null) throw new Fault("invalid", "invalid_input", `password ${problem}`);
}

/**
 * Returns whether the password is the email address, or the part before the @. Ignores case, and any digits, symbols
 * and spaces at the start or end.
 */
function isAddress(password: string, email: string): boolean {
  const local = email.slice(0, email.lastIndexOf("@"));
  return [email, local].some((known) => {
    const letters = lettersOf(known);
    return password.toLowerCase() === known || letters !== "" && lettersOf(password) === letters;
  });
}

/** Returns the text from its first to its last letter, in lowercase. */
function lettersOf(text: string): string {
  return text.toLowerCase().replace(/^\P{L}+|\P{L}+$/gu, "");
}

/** Returns whether the password repeats up to eight characters, such as "aaaaaaaaaaaa" or "moodle!moodle!". */
function isRepeated(password: string): boolean {
  return /^(.{1,8})\1+$/su.test(password);
}

/** Returns whether the characters form a sequence, such as "abcdefghijklm" or "987654321098". */
function isSequence(characters: readonly string[]): boolean {
  const steps = characters.slice(1).map((character, i) => character.codePointAt(0)! - characters[i]!.codePointAt(0)!);
  return [1, -1].some((step) => steps.every((each) => each === step || each === -9 * step));
}
