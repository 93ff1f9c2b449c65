/** Restore requests on the command line: a hub admin requests, an operator decides. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStage, type Stage } from "#test/lib/client/stage.ts";
import { createTestToken } from "#test/support/users.ts";
import type { SceneRole } from "#test/support/scene.ts";
import { type CliFixture, openCliFixture } from "./cli-fixture.ts";

const test = suite<{ stage: Stage; cli: CliFixture; admin: CliFixture }>("wheelwright restore-requests");

test.before(async (context) => {
  const { scene, proxy } = context.stage = await openStage();
  const cliOf = async (who: SceneRole) => {
    const { plaintext } = await createTestToken(scene.db, scene.people[who], "cli");
    return await openCliFixture({ WHEELWRIGHT_URL: proxy.url, WHEELWRIGHT_TOKEN: plaintext });
  };
  context.cli = await cliOf("operator");
  context.admin = await cliOf("hubAdmin");
});
test.after(async ({ stage, cli, admin }) => {
  await cli.close();
  await admin.close();
  await stage.close();
});

test("restores are requested by hub admins, and marked as done or declined by operators", async ({ cli, admin, stage }) => {
  const { db, spoke, hub } = stage.scene;
  for (const id of ["bak_r1", "bak_r2"]) {
    await db.sql(
      `insert into backups (id, spoke_id, federation_id, operation_id, cluster, namespace, kind, state, ready_at)
        values ($3, $1, $2, $3, 'default', 'n', 'manual', 'ready', now())`,
      [spoke, hub, id],
    );
  }
  const fields = async (of: CliFixture, ...line: string[]) => JSON.parse((await of.run(line)).out);
  const create = async (backup: string) =>
    (await admin.run(["restore-requests", "create", "north/oak", backup, "A lost course", "-q"])).out.trim();
  const [one, other] = [await create("bak_r1"), await create("bak_r2")];
  assert.match(
    (await admin.run(["restore-requests", "create", "oak", "bak_r1", "Again"])).err,
    /\(restore_requested\)/,
  );
  const listed = await fields(admin, "restore-requests", "list", "oak", "--json=id,state,reason,command");
  assert.equal(listed, [other, one].map((id) => ({ id, state: "open", reason: "A lost course", command: null })));
  assert.is((await admin.run(["restore-requests", "list"])).status, 4, "requests of all spokes are for operators");
  const [first] = await fields(
    cli,
    "restore-requests",
    "list",
    "--state",
    "open",
    "--limit",
    "1",
    "--json=id,command",
  );
  assert.equal(first, { id: other, command: `wheelwright restore ${spoke} --backup bak_r2` });
  assert.match((await cli.run(["restore-requests", "done", one!])).err, /was marked as done/);
  assert.match((await cli.run(["restore-requests", "decline", other!, "Too old"])).err, /was declined/);
  assert.match((await cli.run(["restore-requests", "done", one!])).err, /\(request_decided\)/);
  assert.equal(
    await fields(admin, "restore-requests", "list", "oak", "--state", "declined", "--json=id,declineReason"),
    [
      { id: other, declineReason: "Too old" },
    ],
  );
});

test.run();
