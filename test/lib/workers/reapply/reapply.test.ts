/** Tests that the sweep reports manual changes and that a reapply reverts them. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Job } from "#lib/jobs/job.ts";
import { readOperationNotes } from "#lib/jobs/operation.ts";
import { reapplyHandler } from "#lib/workers/reapply/reapply.ts";
import { rejection, until } from "#test/support/until.ts";
import { type Clinic, holderOf, openClinic } from "#test/lib/workers/actions/scene.ts";
import { APPS, BATCH, CORE, DAMAGE } from "./damage.ts";
import { byHand, lookOnce } from "#test/lib/workers/sweep/checks.ts";
import { updateRows } from "#test/support/rows.ts";

const test = suite<{ clinic: Clinic }>("reapplyHandler");
test.before(async (context) => void (context.clinic = await openClinic()));
test.after(({ clinic }) => clinic.close());

async function hand({ scene, namespace }: Clinic, api: string, what: string, patch: object | null): Promise<void> {
  await byHand(scene.simulator.url, `${api}/namespaces/${namespace}${what && `/${what}`}`, patch);
}

/** `Deployment/moodle changed spec.replicas`. */
async function drift({ scene, row }: Clinic): Promise<string[]> {
  await lookOnce(scene.app);
  const { drift } = await row();
  return (drift?.objects ?? []).map(({ object, what, fields }: { object: string; what: string; fields: string[] }) =>
    [object, what, ...fields].join(" ")
  );
}

async function succeeds(clinic: Clinic): Promise<Job> {
  const job = await clinic.does("reapply");
  assert.is(job.state, "succeeded", job.failure?.message);
  return job;
}

test("restores each changed object, in the fields that the sweep reports", async ({ clinic }) => {
  assert.equal(await drift(clinic), []);
  const before = await clinic.row();
  for (const [api, what, patch] of DAMAGE) await hand(clinic, api, what, patch);
  // A disk that somebody has made larger is no drift, and never shrinks.
  for (const claim of ["files", "data-db-0"]) {
    const larger = { spec: { resources: { requests: { storage: "11Gi" } } } };
    await hand(clinic, CORE, `persistentvolumeclaims/${claim}`, larger);
  }
  const found = await drift(clinic);
  assert.equal(found.length, DAMAGE.length, found.join("\n"));
  for (const [i, [, , , told]] of DAMAGE.entries()) assert.match(found[i]!, told);
  await succeeds(clinic);
  const after = await clinic.row();
  assert.equal([after.state, after.health, after.drift], ["active", "healthy", null]);
  assert.equal([after.blueprintInputs, after.siteIdentifier], [before.blueprintInputs, before.siteIdentifier]);
  assert.equal(await drift(clinic), []);
  const disks = clinic.objects("PersistentVolumeClaim").map(({ spec }) => spec.resources.requests.storage);
  assert.equal(disks, ["11Gi", "11Gi"]);
});

test("recreates deleted objects, except for those with data or passwords", async ({ clinic }) => {
  const deleted = [
    ...DAMAGE.filter(([, what]) => what !== "" && !what.startsWith("persistent")).map(([api, what]) =>
      [api, what] as const
    ),
    ...["secrets/admin", "secrets/mail", "secrets/seed", "configmaps/seed", "configmaps/seed-script"].map((what) =>
      [CORE, what] as const
    ),
  ];
  const { uid } = clinic.objects("PersistentVolumeClaim")[0]!.metadata;
  for (const [api, what] of deleted) await hand(clinic, api, what, null);
  await until(() => clinic.objects("Deployment").length === 0 && clinic.objects("StatefulSet").length === 0);
  const found = await drift(clinic);
  assert.equal(found.filter((text) => !text.endsWith(" missing")), []);
  assert.is(found.length, deleted.length, found.join("\n"));
  const job = await succeeds(clinic);
  assert.match(readOperationNotes(job).join(), "The Secret admin was missing");
  assert.equal(await drift(clinic), []);
  assert.is(clinic.objects("PersistentVolumeClaim")[0]!.metadata.uid, uid);
});

test("activates a suspended site without a database, and leaves it suspended after a failure", async ({ clinic }) => {
  assert.is((await clinic.does("suspend")).state, "succeeded");
  await hand(clinic, APPS, "statefulsets/db", null);
  assert.is((await clinic.does("resume")).failure?.code, "NotFound");
  assert.is((await clinic.row()).state, "suspended");
  const fault = clinic.scene.simulator.faults.answer(403, { method: "GET", path: "/persistentvolumeclaims/files" });
  assert.is((await clinic.does("reapply")).state, "failed");
  assert.is((await clinic.row()).state, "suspended");
  clinic.scene.simulator.faults.remove(fault);
  await succeeds(clinic);
  assert.equal(await clinic.row().then(({ state, health }) => [state, health]), ["active", "healthy"]);
  assert.equal(await drift(clinic), []);
});

test("updates the row only after the cluster shows all changes, and keeps maintenance mode", async ({ clinic }) => {
  const { scene, id } = clinic, told = { objects: [], revision: { from: "before", to: "now" } };
  assert.is((await clinic.does("maintenance-on")).state, "succeeded");
  assert.equal(await drift(clinic), []);
  await hand(clinic, BATCH, "cronjobs/moodle-cron", { spec: { suspend: false } });
  assert.equal(await drift(clinic), ["CronJob/moodle-cron changed spec.suspend"]);
  await updateRows(scene.db, "spokes", { blueprintRevision: "before", drift: told }, { id });
  const holds = [["database", "PATCH", "/statefulsets/db"], ["app", "PATCH", "/services/moodle"], [
    "ingress",
    "PATCH",
    "/ingresses/moodle",
  ]] as const;
  const faults = holds.map(([, method, path]) => scene.simulator.faults.answer(401, { method, path }));
  await clinic.ask("reapply");
  for (const [i, [step]] of holds.entries()) {
    await until(async () => (await clinic.last("reapply")).failure?.step === step);
    const row = await clinic.row();
    assert.equal([row.state, row.blueprintRevision, row.drift], ["updating", "before", told], step);
    scene.simulator.faults.remove(faults[i]!);
  }
  assert.is((await scene.ended(id, "reapply")).state, "succeeded");
  const row = await clinic.row();
  assert.equal([row.state, row.blueprintRevision, row.drift], ["active", scene.app.blueprint.revision, null]);
  assert.is(clinic.cron()["spec"].suspend, true);
  assert.equal([await drift(clinic), (await clinic.row()).health], [[], "healthy"]);
  await clinic.does("maintenance-off");
});

test("starts nothing on a database of another version, and keeps a failed spoke failed", async ({ clinic }) => {
  const { scene, id } = clinic;
  await scene.db.sql(
    `insert into jobs (id, kind, visible, lane, federation_id, spoke_id, state, attempt, plan, step_names, finished_steps, label,
       payload, time_limit_ms, requester_id, requester_email, requester_ip, requester_agent, created_at, started_at, finished_at)
     select 'op_upgrade', 'upgrade', true, 'spoke:' || id, federation_id, id, 'failed', 1, 1, '{prepare,backup,stop}',
       '{prepare,backup}', '', '{}', 1000, 'system', '', '', '', wheelwright_now(), wheelwright_now(), wheelwright_now()
     from spokes where id = $1`,
    [id],
  );
  await hand(clinic, APPS, "deployments/moodle", { spec: { replicas: 0 } });
  await updateRows(scene.db, "spokes", { state: "failed", lmsVersion: "4.4.1" }, { id });
  const failed = await clinic.does("reapply");
  assert.equal([failed.state, failed.failure?.step, failed.failure?.code], ["failed", "verify", "AnotherVersion"]);
  assert.is((await clinic.row()).state, "failed");
  await updateRows(scene.db, "spokes", { lmsVersion: "4.5" }, { id });
  const lock = (config: object) => {
    const { database, saveDatabase } = clinic.site();
    saveDatabase({ ...database!, config: { ...database!.config, ...config } });
  };
  lock({ upgraderunning: "99999999999" });
  assert.match((await clinic.does("reapply")).failure!.message, "an interrupted upgrade");
  assert.is(clinic.objects("Deployment")[0]!["spec"].replicas, 0);
  lock({ upgraderunning: "" });
  await succeeds(clinic);
  assert.equal(await clinic.row().then(({ state, health }) => [state, health]), ["active", "healthy"]);
  assert.is(clinic.objects("Deployment")[0]!["spec"].replicas, 1);
  assert.equal(await drift(clinic), []);
});

test("can be repeated by another holder, but not by a late one", async ({ clinic }) => {
  const { scene } = clinic, { steps } = reapplyHandler(scene.app), job = await clinic.last("reapply");
  assert.is((await clinic.does("restart")).state, "succeeded"); // it has raised the Deployment's fence
  const late = holderOf(clinic, job, job.fence);
  assert.is((await rejection(steps["app"]!(late))).name, "FenceLostError");
  const next = holderOf(clinic, job, String(BigInt((await clinic.last("restart")).fence) + 1000n));
  for (const step of ["policies", "secrets", "database", "app", "cron"]) await steps[step]!(next);
  assert.is((await rejection(steps["policies"]!(late))).name, "FenceLostError");
  assert.equal(await drift(clinic), []);
});

test("fails before any change if passwords, a volume or the namespace are missing", async ({ clinic }) => {
  const { scene } = clinic;
  const refused = async (code: string, what: RegExp) => {
    const from = scene.simulator.writes().length, job = await clinic.does("reapply");
    assert.equal([job.state, job.failure?.step, job.failure?.code], ["failed", "policies", code]);
    assert.match(job.failure!.message, what);
    assert.ok(job.failure!.hint);
    const writes = scene.simulator.writes().slice(from).map(({ method, path }) => `${method} ${path}`);
    assert.equal(writes.filter((write) => !write.includes("/configmaps/wheelwright?")), []); // of the upkeep
  };
  await hand(clinic, CORE, "secrets/moodle", null);
  await refused("PasswordsLost", /^The Secret moodle is missing/);
  assert.is((await clinic.row()).state, "active");
  await hand(clinic, CORE, "persistentvolumeclaims/files", null);
  await refused("VolumeLost", /PersistentVolumeClaim files with the site's data is being deleted/);
  await hand(clinic, CORE, "", null);
  await until(() => scene.simulator.objects("Namespace").every(({ metadata }) => metadata.name !== clinic.namespace));
  await refused("NamespaceLost", /^The site's namespace no longer exists/);
});

test.run();
