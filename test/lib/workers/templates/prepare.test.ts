/** Tests templates that are created before a spoke needs them. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { isFinalJobState } from "#lib/jobs/job.ts";
import type { Scheduler } from "#lib/scheduler/scheduler.ts";
import { selectRows } from "#test/support/rows.ts";
import { until } from "#test/support/until.ts";
import {
  installSpoke,
  listObjectNames,
  listSourceNotes,
  listTemplates,
  waitForTemplate,
} from "#test/lib/workers/templates/scene.ts";
import { openWorkScene, startReplica, type WorkScene } from "#test/lib/workers/scene.ts";

const test = suite<{ scene: WorkScene; replicas: Scheduler[]; start(app?: App): Promise<void> }>("prepareTemplates");
test.before.each(async (context) => {
  context.scene = await openWorkScene(5, { TEMPLATES: "on" });
  context.replicas = [];
  context.start = async (app = context.scene.app) =>
    void context.replicas.push(
      await startReplica(app, "prepare-templates"),
    );
});
test.after.each(async ({ scene, replicas }) => {
  for (const replica of replicas) await replica.close();
  await scene.close();
});

/** Waits until the first run has ended. */
async function firstRun({ db }: WorkScene): Promise<void> {
  await until(async () => {
    const rows = await selectRows(db, "jobs", { kind: "prepare-templates" }, { columns: ["state"] });
    return rows.some(({ state }) => isFinalJobState(state));
  });
}

test("creates one template before the first hub exists, from which the first spoke starts", async (context) => {
  const { scene, start } = context;
  await Promise.all([start(), start()]);
  await waitForTemplate(scene, "ready");
  assert.is((await listTemplates(scene)).length, 1);
  const first = await installSpoke({ scene, hub: await scene.hub("math") }, "first");
  assert.equal(await listSourceNotes(scene, first), ["Created from the template for Moodle 4.5.12"]);
  assert.is((await listTemplates(scene)).length, 1);
});

test("creates nothing while TEMPLATES is off", async ({ scene, start }) => {
  await start({ ...scene.app, config: { ...scene.app.config, templates: false } });
  await firstRun(scene);
  assert.equal([await listTemplates(scene), listObjectNames(scene, "Namespace", "sandbox-")], [[], []]);
});

test("creates a template for each storage class, even if another region's cluster does not respond", async (context) => {
  const { scene, start } = context, { catalog, clusters } = scene.app;
  const regions = [{ name: "away", context: "away" }, { name: "near" }, { name: "fast" }];
  const app: App = {
    ...scene.app,
    catalog: {
      ...catalog,
      regions,
      surroundingsOf: (region) => ({
        ...catalog.surroundingsOf(null),
        ...(region === "fast" && { storageClass: "fast" }),
      }),
    },
    clusters: {
      clusterFor: (region) => region === "away" ? "away" : "default",
      async open(name) {
        if (name === "away") throw new ClusterError("unreachable", "no answer", { transient: true });
        return await clusters.open(name);
      },
    },
  };
  await start(app);
  await firstRun(scene);
  const keys = (await listTemplates(scene)).map(({ cluster, storageClass }) => `${cluster}:${storageClass}`);
  assert.equal(keys.sort(), ["default:", "default:fast"]);
});

test("creates the template for a new default version at the next run", async ({ scene, start, replicas }) => {
  await start();
  await waitForTemplate(scene, "ready");
  const { catalog } = scene.app;
  await replicas[0]!.close();
  await start({ ...scene.app, catalog: { ...catalog, defaults: { ...catalog.defaults, version: "5.2.2" } } });
  await scene.db.sql("update jobs set run_at = now() where kind = 'prepare-templates' and state = 'queued'");
  await until(async () => (await listTemplates(scene)).some(({ version }) => version === "5.2.2"));
});

test.run();
