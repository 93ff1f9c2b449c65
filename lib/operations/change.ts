/**
 * What an operation does to an object of a site, as a value: a preview asks the API server for it as a dry run, and the work
 * performs the same.
 */
import type { Expected } from "#lib/moodle/expected.ts";
import { type KubeObject, type PatchOperation, type Ref, refOf } from "#lib/drivers/cluster/cluster.ts";

export type ObjectChange = Patch | Put | Removal | ClaimGrowth | ImpossibleChange;

/** Fields of what stands there become others. */
export interface Patch {
  readonly ref: Ref;
  readonly patch: (current: KubeObject) => readonly PatchOperation[];
}

/** The object is made where it is missing; what stands there becomes like it, unless only its presence counts. */
export interface Put extends Omit<Expected, "object"> {
  readonly ref: Ref;
  readonly put: KubeObject;
  /** Why it is not made anew, and nothing at all is done, where it is missing. */
  readonly missingReason?: string;
  /** It takes a name that another object has until then, so that the cluster would refuse to try it. */
  readonly skipDryRun?: true;
}

/** What stands there goes. */
export interface Removal {
  readonly ref: Ref;
  readonly remove: true;
}

/**
 * A claim is asked to become as large as this, if it is smaller. No dry run asks for it: what the quota has no room for yet
 * would be refused, and it is raised first.
 */
export interface ClaimGrowth {
  readonly ref: Ref;
  readonly grow: string;
}

/** Nothing can be done, for a reason to be told. */
interface ImpossibleChange {
  readonly ref: Ref;
  readonly missingReason: string;
}

/** The field becomes this, whatever it is. */
export function setField(ref: Ref, path: string, value: string | number | boolean): Patch {
  return { ref, patch: () => [{ op: "add", path, value }] };
}

export function putObject(object: KubeObject): Put {
  return { ref: refOf(object), put: object, applied: object, judged: "whole" };
}

export function growClaim(claim: string, size: string): ClaimGrowth {
  return { ref: { apiVersion: "v1", kind: "PersistentVolumeClaim", name: claim }, grow: size };
}
