/** Tests the results of restore tests in the simulated cluster. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listBackups } from "#lib/domains/backups/store.ts";
import { until } from "#test/support/until.ts";
import {
  backUp,
  backupRow,
  damage,
  lastOutcome,
  listMails,
  listOutcomeKinds,
  openRestoreTestScene,
  queueTest,
  queueWaitingTest,
  readTestJob,
  type RestoreTestScene,
  sandboxOf,
  UPLOADS,
  waitForTest,
} from "#test/lib/recovery/restore-tests/scene.ts";
import { updateRows } from "#test/support/rows.ts";

const test = suite<RestoreTestScene>("a restore test");

test.before(async (context) => {
  Object.assign(context, await openRestoreTestScene());
  await context.scene.replica();
});
test.before.each(async ({ scene }) => {
  await updateRows(scene.db, "spokes", { unverifiedSince: null });
  await scene.db.sql("delete from jobs where lane like 'bulk-mail:%'");
});
test.after.each(({ scene }) => scene.simulator.faults.clear());
test.after(({ scene }) => scene.close());

test("verifies a backup: the same site, the same counts and a login page", async ({ scene, id }) => {
  const before = await listOutcomeKinds(scene, id), { id: backupId, counts } = await backUp(scene, id);
  assert.equal(counts, { before: { courses: 2, users: 5 }, after: { courses: 2, users: 5 } });
  const testId = await waitForTest(scene, await queueTest(scene, id));
  const { verification: { seconds, ...content }, verifiedAt, verificationError } = await backupRow(scene, backupId);
  assert.equal([testId.state, verificationError, content], ["succeeded", null, {
    ...{ courses: 2, users: 5, compared: true },
    ...{ files: 2, hashed: 2, codeRelease: "4.5.12 (Build: 20261005)" },
  }]);
  assert.ok(Number.isInteger(seconds) && seconds >= 0);
  assert.is((await scene.row(id)).verifiedAt!.getTime(), verifiedAt!.getTime());
  assert.equal((await listOutcomeKinds(scene, id)).slice(before.length), ["tenant_backup_verified"]);
  assert.equal(await listMails(scene), []);
});

test("has the quota of its spoke, and no Ingress, mail or scheduled tasks", async ({ scene, id }) => {
  await backUp(scene, id);
  const testId = await queueWaitingTest(scene, id), namespace = sandboxOf(scene, testId), { objects } = scene.simulator;
  const own = objects().filter(({ metadata }) => metadata.namespace === namespace);
  const quotaIn = (of: string | undefined) =>
    objects("ResourceQuota").find(({ metadata }) => metadata.namespace === of)?.spec;
  assert.equal(quotaIn(namespace), quotaIn((await scene.row(id)).namespace));
  assert.not.ok(own.some(({ metadata }) => "wheelwright.dev/spoke" in (metadata.labels ?? {})));
  const settings = own.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === "moodle-env")!;
  assert.match(settings["data"].POST_CONFIGURE_COMMANDS, /noemailever --set=1/);
  scene.simulator.faults.clear();
  await waitForTest(scene, testId);
  const kinds = scene.simulator.history().filter((change) => change.namespace === namespace).map(({ kind }) => kind);
  assert.ok(kinds.includes("Deployment"));
  assert.not.ok(kinds.some((kind) => ["Ingress", "CronJob", "Certificate"].includes(kind)));
});

test("fails if the backup has fewer users than were counted", async ({ scene, id }) => {
  const backup = await backUp(scene, id);
  damage(scene, backup, "database", ({ accounts = {}, ...rest }) => {
    const { "person-4": _, ...others } = accounts;
    return { ...rest, accounts: others };
  });
  await waitForTest(scene, await queueTest(scene, id));
  const { verification, verifiedAt, verificationError } = await backupRow(scene, backup.id);
  assert.equal([verification, verifiedAt], [null, null]);
  assert.is(
    verificationError,
    "The restored site differs from the backup: it has 4 users, but 5 were counted during the backup",
  );
  const { metadata } = await lastOutcome(scene, id);
  assert.equal([metadata.backupId, metadata.restoreTest, metadata.code], [backup.id, true, "OtherCounts"]);
  assert.equal(await listMails(scene), [{ to: "ann@example.org", backupId: backup.id, reason: verificationError }]);
});

test("reports a failure once, until a backup is verified again", async ({ scene, id }) => {
  const before = (await listOutcomeKinds(scene, id)).length,
    newKinds = async () => (await listOutcomeKinds(scene, id)).slice(before);
  const other = (config = {}) => ({ config: { ...config, siteidentifier: "another" } });
  for (let nights = 0; nights < 2; nights++) {
    damage(scene, await backUp(scene, id), "database", ({ config, ...rest }) => ({ ...rest, ...other(config) }));
    await waitForTest(scene, await queueTest(scene, id));
    assert.match(
      (await backupRow(scene, (await listBackups(scene.db.rows, id))[0]!.id)).verificationError!,
      /belongs to another site/,
    );
  }
  assert.equal(await newKinds(), ["tenant_backup_failed"]);
  assert.is((await listMails(scene)).length, 1);
  await backUp(scene, id);
  await waitForTest(scene, await queueTest(scene, id));
  damage(scene, await backUp(scene, id), "database", ({ config, ...rest }) => ({ ...rest, ...other(config) }));
  await waitForTest(scene, await queueTest(scene, id));
  assert.equal(await newKinds(), ["tenant_backup_failed", "tenant_backup_verified", "tenant_backup_failed"]);
});

test("fails if uploaded files or their directory are missing", async ({ scene, id }) => {
  const filedir = { [UPLOADS[0]!]: 7 };
  const cases = [
    [{ filedir: null }, "the directory of its uploaded files, moodledata/filedir, is missing (the database lists 2)"],
    [{ filedir }, `of 2 uploaded files 1 are missing, for example ${UPLOADS[1]}`],
    [
      { filedir: { ...filedir, [UPLOADS[1]!]: 8 } },
      `of 2 uploaded files 1 have a different size, for example ${UPLOADS[1]}`,
    ],
  ] as const;
  for (const [files, sentence] of cases) {
    const backup = await backUp(scene, id);
    damage(scene, backup, "files", (before) => ({ ...before, ...files }));
    await waitForTest(scene, await queueTest(scene, id));
    const { verifiedAt, verificationError } = await backupRow(scene, backup.id);
    assert.equal([verifiedAt, verificationError], [null, `The restored site differs from the backup: ${sentence}`]);
  }
});

test("fails if the code has another version than the database", async ({ scene, id }) => {
  const backup = await backUp(scene, id);
  damage(scene, backup, "files", (before) => ({ ...before, code: "4.4.1 (Build: 20240610)" }));
  await waitForTest(scene, await queueTest(scene, id));
  assert.match(
    (await backupRow(scene, backup.id)).verificationError!,
    "its code has the version 4.4.1 (Build: 20240610), but its database has 4.5.12",
  );
});

test("fails if the volume has no database", async ({ scene, id }) => {
  const empty = await backUp(scene, id);
  damage(scene, empty, "database", () => ({}));
  await waitForTest(scene, await queueTest(scene, id));
  assert.match((await backupRow(scene, empty.id)).verificationError!, /this volume contains no database/);
  assert.is((await lastOutcome(scene, id)).metadata.code, "NoSiteInSnapshot");
});

test("reports PostgreSQL's message about a damaged database", async ({ scene, id }) => {
  const backup = await backUp(scene, id), line = "ERROR:  invalid page in block 1 of relation base/16384/16923";
  damage(scene, backup, "database", (before) => ({ ...before, damaged: line }));
  await waitForTest(scene, await queueTest(scene, id));
  assert.match(
    (await backupRow(scene, backup.id)).verificationError!,
    `because the database files are damaged: ${line}`,
  );
  const { metadata } = await lastOutcome(scene, id);
  assert.equal([metadata.code, metadata.log], ["DatabaseDamaged", [line]]);
});

test("fails if Moodle's login page does not answer", async ({ scene, id }) => {
  const { id: backupId } = await backUp(scene, id);
  scene.simulator.faults.failJob("health-", {
    log: ["503", "curl: (22) The requested URL returned error: 503"],
    exitCode: 22,
  });
  await waitForTest(scene, await queueTest(scene, id));
  assert.match((await backupRow(scene, backupId)).verificationError!, /login page responded with 503 instead of 200/);
  assert.equal((await listOutcomeKinds(scene, id)).at(-1), "tenant_backup_failed");
});

test("is skipped and repeated the next night if the cluster has no capacity", async ({ scene, id }) => {
  const { id: backupId } = await backUp(scene, id), before = await listOutcomeKinds(scene, id);
  const no = "0/1 nodes are available: 1 Insufficient memory.";
  scene.simulator.faults.add({ type: "no-node", name: "sandbox-", message: no });
  await updateRows(scene.db, "spokes", { restoreTestDueAt: null });
  await waitForTest(scene, await queueTest(scene, id));
  const { verificationError, verifiedAt } = await backupRow(scene, backupId);
  assert.match(verificationError!, /^Not tried: No node can run pod mount-[\w-]+: .*Insufficient memory/);
  assert.equal([verifiedAt, (await scene.row(id)).unverifiedSince, await listMails(scene)], [null, null, []]);
  assert.equal(await listOutcomeKinds(scene, id), before);
  scene.simulator.faults.clear();
  await waitForTest(scene, await queueTest(scene, id));
  assert.is((await backupRow(scene, backupId)).verificationError, null);
});

test("verifies a backup without counts, and records that nothing was compared", async ({ scene, id }) => {
  const { id: backupId } = await backUp(scene, id);
  await updateRows(scene.db, "backups", { counts: null }, { id: backupId });
  await waitForTest(scene, await queueTest(scene, id));
  const { verification: { seconds: _, ...content } } = await backupRow(scene, backupId);
  const { courses, users, compared } = content;
  assert.equal({ courses, users, compared }, { courses: 2, users: 5, compared: false });
});

test("is skipped at its time limit if the cluster did not answer", async ({ scene, id }) => {
  const { id: backupId } = await backUp(scene, id);
  scene.simulator.faults.answer(503, { path: "/namespaces/sandbox-" });
  const testId = await queueTest(scene, id);
  await until(async () => (await readTestJob(scene, testId)).failure);
  await scene.db.sql("update jobs set deadline_at = now() - interval '1 hour' where id = $1", [testId]);
  await until(async () => (await readTestJob(scene, testId)).progress.outcome === "skipped");
  scene.simulator.faults.clear();
  await waitForTest(scene, testId);
  assert.match((await backupRow(scene, backupId)).verificationError!, /^Not tried: .*unable to handle the request/);
});

test("uses the version of the backup, not the spoke's current version", async ({ scene, id }) => {
  const { id: backupId } = await backUp(scene, id), { blueprintInputs: inputs, lmsVersion } = await scene.row(id);
  const { images, version } = inputs,
    now = { ...inputs, version: "9.9.9", images: { ...images, moodle: "moodle:v9.9.9" } };
  const updateSpoke = (to: object, of: string) =>
    scene.db.rows.updateTable("spokes").set({ blueprintInputs: JSON.stringify(to), lmsVersion: of }).execute();
  await updateSpoke(now, "9.9.9");
  const { progress } = await waitForTest(scene, await queueTest(scene, id));
  await updateSpoke(inputs, lmsVersion);
  assert.equal([progress.inputs!.version, progress.inputs!.images], [version, images]);
  assert.ok((await backupRow(scene, backupId)).verifiedAt);
});

test("ends without a result when its spoke is removed, and does not delay the removal", async (context) => {
  const { scene } = context, id = await context.createSpoke();
  await backUp(scene, id);
  const testId = await queueWaitingTest(scene, id);
  await context.remove(id);
  await scene.becomes(id, "removed");
  assert.is((await readTestJob(scene, testId)).state, "running");
  scene.simulator.faults.clear();
  const { state, progress } = await waitForTest(scene, testId);
  assert.equal([state, progress.outcome, await listOutcomeKinds(scene, id)], ["succeeded", "not needed", []]);
});

test("does not delay operations of its spoke, and retention keeps its backup", async (context) => {
  const { scene } = context, id = await context.createSpoke();
  const { id: backupId } = await backUp(scene, id);
  const testId = await queueWaitingTest(scene, id);
  await context.act(id, "suspend");
  await scene.becomes(id, "suspended");
  await context.act(id, "resume");
  await scene.becomes(id, "active");
  await backUp(scene, id); // on the same day, so retention would delete the first one
  assert.is((await backupRow(scene, backupId)).state, "ready");
  scene.simulator.faults.clear();
  await waitForTest(scene, testId);
  assert.ok((await backupRow(scene, backupId)).verifiedAt);
  await backUp(scene, id);
  assert.is((await backupRow(scene, backupId)).state, "deleted");
});

test.run();
