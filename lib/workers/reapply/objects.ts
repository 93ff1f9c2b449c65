/** Checks the requirements of a reapply, and writes the site's objects. */
import { fitToObserved, objectTitle } from "#lib/moodle/expected-objects.ts";
import { SPOKE_STEPS, type SpokeStep } from "#lib/moodle/blueprint-files.ts";
import { type HubSettings, NO_HUB_SETTINGS } from "#lib/moodle/seed.ts";
import {
  ClusterError,
  type KubeObject,
  type PatchOperation,
  refOf,
  type Space,
  withErrorDetails,
} from "#lib/drivers/cluster/cluster.ts";
import type { ObjectPut } from "#lib/operations/change.ts";
import { createReapplyChanges } from "#lib/operations/reapply.ts";
import { isTerminating } from "#lib/drivers/cluster/guard.ts";
import { findMismatches } from "#lib/drivers/cluster/diff.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { findNamespaceProblem } from "#lib/domains/spokes/health.ts";
import { applyFenced, patchFenced, replaceFenced } from "#lib/workers/fenced-objects.ts";
import { requireSameCluster } from "#lib/workers/same-cluster.ts";
import { inputsBetween, withNewAmounts } from "#lib/workers/reapply/size.ts";
import { patchSiteObject } from "#lib/workers/workloads.ts";
import { addNotes, permanentError, type SpokeSite } from "#lib/workers/site.ts";

/** Throws a final ClusterError if the namespace, a volume or a Secret is missing that cannot be recreated. */
export async function requireCompleteSite(site: SpokeSite, run: Run): Promise<void> {
  await demandNamespace(site, run);
  const irreplaceable = wanted(site, run, SPOKE_STEPS).filter(({ missingReason: lost }) => lost !== undefined);
  const isClaim = ({ ref }: ObjectPut) => ref.kind === "PersistentVolumeClaim";
  for (const { ref } of irreplaceable.filter(isClaim)) {
    const claim = await site.space.get(ref, run);
    if (claim && !claim.metadata.deletionTimestamp) continue;
    throw permanentError(
      "VolumeLost",
      `The PersistentVolumeClaim ${ref.name} is ${claim ? "being deleted" : "gone"}, and the site's data with it`,
      `Take it back to a backup: wheelwright restore ${site.spoke.id}. A new volume would be empty.`,
    );
  }
  for (const { ref, put: secret } of irreplaceable.filter((each) => !isClaim(each))) {
    if (await site.space.get(ref, run)) continue;
    throw permanentError(
      "PasswordsLost",
      `The Secret ${ref.name} is gone, and a new one would not have the passwords that the database knows`,
      `Put the Secret back from a copy; or set a new password in the database (alter role moodle password …, in the pod ` +
        `db-0), and make the Secret with it: ${keysOf(secret)}. Then reapply.`,
    );
  }
}

/** Returns the objects of these steps as the preview shows them, with the new amounts of the size. */
function wanted(site: SpokeSite, run: Run, steps: readonly SpokeStep[], hub = NO_HUB_SETTINGS): ObjectPut[] {
  const { blueprint, inputs, spoke: { maintenance }, app: { config } } = withNewAmounts(site, run);
  return createReapplyChanges(
    { blueprint, inputs, maintenance, hub, relaySecret: config.relay?.secret ?? null },
    ...steps,
  );
}

async function demandNamespace(site: SpokeSite, run: Run): Promise<void> {
  const { cluster, spoke } = site;
  const found = await cluster.findNamespace(spoke.namespace, run);
  if (!found) await requireSameCluster(site, run); // the namespace may exist in another cluster
  const ailment = findNamespaceProblem(found, spoke.namespaceUid!);
  if (ailment === null) return;
  const ours = found?.metadata.uid === spoke.namespaceUid && !isTerminating(found!);
  const hint = ours
    ? "Put the label back, and reapply: nothing is done in a namespace that is not said to be Wheelwright's."
    : `What was in it is gone, or going: destroy the spoke, and make it anew from a backup: wheelwright restore ${spoke.id}`;
  throw permanentError("NamespaceLost", `${ailment} (${spoke.namespace})`, hint);
}

/**
 * Restores the namespace's labels, which the pod security standard and the sweep need. It patches the namespace,
 * because an apply would create a missing one. Without the permission it adds a note and continues.
 */
export async function updateLabels(site: SpokeSite, run: Run): Promise<void> {
  const { blueprint, cluster, spoke } = site;
  const [manifest] = blueprint.spokeObjects(withNewAmounts(site, run).inputs, "namespace");
  const standing = await cluster.findNamespace(spoke.namespace, run);
  const { labels, annotations } = standing?.metadata ?? {};
  const changes = [
    ...wordsToSet("labels", labels, manifest!.metadata.labels),
    ...wordsToSet("annotations", annotations, manifest!.metadata.annotations),
  ];
  if (changes.length === 0) return;
  const own: PatchOperation = { op: "test", path: "/metadata/uid", value: spoke.namespaceUid };
  try {
    await cluster.patchGlobal(refOf(manifest!), [own, ...changes], run);
  } catch (error) {
    if (!(error instanceof ClusterError) || error.status !== 403) throw error;
    await addNotes(run, [
      "The namespace's labels could not be put back: that needs the permission to patch namespaces",
    ]);
  }
}

type Words = Readonly<Record<string, string>>;

/** Returns the patch that sets these labels or annotations. Other labels and annotations are kept. */
function wordsToSet(field: "labels" | "annotations", there: Words | undefined, wanted: Words = {}): PatchOperation[] {
  const missing = Object.entries(wanted).filter(([name, text]) => there?.[name] !== text);
  const path = `/metadata/${field}`;
  const at = (name: string) => `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return [
    ...(there || missing.length === 0 ? [] : [{ op: "add" as const, path, value: {} }]),
    ...missing.map(([name, value]) => ({ op: "add" as const, path: at(name), value })),
  ];
}

/**
 * Applies the settings that pods read at their start, and keeps existing passwords. If the settings differ, first
 * records that the pods must restart, because Moodle keeps the old relay account until then.
 */
export async function applySettings(site: SpokeSite, run: Run): Promise<void> {
  const changes = wanted(site, run, ["secrets"]);
  for (const { ref, put: secret, applied, missingReason: lost } of changes) {
    const there = await site.space.get(ref, run);
    if (applied === null && !there && lost === undefined) await makeAnew(site, run, secret);
    if (applied !== null && (!there || holdsOther(applied, there))) await run.saveProgress({ restarts: true });
  }
  await applySiteObject(site.space, run, changes.flatMap(({ applied }) => applied ?? []));
}

function holdsOther(object: KubeObject, there: KubeObject): boolean {
  const texts = Object.entries<string>(object["stringData"] ?? {})
    .map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  return Object.entries({ ...object["data"], ...Object.fromEntries(texts) })
    .some(([key, text]) => there["data"]?.[key] !== text);
}

/** Creates a Secret that no pod reads. Adds a note, because the site still has another password. */
async function makeAnew({ space }: SpokeSite, run: Run, secret: KubeObject): Promise<void> {
  await space.create(secret, run);
  await addNotes(run, [
    `The Secret ${secret.metadata.name} was gone, and was made with a new password, which the site does not know: ` +
    "reset-admin-password gives it one that it does",
  ]);
}

/** Applies limits that are large enough for both the current and the new size. */
export async function applyLimitsForBothSizes(site: SpokeSite, run: Run): Promise<KubeObject[]> {
  return await applySiteObject(site.space, run, site.blueprint.spokeObjects(inputsBetween(site, run), "policies"));
}

/** Applies the objects of a step and returns them as the cluster stored them. */
export async function applyStepObjects(
  site: SpokeSite,
  run: Run,
  step: SpokeStep,
  hub?: HubSettings,
): Promise<KubeObject[]> {
  return await applySiteObject(site.space, run, wanted(site, run, [step], hub).flatMap(({ applied }) => applied ?? []));
}

/** Sets the fields that actions change to their values for an active spoke. */
export async function applySiteState(site: SpokeSite, run: Run, step: SpokeStep): Promise<void> {
  for (const { ref, state = {} } of wanted(site, run, [step])) {
    const patches = Object.entries(state).map(([field, value]) => ({
      op: "add" as const,
      path: `/spec/${field}`,
      value,
    }));
    if (patches.length > 0) await patchSiteObject(site, run, ref, () => patches);
  }
}

/** Applies the objects in order and returns them as the cluster stored them. */
export async function applySiteObject(space: Space, run: Run, objects: readonly KubeObject[]): Promise<KubeObject[]> {
  const standing: KubeObject[] = [];
  for (const object of objects) {
    const there = await space.get(refOf(object), run);
    if (there) standing.push(await mend(space, run, fitToObserved(object, there), there));
    else standing.push(await replaceFenced(space, object, run.job, run));
  }
  return standing;
}

/**
 * Applies an object. List items that others added may conflict with it, such as a second port of the same name. In this
 * case the function replaces the differing fields and applies the object again.
 */
async function mend(space: Space, run: Run, object: KubeObject, there: KubeObject): Promise<KubeObject> {
  try {
    return await applyFenced(space, object, run.job, run);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    run.log.warn("An object cannot be applied beside what others put into it", {
      object: objectTitle(object),
      error,
    });
  }
  try {
    const spec = object["spec"] ?? {},
      fields = findMismatches(object, there).map((path) => /^spec\.(\w+)/.exec(path)?.[1] ?? "");
    const change = [...new Set(fields)].filter((field) => Object.hasOwn(spec, field))
      .map((field): PatchOperation => ({ op: "add", path: `/spec/${field}`, value: spec[field] }));
    await patchFenced(space, { ref: refOf(object), hold: run.job, change: () => change }, run);
    return await applyFenced(space, object, run.job, run);
  } catch (error) {
    throw isRefusal(error) ? explainRefusal(error, object) : error;
  }
}

function isRefusal(error: unknown): error is ClusterError {
  return error instanceof ClusterError && error.status === 422 && !error.transient;
}

/** Adds a hint if a changed field is immutable: the object must be recreated. */
function explainRefusal(error: ClusterError, object: KubeObject): ClusterError {
  return withErrorDetails(error, {
    blame: "operator",
    hint: `${
      objectTitle(object)
    } differs in what cannot be changed. Delete it (the volumes stay), and reapply: it is made anew.`,
  });
}

function keysOf(secret: KubeObject): string {
  return Object.keys(secret["stringData"] ?? secret["data"] ?? {}).join(", ");
}
