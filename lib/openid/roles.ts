/** Maps the groups in a person's claims to roles, by the rules in the SIGN_IN_PROVIDERS file. Pure. */
import type { ProviderSettings } from "#lib/openid/load.ts";

/** The roles that a provider gives a person. */
export interface MappedRoles {
  readonly operator: boolean;
  /** The slugs of the hubs that the person administers, sorted. Hubs with these slugs need not exist. */
  readonly hubs: readonly string[];
}

const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** The maximum number of groups and hubs. A token with more groups has them cut, rather than costing time. */
const MAX_GROUPS = 1000, MAX_HUBS = 100;

export function mapRoles(
  { rolesFrom, roles }: Pick<ProviderSettings, "rolesFrom" | "roles">,
  claims: Readonly<Record<string, unknown>>,
): MappedRoles {
  const rules = Object.entries(roles), hubs = new Set<string>();
  let operator = false;
  for (const group of listGroups(Object.hasOwn(claims, rolesFrom) ? claims[rolesFrom] : undefined)) {
    for (const [pattern, role] of rules) {
      const matched = matchPattern(pattern, group);
      if (matched === null) continue;
      if (role === "operator") operator = true;
      else if (role.hubAdmin !== "*") hubs.add(role.hubAdmin);
      else if (SLUG.test(matched)) hubs.add(matched);
    }
  }
  return { operator, hubs: [...hubs].sort().slice(0, MAX_HUBS) };
}

/** Returns the groups in a claim, which is a list of texts, or a single text. */
function listGroups(claim: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(claim) ? claim.slice(0, MAX_GROUPS) : [claim];
  return list.filter((group) => typeof group === "string");
}

/** Returns the text that the pattern's asterisk matches, or an empty text for an exact match. Null if none matches. */
function matchPattern(pattern: string, group: string): string | null {
  if (!pattern.endsWith("*")) return group === pattern ? "" : null;
  const prefix = pattern.slice(0, -1);
  return group.startsWith(prefix) && group.length > prefix.length ? group.slice(prefix.length) : null;
}
