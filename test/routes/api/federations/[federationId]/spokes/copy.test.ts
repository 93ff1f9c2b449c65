/** Tests POST with copyOf: the new spoke and its records. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type CopyContext, countRows, NORTH, openElm } from "./copy-scene.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<CopyContext>("POST /api/federations/{id}/spokes copyOf");
test.before.each(openElm);
test.after.each(({ scene }) => scene.close());

test("answers 201 with the original's values, except names and mail, and names the original", async ({ scene, elm, backup }) => {
  const { status, body } = await scene.as("hubAdmin", "cli").post(NORTH, { slug: "ash", copyOf: elm });
  assert.is(status, 201, body.message);
  const { body: source } = await scene.as("hubAdmin").get(`/api/spokes/${elm}`);
  for (
    const field of ["size", "identity", "content", "contentMode", "brand", "adminEmail", "lmsVersion", "seed", "region"]
  ) {
    assert.equal(body[field], source[field], field);
  }
  assert.equal([body.slug, body.displayName, body.domain], ["ash", "Copy of Elm school", "ash.spokes.example.org"]);
  assert.equal([body.from, body.mail, source.from, source.mail], [
    { spokeId: elm, backupId: backup },
    "held",
    null,
    "on",
  ]);
  assert.equal([body.state, body.operation.kind], ["provisioning", "provision"]);
  const [of] = (await scene.as("hubAdmin").get(`/api/spokes/${elm}/activity`)).body;
  assert.equal([of.kind, of.metadata.copyId, of.metadata.backupId], ["spoke_copied", body.id, backup]);
  assert.is((await scene.as("hubAdmin").get("/api/notifications")).body[0].kind, "spoke_copied");
  const [own] = (await scene.as("hubAdmin").get(`/api/spokes/${body.id}/activity`)).body;
  assert.equal([own.kind, own.metadata.copyOf], ["spoke_requested", { spokeId: elm, slug: "elm", backupId: backup }]);
});

test("accepts overrides, and finds the original by its domain", async ({ scene }) => {
  const values = {
    displayName: "Ash",
    size: "large",
    brand: "forest",
    seed: "none",
    identity: false,
    adminEmail: "ash@example.org",
  };
  const { status, body } = await scene.as("hubAdmin").post(NORTH, {
    slug: "ash",
    copyOf: "elm.spokes.example.org",
    ...values,
  });
  assert.is(status, 201, body.message);
  assert.equal(Object.fromEntries(Object.keys(values).map((field) => [field, body[field]])), values);
});

test("of the current state runs a backup of the original in its own lane", async ({ scene, elm }) => {
  const { status, body } = await scene.as("hubAdmin").post(NORTH, { slug: "ash", copyOf: elm, copyBackup: "now" });
  assert.is(status, 201, body.message);
  const [backup] = await selectRows(scene.db, "backups", { id: body.from.backupId });
  assert.equal([backup.state, backup.spokeId, backup.kind], ["pending", elm, "manual"]);
  const [job] = await selectRows(scene.db, "jobs", { id: backup.operationId });
  assert.equal([job.kind, job.state, job.lane, job.requesterEmail], [
    "backup",
    "queued",
    `spoke:${elm}`,
    scene.people.hubAdmin.email,
  ]);
  const { body: source } = await scene.as("hubAdmin").get(`/api/spokes/${elm}`);
  assert.equal([source.state, source.operation.id], ["active", job.id]);
  assert.equal(
    (await scene.as("hubAdmin").get(`/api/spokes/${elm}/backups`)).body.snapshots.map((each: { state: string }) =>
      each.state
    ),
    [
      "pending",
      "ready",
    ],
  );
});

test("with an Idempotency-Key creates one copy, even after the original was removed", async ({ scene, elm }) => {
  const headers = { "idempotency-key": "one-copy" }, input = { slug: "ash", copyOf: elm, copyBackup: "now" };
  const send = () => scene.as("hubAdmin", "cli").post(NORTH, input, headers);
  const all = await Promise.all([send(), send(), send()]);
  await updateRows(scene.db, "spokes", { state: "removed", removedAt: NOW }, { id: elm });
  all.push(await send());
  assert.equal(all.map(({ status }) => status), [201, 201, 201, 201]);
  assert.is(new Set(all.map(({ body }) => JSON.stringify(body))).size, 1);
  assert.is((await selectRows(scene.db, "jobs", { kind: "backup" })).length, 1);
  assert.is((await scene.as("hubAdmin").post(NORTH, { ...input, slug: "other" }, headers)).status, 422);
});

test("with dryRun previews source, objects and price, and writes nothing", async ({ scene, elm, backup }) => {
  const before = await countRows(scene);
  for (const [copyBackup, backupId] of [[undefined, backup], ["now", null]]) {
    const path = `${NORTH}?dryRun=true`, input = { slug: "ash", copyOf: elm, copyBackup };
    const { status, body } = await scene.as("hubAdmin", "cli").post(path, input);
    assert.is(status, 200, body.message);
    assert.equal([body.dryRun, body.spoke.from, body.spoke.mail, body.spoke.displayName], [
      true,
      { spokeId: elm, backupId },
      "held",
      "Copy of Elm school",
    ]);
    const objects = body.objects as { kind: string; metadata: { name: string }; spec: { dataSource?: object } }[];
    const files = objects.find(({ kind, metadata }) => kind === "PersistentVolumeClaim" && metadata.name === "files");
    assert.ok(files!.spec.dataSource, "the volume is created from a snapshot");
    assert.match(JSON.stringify(objects.find(({ kind }) => kind === "StatefulSet")), "wheelwright_adopted");
    assert.equal([body.quota.over, body.price], [[], { available: false }]);
  }
  assert.equal(await countRows(scene), before);
});

test.run();
