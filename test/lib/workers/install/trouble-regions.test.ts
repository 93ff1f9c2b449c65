/** Tests two regions with one cluster each. If one cluster is unavailable, only its own hubs wait. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import { loadCatalog } from "#lib/catalog/load.ts";
import { createFederation } from "#lib/domains/federations/create.ts";
import { type FederationRow, findFederation } from "#lib/domains/federations/store.ts";
import type { Job } from "#lib/jobs/job.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import type { Scheduler } from "#lib/scheduler/scheduler.ts";
import { openSimulator, type Simulator } from "#lib/dev/simulator/open.ts";
import { createSpoke } from "#lib/domains/spokes/create.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import { openClusterConnections } from "#src/clusters.ts";
import { until } from "#test/support/until.ts";
import { openWorkScene, startReplica, type WorkScene } from "#test/lib/workers/scene.ts";

const REGIONS = "{ name: east, context: east }, { name: west, context: west }";

interface Scene extends WorkScene {
  readonly west: Simulator;
  /** Ends the cluster in the west as a power cut would, and gives back what brings it again, as it was or empty. */
  cut(): Promise<(how?: "empty") => Promise<Simulator>>;
  app: App;
  start(catalog?: Catalog): Promise<Scheduler>;
  hubIn(slug: string, region: string): Promise<FederationRow>;
  /** The operation of this spoke that has failed for now and is to be tried again. */
  waits(spokeId: string): Promise<Job>;
}

const test = suite<{ scene: Scene }>("operations in two regions");
const closing: (() => Promise<unknown>)[] = [];

test.before.each(async (context) => {
  const base = await openWorkScene();
  closing.push(() => base.close());
  const directory = await mkdtemp(join(tmpdir(), "regions-"));
  closing.push(() => rm(directory, { recursive: true }));
  const state = join(directory, "west.json");
  let west = await openSimulator({ delayMs: 5, state, log: SILENT_LOG });
  closing.push(() => west.close().catch(() => {})); // cut off already, where a test did not bring it back
  const port = Number(new URL(west.url).port);
  const text = kubeconfig({ east: base.simulator.url, west: west.url });
  const catalogOf = (regions: string) => loadCatalog(`regions: [${regions}]`, base.app.blueprint);

  const scene: Scene = {
    ...base,
    west,
    app: base.app,
    async cut() {
      await west.close();
      return async (how) => {
        west = await openSimulator({ delayMs: 5, port, log: SILENT_LOG, ...(how === "empty" ? {} : { state }) });
        return west;
      };
    },
    async start(catalog = catalogOf(REGIONS)) {
      const clusters = openClusterConnections({ text }, { catalog, role: null, log: SILENT_LOG }, "rep_test");
      closing.push(() => clusters.close());
      scene.app = { ...base.app, catalog, clusters };
      const scheduler = await startReplica(scene.app);
      closing.push(() => scheduler.close());
      return scheduler;
    },
    async hubIn(slug, region) {
      const actor: Actor = scene.actor;
      const { id } = await createFederation(scene.app, actor, { slug, region } as never, null);
      return (await findFederation(scene.db.rows, id, "shown"))!;
    },
    spoke: async (hub, slug) =>
      (await createSpoke(scene.app, scene.actor, hub, { slug, size: "small" } as never, null)).id,
    waits: (spokeId) =>
      until(async () => (await scene.operations(spokeId)).find(({ failure, state }) => failure && state === "queued")),
  };
  context.scene = scene;
});
test.after.each(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function kubeconfig(servers: Readonly<Record<string, string>>): string {
  const names = Object.keys(servers);
  return JSON.stringify({
    "current-context": names[0],
    clusters: names.map((name) => ({ name, cluster: { server: servers[name] } })),
    contexts: names.map((name) => ({ name, context: { cluster: name, user: name } })),
    users: names.map((name) => ({ name, user: {} })),
  });
}

test("blocks only the hubs of an unavailable cluster, until it is available", async ({ scene }) => {
  await scene.start();
  const hubs = [await scene.hubIn("math", "east"), await scene.hubIn("art", "west")];
  for (const { id } of hubs) await scene.hubBecomes(id, "active");
  const back = await scene.cut();
  const [there, away] = [await scene.spoke(hubs[0]!, "algebra"), await scene.spoke(hubs[1]!, "opera")];
  assert.is((await scene.becomes(there, "active", "failed")).state, "active");
  const { failure, label } = await scene.waits(away);
  assert.equal([failure!.code, failure!.fault], ["unreachable", "cluster"]);
  assert.match(label, /^(Trying again|Waiting|.*does not answer)/);
  assert.is((await scene.row(away)).state, "provisioning");
  const west = await back();
  assert.is((await scene.becomes(away, "active", "failed")).state, "active");
  assert.is(west.objects("Job").filter(({ metadata }) => metadata.name.startsWith("install-")).length, 1);
  const { namespace } = await scene.row(there);
  assert.not(west.objects("Namespace").some(({ metadata }) => metadata.name === namespace));
});

test("waits for a missing kubeconfig context, and continues when it is back", async ({ scene }) => {
  const scheduler = await scene.start();
  const hub = await scene.hubBecomes((await scene.hubIn("art", "west")).id, "active");
  await scheduler.close();
  const catalog = scene.app.catalog;
  const id = await scene.spoke(hub, "opera");
  const without = await scene.start(loadCatalog("regions: [{ name: east, context: east }]", scene.app.blueprint));
  const { failure } = await scene.waits(id);
  assert.equal([failure!.code, failure!.fault], ["unknown_cluster", "operator"]);
  assert.match(failure!.message, 'The cluster "west" is in use by hubs or spokes but is no longer configured');
  await without.close();
  await scene.start(catalog);
  assert.is((await scene.becomes(id, "active", "failed")).state, "active");
});

test("creates a spoke in its hub's cluster if the region was removed from the catalog", async ({ scene }) => {
  await scene.start();
  const hub = await scene.hubIn("art", "west");
  const catalog = loadCatalog("regions: [{ name: east, context: east }]", scene.app.blueprint);
  const { id } = await createSpoke({ ...scene.app, catalog }, scene.actor, hub, { slug: "opera" } as never, null);
  assert.is((await scene.row(id)).cluster, "west");
});

test("does not write to another cluster of the same name", async ({ scene }) => {
  await scene.start();
  const hub = await scene.hubBecomes((await scene.hubIn("art", "west")).id, "active");
  const id = await scene.spoke(hub, "opera");
  const { namespace } = await scene.becomes(id, "active", "failed");
  const back = await scene.cut();
  const other = await back("empty");
  const labels = { "app.kubernetes.io/managed-by": "wheelwright" };
  const body = JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } });
  const headers = { "content-type": "application/json" };
  await fetch(`${other.url}/api/v1/namespaces`, { method: "POST", headers, body });
  const before = other.writes().length;
  await scene.db.transact((tx) =>
    checkAndEnqueueAction(scene.app, tx, scene.actor, id, { action: "suspend", parameters: {} })
  );
  const failed = await scene.ended(id, "suspend");
  assert.equal([failed.state, failed.failure!.code], ["failed", "another_cluster"]);
  assert.match(failed.failure!.message, /^The cluster \S+ is not the one in which the spoke was created/);
  assert.equal(other.writes().slice(before), []);
});

test.run();
