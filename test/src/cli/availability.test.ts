/** Availability on the command line. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStage, type Stage } from "#test/lib/client/stage.ts";
import { createTestToken } from "#test/support/users.ts";
import { EXIT } from "#src/cli/exit-status.ts";
import { type CliFixture, openCliFixture } from "./cli-fixture.ts";

const test = suite<{ stage: Stage; cli: CliFixture }>("wheelwright availability");

test.before(async (context) => {
  const { scene, proxy } = context.stage = await openStage(), { db, hub, spoke } = scene;
  const { plaintext } = await createTestToken(db, scene.people.hubAdmin, "readonly");
  context.cli = await openCliFixture({ WHEELWRIGHT_URL: proxy.url, WHEELWRIGHT_TOKEN: plaintext });
  await db.sql("insert into availability_days values ($1, $2, '2026-11-01', 1430, 1, 9, 0)", [spoke, hub]);
  await db.sql("insert into availability_hub_days values ($1, '2026-11-01', 2860, 2, 18, 0)", [hub]);
});
test.after(async ({ stage, cli }) => {
  await cli.close();
  await stage.close();
});

test("finds a spoke by each of its names, and a hub by its slug", async ({ cli, stage: { scene } }) => {
  for (const name of ["north/oak", "oak", scene.spoke]) {
    const { out, err } = await cli.run(["availability", name]);
    assert.is(out, "2026-11\t99.930%\t1430\t1\t9\t0\n", `${name} ${err}`);
  }
  for (const name of ["north", scene.hub]) {
    assert.is((await cli.run(["availability", name])).out, "2026-11\t99.930%\t2860\t2\t18\t0\n", name);
  }
  assert.is((await cli.run(["availability", "nothing"])).status, EXIT.notFound);
  const { months } = JSON.parse((await cli.run(["availability", "north", "--json"])).out);
  assert.is(months[0].down, 2);
});

test.run();
