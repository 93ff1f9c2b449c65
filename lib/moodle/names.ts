/** Builds the names of objects in the cluster. A namespace name contains 60 random bits, so it is never reused. */
import type { ObjectRef } from "#lib/drivers/cluster/cluster.ts";
import { createHash } from "node:crypto";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { DiskName } from "#lib/moodle/resize.ts";

const HOST_DIGITS = 12;
const MAX_LENGTH = 63; // RFC 1123 label
const ID_PART = 12;
/** The number of characters of an adoption ID. */
export const ADOPTION_ID_LENGTH = 10;

/** The default names of the files PVC and of the database's PVC template. */
export const DEFAULT_FILES_CLAIM = "files", DEFAULT_DATA_CLAIM = "data";

export type NamespaceKind = "hub" | "spoke" | "sandbox";

interface NameParts {
  /** The RELEASE_ID of the installation. */
  readonly release: string;
  readonly slug: string;
  readonly id: string;
}

/** Returns a namespace name such as `spoke-main-biology-m8k5r2dgt7w1`. It ends with the last characters of the ID. */
export function buildNamespaceName(kind: NamespaceKind, { release, slug, id }: NameParts): string {
  const end = id.slice(id.lastIndexOf("_") + 1).slice(-ID_PART);
  if (!/^[a-z0-9]{8,}$/.test(end)) throw new TypeError(`${id} does not end with 8 or more letters or digits`);
  const name = `${prefixOf(kind, release)}${slug}`.slice(0, MAX_LENGTH - end.length - 1).replace(/[^a-z0-9]+$/, "") +
    `-${end}`;
  if (!/^[a-z][a-z0-9-]*[a-z0-9]$/.test(name)) throw new TypeError(`${name} is not a valid namespace name`);
  return name;
}

/** Returns whether the namespace name contains this release ID. Labels are not used: users can change them. */
export function belongsToRelease(name: string, release: string): boolean {
  return (["hub", "spoke", "sandbox"] as const).some((kind) => name.startsWith(prefixOf(kind, release)));
}

function prefixOf(kind: NamespaceKind, release: string): string {
  return `${kind}-${release}-`;
}

/** Returns a short hash of a host, for use in object names. */
export function hashHost(host: string): string {
  return createHash("sha256").update(host).digest("hex").slice(0, HOST_DIGITS);
}

/** The annotation on a VolumeSnapshot with the ID of its backup. */
export const BACKUP_ANNOTATION = "wheelwright.dev/backup";
/** The annotation on the administrator's Secret with the ID of the operation that set the password. */
export const PASSWORD_OPERATION_ANNOTATION = "wheelwright.dev/password-of";
/** The label on a replaced PVC with the date until which it is kept. */
export const KEPT_UNTIL_LABEL = "wheelwright.dev/kept-until";
/** The annotation on each object with the blueprint revision from which it was rendered. */
export const REVISION_ANNOTATION = "wheelwright.dev/blueprint";
/** The annotation or label with the fence of the operation that wrote the object. */
export const FENCE_KEY = "wheelwright.dev/fence";

/** Returns the adoption ID, which is the end of the operation's ID. PVCs that are created from snapshots contain it. */
export function adoptionIdOf(operationId: string): string {
  return operationId.slice(-ADOPTION_ID_LENGTH);
}

/** Returns the names of a site's PVCs. The database's PVC is named after its template and the StatefulSet. */
export function sitePvcNames(
  { claims }: { readonly claims?: SpokeInputs["claims"] | null },
): Readonly<Record<DiskName, string>> {
  return {
    files: claims?.files ?? DEFAULT_FILES_CLAIM,
    database: `${claims?.data ?? DEFAULT_DATA_CLAIM}-${DATABASE_STATEFULSET.name}-0`,
  };
}

export const DATABASE_STATEFULSET: ObjectRef = { apiVersion: "apps/v1", kind: "StatefulSet", name: "db" };
export const MOODLE_DEPLOYMENT: ObjectRef = { apiVersion: "apps/v1", kind: "Deployment", name: "moodle" };
export const MOODLE_CRONJOB: ObjectRef = { apiVersion: "batch/v1", kind: "CronJob", name: "moodle-cron" };

/** The label selector for pods of Jobs that must not run in parallel. */
export const EXCLUSIVE_PODS = "op in (install,reset,upgrade)";
/** The label selector for all pods of the site and its Jobs. A suspended site has no such pods. */
export const SITE_PODS = "role in (app,db)";
