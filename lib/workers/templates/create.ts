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
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import { DATABASE_STATEFULSET_REF, SITE_POD_SELECTOR } from "#lib/moodle/names.ts";
import type { SandboxInputs } from "#lib/moodle/sandbox.ts";
import { buildOwnerLabels } from "#lib/moodle/owner-labels.ts";
import { buildFieldPatch } from "#lib/operations/change.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import type { NewJob } from "#lib/jobs/job.ts";
import { isReplicaNeeded } from "#lib/jobs/queue.ts";
import type { JobHandler, JobRun } from "#lib/scheduler/handler.ts";
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

const TEMPLATE_CREATION = {
  kind: "create-template",
  plan: 1,
  visible: false,
  persistent: true,
  timeLimit: HOUR, // has no effect, because MAX_ATTEMPTS limits the attempts instead
  steps: [
    { name: "capacity", label: "Waiting for capacity", timeout: 5 * MINUTE },
    { name: "sandbox", label: "Creating a sandbox", timeout: 5 * MINUTE },
    { name: "database", label: "Starting the database", timeout: 15 * MINUTE },
    { name: "install", label: "Installing Moodle", timeout: 40 * MINUTE },
    { name: "stop", label: "Stopping the site", timeout: 10 * MINUTE },
    { name: "snapshots", label: "Taking the snapshots", timeout: 30 * MINUTE },
    { name: "clear", label: "Deleting the sandbox", timeout: HOUR },
    { name: "end", label: "Recording the result", timeout: MINUTE },
  ],
} as const satisfies JobKind;

type Step = (typeof TEMPLATE_CREATION.steps)[number]["name"];

export interface TemplatePayload {
  readonly cluster: string;
  /** The template's ID. */
  readonly template: string;
  readonly inputs: SandboxInputs;
}

export function createTemplateJob(payload: TemplatePayload): NewJob {
  const { cluster, template } = payload, lane = template.charCodeAt(template.length - 1) % LANES_PER_CLUSTER;
  return {
    kind: TEMPLATE_CREATION,
    lane: `templates:${cluster}:${lane}`,
    federationId: null,
    spokeId: null,
    payload: { ...payload },
    dedupeKey: `${TEMPLATE_CREATION.kind}:${template}`,
  };
}

/** The reason why a template could not be created, stored as `failed` in the job's progress. */
interface TemplateFailure {
  readonly step: string;
  readonly code: string;
  readonly message: string;
}

type StepWork = (siteSandbox: Sandbox, run: JobRun) => Promise<void>;

export function createTemplate(app: App): JobHandler {
  const wrapStep = (step: Step, payload: StepWork) => (run: JobRun) => tryStep(app, run, step, payload);
  const steps: Readonly<Record<Step, (run: JobRun) => Promise<void>>> = {
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
    snapshots: wrapStep("snapshots", takeSnapshots),
    clear: (run) => deleteSandbox(app, run),
    end: recordResult,
  };
  return { kind: TEMPLATE_CREATION, steps };
}

/** Runs a step unless an earlier step failed permanently. The job deletes the sandbox in any case. */
async function tryStep(app: App, run: JobRun, step: Step, payload: StepWork): Promise<void> {
  if (failureOf(run)) return;
  const { attempt, failure } = run.job;
  if (attempt > MAX_ATTEMPTS && failure) return await run.saveProgress({ failed: failure }); // too many crashes
  try {
    await payload(await openTemplateSandbox(app, run), run);
  } catch (error) {
    run.signal.throwIfAborted();
    const { nature, report: { code, message } } = analyzeFailure(error, step);
    if (error instanceof StepYielded || nature !== "permanent" && attempt < MAX_ATTEMPTS) throw error;
    await run.saveProgress({ failed: { step, code, message } satisfies TemplateFailure });
  }
}

function failureOf({ job }: JobRun): TemplateFailure | undefined {
  return job.progress.failed;
}

async function openTemplateSandbox(app: App, run: JobRun): Promise<Sandbox> {
  const { cluster, inputs } = run.job.payload as TemplatePayload;
  return await openSandbox(app, cluster, v.parse(SpokeInputs, inputs) as SandboxInputs, run);
}

/** Waits while operations that users requested need the capacity. Then deletes snapshots of earlier attempts. */
async function waitForCapacity({ config, db }: App, { cluster }: Sandbox, run: JobRun): Promise<void> {
  const { template } = run.job.payload as TemplatePayload, row = await findTemplateById(db.rows, template);
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
async function installMoodle(siteSandbox: Sandbox, run: JobRun): Promise<void> {
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
async function takeSnapshots(siteSandbox: Sandbox, run: JobRun): Promise<void> {
  const { template: id } = run.job.payload as TemplatePayload;
  const planned = await planSnapshots(siteSandbox, run, { id, kind: "manual" });
  await run.write((tx) => saveTemplateVolumes(tx, id, planned));
  const volumes = await createSnapshots(siteSandbox, run, planned, {
    labels: buildOwnerLabels(siteSandbox.inputs),
    create: (snapshot) => siteSandbox.space.create(snapshot, run),
  });
  await run.write((tx) => saveTemplateVolumes(tx, id, volumes));
}

/** Deletes the sandbox. Does nothing if no sandbox was created. */
async function deleteSandbox(app: App, run: JobRun): Promise<void> {
  if (!run.job.progress.sandbox) return;
  const siteSandbox = await openTemplateSandbox(app, run);
  if (failureOf(run)) await releaseSnapshots(app, siteSandbox, run);
  await removeSandbox(siteSandbox, run);
}

/** Sets the deletion policy of a failed template's snapshots to `Delete`, so that their data is deleted too. */
async function releaseSnapshots({ db }: App, { cluster, space }: Sandbox, run: JobRun): Promise<void> {
  const row = await findTemplateById(db.rows, (run.job.payload as TemplatePayload).template);
  for (const { snapshot: name } of row?.volumes ?? []) {
    const snapshot = await space.get({ ...VOLUME_SNAPSHOT, name }, run);
    if (snapshot) await setSnapshotDeletePolicy(cluster, run, snapshot);
  }
}

async function recordResult(run: JobRun): Promise<void> {
  const { cluster, template, inputs: { version } } = run.job.payload as TemplatePayload, failure = failureOf(run);
  if (!failure) {
    await run.write((tx) => markTemplateReady(tx, template));
    return run.log.info("A template is ready", { template, cluster, version });
  }
  const { step, code, message: reason } = failure;
  run.log.warn("Failed to create a template", { template, cluster, version, step, code, reason });
  await run.write((tx) => markTemplateFailed(tx, template, { from: "creating", reason }));
}
