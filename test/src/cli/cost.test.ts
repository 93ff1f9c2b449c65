/** The cost of a hub on the command line. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadCatalog } from "#lib/catalog/load.ts";
import { openStage, type Stage } from "#test/lib/client/stage.ts";
import { PRICES } from "#test/support/payments.ts";
import { createTestToken } from "#test/support/users.ts";
import { updateRows } from "#test/support/rows.ts";
import { type CliFixture, openCliFixture } from "./cli-fixture.ts";

const test = suite<{ stage: Stage; cli: CliFixture }>("wheelwright cost");

test.before(async (context) => {
  const { scene, proxy } = context.stage = await openStage();
  const { plaintext } = await createTestToken(scene.db, scene.people.hubAdmin, "readonly");
  context.cli = await openCliFixture({ WHEELWRIGHT_URL: proxy.url, WHEELWRIGHT_TOKEN: plaintext });
  Object.assign(scene.app, { catalog: loadCatalog(PRICES, scene.app.blueprint) });
  await updateRows(scene.db, "spokes", { state: "active", size: "large" });
});
test.after(async ({ stage, cli }) => {
  await cli.close();
  await stage.close();
});

test("shows the cost of each size, the total and the reason for list prices", async ({ cli }) => {
  const { status, out, err } = await cli.run(["cost", "north"]);
  assert.is(status, 0);
  assert.is(out, "large\t1\t62.00 EUR\t62.00 EUR\t\ntotal\t\t\t62.00 EUR\t\n");
  assert.is(err, "No payment provider is connected to this service; these are the catalog's prices\n");
  assert.is((await cli.run(["cost", "north", "--quiet"])).out, "62.00 EUR\n");
  const { totals } = JSON.parse((await cli.run(["cost", "north", "--json"])).out);
  assert.equal(totals, [{ currency: "EUR", monthly: 6200 }]);
});

test.run();
