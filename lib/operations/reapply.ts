/** Applies the blueprint's manifests to a spoke again. */
import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import { type ExpectedSite, listExpectedObjects } from "#lib/moodle/expected-objects.ts";
import { applyOfferedResources } from "#lib/catalog/inputs.ts";
import type { SpokeInstallStep } from "#lib/moodle/blueprint-files.ts";
import type { ObjectPut } from "#lib/operations/change.ts";
import { declareOperation, type SpokeOperationSubject } from "#lib/operations/operation.ts";
import { describeMaintenance } from "#lib/operations/maintenance.ts";
import { UPDATE_TRANSITION } from "#lib/operations/operation.ts";
import { IMAGE_DIGEST, SizeDependentInputs } from "#lib/operations/progress.ts";
import { type KubeObject, toObjectRef } from "#lib/drivers/cluster/cluster.ts";
import type { BackupRetention } from "#lib/model/backup.ts";
import { isPlacedDifferently, retentionOf, type TierInputs, withTier } from "#lib/moodle/tier-inputs.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

/** Applies all objects of the blueprint again, in the same order as during installation. */
export const reapply = declareOperation({
  name: "reapply",
  action: { summary: "Revert changes that were made to the site's objects in the cluster. For operators only." },
  forOperators: true, // it overwrites changes that others made in the cluster
  verbPhrase: "reapply the blueprint to",
  from: ["active", "suspended"],
  transition: UPDATE_TRANSITION,
  allowedWhenFailed: true,
  risky: true,
  // The site is unavailable only if a workload's spec changes, because that restarts the pods.
  downtime: ({ object, field }) =>
    /^(Deployment|StatefulSet)\//.test(object) && (field === "" || field.startsWith("spec.")),
  describe(subject) {
    const { inputs } = subject;
    return [
      "Passwords, data, version and size are not changed; a suspended site is started",
      ...describeMaintenance(subject),
      ...(applyOfferedResources(subject, inputs) === inputs ? [] : [NEW_AMOUNTS_NOTE]),
      ...describeTierChange(inputs.tier, subject.tier),
    ];
  },
  progress: {
    ...IMAGE_DIGEST,
    /** The blueprint's revision at the first attempt. */
    revision: v.string(),
    /** The resources that the catalog now lists for the spoke's size; null if they have not changed. */
    taken: v.nullable(SizeDependentInputs),
    /** Whether Moodle's pods must restart, because settings have changed that they read when they start. */
    restarts: v.boolean(),
    /** Whether the hub's tier places the site's pods differently than before, so that all of them must stop first. */
    moves: v.boolean(),
  },
  plan: {
    version: 1,
    limit: 2 * HOUR,
    steps: {
      policies: ["Setting limits and network policies", MINUTE],
      secrets: ["Writing the settings", MINUTE],
      database: ["Reapplying the database", 15 * MINUTE],
      verify: ["Checking that the data belongs to this site", 6 * MINUTE],
      app: ["Reapplying Moodle", 16 * MINUTE],
      cron: ["Reapplying scheduled tasks", MINUTE],
      ingress: ["Opening the site to the web", 15 * MINUTE],
      health: ["Checking the site's login page", 6 * MINUTE],
    },
  },
  changes(subject) {
    const site = { ...subject, inputs: applyOfferedResources(subject, withTier(subject.inputs, subject.tier)) };
    return {
      policies: createReapplyChanges(site, "policies"),
      secrets: createReapplyChanges(site, "secrets", "seed"),
      database: createReapplyChanges(site, "volumes", "database"),
      app: createReapplyChanges(site, "app"),
      cron: createReapplyChanges(site, "cron"),
      ingress: createReapplyChanges(site, "ingress"),
    };
  },
});

const NEW_AMOUNTS_NOTE = "The catalog changed the spoke's size: CPU, memory and quota are updated; disks are not";

/** Describes what a changed tier of the hub does to the site and its backups, one sentence each. */
export function describeTierChange(before: TierInputs | undefined, after: TierInputs | undefined): string[] {
  const from = retentionOf({ tier: before }), to = retentionOf({ tier: after });
  return [
    ...(isPlacedDifferently(before, after) ? [MOVE_NOTE] : []),
    ...(isDeepStrictEqual({ ...from }, { ...to })
      ? []
      : [`The tier keeps ${describeRetention(to)} instead of ${describeRetention(from)}. ${describeExpiry(from, to)}`]),
  ];
}

const MOVE_NOTE = "The hub's tier places the site's pods differently: the site stops, and starts where the tier says";

function describeRetention({ daily, weekly, monthly }: BackupRetention): string {
  return `${daily} daily, ${weekly} weekly and ${monthly} monthly backups`;
}

function describeExpiry(from: BackupRetention, to: BackupRetention): string {
  const isShorter = to.daily < from.daily || to.weekly < from.weekly || to.monthly < from.monthly;
  return isShorter ? "The next nightly backup deletes those that are no longer kept" : "No backup is deleted";
}

type Site = Pick<SpokeOperationSubject, "blueprint"> & ExpectedSite;

/** Returns the changes that apply the objects of these blueprint steps again, for the operation and its preview. */
export function createReapplyChanges(site: Site, ...steps: readonly SpokeInstallStep[]): ObjectPut[] {
  return listExpectedObjects(site.blueprint, site, steps).map(({ object, ...how }) => {
    const missingReason = describeLoss(site, object);
    return { ref: toObjectRef(object), put: object, ...how, ...(missingReason !== null && { missingReason }) };
  });
}

/** Returns why a lost object cannot be recreated; null if it can be recreated. */
function describeLoss(site: Site, { kind, metadata: { name } }: KubeObject): string | null {
  if (kind === "PersistentVolumeClaim") return "The volume and the site's data are lost; reapply cannot recreate them";
  const holdsPasswords = site.blueprint.newSecrets(site.inputs).some((secret) => secret.metadata.name === name);
  if (kind !== "Secret" || !holdsPasswords || !isReadByPods(site, name)) return null;
  return "The Secret and the database's password are lost; reapply cannot recreate them";
}

/** Whether the site's pods read environment variables from this Secret. */
function isReadByPods({ blueprint, inputs }: Site, secret: string): boolean {
  const workloads = (["database", "app"] as const).flatMap((step) => blueprint.spokeObjects(inputs, step));
  return workloads.some((object) => mentionsSecret(object, secret));
}

function mentionsSecret(value: unknown, secret: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, inner]) =>
    ((key === "secretRef" || key === "secretKeyRef") && inner?.name === secret) || mentionsSecret(inner, secret)
  );
}
