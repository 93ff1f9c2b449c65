/** Parses values of a policy on the command line, such as `settings.language=de`. */
import { readFile } from "node:fs/promises";
import { getErrorReason } from "#lib/base/errors.ts";
import { OVERRIDABLE_SECTIONS, POLICY_SECTIONS, type PolicySection } from "#lib/model/policy.ts";
import { parsePolicyText } from "#lib/model/policy-text.ts";
import { readSecret } from "./prompt.ts";
import { CommandError, EXIT } from "./exit-status.ts";

/** Returns the values by section. An empty value is null, which removes it. */
export function parsePolicyValues(words: readonly string[]): Partial<Record<PolicySection, Record<string, unknown>>> {
  const changes: Partial<Record<PolicySection, Record<string, unknown>>> = {};
  for (const each of words) {
    const at = each.indexOf("=");
    if (at === -1) throw new CommandError(EXIT.usage, `"${each}" must have the form FIELD=VALUE`);
    const [section, field] = parsePolicyField(each.slice(0, at));
    if (field === "clientSecret" && each.length > at + 1) {
      const message = "Other users could read the client secret in the list of processes; use --client-secret-file";
      throw new CommandError(EXIT.usage, message);
    }
    (changes[section] ??= {})[field] = parsePolicyText(section, field, each.slice(at + 1));
  }
  return changes;
}

/** Reads the client secret from the file or standard input, without the line break at the end. */
export async function readClientSecret(
  options: { readonly "client-secret-file"?: string | undefined },
): Promise<string | undefined> {
  const file = options["client-secret-file"];
  if (file === undefined) return undefined;
  if (file === "-") return await readSecret();
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    throw new CommandError(EXIT.usage, `Cannot read the client secret: ${getErrorReason(error)}`);
  }
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
