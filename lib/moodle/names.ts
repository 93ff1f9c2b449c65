/**
 * Names in the cluster.
 *
 * A namespace's name is never used twice: besides the slug, which people know, it holds 60 of the id's random bits.
 */
import type { Ref } from "#lib/drivers/cluster/cluster.ts";
import { createHash } from "node:crypto";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Disk } from "#lib/moodle/resize.ts";

const HOST_DIGITS = 12;
const LONGEST = 63; // RFC 1123 label
const ID_PART = 12;
/** Letters of an operation's id that `turnOf` takes. */
export const TURN = 10;

/** The claim of a site's files and the template of its database's, unless the spoke's inputs have others. */
export const FILES = "files", DATA = "data";

export type NamespaceKind = "hub" | "spoke" | "sandbox";

interface Named {
  /** RELEASE_ID. */
  readonly release: string;
  readonly slug: string;
  readonly id: string;
}

/** Returns a name such as `spoke-main-biology-m8k5r2dgt7w1`, which ends in the random end of the id. */
export function namespaceName(kind: NamespaceKind, { release, slug, id }: Named): string {
  const end = id.slice(id.lastIndexOf("_") + 1).slice(-ID_PART);
  if (!/^[a-z0-9]{8,}$/.test(end)) throw new TypeError(`${id} does not end in 8 or more letters or digits`);
  const name = `${prefixOf(kind, release)}${slug}`.slice(0, LONGEST - end.length - 1).replace(/[^a-z0-9]+$/, "") +
    `-${end}`;
  if (!/^[a-z][a-z0-9-]*[a-z0-9]$/.test(name)) throw new TypeError(`${name} is no name for a namespace`);
  return name;
}

/** Whether a namespace of this name belongs to the release. Labels can be changed, but no name. */
export function isOfRelease(name: string, release: string): boolean {
  return (["hub", "spoke", "sandbox"] as const).some((kind) => name.startsWith(prefixOf(kind, release)));
}

function prefixOf(kind: NamespaceKind, release: string): string {
  return `${kind}-${release}-`;
}

/** What tells objects of one host from those of another, and fits into their names. */
export function keyOfHost(host: string): string {
  return createHash("sha256").update(host).digest("hex").slice(0, HOST_DIGITS);
}

/** On each VolumeSnapshot: the id of the backup that it is a part of. */
export const BACKUP = "wheelwright.dev/backup";
/** On the administrator's Secret: the operation that made the password in it. */
export const PASSWORD_OF = "wheelwright.dev/password-of";
/** On a volume claim that a restore has replaced: the day until which it is kept. */
export const KEPT_UNTIL = "wheelwright.dev/kept-until";
/** On each object: the revision of the blueprint that it was rendered from. */
export const REVISION = "wheelwright.dev/blueprint";
/** On each Job and its pods: the fence of the holder that started it. */
export const FENCE = "wheelwright.dev/fence";

/** Of the operation that has a site made from snapshots, the end that no other one has: what tells its claims apart. */
export function turnOf(operationId: string): string {
  return operationId.slice(-TURN);
}

/** The names of a site's volume claims. A StatefulSet names those of its first pod after its template and itself. */
export function claimNames(
  { claims }: { readonly claims?: SpokeInputs["claims"] | null },
): Readonly<Record<Disk, string>> {
  return { files: claims?.files ?? FILES, database: `${claims?.data ?? DATA}-${DATABASE.name}-0` };
}

/** What a site runs on. */
export const DATABASE: Ref = { apiVersion: "apps/v1", kind: "StatefulSet", name: "db" };
export const MOODLE: Ref = { apiVersion: "apps/v1", kind: "Deployment", name: "moodle" };
export const CRON: Ref = { apiVersion: "batch/v1", kind: "CronJob", name: "moodle-cron" };

/** Jobs that must never run side by side, no matter who started them: before one is created, no pod of these may be left. */
export const EXCLUSIVE_PODS = "op in (install,reset,upgrade)";
/** Every pod of the site itself and its Jobs: none is left of a suspended one. */
export const SITE_PODS = "role in (app,db)";
