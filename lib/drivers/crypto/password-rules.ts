/**
 * What a new password must be: long, and not what everybody would guess. Nothing is asked of its characters: any
 * Unicode is fine, and rules about digits and capitals make passwords worse.
 */
import { isCommon } from "#lib/drivers/crypto/common-passwords.ts";
import { Fault } from "#lib/base/errors.ts";

/** Characters, that is code points. */
export const MIN_PASSWORD_LENGTH = 12, MAX_PASSWORD_LENGTH = 256;

/**
 * What is wrong with it, as what follows "the password …"; null when it may be used. `email` is whose it is, where
 * known.
 */
export function findPasswordProblem(password: string, email?: string): string | null {
  if (!password.isWellFormed() || password.includes("\0")) return "must be well-formed text";
  const characters = [...password];
  if (characters.length < MIN_PASSWORD_LENGTH || characters.length > MAX_PASSWORD_LENGTH) {
    return `must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`;
  }
  if (isCommon(password)) return "must not be a common password";
  if (isRepeated(password) || isSequence(characters)) return "must not be an easily guessed pattern";
  if (email !== undefined && isAddress(password, email)) return "must not be the account's e-mail address";
  return null;
}

/** Throws Fault invalid for a new password that this account may not have. */
export function requirePassword(password: string, email: string): void {
  const problem = findPasswordProblem(password, email);
  if (problem !== null) throw new Fault("invalid", "invalid_input", `password ${problem}`);
}

/** The address or what stands before its @, in whatever case, with nothing around it but digits, signs and spaces. */
function isAddress(password: string, email: string): boolean {
  const local = email.slice(0, email.lastIndexOf("@"));
  return [email, local].some((known) => {
    const letters = lettersOf(known);
    return password.toLowerCase() === known || letters !== "" && lettersOf(password) === letters;
  });
}

/** From the first letter to the last, in lower case. */
function lettersOf(text: string): string {
  return text.toLowerCase().replace(/^\P{L}+|\P{L}+$/gu, "");
}

/** One short piece again and again: "aaaaaaaaaaaa", "moodle!moodle!". */
function isRepeated(password: string): boolean {
  return /^(.{1,8})\1+$/su.test(password);
}

/** Characters that follow each other: "abcdefghijklm", "987654321098". */
function isSequence(characters: readonly string[]): boolean {
  const steps = characters.slice(1).map((character, i) => character.codePointAt(0)! - characters[i]!.codePointAt(0)!);
  return [1, -1].some((step) => steps.every((each) => each === step || each === -9 * step));
}
