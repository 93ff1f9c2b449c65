/** POST with copyOf: who may copy what, what it is made with, and what is refused. Nothing makes it here. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addHubAdmin, addSpokeAdmin } from "#test/support/people.ts";
import { makeHub } from "#test/support/rows.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

interface Context {
  scene: Scene;
  /** An active spoke of the hub north, and its newest backup. */
  elm: string;
  backup: string;
}

const test = suite<Context>("POST /api/federations/{id}/spokes copyOf");
const NORTH = "/api/federations/north/spokes", SOUTH = "/api/federations/south/spokes";

test.before.each(async (context) => {
  const scene = context.scene = await openScene();
  await makeHub(scene.db, scene.people.operator.id, "south");
  const { body } = await scene.as("operator").post(NORTH, {
    ...{ slug: "elm", displayName: "Elm school", size: "medium", identity: true, content: true, contentMode: "copy" },
    ...{ brand: "ocean", adminEmail: "head@elm.example", lmsVersion: "4.5.10", seed: "demo" },
  });
  context.elm = body.id;
  await scene.db.sql("update jobs set state = 'succeeded', finished_at = wheelwright_now() where spoke_id = $1", [
    body.id,
  ]);
  await scene.db.sql("update spokes set state = 'active', ready_at = wheelwright_now() where id = $1", [body.id]);
  context.backup = await plant(scene, body.id, "bak_1");
});
test.after.each(({ scene }) => scene.close());

/** A backup as it stands once it was taken. */
async function plant({ db }: Scene, spokeId: string, id: string, more: Record<string, unknown> = {}): Promise<string> {
  const volumes = ["files", "data-db-0"].map((claim) => ({
    claim,
    snapshot: claim,
    handle: claim,
    driver: "csi",
    class: "c",
  }));
  const { images } = more;
  await db.sql(
    `insert into backups (id, spoke_id, federation_id, operation_id, cluster, namespace, kind, state, volumes, ready_at,
       lms_version, images, failed_at)
     select $2, id, federation_id, 'op_' || $2, coalesce($4, cluster), namespace, 'manual', coalesce($3, 'ready'), $5::jsonb,
       wheelwright_now(), coalesce($6, lms_version), coalesce($7::jsonb, blueprint_inputs -> 'images'), wheelwright_now()
     from spokes where id = $1`,
    [spokeId, id, more.state ?? null, more.cluster ?? null, volumes, more.lmsVersion ?? null, images ?? null],
  );
  return id;
}

async function counts({ db }: Scene): Promise<unknown> {
  const tables = ["spokes", "jobs", "audit_events", "stream_events", "backups", "idempotency_keys"];
  return await db.sql(`select ${tables.map((table) => `(select count(*)::int from ${table}) as ${table}`)}`);
}

test("answers 201 with what its source is, but for names and mail, and says of what it is", async ({ scene, elm, backup }) => {
  const { status, body } = await scene.as("hubAdmin", "provisioning").post(NORTH, { slug: "ash", copyOf: elm });
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

test("takes what is given besides, and names the source by its domain", async ({ scene }) => {
  const given = {
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
    ...given,
  });
  assert.is(status, 201, body.message);
  assert.equal(Object.fromEntries(Object.keys(given).map((field) => [field, body[field]])), given);
});

test("has title and size within their bounds", async ({ scene, elm }) => {
  await scene.db.sql("update spokes set display_name = repeat('é', 200) where id = $1", [elm]);
  const { body } = await scene.as("hubAdmin").post(NORTH, { slug: "ash", copyOf: elm });
  assert.is(body.displayName, `Copy of ${"é".repeat(192)}`);
});

test("goes by the backup: its version and images, and disks that hold it", async ({ scene, elm }) => {
  const images = { moodle: "registry.example/moodle:4.5.9", postgres: "postgres:17-alpine", fpmDirectory: "/etc/php" };
  const copyBackup = await plant(scene, elm, "bak_2", { lmsVersion: "4.5.9", images });
  const { body } = await scene.as("hubAdmin").post(NORTH, { slug: "ash", copyOf: elm, copyBackup });
  assert.equal([body.lmsVersion, body.from.backupId], ["4.5.9", copyBackup]);
  const [{ blueprintInputs }] = await scene.db.sql("select blueprint_inputs from spokes where id = $1", [body.id]);
  assert.equal([blueprintInputs.images, blueprintInputs.version], [images, "4.5.9"]);
});

test("of a spoke whose disks have grown has disks as large, and no smaller size", async ({ scene, elm }) => {
  const disks = { files: "70Gi", database: "30Gi" };
  await scene.db.sql(
    "update spokes set blueprint_inputs = jsonb_set(blueprint_inputs, '{resources,disks}', $2::jsonb) where id = $1",
    [elm, disks],
  );
  const { status, body } = await scene.as("hubAdmin").post(NORTH, { slug: "ash", copyOf: elm });
  assert.is(status, 201, body.message);
  const [{ blueprintInputs }] = await scene.db.sql("select blueprint_inputs from spokes where id = $1", [body.id]);
  assert.equal([blueprintInputs.resources.disks, blueprintInputs.resources.quota.storage], [disks, "200Gi"]);
  const small = await scene.as("hubAdmin").post(NORTH, { slug: "fir", copyOf: elm, size: "small" });
  assert.equal([small.status, small.body.code, small.body.message], [
    400,
    "size_too_small",
    "size must have disks as large as those of elm, 70Gi for files and 30Gi for the database: it can be large",
  ]);
});

test("says which sizes would do", async ({ scene, elm }) => {
  const { status, body } = await scene.as("hubAdmin").post(NORTH, { slug: "ash", copyOf: elm, size: "small" });
  assert.is(status, 400);
  assert.match(body.message, /^size must have disks as large as those of elm, .*: it can be medium, large$/);
});

test("can be had of what the catalogue does not list any more", async ({ scene, elm }) => {
  await scene.db.sql(
    `update spokes set size = 'vast', brand = 'gone', blueprint_inputs = jsonb_set(jsonb_set(blueprint_inputs,
       '{size}', '"vast"'), '{brand}', '{"name": "gone", "theme": {"color": "#123456"}}') where id = $1`,
    [elm],
  );
  const { status, body } = await scene.as("hubAdmin").post(NORTH, { slug: "ash", copyOf: elm });
  assert.equal([status, body.size, body.brand], [201, "vast", "gone"]);
  const [{ blueprintInputs }] = await scene.db.sql("select blueprint_inputs from spokes where id = $1", [body.id]);
  assert.equal(blueprintInputs.brand, { name: "gone", theme: { color: "#123456" } });
});

test("of now is an operation of the source besides, in its own lane and in no other's way", async ({ scene, elm }) => {
  const { status, body } = await scene.as("hubAdmin").post(NORTH, { slug: "ash", copyOf: elm, copyBackup: "now" });
  assert.is(status, 201, body.message);
  const [backup] = await scene.db.sql("select * from backups where id = $1", [body.from.backupId]);
  assert.equal([backup.state, backup.spokeId, backup.kind], ["pending", elm, "manual"]);
  const [job] = await scene.db.sql("select * from jobs where id = $1", [backup.operationId]);
  assert.equal([job.kind, job.state, job.lane, job.askerEmail], [
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

test("with an Idempotency-Key is one of the same request, also once its source is gone", async ({ scene, elm }) => {
  const headers = { "idempotency-key": "one-copy" }, input = { slug: "ash", copyOf: elm, copyBackup: "now" };
  const send = () => scene.as("hubAdmin", "cli").post(NORTH, input, headers);
  const all = await Promise.all([send(), send(), send()]);
  await scene.db.sql("update spokes set state = 'removed', removed_at = wheelwright_now() where id = $1", [elm]);
  all.push(await send());
  assert.equal(all.map(({ status }) => status), [201, 201, 201, 201]);
  assert.is(new Set(all.map(({ body }) => JSON.stringify(body))).size, 1);
  assert.is((await scene.db.sql("select 1 from jobs where kind = 'backup'")).length, 1);
  assert.is((await scene.as("hubAdmin").post(NORTH, { ...input, slug: "other" }, headers)).status, 422);
});

test("is for those who may act on the one and add spokes to the hub: across hubs it takes both", async ({ scene, elm }) => {
  const { people, db } = scene;
  const south = (await db.sql("select id from federations where slug = 'south'"))[0].id;
  await addHubAdmin(db, people.stranger, south);
  const copy = async (who: "operator" | "hubAdmin" | "spokeAdmin" | "stranger", path: string) => {
    const { status, body } = await scene.as(who, "cli").post(path, { slug: `of-${who.toLowerCase()}`, copyOf: elm });
    return [status, body.code ?? null];
  };
  assert.equal(await copy("hubAdmin", SOUTH), [404, "federation_missing"]);
  assert.equal(await copy("spokeAdmin", NORTH), [403, "federation_admin_only"]);
  assert.equal(await copy("stranger", SOUTH), [404, "spoke_missing"], "sees the hub, and not the source");
  await addSpokeAdmin(db, people.spokeAdmin, elm);
  assert.equal(await copy("spokeAdmin", NORTH), [403, "federation_admin_only"]);
  await addSpokeAdmin(db, people.stranger, elm);
  assert.equal(await copy("stranger", SOUTH), [201, null]);
  assert.equal(await copy("operator", SOUTH), [201, null]);
  assert.equal(await copy("hubAdmin", NORTH), [201, null]);
  const token = await scene.as("hubAdmin", "readonly").post(NORTH, { slug: "ro", copyOf: elm });
  assert.is(token.status, 403);
});

test("is refused in words, also with dryRun, and then nothing is written", async ({ scene, elm, backup }) => {
  const of = { copyOf: elm };
  const cases: [Record<string, unknown>, number, string, RegExp][] = [
    [{ copyOf: "spk_06fj2c4v7tq0w1x9n3m8k5r2dh" }, 404, "spoke_missing", /no such spoke/],
    [{ copyOf: "nobody.example.org" }, 404, "spoke_missing", /no such spoke/],
    [{ copyOf: 1 }, 400, "invalid_input", /copyOf must be/],
    [{ copyBackup: "now" }, 400, "copy_of_needed", /copyOf must name the spoke/],
    [{ ...of, lmsVersion: "4.5.10" }, 400, "copy_version", /leave lmsVersion out/],
    [{ ...of, moodleVersion: "4.5.12" }, 400, "copy_version", /leave lmsVersion out/],
    [
      { ...of, copyBackup: "bak_none" },
      409,
      "backup_unusable",
      /The spoke elm has no backup bak_none; with copyBackup now/,
    ],
    [
      { ...of, copyBackup: await plant(scene, scene.spoke, "bak_oak") },
      409,
      "backup_unusable",
      /has no backup bak_oak/,
    ],
    [
      { ...of, copyBackup: await plant(scene, elm, "bak_f", { state: "failed" }) },
      409,
      "backup_unusable",
      /never completed/,
    ],
    [
      { ...of, copyBackup: await plant(scene, elm, "bak_p", { state: "pending" }) },
      409,
      "backup_unusable",
      /is being taken/,
    ],
    [
      { ...of, copyBackup: await plant(scene, elm, "bak_c", { cluster: "far" }) },
      409,
      "backup_unusable",
      /in the cluster far/,
    ],
    [{ ...of, copyBackup: backup, slug: "elm" }, 409, "slug_taken", /slug elm/],
    [{ ...of, size: "huge" }, 400, "not_offered", /size must be one of/],
  ];
  const before = await counts(scene);
  for (const [input, status, code, words] of cases) {
    for (const query of ["", "?dryRun=true"]) {
      const answer = await scene.as("operator").post(NORTH + query, { slug: "ash", ...input });
      assert.equal(
        [answer.status, answer.body.code],
        [status, code],
        `${JSON.stringify(input)}${query}: ${answer.body.message}`,
      );
      assert.match(answer.body.message, words);
    }
  }
  assert.equal(await counts(scene), before);
});

test("without a backup is refused, unless one is taken now; and of a spoke that none can be taken of", async ({ scene, elm }) => {
  await scene.db.sql("delete from backups");
  const ask = (more: object) => scene.as("operator").post(NORTH, { slug: "ash", copyOf: elm, ...more });
  const { status, body } = await ask({});
  assert.equal([status, body.message], [
    409,
    "Cannot copy elm: The spoke elm has no backup that is ready; with copyBackup now, one is taken first",
  ]);
  await scene.db.sql("update spokes set state = 'failed' where id = $1", [elm]);
  const failed = await ask({ copyBackup: "now" });
  assert.equal([failed.status, failed.body.code], [409, "spoke_state"]);
  await scene.db.sql("update spokes set state = 'removed', removed_at = wheelwright_now() where id = $1", [elm]);
  assert.is((await ask({ copyBackup: "now" })).status, 404);
});

test("to another cluster is refused", async ({ scene, elm }) => {
  await scene.db.sql("update federations set cluster = 'far' where slug = 'south'");
  const { status, body } = await scene.as("operator").post(SOUTH, { slug: "ash", copyOf: elm });
  assert.equal([status, body.code, body.message], [
    422,
    "another_cluster",
    "Cannot copy elm to another cluster than the one that its hub is in: a backup can be read there alone",
  ]);
});

test("with dryRun shows what would be made from what, and the price, and writes nothing", async ({ scene, elm, backup }) => {
  const before = await counts(scene);
  for (const [copyBackup, backupId] of [[undefined, backup], ["now", null]]) {
    const path = `${NORTH}?dryRun=true`, input = { slug: "ash", copyOf: elm, copyBackup };
    const { status, body } = await scene.as("hubAdmin", "provisioning").post(path, input);
    assert.is(status, 200, body.message);
    assert.equal([body.dryRun, body.spoke.from, body.spoke.mail, body.spoke.displayName], [
      true,
      { spokeId: elm, backupId },
      "held",
      "Copy of Elm school",
    ]);
    const objects = body.objects as { kind: string; metadata: { name: string }; spec: { dataSource?: object } }[];
    const files = objects.find(({ kind, metadata }) => kind === "PersistentVolumeClaim" && metadata.name === "files");
    assert.ok(files!.spec.dataSource, "its files are made from a snapshot");
    assert.match(JSON.stringify(objects.find(({ kind }) => kind === "StatefulSet")), "wheelwright_adopted");
    assert.equal([body.quota.over, body.price], [[], { available: false }]);
  }
  assert.equal(await counts(scene), before);
});

test.run();
