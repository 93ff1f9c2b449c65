/** Tests POST with copyOf: access and refusals. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addHubAdmin, addSpokeAdmin } from "#test/support/users.ts";
import { type CopyContext, countRows, NORTH, openElm, plant, SOUTH } from "./copy-scene.ts";
import { deleteRows, NOW, selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<CopyContext>("POST /api/federations/{id}/spokes copyOf is refused");
test.before.each(openElm);
test.after.each(({ scene }) => scene.close());

test("requires access to the original and to the hub, also across hubs", async ({ scene, elm }) => {
  const { people, db } = scene;
  const south = (await selectRows(db, "federations", { slug: "south" }))[0].id;
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

test("requires the scope cli of a token, for any backup", async ({ scene, elm }) => {
  for (const more of [{}, { copyBackup: "now" }]) {
    for (const path of [NORTH, `${NORTH}?dryRun=true`]) {
      const { status, body } = await scene.as("hubAdmin", "provisioning").post(path, {
        slug: "pr",
        copyOf: elm,
        ...more,
      });
      assert.equal([status, body.code], [403, "scope_too_narrow"]);
    }
  }
  assert.equal(
    await selectRows(scene.db, "jobs", { kind: "backup", state: "queued", spokeId: elm }, { columns: ["id"] }),
    [],
  );
  assert.is((await scene.as("hubAdmin", "provisioning").post(NORTH, { slug: "new-one" })).status, 201);
});

test("is refused with a message, also with dryRun, and writes nothing", async ({ scene, elm, backup }) => {
  const of = { copyOf: elm };
  const cases: [Record<string, unknown>, number, string, RegExp][] = [
    [{ copyOf: "spk_06fj2c4v7tq0w1x9n3m8k5r2dh" }, 404, "spoke_missing", /no such spoke/],
    [{ copyOf: "nobody.example.org" }, 404, "spoke_missing", /no such spoke/],
    [{ copyOf: 1 }, 400, "invalid_input", /copyOf must be/],
    [{ copyBackup: "now" }, 400, "copy_of_needed", /copyBackup requires copyOf/],
    [{ ...of, lmsVersion: "4.5.10" }, 400, "copy_version", /omit lmsVersion/],
    [{ ...of, moodleVersion: "4.5.12" }, 400, "copy_version", /omit lmsVersion/],
    [
      { ...of, copyBackup: "bak_none" },
      409,
      "backup_unusable",
      /The spoke elm has no backup bak_none; to take a new backup first, set copyBackup to now/,
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
  const before = await countRows(scene);
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
  assert.equal(await countRows(scene), before);
});

test("is refused without a backup, unless one can be taken now", async ({ scene, elm }) => {
  await deleteRows(scene.db, "backups");
  const ask = (more: object) => scene.as("operator").post(NORTH, { slug: "ash", copyOf: elm, ...more });
  const { status, body } = await ask({});
  assert.equal([status, body.message], [
    409,
    "Cannot copy elm: The spoke elm has no backup that is ready; to take a new backup first, set copyBackup to now",
  ]);
  await updateRows(scene.db, "spokes", { state: "failed" }, { id: elm });
  const failed = await ask({ copyBackup: "now" });
  assert.equal([failed.status, failed.body.code], [409, "spoke_state"]);
  await updateRows(scene.db, "spokes", { state: "removed", removedAt: NOW }, { id: elm });
  assert.is((await ask({ copyBackup: "now" })).status, 404);
});

test("is refused across clusters", async ({ scene, elm }) => {
  await updateRows(scene.db, "federations", { cluster: "far" }, { slug: "south" });
  const { status, body } = await scene.as("operator").post(SOUTH, { slug: "ash", copyOf: elm });
  assert.equal([status, body.code, body.message], [
    422,
    "another_cluster",
    "Cannot copy elm to another cluster: its backups can be used only in the cluster of its hub",
  ]);
});

test.run();
