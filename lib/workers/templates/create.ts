/**
 * Creates a template (snapshots of a new Moodle installation, from which new sites start): installs Moodle in a sandbox
 * (temporary namespace), checks the database, stops the site and takes two snapshots.
 * The job waits while operations that users requested are queued. After a failure, it only deletes the sandbox. A later
 * request tries to create the template again.
 */
import * as v from "valibot";
import type { App } from "#lib/app.ts";
import {
  findTemplateById,
  markTemplateFailed,
  markTemplateReady,
  saveTemplateVolumes,
} from "#lib/domains/templates/store.ts";
import { DATABASE_STATEFULSET_REF, SITE_POD_SELECTOR } from "#lib/moodle/names.ts";
import { SandboxInputs } from "#lib/moodle/sandbox.ts";
import { buildOwnerLabels } from "#lib/moodle/owner-labels.ts";
import { buildFieldPatch } from "#lib/operations/change.ts";
import { declareJobKind, type PayloadOf } from "#lib/operations/plan.ts";
import { INSTALLATION, SANDBOX } from "#lib/operations/progress.ts";
import { createJob, type NewJob } from "#lib/jobs/job.ts";
import { isReplicaNeeded } from "#lib/jobs/queue.ts";
import { createHandler, type JobHandler, type RunOf } from "#lib/scheduler/handler.ts";
import { analyzeFailure } from "#lib/scheduler/reports.ts";
import { StepYielded } from "#lib/scheduler/stop-reasons.ts";
import { HOUR, MINUTE, SECOND } from "#lib/base/time.ts";
import { VOLUME_SNAPSHOT } from "#lib/moodle/storage-objects.ts";
import { setSnapshotDeletePolicy } from "#lib/workers/backups/delete-expired.ts";
import { readRetainingSnapshotClasses } from "#lib/steps/snapshot-classes.ts";
import { createSnapshots, planSnapshots } from "#lib/workers/backups/snapshots.ts";
import { install } from "#lib/workers/install/install.ts";
import { readDatabase } from "#lib/steps/site-jobs.ts";
import { patchSiteObjects, waitForWorkload } from "#lib/steps/workloads.ts";
import { applySandboxObjects, createSandbox, openSandbox, removeSandbox, type Sandbox } from "#lib/recovery/sandbox.ts";
import { buildClusterWaitOptions, permanentError } from "#lib/steps/site.ts";
import { deleteTemplateContents } from "#lib/workers/templates/delete-contents.ts";

const LANES_PER_CLUSTER = 2; // queues for template jobs
const MAX_ATTEMPTS = 10;
const CAPACITY_POLL = 15 * SECOND; // the pause between two checks for capacity

const TEMPLATE_CREATION = declareJobKind({
  kind: "create-template",
  persistent: true,
  timeLimit: HOUR, // has no effect, because MAX_ATTEMPTS limits the attempts instead
  steps: {
    capacity: ["Waiting for capacity", 5 * MINUTE],
    sandbox: ["Creating a sandbox", 5 * MINUTE],
    database: ["Starting the database", 15 * MINUTE],
    install: ["Installing Moodle", 40 * MINUTE],
    stop: ["Stopping the site", 10 * MINUTE],
    snapshots: ["Taking the snapshots", 30 * MINUTE],
    clear: ["Deleting the sandbox", HOUR],
    end: ["Recording the result", MINUTE],
  },
  payload: v.object({
    cluster: v.string(),
    /** The template's ID. */
    template: v.string(),
    inputs: SandboxInputs,
  }),
  progress: {
    ...SANDBOX,
    ...INSTALLATION,
    /** The reason why the template could not be created. */
    failed: v.object({ step: v.string(), code: v.string(), message: v.string() }),
  },
});

type TemplateRun = RunOf<typeof TEMPLATE_CREATION>;

export type TemplatePayload = PayloadOf<typeof TEMPLATE_CREATION>;

export function createTemplateJob(payload: TemplatePayload): NewJob {
  const { cluster, template } = payload, lane = template.charCodeAt(template.length - 1) % LANES_PER_CLUSTER;
  return createJob(TEMPLATE_CREATION, payload, {
    lane: `templates:${cluster}:${lane}`,
    dedupeKey: `${TEMPLATE_CREATION.kind}:${template}`,
  });
}

type StepWork = (siteSandbox: Sandbox, run: TemplateRun) => Promise<void>;

export function createTemplate(app: App): JobHandler {
  const wrapStep = (step: string, work: StepWork) => (run: TemplateRun) => tryStep(app, run, step, work);
  const steps = {
    capacity: wrapStep("capacity", (siteSandbox, run) => waitForCapacity(app, siteSandbox, run)),
    sandbox: wrapStep("sandbox", async (siteSandbox, run) => {
      await createSandbox(siteSandbox, run);
      await applySandboxObjects(siteSandbox, run, "volumes");
    }),
    database: wrapStep("database", async (siteSandbox, run) => {
      await applySandboxObjects(siteSandbox, run, "database");
      await waitForWorkload(siteSandbox, run, DATABASE_STATEFULSET_REF);
    }),
    install: wrapStep("install", installMoodle),
    stop: wrapStep("stop", async (siteSandbox, run) => {
      await patchSiteObjects(siteSandbox, run, [buildFieldPatch(DATABASE_STATEFULSET_REF, "/spec/replicas", 0)]);
      await siteSandbox.space.noPods(SITE_POD_SELECTOR, buildClusterWaitOptions(run));
    }),
    snapshots: wrapStep("snapshots", (siteSandbox, run) => takeSnapshots(app, siteSandbox, run)),
    clear: (run: TemplateRun) => deleteSandbox(app, run),
    end: recordResult,
  };
  return createHandler({ kind: TEMPLATE_CREATION, steps });
}

/** Runs a step unless an earlier step failed permanently. The job deletes the sandbox in any case. */
async function tryStep(app: App, run: TemplateRun, step: string, work: StepWork): Promise<void> {
  if (run.job.progress.failed) return;
  const { attempt, failure } = run.job;
  if (attempt > MAX_ATTEMPTS && failure) return await giveUp(run, failure); // too many crashes
  try {
    await work(await openTemplateSandbox(app, run), run);
  } catch (error) {
    run.signal.throwIfAborted();
    const { nature, report: { code, message } } = analyzeFailure(error, step);
    if (error instanceof StepYielded || nature !== "permanent" && attempt < MAX_ATTEMPTS) throw error;
    await giveUp(run, { step, code, message });
  }
}

/** Records the failure before the sandbox is deleted, because new sites may wait for the template. */
async function giveUp(run: TemplateRun, failed: NonNullable<TemplateRun["job"]["progress"]["failed"]>): Promise<void> {
  await run.saveProgress({ failed });
  await recordFailure(run);
}

async function openTemplateSandbox(app: App, run: TemplateRun): Promise<Sandbox> {
  const { cluster, inputs } = run.job.payload;
  return await openSandbox(app, cluster, v.parse(SandboxInputs, inputs), run);
}

/** Waits while operations that users requested need the capacity. Then deletes snapshots of earlier attempts. */
async function waitForCapacity({ config, db }: App, { cluster }: Sandbox, run: TemplateRun): Promise<void> {
  const { template } = run.job.payload, row = await findTemplateById(db.rows, template);
  if (row?.state !== "creating" || !config.templates) {
    throw permanentError(
      "Unwanted",
      "The template is no longer needed",
      "While the setting TEMPLATES is off, no templates are created.",
    );
  }
  if (await isReplicaNeeded(db.rows)) {
    throw new StepYielded("Waiting for operations that users requested", CAPACITY_POLL);
  }
  if (row.clusterUid !== (await cluster.identity(run) ?? "")) {
    const message = `${cluster.name} is not the cluster for which the template was requested`;
    throw permanentError("another_cluster", message, "The next installation in this cluster requests a new template.");
  }
  await deleteTemplateContents(cluster, run, row.volumes);
  await run.write((tx) => saveTemplateVolumes(tx, template, []));
  if ((await readRetainingSnapshotClasses(cluster, run)).length > 0) return;
  const message = "The cluster has no VolumeSnapshotClass with deletionPolicy: Retain";
  throw permanentError("NoSnapshotClass", message, "Create a VolumeSnapshotClass with deletionPolicy: Retain.");
}

/** Installs Moodle. Checks the database afterwards, because the result of the install Job does not prove success. */
async function installMoodle(siteSandbox: Sandbox, run: TemplateRun): Promise<void> {
  await install(siteSandbox, run);
  const { state } = await readDatabase(siteSandbox, run);
  if (state === "installed") return;
  throw permanentError(
    "NotInstalled",
    "The database does not contain a complete Moodle site",
    "Check the log of the install Job.",
    "cluster",
  );
}

/** Takes the template's snapshots. Their names are stored in the database before the snapshots are created. */
async function takeSnapshots({ db }: App, siteSandbox: Sandbox, run: TemplateRun): Promise<void> {
  const { template: id } = run.job.payload;
  const row = await findTemplateById(db.rows, id);
  if (row?.state === "ready") return; // a replica was killed after this step; sites may already use the snapshots
  const planned = await planSnapshots(siteSandbox, run, { id, kind: "manual" });
  await run.write((tx) => saveTemplateVolumes(tx, id, planned));
  const volumes = await createSnapshots(siteSandbox, run, planned, {
    labels: buildOwnerLabels(siteSandbox.inputs),
    create: (snapshot) => siteSandbox.space.create(snapshot, run),
  });
  await run.write(async (tx) => {
    await saveTemplateVolumes(tx, id, volumes);
    await markTemplateReady(tx, id); // new sites need not wait until the sandbox is deleted
  });
}

/** Deletes the sandbox. Does nothing if no sandbox was created. */
async function deleteSandbox(app: App, run: TemplateRun): Promise<void> {
  if (!run.job.progress.sandbox) return;
  const siteSandbox = await openTemplateSandbox(app, run);
  if (run.job.progress.failed) await releaseSnapshots(app, siteSandbox, run);
  await removeSandbox(siteSandbox, run);
}

/** Sets the deletion policy of a failed template's snapshots to `Delete`, so that their data is deleted too. */
async function releaseSnapshots({ db }: App, { cluster, space }: Sandbox, run: TemplateRun): Promise<void> {
  const row = await findTemplateById(db.rows, run.job.payload.template);
  for (const { snapshot: name } of row?.volumes ?? []) {
    const snapshot = await space.get({ ...VOLUME_SNAPSHOT, name }, run);
    if (snapshot) await setSnapshotDeletePolicy(cluster, run, snapshot);
  }
}

/** Records the result again: an older release or a killed replica may not have recorded it in the earlier steps. */
async function recordResult(run: TemplateRun): Promise<void> {
  const { cluster, template, inputs: { version } } = run.job.payload;
  if (run.job.progress.failed) return await recordFailure(run);
  await run.write((tx) => markTemplateReady(tx, template));
  run.log.info("A template is ready", { template, cluster, version });
}

async function recordFailure(run: TemplateRun): Promise<void> {
  const { cluster, template, inputs: { version } } = run.job.payload;
  const { step, code, message: reason } = run.job.progress.failed!;
  if (!await run.write((tx) => markTemplateFailed(tx, template, { from: "creating", reason }))) return;
  run.log.warn("Failed to create a template", { template, cluster, version, step, code, reason });
}
