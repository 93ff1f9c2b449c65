/** Parses values of a policy on the command line, such as `settings.language=de`. */
import { readFile } from "node:fs/promises";
import { getErrorReason } from "#lib/base/errors.ts";
import { OVERRIDABLE_SECTIONS, POLICY_SECTIONS, type PolicySection } from "#lib/model/policy.ts";
import { parsePolicyText } from "#lib/model/policy-text.ts";
import { readSecret } from "./prompt.ts";
import { CommandError, EXIT } from "./exit-status.ts";

/** The options that name a file with a secret, and the secret's field. */
const SECRET_OPTIONS = [
  ["client-secret-file", "clientSecret", "client secret"],
  ["registration-token-file", "registrationToken", "registration token"],
] as const;

/** Returns the values by section. An empty value is null, which removes it. */
export function parsePolicyValues(words: readonly string[]): Partial<Record<PolicySection, Record<string, unknown>>> {
  const changes: Partial<Record<PolicySection, Record<string, unknown>>> = {};
  for (const each of words) {
    const at = each.indexOf("=");
    if (at === -1) throw new CommandError(EXIT.usage, `"${each}" must have the form FIELD=VALUE`);
    const [section, field] = parsePolicyField(each.slice(0, at));
    const option = SECRET_OPTIONS.find(([, secret]) => secret === field)?.[0];
    if (option !== undefined && each.length > at + 1) {
      const message = `Other users could read the secret in the list of processes; use --${option}`;
      throw new CommandError(EXIT.usage, message);
    }
    (changes[section] ??= {})[field] = parsePolicyText(section, field, each.slice(at + 1));
  }
  return changes;
}

type SecretOptions = { readonly [O in (typeof SECRET_OPTIONS)[number][0]]?: string | undefined };

/** Reads the secrets from the files or standard input, without the line break at the end. */
export async function readSecretFiles(options: SecretOptions): Promise<Readonly<Record<string, string>>> {
  const secrets: Record<string, string> = {};
  for (const [option, field, words] of SECRET_OPTIONS) {
    const file = options[option];
    if (file === undefined) continue;
    try {
      secrets[field] = file === "-" ? await readSecret() : (await readFile(file, "utf8")).trim();
    } catch (error) {
      if (error instanceof CommandError) throw error;
      throw new CommandError(EXIT.usage, `Cannot read the ${words}: ${getErrorReason(error)}`);
    }
  }
  return secrets;
}

function parsePolicyField(name: string): [section: PolicySection, field: string] {
  const [section = "", field = ""] = name.split(".");
  if (field === "") throw new CommandError(EXIT.usage, `"${name}" must name a field, such as settings.language`);
  return [parseSection(section), field];
}

/** Parses the name of a field that a hub may let its spokes override. */
export function parseOverridableField(name: string): [section: PolicySection, field: string] {
  const [section, field] = parsePolicyField(name);
  if ((OVERRIDABLE_SECTIONS as readonly PolicySection[]).includes(section)) return [section, field];
  throw new CommandError(EXIT.usage, `Spokes cannot override "${name}"`);
}

export function parseSection(name: string): PolicySection {
  const section = POLICY_SECTIONS.find((each) => each === name);
  if (!section) throw new CommandError(EXIT.usage, `"${name}" is no section; choose ${POLICY_SECTIONS.join(" or ")}`);
  return section;
}
