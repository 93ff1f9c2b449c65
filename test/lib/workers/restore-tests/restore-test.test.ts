/** Tests the results of restore tests in the simulated cluster. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listBackups } from "#lib/domains/backups/store.ts";
import { until } from "#test/support/until.ts";
import {
  backUp,
  backupRow,
  damage,
  drillOf,
  type DrillScene,
  ended,
  held,
  letters,
  night,
  openDrills,
  outcomeOf,
  sandboxOf,
  toldOf,
  UPLOADS,
} from "#test/lib/workers/restore-tests/scene.ts";

const test = suite<DrillScene>("a restore test");

test.before(async (context) => {
  Object.assign(context, await openDrills());
  await context.scene.replica();
});
test.before.each(async ({ scene }) => {
  await scene.db.sql("update spokes set unverified_since = null");
  await scene.db.sql("delete from jobs where lane like 'bulk-mail:%'");
});
test.after.each(({ scene }) => scene.simulator.faults.clear());
test.after(({ scene }) => scene.close());

test("proves a backup: the same site, what was counted, and a login page.", async ({ scene, id }) => {
  const before = await toldOf(scene, id), { id: backupId, counts } = await backUp(scene, id);
  assert.equal(counts, { before: { courses: 2, users: 5 }, after: { courses: 2, users: 5 } });
  const drill = await ended(scene, await night(scene, id));
  const { verification: { seconds, ...found }, verifiedAt, verificationError } = await backupRow(scene, backupId);
  assert.equal([drill.state, verificationError, found], ["succeeded", null, {
    ...{ courses: 2, users: 5, compared: true },
    ...{ files: 2, hashed: 2, codeRelease: "4.5.12 (Build: 20261005)" },
  }]);
  assert.ok(Number.isInteger(seconds) && seconds >= 0);
  assert.is((await scene.row(id)).verifiedAt!.getTime(), verifiedAt!.getTime());
  assert.equal((await toldOf(scene, id)).slice(before.length), ["tenant_backup_verified"]);
  assert.equal(await letters(scene), []);
});

test("takes no more room than its spoke, and nothing leads into it or out, no mail leaves, no task runs.", async ({ scene, id }) => {
  await backUp(scene, id);
  const drill = await held(scene, id), namespace = sandboxOf(scene, drill), { objects } = scene.simulator;
  const own = objects().filter(({ metadata }) => metadata.namespace === namespace);
  const quotaIn = (of: string | undefined) =>
    objects("ResourceQuota").find(({ metadata }) => metadata.namespace === of)?.spec;
  assert.equal(quotaIn(namespace), quotaIn((await scene.row(id)).namespace));
  assert.not.ok(own.some(({ metadata }) => "wheelwright.dev/spoke" in (metadata.labels ?? {})));
  const settings = own.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === "moodle-env")!;
  assert.match(settings["data"].POST_CONFIGURE_COMMANDS, /noemailever --set=1/);
  scene.simulator.faults.clear();
  await ended(scene, drill);
  const made = scene.simulator.history().filter((change) => change.namespace === namespace).map(({ kind }) => kind);
  assert.ok(made.includes("Deployment"));
  assert.not.ok(made.some((kind) => ["Ingress", "CronJob", "Certificate"].includes(kind)));
});

test("fails where a damaged backup has fewer users than were counted.", async ({ scene, id }) => {
  const backup = await backUp(scene, id);
  damage(scene, backup, "database", ({ accounts = {}, ...rest }) => {
    const { "person-4": _, ...others } = accounts;
    return { ...rest, accounts: others };
  });
  await ended(scene, await night(scene, id));
  const { verification, verifiedAt, verificationError } = await backupRow(scene, backup.id);
  assert.equal([verification, verifiedAt], [null, null]);
  assert.is(
    verificationError,
    "The restored site differs from the backup: it has 4 users, but 5 were counted during the backup",
  );
  const { metadata } = await outcomeOf(scene, id);
  assert.equal([metadata.backupId, metadata.restoreTest, metadata.code], [backup.id, true, "OtherCounts"]);
  assert.equal(await letters(scene), [{ to: "ann@example.org", backupId: backup.id, reason: verificationError }]);
});

test("tells a failure once, until a backup has been proved again.", async ({ scene, id }) => {
  const before = (await toldOf(scene, id)).length, told = async () => (await toldOf(scene, id)).slice(before);
  const other = (config = {}) => ({ config: { ...config, siteidentifier: "another" } });
  for (let nights = 0; nights < 2; nights++) {
    damage(scene, await backUp(scene, id), "database", ({ config, ...rest }) => ({ ...rest, ...other(config) }));
    await ended(scene, await night(scene, id));
    assert.match(
      (await backupRow(scene, (await listBackups(scene.db.rows, id))[0]!.id)).verificationError!,
      /belongs to another site/,
    );
  }
  assert.equal(await told(), ["tenant_backup_failed"]);
  assert.is((await letters(scene)).length, 1);
  await backUp(scene, id);
  await ended(scene, await night(scene, id));
  damage(scene, await backUp(scene, id), "database", ({ config, ...rest }) => ({ ...rest, ...other(config) }));
  await ended(scene, await night(scene, id));
  assert.equal(await told(), ["tenant_backup_failed", "tenant_backup_verified", "tenant_backup_failed"]);
});

test("fails where uploaded files are missing, or all of them with their directory.", async ({ scene, id }) => {
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
    await ended(scene, await night(scene, id));
    const { verifiedAt, verificationError } = await backupRow(scene, backup.id);
    assert.equal([verifiedAt, verificationError], [null, `The restored site differs from the backup: ${sentence}`]);
  }
});

test("fails where the code is of another version than the database.", async ({ scene, id }) => {
  const backup = await backUp(scene, id);
  damage(scene, backup, "files", (before) => ({ ...before, code: "4.4.1 (Build: 20240610)" }));
  await ended(scene, await night(scene, id));
  assert.match(
    (await backupRow(scene, backup.id)).verificationError!,
    "its code has the version 4.4.1 (Build: 20240610), but its database has 4.5.12",
  );
});

test("fails where nothing is on the volume, or the storage has lost it, and says so.", async ({ scene, id }) => {
  const empty = await backUp(scene, id);
  damage(scene, empty, "database", () => ({}));
  await ended(scene, await night(scene, id));
  assert.match((await backupRow(scene, empty.id)).verificationError!, /there is no database on this volume/);
  assert.is((await outcomeOf(scene, id)).metadata.code, "NoSiteInSnapshot");
});

test("says what PostgreSQL wrote about a damaged database.", async ({ scene, id }) => {
  const backup = await backUp(scene, id), line = "ERROR:  invalid page in block 1 of relation base/16384/16923";
  damage(scene, backup, "database", (before) => ({ ...before, damaged: line }));
  await ended(scene, await night(scene, id));
  assert.match(
    (await backupRow(scene, backup.id)).verificationError!,
    `because the database files are damaged: ${line}`,
  );
  const { metadata } = await outcomeOf(scene, id);
  assert.equal([metadata.code, metadata.log], ["DatabaseDamaged", [line]]);
});

test("fails where Moodle does not answer its login page.", async ({ scene, id }) => {
  const { id: backupId } = await backUp(scene, id);
  scene.simulator.faults.failJob("health-", {
    log: ["503", "curl: (22) The requested URL returned error: 503"],
    exitCode: 22,
  });
  await ended(scene, await night(scene, id));
  assert.match((await backupRow(scene, backupId)).verificationError!, /login page answered 503 instead of 200/);
  assert.equal((await toldOf(scene, id)).at(-1), "tenant_backup_failed");
});

test("that finds no room in the cluster says so, holds nothing against the backup, and comes again the next night.", async ({ scene, id }) => {
  const { id: backupId } = await backUp(scene, id), before = await toldOf(scene, id);
  const no = "0/1 nodes are available: 1 Insufficient memory.";
  scene.simulator.faults.add({ type: "no-node", name: "sandbox-", message: no });
  await scene.db.sql("update spokes set restore_test_due_at = null");
  await ended(scene, await night(scene, id));
  const { verificationError, verifiedAt } = await backupRow(scene, backupId);
  assert.match(verificationError!, /^Not tried: No node can take pod mount-[\w-]+: .*Insufficient memory/);
  assert.equal([verifiedAt, (await scene.row(id)).unverifiedSince, await letters(scene)], [null, null, []]);
  assert.equal(await toldOf(scene, id), before);
  scene.simulator.faults.clear();
  await ended(scene, await night(scene, id));
  assert.is((await backupRow(scene, backupId)).verificationError, null);
});

test("proves a backup of which nothing was counted without that, and says so.", async ({ scene, id }) => {
  const { id: backupId } = await backUp(scene, id);
  await scene.db.sql("update backups set counts = null where id = $1", [backupId]);
  await ended(scene, await night(scene, id));
  const { verification: { seconds: _, ...found } } = await backupRow(scene, backupId);
  const { courses, users, compared } = found;
  assert.equal({ courses, users, compared }, { courses: 2, users: 5, compared: false });
});

test("gives up when its time is over, and holds a cluster that did not answer against no backup.", async ({ scene, id }) => {
  const { id: backupId } = await backUp(scene, id);
  scene.simulator.faults.answer(503, { path: "/namespaces/sandbox-" });
  const drill = await night(scene, id);
  await until(async () => (await drillOf(scene, drill)).failure);
  await scene.db.sql("update jobs set deadline_at = now() - interval '1 hour' where id = $1", [drill]);
  await until(async () => (await drillOf(scene, drill)).progress.outcome === "skipped");
  scene.simulator.faults.clear();
  await ended(scene, drill);
  assert.match((await backupRow(scene, backupId)).verificationError!, /^Not tried: .*unable to handle the request/);
});

test("restores a backup as what it is of, though its spoke has another version by now.", async ({ scene, id }) => {
  const { id: backupId } = await backUp(scene, id), { blueprintInputs: inputs, lmsVersion } = await scene.row(id);
  const { images, version } = inputs,
    now = { ...inputs, version: "9.9.9", images: { ...images, moodle: "moodle:v9.9.9" } };
  const become = (to: object, of: string) =>
    scene.db.rows.updateTable("spokes").set({ blueprintInputs: JSON.stringify(to), lmsVersion: of }).execute();
  await become(now, "9.9.9");
  const { progress } = await ended(scene, await night(scene, id));
  await become(inputs, lmsVersion);
  assert.equal([progress.inputs.version, progress.inputs.images], [version, images]);
  assert.ok((await backupRow(scene, backupId)).verifiedAt);
});

test("ends in vain when its spoke is removed, whose removal does not wait for it.", async (context) => {
  const { scene } = context, id = await context.another();
  await backUp(scene, id);
  const drill = await held(scene, id);
  await context.remove(id);
  await scene.becomes(id, "removed");
  assert.is((await drillOf(scene, drill)).state, "running");
  scene.simulator.faults.clear();
  const { state, progress } = await ended(scene, drill);
  assert.equal([state, progress.outcome, await toldOf(scene, id)], ["succeeded", "not needed", []]);
});

test("holds no operation of its spoke up, and retention leaves what it needs.", async (context) => {
  const { scene } = context, id = await context.another();
  const { id: backupId } = await backUp(scene, id);
  const drill = await held(scene, id);
  await context.act(id, "suspend");
  await scene.becomes(id, "suspended");
  await context.act(id, "resume");
  await scene.becomes(id, "active");
  await backUp(scene, id); // of the same day: by the rule the one before it goes
  assert.is((await backupRow(scene, backupId)).state, "ready");
  scene.simulator.faults.clear();
  await ended(scene, drill);
  assert.ok((await backupRow(scene, backupId)).verifiedAt);
  await backUp(scene, id);
  assert.is((await backupRow(scene, backupId)).state, "deleted");
});

test.run();
