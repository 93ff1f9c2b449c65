/**
 * Creates a new site from a template (snapshots of a new Moodle installation) instead of running the install Job. A
 * database row records which template a site uses, so that every attempt uses the same template and the template is not
 * retired. If the template cannot be used, all objects created from it are deleted, and the install Job runs instead. A
 * site whose installation was complete at any time is never deleted.
 */
import { sql } from "kysely";
import { getMinimumDiskSizes } from "#lib/domains/backups/usable.ts";
import {
  abandonTemplateUse,
  deleteTemplateUse,
  findTemplateById,
  findTemplateUse,
  lockTemplate,
  markTemplateFailed,
  recordTemplateUse,
  resetTemplateFailures,
  type SiteTemplate,
  type TemplateUse,
} from "#lib/domains/templates/store.ts";
import { ClusterError, toObjectRef } from "#lib/drivers/cluster/cluster.ts";
import { explainClusterError } from "#lib/drivers/cluster/diagnosis/explain.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { findSnapshotBlueprintProblem } from "#lib/moodle/adoption.ts";
import type { SiteOrigin, SpokeInputs } from "#lib/moodle/inputs.ts";
import {
  DATABASE_STATEFULSET_REF,
  getAdoptionId,
  getSitePvcNames,
  MOODLE_DEPLOYMENT_REF,
  SITE_POD_SELECTOR,
} from "#lib/moodle/names.ts";
import { buildSourceSnapshotName } from "#lib/moodle/origin.ts";
import { DISK_NAMES } from "#lib/moodle/resize.ts";
import { buildTemplateKey, canDisksHoldSnapshots } from "#lib/moodle/template.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { MINUTE } from "#lib/base/time.ts";
import { createWithFence } from "#lib/steps/fenced-objects.ts";
import { writeSiteRecord } from "#lib/steps/site-record.ts";
import { addNotes, buildClusterWaitOptions, isStepError, permanentError, type SpokeSite } from "#lib/steps/site.ts";
import { createPvcsFromSnapshots, deleteSourceSnapshots } from "#lib/recovery/volumes/pvcs.ts";
import { isTemplateError } from "#lib/workers/templates/template-errors.ts";
import { waitForTemplate } from "#lib/workers/templates/wait.ts";
import { readBackupSnapshots } from "#lib/recovery/volumes/backup-snapshots.ts";

/** Time limits in milliseconds for steps that use a template. If they take longer, installing Moodle is faster. */
const TIMEOUTS = { volumes: 3 * MINUTE, database: 8 * MINUTE } as const;
const POD = { apiVersion: "v1", kind: "Pod" };
const PVC = { apiVersion: "v1", kind: "PersistentVolumeClaim" };

/**
 * Creates the site's volumes from a template and returns true. If no template can be used, deletes all objects that
 * were created from one before, and returns false.
 */
export async function createVolumesFromTemplate(site: SpokeSite, run: JobRun): Promise<boolean> {
  const use = await findTemplateUse(site.app.db.rows, site.spoke.id) ?? await chooseTemplate(site, run);
  if (!use) return false;
  if (wasComplete(site)) return true;
  const abandonedUse = use.fallbackReason !== null ? use : await tryTemplate(site, run, use, async (limitRun) => {
    const template = await requireTemplate(site, use);
    const clusterUid = template.clusterUid || null;
    await createPvcsFromSnapshots(
      withTemplateOrigin(site, use),
      limitRun("volumes"),
      readBackupSnapshots(template, { clusterUid }),
    );
    await writeSiteRecord(site.app, run, "spokes", site.spoke.id); // the record names the PVCs, in case the row is lost
  });
  if (!abandonedUse) return true;
  await undoTemplateUse(site, run, abandonedUse);
  return false;
}

/** Starts the database with the template's data. If this fails, deletes the data and starts with an empty database. */
export async function startDatabaseFromTemplate(
  site: SpokeSite,
  run: JobRun,
  start: (site: SpokeSite, run: JobRun) => Promise<void>,
): Promise<void> {
  const use = site.inputs.origin ? await findTemplateUse(site.app.db.rows, site.spoke.id) : null;
  if (!use || wasComplete(site)) return await start(site, run);
  const abandonedUse = use.fallbackReason !== null ? use : await tryTemplate(site, run, use, async (limitRun) => {
    await start(site, limitRun("database"));
    await run.write((tx) => resetTemplateFailures(tx, use.templateId));
    await addNotes(run, [`Created from the template for Moodle ${site.inputs.version}`]);
  });
  if (!abandonedUse) return;
  await start(await undoTemplateUse(site, run, abandonedUse), run);
}

/** Chooses a template for the spoke. If no template can be used, adds a note to the operation and returns null. */
async function chooseTemplate(site: SpokeSite, run: JobRun): Promise<TemplateUse | null> {
  const { app, spoke, inputs, blueprint } = site;
  if (!app.config.templates || inputs.origin) return null;
  const skipTemplate = async (why: string) => {
    await addNotes(run, [`Not created from a template: ${why}`]);
    return null;
  };
  const origin: SiteOrigin = { adoptionId: getAdoptionId(run.job.id), identity: "new" };
  const problem = findSnapshotBlueprintProblem(blueprint, { ...inputs, origin });
  if (problem !== null) return await skipTemplate(problem);
  if (await hasPvcs(site, run)) return await skipTemplate("an installation had already started");
  const key = buildTemplateKey(spoke, inputs, blueprint.revision);
  await waitForTemplate(site, run, key);
  const use = await run.write(async (tx) => {
    const template = await lockTemplate(tx, key);
    const why = findTemplateProblem(template, inputs);
    if (why !== null) return why;
    await recordTemplateUse(tx, template!, { spokeId: spoke.id, adoptionId: origin.adoptionId });
    await setOrigin(tx, spoke.id, origin);
    return await findTemplateUse(tx, spoke.id);
  });
  return typeof use === "string" ? await skipTemplate(use) : use;
}

function findTemplateProblem(template: SiteTemplate | null, inputs: SpokeInputs): string | null {
  const label = `template of ${inputs.version}`;
  if (template?.state === "creating") return `the ${label} is not ready yet`;
  if (template?.state === "failed") return `the last ${label} could not be created`;
  if (template?.state !== "ready") return `no ${label} exists yet`;
  return canDisksHoldSnapshots(inputs, getMinimumDiskSizes(template))
    ? null
    : `the site's volumes are smaller than the volumes of the ${label}`;
}

/** Returns whether the site already has a PVC, for example from an earlier operation. */
async function hasPvcs({ space, inputs }: SpokeSite, run: JobRun): Promise<boolean> {
  const names = Object.values(getSitePvcNames(inputs));
  const pvcs = await Promise.all(names.map((name) => space.get({ ...PVC, name }, run)));
  return pvcs.some((claim) => claim !== null);
}

const TEMPLATE_MISMATCH = "OtherTemplate";

/** Returns the template that the spoke uses. Throws if it was deleted or no longer matches the spoke. */
async function requireTemplate({ app, spoke, inputs, blueprint }: SpokeSite, use: TemplateUse): Promise<SiteTemplate> {
  const template = await findTemplateById(app.db.rows, use.templateId);
  const key = Object.entries(buildTemplateKey(spoke, inputs, blueprint.revision)) as [keyof SiteTemplate, string][];
  if (template && key.every(([column, value]) => template[column] === value)) return template;
  throw permanentError(
    TEMPLATE_MISMATCH,
    "the template was deleted or no longer matches the spoke",
    "The install Job runs instead.",
  );
}

type LimitedRun = (step: keyof typeof TIMEOUTS) => JobRun;

/** Calls `work`, which uses the template. Returns null if `work` succeeds, or else stores and returns the reason. */
async function tryTemplate(
  site: SpokeSite,
  run: JobRun,
  use: TemplateUse,
  work: (limitRun: LimitedRun) => Promise<void>,
): Promise<TemplateUse | null> {
  try {
    await work((step) => ({ ...run, timeLeft: () => Math.min(run.timeLeft(), TIMEOUTS[step]) }));
    return null;
  } catch (error) {
    run.signal.throwIfAborted();
    if (!isStepError(error)) throw error;
    const isTransient = error instanceof ClusterError && error.transient && error.code !== "deadline";
    if (isTransient) throw error;
    if (error.code !== TEMPLATE_MISMATCH && await isAdopted(site, run)) throw error;
    const { templateId: template } = use,
      reason = error instanceof ClusterError ? explainClusterError(error).message : error.message;
    run.log.warn("Cannot create a site from its template; running the install Job instead", { template, error });
    return await run.write(async (tx) => {
      await abandonTemplateUse(tx, use, reason);
      if (isTemplateError(error)) await markTemplateFailed(tx, template, { from: "ready", reason });
      return await findTemplateUse(tx, site.spoke.id);
    });
  }
}

/** Returns whether the site was complete at any time, so that its data no longer depends on the template. */
function wasComplete({ spoke }: SpokeSite): boolean {
  return spoke.siteIdentifier !== null;
}

async function isAdopted({ space }: SpokeSite, run: JobRun): Promise<boolean> {
  const pods = await space.list(POD, "role=db", run);
  return pods.some((pod) => {
    const containers: { name: string; state?: { terminated?: { exitCode: number } } }[] =
      pod["status"]?.initContainerStatuses ?? [];
    return containers.some(({ name, state }) => name === "adopt" && state?.terminated?.exitCode === 0);
  });
}

/**
 * Deletes all objects that were created from the template, and creates empty PVCs. Returns the site with blueprint
 * inputs that do not refer to the template.
 */
async function undoTemplateUse(site: SpokeSite, run: JobRun, use: TemplateUse): Promise<SpokeSite> {
  const { space, spoke, blueprint } = site, { origin: _, ...inputs } = site.inputs, names = getSitePvcNames(inputs);
  for (const ref of [MOODLE_DEPLOYMENT_REF, DATABASE_STATEFULSET_REF]) {
    const workload = await space.get(ref, run);
    if (workload) await space.delete(ref, workload.metadata.uid!, run);
  }
  await space.noPods(SITE_POD_SELECTOR, buildClusterWaitOptions(run));
  const refs = [];
  for (const disk of DISK_NAMES) {
    const claim = await space.get({ ...PVC, name: names[disk] }, run);
    if (claim?.["spec"]?.dataSource?.name !== buildSourceSnapshotName(disk, use.adoptionId)) continue;
    await space.delete(toObjectRef(claim), claim.metadata.uid!, run);
    refs.push(toObjectRef(claim));
  }
  await space.gone(refs, buildClusterWaitOptions(run));
  await deleteSourceSnapshots(withTemplateOrigin(site, use), run);
  for (const claim of blueprint.spokeObjects(inputs, "volumes")) await createWithFence(space, claim, run.job, run);
  await addNotes(run, [`Not created from a template, because it could not be used: ${use.fallbackReason}`]);
  await run.write(async (tx) => {
    await setOrigin(tx, spoke.id, null);
    await deleteTemplateUse(tx, use);
  });
  await writeSiteRecord(site.app, run, "spokes", spoke.id);
  return { ...site, inputs };
}

function withTemplateOrigin(site: SpokeSite, { adoptionId }: TemplateUse): SpokeSite {
  return { ...site, inputs: { ...site.inputs, origin: { adoptionId, identity: "new" } } };
}

async function setOrigin(tx: Tx, id: string, origin: SiteOrigin | null): Promise<void> {
  const value = origin === null
    ? sql<string>`blueprint_inputs - 'origin'`
    : sql<string>`blueprint_inputs || ${JSON.stringify({ origin })}::jsonb`;
  await tx.updateTable("spokes").set({ blueprintInputs: value }).where("id", "=", id).execute();
}
