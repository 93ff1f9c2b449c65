/**
 * Decides whether a database row is older than its site record in the cluster, and lists their differences. Reads which
 * fields users changed after the database was restored: until jobs may run again, users can change some fields of a
 * row, but the others stay outdated.
 */
import { isDeepStrictEqual } from "node:util";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { fieldsWith } from "#lib/model/field.ts";
import { hubFields } from "#lib/model/hub.ts";
import { spokeFields } from "#lib/model/spoke.ts";
import type { HubSiteRecord, SpokeSiteRecord } from "#lib/moodle/site-record.ts";

export type ChangedFields = Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;

/** Fields of a site record that are not reported as changed: they never change, or they follow from other fields. */
const UNREPORTED: readonly string[] = [
  ...["id", "federationId", "slug", "namespace", "createdBy", "copyOf", "state", "stateReason", "imageDigest"],
];
const REPORTED_SPOKE_FIELDS = [
  ...fieldsWith(spokeFields, "kept").filter((name) => !UNREPORTED.includes(name)),
  "readyAt",
] as const;
const REPORTED_HUB_FIELDS = [...fieldsWith(hubFields, "settable"), "policy", "courses", "readyAt"] as const;
/** The maximum length of a field's value in a finding, in characters. */
const MAX_VALUE_LENGTH = 60;

/**
 * Returns the fields that an update from the site record would change, except the `requested` fields, because changes
 * by users after the restore take precedence. `state` is the row's state after the update.
 */
export function listChangedSpokeFields(
  row: SpokeRow,
  siteRecord: SpokeSiteRecord,
  { state, requested = new Set() }: { readonly state: string; readonly requested?: ReadonlySet<string> | undefined },
): ChangedFields {
  const changed = listDifferences(row, { ...siteRecord, state }, [...REPORTED_SPOKE_FIELDS, "state"], requested);
  const inputs = listChangedInputs(row.blueprintInputs, siteRecord.blueprintInputs as SpokeInputs);
  // Lists changed inputs only if no field differs, because a new size or domain also changes the inputs.
  if (Object.keys(changed).length > 0 || inputs.length === 0) return changed;
  return { blueprintInputs: { from: null, to: inputs.join(", ") } };
}

export function listChangedHubFields(
  row: FederationRow,
  siteRecord: HubSiteRecord,
  { state, requested = new Set() }: { readonly state: string; readonly requested?: ReadonlySet<string> | undefined },
): ChangedFields {
  return listDifferences(row, { ...siteRecord, state }, [...REPORTED_HUB_FIELDS, "state"], requested);
}

/** Formats changed fields for the end of a finding. `isSameNamespace` is false if the namespace was recreated. */
export function describeChanges(
  changed: ChangedFields,
  { updatedAt }: { readonly updatedAt: Date },
  isSameNamespace: boolean,
): string {
  const { blueprintInputs, ...fields } = changed;
  const parts = [
    ...(isSameNamespace ? [] : ["namespace recreated"]),
    ...Object.entries(fields).map(([field, { from, to }]) => `${field} ${formatValue(from)} → ${formatValue(to)}`),
    ...(blueprintInputs ? [`manifests: ${blueprintInputs.to}`] : []),
  ];
  if (parts.length > 0) return parts.map((part) => ` (${part})`).join("");
  return ` (no field differs; the site record is from ${updatedAt.toISOString()})`;
}

function listDifferences<R extends object>(
  row: R,
  siteRecord: { readonly [F in keyof R]?: unknown },
  fields: readonly (string & keyof R)[],
  requested: ReadonlySet<string>,
): ChangedFields {
  const changed = fields.filter((field) => !isDeepStrictEqual(row[field], siteRecord[field]) && !requested.has(field));
  return Object.fromEntries(changed.map((field) => [field, { from: row[field], to: siteRecord[field] }]));
}

function listChangedInputs(from: SpokeInputs, to: SpokeInputs): string[] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])] as (keyof SpokeInputs)[];
  return names.filter((name) => !isDeepStrictEqual(from[name], to[name])).sort();
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return "none";
  const text = value instanceof Date
    ? value.toISOString()
    : typeof value === "object"
    ? JSON.stringify(value)
    : String(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

interface RowVersion {
  readonly namespaceUid: string | null;
  readonly updatedAt: Date;
  /** The row's `updatedAt` in the database backup. Null once the restored database may run jobs again. */
  readonly backupUpdatedAt: Date | null;
}

export function isRowOutdated(
  { namespaceUid, backupUpdatedAt, updatedAt }: RowVersion,
  namespace: { readonly uid: string },
  siteRecord: { readonly updatedAt: Date },
): boolean {
  return namespaceUid !== namespace.uid || (backupUpdatedAt ?? updatedAt) < siteRecord.updatedAt;
}

/** Fields that users changed after the database was restored, by hub or spoke ID. They are newer than site records. */
export type ChangesAfterRestore = ReadonlyMap<string, ReadonlySet<string>>;

export async function readChangesAfterRestore(
  rows: RowQueries,
  since: Date | null,
  id?: string,
): Promise<ChangesAfterRestore> {
  if (since === null) return new Map();
  const changes = await rows.selectFrom("audit_events").select(["objectId", "metadata"])
    .where("kind", "in", ["spoke_updated", "federation_updated"]).where("at", ">=", since)
    .$if(id !== undefined, (all) => all.where("objectId", "=", id!)).execute();
  const changesByObject = Map.groupBy(changes, ({ objectId }) => objectId);
  const fields = ({ metadata }: (typeof changes)[number]) => Object.keys(metadata["changed"] ?? {});
  return new Map([...changesByObject].map(([of, all]) => [of, new Set(all.flatMap(fields))]));
}

/** Returns the fields of the row that users changed after the database was restored, with their current values. */
export function pickValuesChangedAfterRestore<R extends { readonly id: string }>(
  row: R,
  changed: ChangesAfterRestore,
): Partial<R> {
  const fields = changed.get(row.id) ?? new Set();
  return Object.fromEntries(Object.entries(row).filter(([field]) => fields.has(field))) as Partial<R>;
}
