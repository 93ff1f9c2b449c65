/** Tests that one upgrade of a database runs at a time, and what a killed upgrade leaves behind. */
import { OPERATIONS } from "#lib/operations/table.ts";
import { requireJobData } from "#lib/jobs/data.ts";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { computeUpgradedInputs } from "#lib/moodle/upgrade.ts";
import type { ClusterError, ClusterNamespace, KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { RunOf } from "#lib/scheduler/handler.ts";
import { migrateSite } from "#lib/workers/upgrade/migrate.ts";
import { inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";
import { rejection, until } from "#test/support/until.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { installSpoke, listJobNames, listObjects, NEW, OLD, requestAction } from "./scene.ts";

const test = suite<{ scene: WorkScene; id: string }>("migrateSite");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  await scene.replica();
  context.id = await installSpoke(scene, "algebra");
});
test.after(({ scene }) => scene.close());

/** Blocks the upgrade before it lists its Jobs, and creates a suspended Job with this fence. */
async function withJob(
  scene: WorkScene,
  id: string,
  version: string,
  fence?: string,
): Promise<{ name: string; unblock: () => void }> {
  const fault = scene.simulator.faults.answer(503, { method: "GET", path: "/jobs?labelSelector=op%3Dupgrade" });
  await requestAction(scene, id, "upgrade", { lmsVersion: version, skipBackup: false });
  const waitingJob = await until(async () => {
    const [latest] = await scene.operations(id);
    return latest!.failure?.step === "migrate" && latest!;
  });
  const target = computeUpgradedInputs((await scene.row(id)).blueprintInputs, {
    version,
    images: scene.app.catalog.imagesOf(version),
  });
  const job = scene.app.blueprint.jobObject(target, "upgrade", fence ?? waitingJob.fence);
  assert.is(await send(scene, id, "POST", "", { ...job, spec: { ...job["spec"], suspend: true } }), 201);
  return { name: job.metadata.name, unblock: () => void scene.simulator.faults.remove(fault) };
}

async function resume(scene: WorkScene, id: string, name: string): Promise<void> {
  const change = [{ op: "replace", path: "/spec/suspend", value: false }];
  assert.is(await send(scene, id, "PATCH", `/${name}`, change, "application/json-patch+json"), 200);
}

async function send(
  scene: WorkScene,
  id: string,
  method: string,
  path: string,
  body: unknown,
  type = "application/json",
): Promise<number> {
  const jobs = `${scene.simulator.url}/apis/batch/v1/namespaces/${(await scene.row(id)).namespace}/jobs`;
  const headers = { "content-type": type };
  return (await fetch(jobs + path, { method, headers, body: JSON.stringify(body) })).status;
}

test("deletes a Job of an earlier operation that has no pod, and starts its own", async ({ scene, id }) => {
  const { unblock } = await withJob(scene, id, "5.0.4", "2");
  unblock();
  const job = await scene.ended(id, "upgrade");
  assert.equal([job.state, job.failure], ["succeeded", null]);
  assert.equal(
    await listJobNames(scene, id, "upgrade"),
    requireJobData(OPERATIONS.upgrade.kind, job).progress.upgrades,
  );
});

test("follows a Job that an earlier replica started for this operation, and starts no second one", async ({ scene, id }) => {
  const before = await listJobNames(scene, id, "upgrade");
  const { name, unblock } = await withJob(scene, id, NEW);
  await scene.db.sql(
    `update jobs set progress = progress || jsonb_build_object('upgrades', jsonb_build_array($2::text))
     where spoke_id = $1 and state in ('queued', 'running')`,
    [id, name],
  );
  // The running attempt has read the old progress. The next attempt reads the new one.
  const { attempt } = (await scene.operations(id))[0]!;
  await until(async () => (await scene.operations(id))[0]!.attempt > attempt + 1);
  unblock();
  await until(async () => (await scene.operations(id))[0]!.label.includes(name));
  assert.is((await scene.row(id)).lmsVersion, "5.0.4");
  await resume(scene, id, name);
  const job = await scene.ended(id, "upgrade");
  assert.equal([job.state, job.failure?.message], ["succeeded", undefined]);
  assert.equal((await listJobNames(scene, id, "upgrade")).sort(), [...before, name].sort());
  assert.is((await scene.row(id)).lmsVersion, NEW);
});

test("does not replace the code of a newer attempt", async ({ scene, id }) => {
  const { name, unblock } = await withJob(scene, id, "5.3.1", "999000");
  await resume(scene, id, name);
  await until(async () =>
    (await listObjects(scene, id, "Job")).some(({ metadata, status }) =>
      metadata.name === name && status?.succeeded === 1
    )
  );
  unblock();
  const job = await scene.ended(id, "upgrade");
  assert.equal([job.state, job.failure!.code], ["failed", "NotUpgradable"]);
  assert.match(job.failure!.message, /attempt wheelwright upgrade 999000 has begun after this one/);
  assert.is((await scene.row(id)).lmsVersion, NEW);
});

test("refuses Jobs with an older fence once the database has the new one", async ({ scene, id }) => {
  const { namespace, namespaceUid: uid, cluster, blueprintInputs: inputs } = await scene.row(id);
  const space = (await scene.app.clusters.open(cluster)).space(namespace, uid!);
  const waiting = { signal: new AbortController().signal, timeout: 30_000 };
  const run = (name: "claim" | "upgrade" | "seed", fence: string) =>
    space.run(scene.app.blueprint.jobObject(inputs, name, fence), waiting);
  assert.is((await run("claim", "2000001")).succeeded, true);
  for (const name of ["upgrade", "seed"] as const) {
    const late = await run(name, "2000000");
    assert.equal([name, late.succeeded], [name, false]);
    assert.match(late.log.join("\n"), /attempt wheelwright \w+ 2000001 has begun after this one, 2000000/);
  }
  assert.is((await run("claim", "1999999")).succeeded, true);
  assert.is((await run("seed", "2000000")).succeeded, false, "a late claim does not lower the fence");
  assert.is((await run("seed", "2000001")).succeeded, true, "the holder of the current fence continues");
});

const killed = suite<{ scene: WorkScene; id: string }>("an upgrade whose pod is killed");
killed.before(async (context) => {
  const scene = context.scene = await openWorkScene(400); // slow enough to kill the pod in time
  await scene.replica();
  context.id = await installSpoke(scene, "algebra");
});
killed.after(({ scene }) => scene.close());

/** Kills the pod of the upgrade Job while Moodle runs in it. Returns false if the upgrade was faster. */
async function killUpgradePod(scene: WorkScene, id: string): Promise<boolean> {
  const upgradePod = await until(async () => {
    const pod = (await listObjects(scene, id, "Pod")).find(isRunningUpgrade);
    return pod ?? ((await scene.operations(id))[0]!.state === "succeeded" ? "late" : null);
  });
  if (upgradePod === "late") return false;
  const { namespace, name } = upgradePod.metadata;
  const response = await fetch(`${scene.simulator.url}/api/v1/namespaces/${namespace}/pods/${name}`, {
    method: "DELETE",
  });
  await scene.ended(id, "upgrade");
  return response.ok && (await scene.operations(id))[0]!.state === "failed";
}

function isRunningUpgrade({ metadata, status }: KubeObject): boolean {
  return metadata.name.startsWith("upgrade-") && status?.phase === "Running" && !metadata.deletionTimestamp;
}

killed("fails, and its retry continues once Moodle has released its lock", async ({ scene, id }) => {
  let from = OLD;
  for (const version of ["5.0.4", "5.1.6", NEW, "5.3.1"]) {
    await requestAction(scene, id, "upgrade", { lmsVersion: version, skipBackup: false });
    if (!await killUpgradePod(scene, id)) {
      from = version; // the upgrade was faster
      continue;
    }
    const failed = await scene.row(id);
    assert.equal([failed.state, failed.lmsVersion], ["failed", from]);
    await requestAction(scene, id, "retry");
    const job = await scene.ended(id, "upgrade");
    assert.equal([job.state, (await scene.row(id)).lmsVersion], ["succeeded", version]);
    return;
  }
  assert.unreachable("no pod was killed in time");
});

const locked = suite("an upgrade of a locked site");

interface JobAnswer {
  readonly log: readonly string[];
  readonly exitCode?: number;
}

/** Runs the step with these Job results. Returns its error and the names of the Jobs. */
async function runMigration(
  answers: Readonly<Record<string, JobAnswer>>,
  now: Date,
): Promise<{ error: ClusterError; startedJobs: string[] }> {
  const startedJobs: string[] = [];
  const space = {
    list: () => Promise.resolve([]),
    delete: () => Promise.resolve(),
    noPods: () => Promise.resolve(),
    evidence: () => Promise.resolve({ log: [], events: [] }),
    run: ({ metadata: { name } }: KubeObject) => {
      startedJobs.push(name);
      const { log, exitCode = 0 } = answers[name.split("-")[0]!]!;
      return Promise.resolve({
        succeeded: exitCode === 0,
        name,
        uid: `uid-${name}`,
        reason: null,
        message: null,
        exitCode,
        log,
        isLogComplete: true,
      });
    },
  } as unknown as ClusterNamespace;
  const run = {
    job: { fence: "7", progress: {} },
    timeLeft: () => 1000,
    saveProgress: () => Promise.resolve(),
    write: () => Promise.resolve(null),
  } as unknown as RunOf<typeof OPERATIONS.upgrade.kind>;
  const blueprint = openBlueprint(), inputs = inputsOf(blueprint);
  const migration = { path: "", major: true, now: () => Promise.resolve(now), requireSite: () => Promise.resolve() };
  const error = await rejection(migrateSite({ space, blueprint, inputs }, run, migration));
  return { error: error as ClusterError, startedJobs };
}

const SITE = ["rolesactive|1", "siteidentifier|abc", "version|2024100712", "release|4.5.12 (Build: 20261005)"];

locked("runs no Job until the lock time in the database has passed", async () => {
  const until = new Date("2026-11-21T10:05:00Z"), now = new Date("2026-11-21T10:01:30Z");
  const claim = { log: [...SITE, `upgraderunning|${until.getTime() / 1000}`] };
  const { error, startedJobs } = await runMigration({ claim }, now);
  assert.equal([error.code, error.transient, error.retryAfterMs], ["UpgradeLocked", true, 211_000]);
  assert.match(error.message, /has locked the site until 10:05 UTC/);
  assert.equal(startedJobs, ["claim-7"]);
});

locked(
  "retries later if Moodle reports the lock, and fails on other errors",
  async () => {
    const claim = { log: SITE }, now = new Date();
    const lockLine = "!!! Site is being upgraded, please retry later. !!!";
    const { error, startedJobs } = await runMigration({ claim, upgrade: { log: [lockLine], exitCode: 1 } }, now);
    assert.equal([error.code, error.transient, startedJobs], ["UpgradeLocked", true, ["claim-7", "upgrade-7"]]);
    const other = await runMigration({ claim, upgrade: { log: ["PHP Fatal error: no"], exitCode: 1 } }, now);
    assert.equal([other.error.code, other.error.transient], ["PhpFatal", false]);
  },
);

locked.run();
test.run();
killed.run();
