/** Builds names for objects in the cluster. A namespace name contains 60 random bits, so no name is ever reused. */
import type { ObjectRef } from "#lib/drivers/cluster/cluster.ts";
import { createHash } from "node:crypto";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { DiskName } from "#lib/moodle/resize.ts";

const HOST_DIGITS = 12;
const MAX_LENGTH = 63; // RFC 1123 label
const ID_PART = 12;
/** The number of characters in an adoption ID, which makes the names of restored volumes unique. */
export const ADOPTION_ID_LENGTH = 10;

/** The default names for the PVC that stores files, and for the database's PVC template. */
export const DEFAULT_FILES_PVC_NAME = "files", DEFAULT_DATA_CLAIM = "data";

export type NamespaceKind = "hub" | "spoke" | "sandbox";

interface NameParts {
  /** The RELEASE_ID setting, which identifies this installation of Wheelwright. */
  readonly release: string;
  readonly slug: string;
  readonly id: string;
}

/** Returns a namespace name such as `spoke-main-biology-m8k5r2dgt7w1`, which ends with the last characters of `id`. */
export function buildNamespaceName(kind: NamespaceKind, { release, slug, id }: NameParts): string {
  const end = id.slice(id.lastIndexOf("_") + 1).slice(-ID_PART);
  if (!/^[a-z0-9]{8,}$/.test(end)) throw new TypeError(`${id} does not end with 8 or more letters or digits`);
  const name = `${prefixOf(kind, release)}${slug}`.slice(0, MAX_LENGTH - end.length - 1).replace(/[^a-z0-9]+$/, "") +
    `-${end}`;
  if (!/^[a-z][a-z0-9-]*[a-z0-9]$/.test(name)) throw new TypeError(`${name} is not a valid namespace name`);
  return name;
}

/** Returns whether a namespace name contains this release ID. Labels are not checked, because users can edit labels. */
export function isReleaseNamespaceName(name: string, release: string): boolean {
  return (["hub", "spoke", "sandbox"] as const).some((kind) => name.startsWith(prefixOf(kind, release)));
}

function prefixOf(kind: NamespaceKind, release: string): string {
  return `${kind}-${release}-`;
}

/** Returns a short hash of a host name, for use in object names. */
export function hashHost(host: string): string {
  return createHash("sha256").update(host).digest("hex").slice(0, HOST_DIGITS);
}

/** The label on a backup's VolumeSnapshots that contains the ID of the backup. */
export const BACKUP_ID_LABEL = "wheelwright.dev/backup";
/** The annotation on the administrator's Secret that contains the ID of the operation that last set the password. */
export const PASSWORD_OPERATION_ANNOTATION = "wheelwright.dev/password-of";
/** The label on a replaced PVC that contains the date until which the PVC is kept. */
export const PVC_KEPT_UNTIL_LABEL = "wheelwright.dev/kept-until";
/** The annotation on an object that contains the revision of the blueprint from which the object was rendered. */
export const BLUEPRINT_REVISION_ANNOTATION = "wheelwright.dev/blueprint";
/** The annotation or label for the fencing token, which rises with each claimed job so that late writes fail. */
export const FENCE_METADATA_KEY = "wheelwright.dev/fence";

/** Returns the adoption ID: the last characters of an operation's ID, which make snapshot and PVC names unique. */
export function getAdoptionId(operationId: string): string {
  return operationId.slice(-ADOPTION_ID_LENGTH);
}

/** Returns the names of a site's PVCs. The database PVC is named after its PVC template and the StatefulSet. */
export function getSitePvcNames(
  { claims }: { readonly claims?: SpokeInputs["claims"] | null },
): Readonly<Record<DiskName, string>> {
  return {
    files: claims?.files ?? DEFAULT_FILES_PVC_NAME,
    database: `${claims?.data ?? DEFAULT_DATA_CLAIM}-${DATABASE_STATEFULSET_REF.name}-0`,
  };
}

export const DATABASE_STATEFULSET_REF: ObjectRef = { apiVersion: "apps/v1", kind: "StatefulSet", name: "db" };
export const MOODLE_DEPLOYMENT_REF: ObjectRef = { apiVersion: "apps/v1", kind: "Deployment", name: "moodle" };
export const MOODLE_CRONJOB_REF: ObjectRef = { apiVersion: "batch/v1", kind: "CronJob", name: "moodle-cron" };

/** The label selector for the pods of Jobs that must never run at the same time. */
export const EXCLUSIVE_JOB_SELECTOR = "op in (install,reset,upgrade)";
/** The label selector for all pods of a site, including the pods of Jobs. A suspended site has no pods. */
export const SITE_POD_SELECTOR = "role in (app,db)";
