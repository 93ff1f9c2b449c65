/** Derives flags from the declarations of a spoke's fields and of an action's parameters (lib/client/fields.ts). */
import type { VerbFlags } from "./verb-declaration.ts";

export interface DeclaredValue {
  readonly hint: string;
  readonly type: "string" | "boolean";
  /** The allowed values, if there is a fixed list. */
  readonly choices?: readonly string[];
  /** The list in the catalog that contains the allowed values. */
  readonly catalogued?: string;
}

/** Returns the name of a flag in the usual spelling, for example `skip-backup` for `skipBackup`. */
export function toFlagName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Returns a flag. `standard` describes the value that the server uses if the flag is omitted. */
export function createDeclaredFlag(
  { hint, type, choices, catalogued }: DeclaredValue,
  { placeholder, standard }: { readonly placeholder?: string | undefined; readonly standard?: string | undefined },
): VerbFlags[string] {
  const start = /^[A-Z][a-z ]/.test(hint) ? hint[0]!.toLowerCase() : hint[0]!; // CPU stays in upper case
  const help = `${start}${hint.slice(1)}${catalogued ? "; see 'wheelwright catalog'" : ""}${
    standard ? ` (default: ${standard})` : ""
  }`;
  const value = choices?.join("|") ?? placeholder;
  return { type, help, ...(value !== undefined && { value }) };
}
