/**
 * Reads and writes site records. A record is a copy of a spoke's or hub's database row in a ConfigMap. If the database
 * is lost, Wheelwright rebuilds the row from the record. A record contains no secrets, and is signed for its namespace.
 */
import * as v from "valibot";
import type { Selectable } from "kysely";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { MANAGED_BY_LABEL } from "#lib/drivers/cluster/guard.ts";
import type { KubeObject, ObjectRef } from "#lib/drivers/cluster/cluster.ts";
import { HostName, Slug } from "#lib/base/schema.ts";
import { BACKUP_KINDS } from "#lib/model/backup.ts";
import { recordEntries } from "#lib/model/field.ts";
import { hubFields } from "#lib/model/hub.ts";
import { spokeFields } from "#lib/model/spoke.ts";
import { HUB_STATES, LIVE_STATES } from "#lib/model/states.ts";
import { isImageDigest } from "#lib/moodle/image-digest.ts";
import { SpokeInputs } from "#lib/moodle/inputs.ts";

type SpokeRow = Selectable<Schema["spokes"]>;
type FederationRow = Selectable<Schema["federations"]>;

const KIND = { apiVersion: "v1", kind: "ConfigMap" };
export const SITE_RECORD_CONFIG_MAP_NAME: ObjectRef = { ...KIND, name: "wheelwright" };
/** The label for a site record's type, `spoke` or `hub`. On snapshots, the annotation for the signed record. */
export const SITE_RECORD_KEY = "wheelwright.dev/site-record-of";

const Timestamp = v.pipe(v.string(), v.isoTimestamp(), v.transform((text) => new Date(text)));
const timestamps = { createdAt: Timestamp, updatedAt: Timestamp, readyAt: v.nullable(Timestamp) };

export const SpokeSiteRecord = v.object({
  ...recordEntries(spokeFields),
  slug: Slug,
  domain: HostName,
  state: v.picklist(LIVE_STATES),
  /** The digest of the Moodle image. Absent in records that earlier releases wrote. */
  imageDigest: v.optional(v.fallback(v.nullable(v.pipe(v.string(), v.check(isImageDigest))), null), null),
  /** The spoke's blueprint inputs, including unknown fields, which a later release may have added. */
  blueprintInputs: v.pipe(
    v.unknown(),
    v.check((inputs) => v.is(SpokeInputs, inputs), "must be valid blueprint inputs"),
  ),
  ...timestamps,
});
export type SpokeSiteRecord = v.InferOutput<typeof SpokeSiteRecord>;

export const HubSiteRecord = v.object({
  ...recordEntries(hubFields),
  slug: Slug,
  state: v.picklist(HUB_STATES.filter((state) => state !== "removed")),
  ...timestamps,
});
export type HubSiteRecord = v.InferOutput<typeof HubSiteRecord>;

/** The record of a backup, stored in an annotation on its snapshots. Contains names of PVCs and snapshots. */
export const BackupRecord = v.object({
  ...v.entriesFromList(["id", "operationId"], v.string()),
  ...v.entriesFromList(["lmsVersion", "siteIdentifier"], v.nullable(v.string())),
  kind: v.picklist(BACKUP_KINDS),
  images: v.nullable(v.object({ moodle: v.string(), postgres: v.string(), fpmDirectory: v.string() })),
  volumes: v.pipe(v.array(v.object({ claim: v.string(), snapshot: v.string() })), v.readonly()),
});
export type BackupRecord = v.InferOutput<typeof BackupRecord>;

export function serializeBackupRecord(backup: BackupRecord): string {
  return serializeRecord(BackupRecord, backup);
}

export function serializeSpokeRecord(row: SpokeRow): string {
  return serializeRecord(SpokeSiteRecord, row);
}

export function serializeHubRecord(row: FederationRow): string {
  return serializeRecord(HubSiteRecord, row);
}

function serializeRecord(schema: { readonly entries: object }, row: object): string {
  return JSON.stringify(Object.fromEntries(Object.entries(row).filter(([name]) => name in schema.entries)));
}

/** A record as JSON text, with a signature that is valid for one installation and one namespace. */
export interface SignedRecord {
  readonly text: string;
  readonly installation: string;
  readonly signature: string;
}

export function buildSiteRecordConfigMap(
  recordType: "spoke" | "hub",
  { text, installation, signature }: SignedRecord,
): KubeObject {
  return {
    ...KIND,
    metadata: {
      name: SITE_RECORD_CONFIG_MAP_NAME.name,
      labels: { [MANAGED_BY_LABEL]: "wheelwright", [SITE_RECORD_KEY]: recordType },
      // Always sets an annotation, because an apply without any could remove others, such as the fencing token.
      annotations: {
        "kubernetes.io/description": `Record of this ${recordType}, written by the control plane. Do not edit.`,
      },
    },
    data: { record: text, installation, signature },
  };
}

const SignedRecordSchema = v.object(v.entriesFromList(["text", "installation", "signature"], v.string()));

/** Returns the signed record in a ConfigMap; null if the ConfigMap contains no record. */
export function readSignedRecord({ data }: KubeObject): SignedRecord | null {
  const { success, output } = v.safeParse(SignedRecordSchema, { ...data, text: data?.record });
  return success ? output : null;
}

/** Returns the signed record in a snapshot's annotation; null if the snapshot has no record. */
export function readSignedSnapshotRecord({ metadata }: KubeObject): SignedRecord | null {
  return parseRecordJson(SignedRecordSchema, metadata.annotations?.[SITE_RECORD_KEY] ?? "");
}

/** Parses a record's JSON text. Returns null if the text does not match the schema. */
export function parseRecordJson<S extends v.GenericSchema>(schema: S, text: string): v.InferOutput<S> | null {
  try {
    const { success, output } = v.safeParse(schema, JSON.parse(text));
    return success ? output : null;
  } catch {
    return null; // invalid JSON
  }
}
