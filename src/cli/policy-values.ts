/** Parses values of a policy on the command line, such as `settings.language=de`. */
import { POLICY_SECTIONS, type PolicySection } from "#lib/model/policy.ts";
import { parsePolicyText } from "#lib/model/policy-text.ts";
import { CommandError, EXIT } from "./exit-status.ts";

/** Returns the values by section. An empty value is null, which removes it. */
export function parsePolicyValues(words: readonly string[]): Partial<Record<PolicySection, Record<string, unknown>>> {
  const changes: Partial<Record<PolicySection, Record<string, unknown>>> = {};
  for (const each of words) {
    const at = each.indexOf("=");
    if (at === -1) throw new CommandError(EXIT.usage, `"${each}" must have the form FIELD=VALUE`);
    const [section, field] = parsePolicyField(each.slice(0, at));
    (changes[section] ??= {})[field] = parsePolicyText(section, field, each.slice(at + 1));
  }
  return changes;
}

export function parsePolicyField(name: string): [section: PolicySection, field: string] {
  const [section = "", field = ""] = name.split(".");
  if (field === "") throw new CommandError(EXIT.usage, `"${name}" must name a field, such as settings.language`);
  return [parseSection(section), field];
}

export function parseSection(name: string): PolicySection {
  const section = POLICY_SECTIONS.find((each) => each === name);
  if (!section) throw new CommandError(EXIT.usage, `"${name}" is no section; choose ${POLICY_SECTIONS.join(" or ")}`);
  return section;
}
