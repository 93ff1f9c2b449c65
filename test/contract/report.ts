/** Reports the findings of the contract check to the developer: what broke, where, and what to do next. */
import type { CheckedFinding } from "#test/contract/contract.ts";
import { BREAKING_KINDS, type BreakingKind } from "#test/contract/findings.ts";
import { MIN_NOTICE_PERIOD } from "#lib/base/notice.ts";

export interface ReportContext {
  /** The number of endpoints in the last release. A change of all of them is reported as one. */
  readonly endpoints: number;
  /** The day of the check, an ISO date. */
  readonly today: string;
}

/** Findings of several operations with the same change, usually in a shared schema. */
interface Group {
  readonly kind: BreakingKind;
  readonly place: string;
  readonly message: string;
  readonly operations: readonly string[];
}

const MOST = 6; // operations to name; more are counted

export function reportContract(found: readonly CheckedFinding[], { endpoints, today }: ReportContext): string {
  const refused = found.filter(({ check }) => !check.allowed);
  const allowed = found.filter(({ check }) => check.allowed);
  if (refused.length === 0) {
    const least = allowed.length === 0 ? "" : ", except announced changes and exceptions";
    return `No breaking changes in the ${count(endpoints, "endpoint")} of the last release${least}\n` +
      list(allowed, endpoints);
  }
  const changes = count(groupOf(refused).length, "breaking change");
  const felt = count(new Set(refused.map(({ operation }) => operation)).size, "endpoint");
  return `Breaking changes since the last release: ${changes} in ${felt} of ${endpoints}\n` +
    list(refused, endpoints) + list(allowed, endpoints) + advice(today);
}

function advice(today: string): string {
  const later = new Date(Date.parse(today) + MIN_NOTICE_PERIOD).toISOString().slice(0, 10);
  return `
What to do
  Keep the existing API and add to it. New endpoints, optional request fields, response fields and enum values in
  responses are always allowed. To remove something, announce it on the endpoint:
    deprecated: { since: "${today}", sunset: "${later}", note: "Use … instead" }
  Release the announcement (npm run generate -- contract), and release this change after the sunset. Until then API users
  are notified by headers, the changelog and mail.
`;
}

/** Lists the findings under the reason of their check. */
function list(found: readonly CheckedFinding[], endpoints: number): string {
  const verdicts = [...new Set(found.map(({ check }) => check.reason))];
  return verdicts.map((says) => {
    const groups = groupOf(found.filter(({ check }) => check.reason === says));
    return `\n${says}.\n${groups.map((group) => describe(group, endpoints)).join("")}`;
  }).join("");
}

function describe({ kind, place, message: says, operations }: Group, endpoints: number): string {
  const named = operations.length === endpoints && endpoints > 1 ? [`every endpoint, all ${endpoints}`] : operations;
  const listed = named.length <= MOST + 1 ? named : [...named.slice(0, MOST), `and ${named.length - MOST} more`];
  const sentence = says[0]!.toUpperCase() + says.slice(1);
  return `\n  ✗ ${BREAKING_KINDS[kind]}${place && `: ${place}`}\n` +
    `    ${sentence}${sentence.endsWith("?") ? "" : "."}\n` +
    listed.map((name) => `      ${name}\n`).join("");
}

function groupOf(found: readonly CheckedFinding[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const { kind, within, where, message: says, operation } of found) {
    const place = within ?? where, key = [kind, place, says].join("\n"), operations = groups.get(key)?.operations ?? [];
    const more = operations.includes(operation) ? operations : [...operations, operation];
    groups.set(key, { kind, place: place === "address" ? "" : place, message: says, operations: more });
  }
  const kinds = Object.keys(BREAKING_KINDS);
  return [...groups.values()].sort((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind));
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
