/** Loads the sign-in providers from the file named by SIGN_IN_PROVIDERS, with their client secrets. */
import { readFile } from "node:fs/promises";
import * as v from "valibot";
import { ConfigError } from "#lib/base/config.ts";
import { getErrorMessage, getErrorReason } from "#lib/base/errors.ts";
import { decodeUtf8 } from "#lib/base/utf8.ts";
import { formatValidationIssues } from "#lib/moodle/parse-blueprint.ts";
import { readTextFile } from "#lib/moodle/read-text-file.ts";
import { parseYamlDocument } from "#lib/moodle/yaml.ts";
import { type SignInProviderEntry, SignInProvidersFile } from "#lib/openid/file.ts";

const VARIABLE = "SIGN_IN_PROVIDERS";

/** A provider as the file describes it. `clientSecret` is null for a public client. */
export interface ProviderSettings extends Omit<SignInProviderEntry, "clientSecret" | "clientSecretFile"> {
  readonly clientSecret: string | null;
}

/** Reads the file; returns no providers if `path` is null. Throws a ConfigError that names each invalid field. */
export async function loadSignInProviders(path: string | null): Promise<readonly ProviderSettings[]> {
  if (path === null) return [];
  const entries = parseProviders(await readProviderFile(path)), problems: string[] = [];
  const providers = await Promise.all(entries.map(async ({ clientSecret, clientSecretFile, ...entry }, index) => {
    const secret = clientSecretFile === undefined
      ? clientSecret ?? null
      : await readSecret(clientSecretFile, `${VARIABLE}: ${index}.clientSecretFile`, problems);
    return { ...entry, clientSecret: secret };
  }));
  if (problems.length > 0) throw new ConfigError(problems);
  return providers;
}

/** Parses the file's text. Throws a ConfigError that names each invalid field, without its value. */
export function parseProviders(text: string): readonly SignInProviderEntry[] {
  const problems: string[] = [];
  const parsed = parseYamlDocument(text, (problem) => problems.push(`${VARIABLE}: ${problem}`)) ?? [];
  if (problems.length > 0) throw new ConfigError(problems);
  const result = v.safeParse(SignInProvidersFile, parsed);
  if (!result.success) throw new ConfigError(formatValidationIssues(VARIABLE, result.issues));
  return result.output;
}

async function readProviderFile(path: string): Promise<string> {
  try {
    return await readTextFile(path);
  } catch (error) {
    throw new ConfigError([`${VARIABLE}: ${getErrorMessage(error)}`]);
  }
}

async function readSecret(path: string, field: string, problems: string[]): Promise<string | null> {
  try {
    const secret = decodeUtf8(await readFile(path)).replace(/\r?\n$/, "");
    if (secret === "") problems.push(`${field} points to an empty file`);
    return secret;
  } catch (error) {
    problems.push(`${field} points to a file that cannot be read: ${getErrorReason(error)}`);
    return null;
  }
}
