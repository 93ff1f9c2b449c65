/** Reads variables that may come from a file, as container secrets do: NAME_FILE names the file that holds NAME's value. */
import { readFileSync } from "node:fs";
import type { ProcessVariables } from "#lib/base/environment.ts";
import { reasonOf } from "#lib/base/errors.ts";

/**
 * Returns the variables of these names that are given. An empty variable counts as absent: compose files pass those.
 * Problems are added to `problems`.
 */
export function readGiven(names: readonly string[], env: ProcessVariables, problems: string[]): Record<string, string> {
  const given: Record<string, string> = {};
  for (const name of names) {
    const value = env[name], file = env[`${name}_FILE`];
    if (value && file) problems.push(`${name} and ${name}_FILE are both set; set one of them`);
    if (value) given[name] = value;
    else if (file) {
      try {
        given[name] = readFileSync(file, "utf8").replace(/\r?\n$/, "");
      } catch (error) {
        problems.push(`${name}_FILE names a file that cannot be read: ${reasonOf(error)}`);
      }
    }
  }
  return given;
}
