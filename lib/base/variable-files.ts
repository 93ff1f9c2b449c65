/** Reads variables from the environment or from files: NAME_FILE is the path to a file with NAME's value. */
import { accessSync, constants, readFileSync } from "node:fs";
import { delimiter } from "node:path";
import type { ProcessVariables } from "#lib/base/environment.ts";
import { getErrorReason } from "#lib/base/errors.ts";
import { decodeUtf8 } from "#lib/base/utf8.ts";

/** Returns the variables that are set and not empty. Adds errors in reading files to `problems`. */
export function readVariables(
  names: readonly string[],
  env: ProcessVariables,
  problems: string[],
): Record<string, string> {
  const values: Record<string, string> = {};
  for (const name of names) {
    const value = env[name], file = env[`${name}_FILE`];
    if (value && file) problems.push(`${name} and ${name}_FILE are both set; set only one of them`);
    if (value) values[name] = value;
    else if (file) {
      try {
        values[name] = decodeUtf8(readFileSync(file)).replace(/\r?\n$/, "");
      } catch (error) {
        problems.push(`${name}_FILE points to a file that cannot be read: ${getErrorReason(error)}`);
      }
    }
  }
  return values;
}

/**
 * Returns a problem for each variable that names an unreadable file or directory. Only `serve` and `dev` need these
 * files. `dev` needs no kubeconfig file, because its cluster is simulated.
 */
export function findUnreadablePaths(mode: string, values: Readonly<Record<string, string>>): string[] {
  if (mode !== "serve" && mode !== "dev") return [];
  const always = ["CATALOG", "BLUEPRINT_DIR", "SIGN_IN_PROVIDERS"];
  const names = mode === "serve" ? ["KUBECONFIG", ...always] : always;
  return names.flatMap((name) => {
    const value = values[name];
    if (value === undefined) return [];
    // KUBECONFIG may list several files. Missing files are skipped, as in kubectl.
    const paths = name === "KUBECONFIG" ? value.split(delimiter).filter(Boolean) : [value];
    const problems = paths.flatMap((path) => readErrorOf(path) ?? []);
    if (problems.length < Math.max(1, paths.length)) return [];
    const kind = name === "BLUEPRINT_DIR" ? "directory" : "file";
    return [`${name} points to a ${kind} that cannot be read: ${problems[0] ?? "the value contains no path"}`];
  });
}

function readErrorOf(path: string): string | null {
  try {
    accessSync(path, constants.R_OK);
    return null;
  } catch (error) {
    return getErrorReason(error);
  }
}
