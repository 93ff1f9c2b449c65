/** Lists the fields in which a row differs from its record in the cluster. Pure. */
import { isDeepStrictEqual } from "node:util";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { HubSiteRecord, SpokeSiteRecord } from "#lib/moodle/site-record.ts";

export type ChangedFields = Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;

const SPOKE_FIELDS = [
  ...["displayName", "domain", "size", "lmsVersion", "brand", "adminEmail", "mail", "maintenance", "region"],
  ...["seed", "identity", "content", "contentMode", "siteIdentifier", "fromBackup", "blueprintRevision", "readyAt"],
] as const satisfies readonly (keyof SpokeRow & keyof SpokeSiteRecord)[];
const HUB_FIELDS = ["slug", "name", "region", "mode", "tier", "readyAt"] as const;
/** The maximum length of a value in a sentence. */
const VALUE_MOST = 60;

/**
 * Returns the fields that would change. Leaves out the `requested` fields, because requests after the restore take
 * precedence. `state` is the next state of the row.
 */
export function changedOfSpoke(
  row: SpokeRow,
  record: SpokeSiteRecord,
  { state, requested = new Set() }: { readonly state: string; readonly requested?: ReadonlySet<string> | undefined },
): ChangedFields {
  const changed = differences(row, { ...record, state }, [...SPOKE_FIELDS, "state"], requested);
  const inputs = changedInputs(row.blueprintInputs, record.blueprintInputs as SpokeInputs);
  // A change of the size or domain also changes the inputs, so listing the inputs would only repeat it.
  if (Object.keys(changed).length > 0 || inputs.length === 0) return changed;
  return { blueprintInputs: { from: null, to: inputs.join(", ") } };
}

export function changedOfHub(
  row: FederationRow,
  record: HubSiteRecord,
  { state, requested = new Set() }: { readonly state: string; readonly requested?: ReadonlySet<string> | undefined },
): ChangedFields {
  return differences(row, { ...record, state }, [...HUB_FIELDS, "state"], requested);
}

/**
 * Returns the changed fields as text that follows the sentence about the change. `isSame` is whether the namespace is
 * the one in the row.
 */
export function describeChanges(
  changed: ChangedFields,
  { updatedAt }: { readonly updatedAt: Date },
  isSame: boolean,
): string {
  const { blueprintInputs, ...fields } = changed;
  const parts = [
    ...(isSame ? [] : ["its namespace was created again"]),
    ...Object.entries(fields).map(([field, { from, to }]) => `${field} ${wordOf(from)} → ${wordOf(to)}`),
    ...(blueprintInputs ? [`its manifests: ${blueprintInputs.to}`] : []),
  ];
  if (parts.length > 0) return parts.map((part) => ` (${part})`).join("");
  return ` (no field differs; its record is of ${updatedAt.toISOString()})`;
}

function differences<R extends object>(
  row: R,
  record: { readonly [F in keyof R]?: unknown },
  fields: readonly (string & keyof R)[],
  requested: ReadonlySet<string>,
): ChangedFields {
  const changed = fields.filter((field) => !isDeepStrictEqual(row[field], record[field]) && !requested.has(field));
  return Object.fromEntries(changed.map((field) => [field, { from: row[field], to: record[field] }]));
}

function changedInputs(from: SpokeInputs, to: SpokeInputs): string[] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])] as (keyof SpokeInputs)[];
  return names.filter((name) => !isDeepStrictEqual(from[name], to[name])).sort();
}

function wordOf(value: unknown): string {
  if (value === null || value === undefined) return "none";
  const text = value instanceof Date ? value.toISOString() : String(value);
  return text.length > VALUE_MOST ? `${text.slice(0, VALUE_MOST)}…` : text;
}
