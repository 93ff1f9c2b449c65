/**
 * What each kind of operation would ask of the API server, to be asked as a dry run. Pure: it is made of the same
 * renderings that the operation itself goes by, and each trial says what it makes of the object that stands there.
 */
import { expectedObjects, fitted } from "#lib/blueprint/expected.ts";
import type { SpokeInputs } from "#lib/blueprint/inputs.ts";
import type { Blueprint } from "#lib/blueprint/load.ts";
import type { SpokeStep } from "#lib/blueprint/plan.ts";
import { resizedInputs } from "#lib/blueprint/resize.ts";
import { setFields, sizedObjects } from "#lib/blueprint/sized.ts";
import { upgradedInputs } from "#lib/blueprint/upgrade.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import type { KubeObject, PatchOperation, Ref } from "#lib/cluster/cluster.ts";
import { amountOf } from "#lib/cluster/trouble/quantity.ts";
import type { ResizeWish, UpgradeWish } from "#lib/spokes/action-wish.ts";
import type { SpokeOperationKind } from "#lib/spokes/state.ts";

/**
 * A disk is asked for by no dry run: what the quota has no room for yet would be refused, and it is raised first. What is
 * `lost` cannot be made anew, for a reason to be told.
 */
export type Act =
  | { readonly apply: KubeObject }
  | { readonly patch: readonly PatchOperation[] }
  | { readonly grow: string }
  | { readonly lost: string };

export interface Trial {
  readonly ref: Ref;
  /** What would be done to the object as it stands, or to its absence; null if nothing would. */
  readonly act: (standing: KubeObject | null) => Act | null;
}

export interface Subject {
  readonly inputs: SpokeInputs;
  /** Whether the site will be in maintenance when the operation begins. */
  readonly maintenance: boolean;
}

const CRON: Ref = { apiVersion: "batch/v1", kind: "CronJob", name: "moodle-cron" };
const MOODLE: Ref = { apiVersion: "apps/v1", kind: "Deployment", name: "moodle" };
const DATABASE: Ref = { apiVersion: "apps/v1", kind: "StatefulSet", name: "db" };
const CLAIM = { apiVersion: "v1", kind: "PersistentVolumeClaim" };

/** What a resize changes, in its order, and what a reapply puts right. */
const SIZED: readonly SpokeStep[] = ["policies", "database", "secrets", "app", "cron"];
const REAPPLIED: readonly SpokeStep[] = [
  "policies",
  "secrets",
  "seed",
  "install",
  "database",
  "app",
  "cron",
  "ingress",
];

export function trialsOf(
  { blueprint, catalog }: { readonly blueprint: Blueprint; readonly catalog: Catalog },
  kind: SpokeOperationKind,
  { inputs, maintenance }: Subject,
  payload: object,
): Trial[] {
  switch (kind) {
    case "suspend":
      return [set(CRON, "/spec/suspend", true), set(MOODLE, "/spec/replicas", 0), set(DATABASE, "/spec/replicas", 0)];
    case "resume":
      return [
        set(DATABASE, "/spec/replicas", 1),
        set(MOODLE, "/spec/replicas", 1),
        set(CRON, "/spec/suspend", maintenance),
      ];
    case "maintenance-on":
      return [set(CRON, "/spec/suspend", true)];
    case "maintenance-off":
      return [set(CRON, "/spec/suspend", false)];
    case "upgrade": {
      const { lmsVersion: version } = payload as UpgradeWish, refusal = catalog.refuse("lmsVersion", version);
      if (refusal !== null) return [hopeless(`Version ${version} is not on offer any more: it ${refusal}`)]; // of a retry
      const target = upgradedInputs(inputs, { version, images: catalog.imagesOf(version) });
      return (["app", "cron"] as const).flatMap((step) => blueprint.spokeObjects(target, step)).map(apply);
    }
    case "resize":
      return resizing(blueprint, inputs, payload as ResizeWish, catalog);
    case "reapply":
      return expectedObjects(blueprint, { inputs, maintenance }, REAPPLIED).map(({ object, judged }) => {
        const { act, ref } = judged === "whole" ? apply(object) : makeMissing(object);
        const lost = lossOf(blueprint, inputs, object);
        return { ref, act: (standing) => standing || lost === null ? act(standing) : { lost } };
      });
    default:
      return [];
  }
}

function hopeless(lost: string): Trial {
  return { ref: MOODLE, act: () => ({ lost }) };
}

/** As if all disks could grow: whether one can, its storage class says. */
function resizing(blueprint: Blueprint, inputs: SpokeInputs, { size }: ResizeWish, catalog: Catalog): Trial[] {
  const canGrow = { files: true, database: true };
  const target = resizedInputs(inputs, size, catalog.resourcesOf(size), { canGrow });
  const parts = SIZED.flatMap((step) => sizedObjects(target, (each) => blueprint.spokeObjects(each, step)));
  const { disks } = target.resources;
  return [
    grow("files", disks.files),
    grow("data-db-0", disks.database),
    ...parts.map(({ ref, fields }): Trial => ({
      ref,
      act: (standing) => standing && { patch: setFields(standing, fields) },
    })),
  ];
}

function grow(claim: string, size: string): Trial {
  const act: Trial["act"] = (standing) => {
    const there = amountOf(String(standing?.["spec"]?.resources?.requests?.storage));
    return there < amountOf(size) ? { grow: size } : null;
  };
  return { ref: { ...CLAIM, name: claim }, act };
}

function set(ref: Ref, path: string, value: string | number | boolean): Trial {
  return { ref, act: () => ({ patch: [{ op: "add", path, value }] }) };
}

export function apply(object: KubeObject): Trial {
  return { ref: refOf(object), act: (standing) => ({ apply: standing ? fitted(object, standing) : object }) };
}

/** What is there already is right, whatever is in it. */
function makeMissing(object: KubeObject): Trial {
  return { ref: refOf(object), act: (standing) => standing ? null : { apply: object } };
}

/** Why a reapply would do nothing at all without this object; null where it would make it anew. */
function lossOf(blueprint: Blueprint, inputs: SpokeInputs, { kind, metadata: { name } }: KubeObject): string | null {
  if (kind === CLAIM.kind) return "It is gone, and the site's data with it: nothing would be done";
  const holdsPasswords = blueprint.newSecrets(inputs).some((secret) => secret.metadata.name === name);
  const pods = (["database", "app"] as const).flatMap((step) => blueprint.spokeObjects(inputs, step));
  if (kind !== "Secret" || !holdsPasswords || !refersTo(pods, name)) return null;
  return "It is gone, and the database's password with it: nothing would be done";
}

function refersTo(value: unknown, secret: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, inner]) =>
    ((key === "secretRef" || key === "secretKeyRef") && inner?.name === secret) || refersTo(inner, secret)
  );
}

function refOf({ apiVersion, kind, metadata: { name } }: KubeObject): Ref {
  return { apiVersion, kind, name };
}
