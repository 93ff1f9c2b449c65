/** Tests the preview and the change of a hub's tier on the command line. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { loadCatalog } from "#lib/catalog/load.ts";
import { openStage, type Stage } from "#test/lib/client/stage.ts";
import { createTestToken } from "#test/support/users.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";
import { type CliFixture, openCliFixture } from "./cli-fixture.ts";

const test = suite<{ stage: Stage; cli: CliFixture }>("wheelwright hubs update --tier");
const TIERS = `
tiers:
  - shared
  - { name: dedicated, nodeSelector: { pool: own }, sizes: [large], bounds: { spokes: 7, storage: 1Ti },
      backups: { window: { from: "01:00", to: "02:00" }, retention: { daily: 9, weekly: 0, monthly: 0 } } }
`;

const UNREACHABLE = {
  clusterFor: () => "default",
  open: () => Promise.reject(new ClusterError("unreachable", "nobody answers", { transient: true })),
};

test.before(async (context) => {
  const { scene, proxy } = context.stage = await openStage();
  Object.assign(scene.app, { catalog: loadCatalog(TIERS, scene.app.blueprint), clusters: UNREACHABLE });
  const { plaintext } = await createTestToken(scene.db, scene.people.operator, "cli");
  context.cli = await openCliFixture({ WHEELWRIGHT_URL: proxy.url, WHEELWRIGHT_TOKEN: plaintext });
  await updateRows(scene.db, "spokes", { state: "active", readyAt: NOW });
});
test.after(async ({ stage, cli }) => {
  await cli.close();
  await stage.close();
});

test("shows what a tier offers", async ({ cli }) => {
  const { out } = await cli.run(["catalog"]);
  assert.match(
    out,
    /tier\s+dedicated\s[^\n]*nodes pool=own; sizes large; 7 spokes; 1Ti of volumes; backups from 01:00 to 02:00 UTC; keeps 9/,
  );
});

test("previews a change, then makes it with a rollout", async ({ cli, stage: { scene } }) => {
  const change = ["hubs", "update", "north", "--tier", "dedicated"];
  const preview = await cli.run([...change, "--dry-run"]);
  assert.is(preview.status, 0, preview.err);
  assert.match(preview.out, /tier\s+none → dedicated/);
  assert.match(preview.out, /move\s+1 spoke/);
  assert.match(preview.out, /downtime\s+1 spoke, for a time that is not known yet/);
  assert.match(preview.err, "The tier keeps 9 daily, 0 weekly and 0 monthly backups instead of 7 daily");
  assert.equal(await selectRows(scene.db, "rollouts"), []);
  const done = await cli.run([...change, "--roll-out"]);
  assert.match(done.err, "Hub north was updated");
  assert.is((await selectRows(scene.db, "rollouts")).length, 1);
  const json = JSON.parse((await cli.run(["hubs", "update", "north", "--tier", "shared", "--dry-run", "--json"])).out);
  assert.is(json.counts.moves + json.counts.unchanged + json.counts.refused, 1);
});

test.run();
