/** Tests spokes that are requested while their template is being created. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Job } from "#lib/jobs/job.ts";
import type { Scheduler } from "#lib/scheduler/scheduler.ts";
import { until } from "#test/support/until.ts";
import {
  listObjectNames,
  listSourceNotes,
  openTemplateScene,
  type TemplateScene,
  waitForTemplate,
} from "#test/lib/workers/templates/scene.ts";
import { startReplica } from "#test/lib/workers/scene.ts";
import { selectRows } from "#test/support/rows.ts";

interface Context extends TemplateScene {
  replica: Scheduler;
  /** Lets the template's snapshots become ready. */
  release(): void;
}

const WAITING =
  /^Creating the site's volumes: Waiting for the template of Moodle 4\.5\.12, which is expected within \d+ s$/;
const test = suite<Context>("a spoke that is requested while its template is being created");

/** Starts a template, whose installation took an hour and whose snapshots do not become ready. */
test.before.each(async (context) => {
  await openTemplateScene(context);
  const { scene, hub } = context, { faults } = scene.simulator;
  const latency = faults.latency(1500, { method: "PATCH", path: "/statefulsets/db" });
  context.replica = await startReplica(scene.app, "prepare-templates");
  await scene.hubBecomes(hub.id, "active");
  await until(async () => {
    const [job] = await selectRows(scene.db, "jobs", { kind: "create-template" }, { columns: ["finishedSteps"] });
    return (job as typeof job | undefined)?.finishedSteps.includes("install");
  });
  const unready = faults.unready("sandbox-");
  faults.remove(latency);
  context.release = () => void faults.remove(unready);
  await setInstallationTime(context, "1 hour");
});
test.after.each(async ({ scene, replica }) => {
  await replica.close();
  await scene.close();
});

async function setInstallationTime({ scene: { db } }: Context, duration: string): Promise<void> {
  await db.sql(
    `update jobs set step_times = step_times
       || jsonb_build_object('database', (step_times ->> 'install')::timestamptz - $1::interval)
     where kind = 'create-template'`,
    [duration],
  );
}

/** Requests a spoke and returns its ID once it waits for the template. */
async function requestWaitingSpoke({ scene, hub }: Context): Promise<string> {
  const id = await scene.spoke(hub, "early");
  await until(async () => (await scene.operations(id)).some(isWaiting));
  return id;
}

function isWaiting({ state, label }: Job): boolean {
  return state === "running" && WAITING.test(label);
}

async function waitUntilActive({ scene }: Context, id: string): Promise<string[]> {
  const { state, namespace } = await scene.becomes(id, "active", "failed");
  assert.is(state, "active");
  const jobs = scene.simulator.history().filter((each) => each.kind === "Job" && each.namespace === namespace);
  return [...new Set(jobs.map(({ name }) => name.replace(/-\d+$/, "")))];
}

test("waits for the template and starts from it, before the template's sandbox is deleted", async (context) => {
  const { scene, release } = context, id = await requestWaitingSpoke(context);
  const [sandbox] = listObjectNames(scene, "Namespace", "sandbox-");
  scene.simulator.faults.stuckNamespace(sandbox!);
  release();
  assert.not.ok((await waitUntilActive(context, id)).includes("install"));
  assert.equal(await listSourceNotes(scene, id), ["Created from the template for Moodle 4.5.12"]);
  assert.equal(listObjectNames(scene, "Namespace", "sandbox-"), [sandbox]);
  scene.simulator.faults.clear();
  await waitForTemplate(scene, "ready");
});

test("is continued by another replica, which waits too", async (context) => {
  const { scene, replica, release } = context, id = await requestWaitingSpoke(context);
  const other = await scene.replica();
  await replica.close();
  await until(async () => (await scene.operations(id)).some((job) => isWaiting(job) && job.holder === other.replicaId));
  release();
  assert.not.ok((await waitUntilActive(context, id)).includes("install"));
});

test("is installed by a Job as soon as the template has failed", async (context) => {
  const { scene } = context, id = await requestWaitingSpoke(context);
  const [sandbox] = listObjectNames(scene, "Namespace", "sandbox-");
  scene.simulator.faults.stuckNamespace(sandbox!);
  scene.simulator.faults.add({ type: "no-snapshot", name: "sandbox-", message: "no space" });
  context.release();
  assert.ok((await waitUntilActive(context, id)).includes("install"));
  assert.equal(await listSourceNotes(scene, id), [
    "Not created from a template: the last template of 4.5.12 could not be created",
  ]);
  scene.simulator.faults.clear();
});

test("is installed by a Job if the template takes longer than its own installation took", async (context) => {
  const id = await requestWaitingSpoke(context);
  await setInstallationTime(context, "1 millisecond");
  assert.ok((await waitUntilActive(context, id)).includes("install"));
  assert.equal(await listSourceNotes(context.scene, id), [
    "Not created from a template: the template of 4.5.12 is not ready yet",
  ]);
});

test.run();
