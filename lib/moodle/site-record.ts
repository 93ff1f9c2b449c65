/**
 * Reads and writes the site record. The record is the row of a spoke or hub, stored in a ConfigMap of its namespace. If
 * the database is lost, the row is rebuilt from it.
 * The record contains no secret. Its signature includes the namespace, so that a forged or copied record is detected.
 */
import * as v from "valibot";
import type { Selectable } from "kysely";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { MANAGED_BY_LABEL } from "#lib/drivers/cluster/guard.ts";
import type { KubeObject, Ref } from "#lib/drivers/cluster/cluster.ts";
import { HostName, Slug } from "#lib/base/schema.ts";
import { isDigest } from "#lib/moodle/image-digest.ts";
import { SpokeInputs } from "#lib/moodle/inputs.ts";

type SpokeRow = Selectable<Schema["spokes"]>;
type FederationRow = Selectable<Schema["federations"]>;

const KIND = { apiVersion: "v1", kind: "ConfigMap" };
export const PARTICULARS: Ref = { ...KIND, name: "wheelwright" };
/** The label or annotation with the type of object that the record describes. */
export const PARTICULARS_OF = "wheelwright.dev/particulars-of";

const SPOKE_TEXTS = [
  ...["id", "federationId", "displayName", "size", "adminEmail", "lmsVersion", "namespace", "blueprintRevision"],
  "createdBy",
] as const;
const SPOKE_MAYBE = [
  ...["contentMode", "brand", "region", "seed", "stateReason", "siteIdentifier", "copyOf", "fromBackup"],
] as const;
const HUB_TEXTS = ["id", "name", "namespace", "createdBy"] as const;
const HUB_STATES = ["provisioning", "active", "failed", "removing"] as const;
const HUB_MAYBE = ["region", "mode", "tier", "stateReason"] as const;

const Stamp = v.pipe(v.string(), v.isoTimestamp(), v.transform((text) => new Date(text)));
const stamps = { createdAt: Stamp, updatedAt: Stamp, readyAt: v.nullable(Stamp) };

export const SpokeParticulars = v.object({
  ...v.entriesFromList(SPOKE_TEXTS, v.string()),
  ...v.entriesFromList(SPOKE_MAYBE, v.nullable(v.string())),
  slug: Slug,
  domain: HostName,
  state: v.picklist([...HUB_STATES, "suspending", "suspended", "resuming", "updating"]),
  mail: v.picklist(["on", "held"]),
  ...v.entriesFromList(["identity", "content", "maintenance"], v.boolean()),
  /** Absent in records of earlier releases. */
  imageDigest: v.optional(v.fallback(v.nullable(v.pipe(v.string(), v.check(isDigest))), null), null),
  /** Fields that a later release adds are kept. */
  blueprintInputs: v.pipe(
    v.unknown(),
    v.check((inputs) => v.is(SpokeInputs, inputs), "must be what a spoke is made from"),
  ),
  ...stamps,
});
export type SpokeParticulars = v.InferOutput<typeof SpokeParticulars>;

export const HubParticulars = v.object({
  ...v.entriesFromList(HUB_TEXTS, v.string()),
  ...v.entriesFromList(HUB_MAYBE, v.nullable(v.string())),
  slug: Slug,
  state: v.picklist(HUB_STATES),
  ...stamps,
});
export type HubParticulars = v.InferOutput<typeof HubParticulars>;

/** The record of a backup, stored on its snapshots. At that time only the names of the volumes are known. */
export const BackupParticulars = v.object({
  ...v.entriesFromList(["id", "operationId"], v.string()),
  ...v.entriesFromList(["lmsVersion", "siteIdentifier"], v.nullable(v.string())),
  kind: v.picklist(["nightly", "manual", "upgrade", "last"]),
  images: v.nullable(v.object({ moodle: v.string(), postgres: v.string(), fpmDirectory: v.string() })),
  volumes: v.pipe(v.array(v.object({ claim: v.string(), snapshot: v.string() })), v.readonly()),
});
export type BackupParticulars = v.InferOutput<typeof BackupParticulars>;

export function textOfBackup(backup: BackupParticulars): string {
  return textOf(BackupParticulars, backup);
}

export function textOfSpoke(row: SpokeRow): string {
  return textOf(SpokeParticulars, row);
}

export function textOfHub(row: FederationRow): string {
  return textOf(HubParticulars, row);
}

function textOf(schema: { readonly entries: object }, row: object): string {
  return JSON.stringify(Object.fromEntries(Object.entries(row).filter(([name]) => name in schema.entries)));
}

/** The text of a record, signed by an installation for one namespace. */
export interface SignedText {
  readonly text: string;
  readonly installation: string;
  readonly signature: string;
}

export function particularsObject(of: "spoke" | "hub", { text, installation, signature }: SignedText): KubeObject {
  return {
    ...KIND,
    metadata: {
      name: PARTICULARS.name,
      labels: { [MANAGED_BY_LABEL]: "wheelwright", [PARTICULARS_OF]: of },
      // Without an annotation of its own, an apply could remove all annotations, including the fence.
      annotations: {
        "kubernetes.io/description": `What the control plane knows of this ${of}: it is written by it alone`,
      },
    },
    data: { particulars: text, installation, signature },
  };
}

const Signed = v.object(v.entriesFromList(["text", "installation", "signature"], v.string()));

/** Returns the record in a ConfigMap; null if it contains none. */
export function readSigned({ data }: KubeObject): SignedText | null {
  const { success, output } = v.safeParse(Signed, { ...data, text: data?.particulars });
  return success ? output : null;
}

/** Returns the record on a snapshot; null if it has none. */
export function readSignedOn({ metadata }: KubeObject): SignedText | null {
  return readParticulars(Signed, metadata.annotations?.[PARTICULARS_OF] ?? "");
}

/** Parses a record; returns null if the text is not valid. */
export function readParticulars<S extends v.GenericSchema>(schema: S, text: string): v.InferOutput<S> | null {
  try {
    const { success, output } = v.safeParse(schema, JSON.parse(text));
    return success ? output : null;
  } catch {
    return null; // invalid JSON
  }
}
