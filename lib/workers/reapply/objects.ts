/** Checks that a site has everything that a reapply cannot recreate, and writes its Kubernetes objects. */
import { applySiteObjects } from "#lib/steps/site-objects.ts";
import { SPOKE_INSTALL_STEPS, type SpokeInstallStep } from "#lib/moodle/blueprint-files.ts";
import { type HubSettings, NO_HUB_SETTINGS } from "#lib/moodle/seed.ts";
import { ClusterError, type KubeObject, type PatchOperation, toObjectRef } from "#lib/drivers/cluster/cluster.ts";
import type { ObjectPut } from "#lib/operations/change.ts";
import { createReapplyChanges } from "#lib/operations/reapply.ts";
import { isNamespaceTerminating } from "#lib/drivers/cluster/guard.ts";
import { findNamespaceProblem } from "#lib/domains/spokes/health.ts";
import { requireSameCluster } from "#lib/steps/same-cluster.ts";
import { computeInputsForBothSizes, type ReapplyRun, withNewResources } from "#lib/workers/reapply/size.ts";
import { patchSiteObject } from "#lib/steps/workloads.ts";
import { Refusal } from "#lib/base/refusals.ts";
import { addNotes, type SpokeSite } from "#lib/steps/site.ts";

/** Throws a Refusal if the namespace, a PVC or a Secret that cannot be recreated is missing. */
export async function requireCompleteSite(site: SpokeSite, run: ReapplyRun): Promise<void> {
  await requireNamespace(site, run);
  const irreplaceable = listDesiredObjects(site, run, SPOKE_INSTALL_STEPS).filter(({ missingReason }) =>
    missingReason !== undefined
  );
  const isClaim = ({ ref }: ObjectPut) => ref.kind === "PersistentVolumeClaim";
  for (const { ref } of irreplaceable.filter(isClaim)) {
    const claim = await site.space.get(ref, run);
    if (claim && !claim.metadata.deletionTimestamp) continue;
    throw new Refusal(
      "VolumeLost",
      `The PersistentVolumeClaim ${ref.name} with the site's data is ${claim ? "being deleted" : "missing"}`,
      `Restore a backup: wheelwright restore ${site.spoke.id}. A new volume would be empty.`,
    );
  }
  for (const { ref, put: secret } of irreplaceable.filter((each) => !isClaim(each))) {
    if (await site.space.get(ref, run)) continue;
    throw new Refusal(
      "PasswordsLost",
      `The Secret ${ref.name} is missing. A new one would not contain the database's passwords`,
      "Restore the Secret from a copy. Or set a new database password (alter role moodle password …, in pod db-0). " +
        `Then create the Secret with these keys: ${keysOf(secret)}, and reapply.`,
    );
  }
}

/** Returns the objects that the steps write, computed as in the preview, with the resources now in the catalog. */
function listDesiredObjects(
  site: SpokeSite,
  run: ReapplyRun,
  steps: readonly SpokeInstallStep[],
  hub = NO_HUB_SETTINGS,
): ObjectPut[] {
  const { blueprint, inputs, spoke: { maintenance }, app: { config } } = withNewResources(site, run);
  return createReapplyChanges(
    { blueprint, inputs, maintenance, hub, relaySecret: config.relay?.secret ?? null },
    ...steps,
  );
}

async function requireNamespace(site: SpokeSite, run: ReapplyRun): Promise<void> {
  const { cluster, spoke } = site;
  const found = await cluster.findNamespace(spoke.namespace, run);
  if (!found) await requireSameCluster(site, run); // the namespace may exist in another cluster
  const problem = findNamespaceProblem(found, spoke.namespaceUid!);
  if (problem === null) return;
  const isOwn = found?.metadata.uid === spoke.namespaceUid && !isNamespaceTerminating(found!);
  const hint = isOwn
    ? "Restore the namespace's label, then reapply. Wheelwright changes nothing in a namespace without this label."
    : `The site's data is lost. Destroy the spoke, then recreate it from a backup: wheelwright restore ${spoke.id}`;
  throw new Refusal("NamespaceLost", `${problem} (${spoke.namespace})`, hint);
}

/**
 * Restores the namespace's labels, on which the pod security standard and the periodic check depend. Patches the
 * namespace, because an apply would create a missing one. If the patch is forbidden, adds a note to the operation.
 */
export async function restoreNamespaceLabels(site: SpokeSite, run: ReapplyRun): Promise<void> {
  const { blueprint, cluster, spoke } = site;
  const [manifest] = blueprint.spokeObjects(withNewResources(site, run).inputs, "namespace");
  const namespace = await cluster.findNamespace(spoke.namespace, run);
  const { labels, annotations } = namespace?.metadata ?? {};
  const changes = [
    ...createMetadataPatch("labels", labels, manifest!.metadata.labels),
    ...createMetadataPatch("annotations", annotations, manifest!.metadata.annotations),
  ];
  if (changes.length === 0) return;
  const uidTest: PatchOperation = { op: "test", path: "/metadata/uid", value: spoke.namespaceUid };
  try {
    await cluster.patchGlobal(toObjectRef(manifest!), [uidTest, ...changes], run);
  } catch (error) {
    if (!(error instanceof ClusterError) || error.status !== 403) throw error;
    await addNotes(run, [
      "The namespace's labels could not be restored: Wheelwright may not patch namespaces",
    ]);
  }
}

type Labels = Readonly<Record<string, string>>;

/** Returns a patch that sets the desired labels or annotations and keeps all others. */
function createMetadataPatch(
  field: "labels" | "annotations",
  existing: Labels | undefined,
  desired: Labels = {},
): PatchOperation[] {
  const missing = Object.entries(desired).filter(([name, text]) => existing?.[name] !== text);
  const path = `/metadata/${field}`;
  const at = (name: string) => `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return [
    ...(existing || missing.length === 0 ? [] : [{ op: "add" as const, path, value: {} }]),
    ...missing.map(([name, value]) => ({ op: "add" as const, path: at(name), value })),
  ];
}

/**
 * Applies the settings that Moodle's pods read when they start, and keeps existing passwords. If any setting differs,
 * first records that the pods must restart.
 */
export async function applySettings(site: SpokeSite, run: ReapplyRun): Promise<void> {
  const changes = listDesiredObjects(site, run, ["secrets"]);
  for (const { ref, put: secret, applied, missingReason } of changes) {
    const existing = await site.space.get(ref, run);
    if (applied === null && !existing && missingReason === undefined) await recreateSecret(site, run, secret);
    if (applied !== null && (!existing || hasOtherData(applied, existing))) await run.saveProgress({ restarts: true });
  }
  await applySiteObjects(site.space, run, changes.flatMap(({ applied }) => applied ?? []));
}

function hasOtherData(object: KubeObject, existing: KubeObject): boolean {
  const texts = Object.entries<string>(object["stringData"] ?? {})
    .map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  return Object.entries({ ...object["data"], ...Object.fromEntries(texts) })
    .some(([key, text]) => existing["data"]?.[key] !== text);
}

/** Recreates a Secret that no pod reads, with a new password. Adds a note that Moodle still has the old password. */
async function recreateSecret({ space }: SpokeSite, run: ReapplyRun, secret: KubeObject): Promise<void> {
  await space.create(secret, run);
  await addNotes(run, [
    `The Secret ${secret.metadata.name} was missing and was created with a new password. ` +
    "Moodle still has the old one: run reset-admin-password to set the same new password in both",
  ]);
}

/** Applies a quota and limits that are large enough for both the old and the new resources of the site. */
export async function applyLimitsForBothSizes(site: SpokeSite, run: ReapplyRun): Promise<KubeObject[]> {
  return await applySiteObjects(
    site.space,
    run,
    site.blueprint.spokeObjects(computeInputsForBothSizes(site, run), "policies"),
  );
}

/** Applies the objects of one step. Returns them as they are stored in the cluster. */
export async function applyStepObjects(
  site: SpokeSite,
  run: ReapplyRun,
  step: SpokeInstallStep,
  hub?: HubSettings,
): Promise<KubeObject[]> {
  return await applySiteObjects(
    site.space,
    run,
    listDesiredObjects(site, run, [step], hub).flatMap(({ applied }) => applied ?? []),
  );
}

/** Undoes the changes of operations such as suspend: sets these fields to the values for an active site. */
export async function resetReplicasAndSuspension(
  site: SpokeSite,
  run: ReapplyRun,
  step: SpokeInstallStep,
): Promise<void> {
  for (const { ref, state = {} } of listDesiredObjects(site, run, [step])) {
    const patches = Object.entries(state).map(([field, value]) => ({
      op: "add" as const,
      path: `/spec/${field}`,
      value,
    }));
    if (patches.length > 0) await patchSiteObject(site, run, ref, () => patches);
  }
}

function keysOf(secret: KubeObject): string {
  return Object.keys(secret["stringData"] ?? secret["data"] ?? {}).join(", ");
}
