/** Whole installations beside an API server that is slow, busy, cut off, forgetful or no API server at all. */
import { suite, type Test } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import { openCluster } from "#lib/drivers/cluster/open.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import type { Scheduler } from "#lib/scheduler/scheduler.ts";
import type { SimulatorFault } from "#lib/dev/simulator/faults.ts";
import { until } from "#test/support/until.ts";
import { openWorkScene, startReplica, type WorkScene } from "#test/lib/workers/scene.ts";

interface Context {
  scene: WorkScene;
  /** Starts a replica whose calls end after a second, so that no test waits for a hanging one. */
  replica(): Promise<Scheduler>;
}

const closing: (() => Promise<unknown>)[] = [];

function troubled(test: Test<Context>): void {
  test.before.each(async (context) => {
    const scene = await openWorkScene();
    closing.push(() => scene.close());
    context.scene = scene;
    context.replica = async () => {
      const kubeconfig = { text: scene.simulator.kubeconfig() };
      const cluster = await openCluster({ name: "default", kubeconfig, log: SILENT_LOG, deadline: 1000 });
      closing.push(() => cluster.close());
      const app: App = {
        ...scene.app,
        clusters: { clusterFor: () => "default", open: () => Promise.resolve(cluster) },
      };
      const scheduler = await startReplica(app);
      closing.push(() => scheduler.close());
      return scheduler;
    };
  });
  test.after.each(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
}

const SPACES = "/namespaces/spoke-";
/** Faults that hit each call of a provisioning a number of times and then pass. */
const PASSING: Readonly<Record<string, readonly SimulatorFault[]>> = {
  "is busy": [{ type: "answer", status: 429, retryAfter: 1, path: SPACES, times: 3 }],
  "is restarting": [{ type: "answer", status: 503, times: 40 }],
  "loses answers of what it has done": [{ type: "cut", at: "performed", method: "POST", times: 18 }],
  "cuts its answers in two": [{ type: "cut", at: "body", path: SPACES, times: 20 }, {
    type: "cut",
    at: "body",
    chunked: true,
    path: SPACES,
    times: 20,
  }],
  "hangs in the middle": [{ type: "hang", at: "body", path: SPACES, times: 2 }, {
    type: "hang",
    method: "POST",
    times: 1,
  }],
  "finds conflicts": [{ type: "answer", status: 409, method: "POST", times: 12 }],
  "refuses the credentials for a while": [{ type: "answer", status: 401, times: 25 }],
  "is hidden by a page": [{ type: "answer", status: 200, body: "<html>Maintenance</html>", times: 25 }],
  "is hidden by another service": [{ type: "answer", status: 200, body: '{"status": "ok"}', times: 25 }],
  "is hidden by a login": [{ type: "answer", status: 302, headers: { location: "/login" }, body: "", times: 25 }],
};

const passing = suite<Context>("an installation, while the API server");
troubled(passing);

for (const [what, faults] of Object.entries(PASSING)) {
  passing(`${what}, is done, and done once`, async ({ scene, replica }) => {
    const hub = await scene.hub("math");
    for (const fault of faults) scene.simulator.faults.add(fault);
    const id = await scene.spoke(hub, "algebra");
    await replica();
    assert.is((await scene.becomes(id, "active", "failed")).state, "active");
    assert.equal(scene.simulator.faults.list(), [], "all of it was met");
    assertDoneOnce(scene);
  });
}

passing("drops its watches again and again in every way, is done", async ({ scene, replica }) => {
  const ways = ["cut", "end", "expired", "error", "garbage", "half"] as const;
  let turn = 0;
  const timer = setInterval(() => scene.simulator.faults.dropWatches(undefined, ways[turn++ % ways.length]!), 40);
  closing.push(() => Promise.resolve(clearInterval(timer)));
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  await replica();
  assert.is((await scene.becomes(id, "active", "failed")).state, "active");
});

passing("says nothing in its watches and compacts its history for a while, is done", async ({ scene, replica }) => {
  scene.simulator.faults.add({ type: "silent-watches" });
  const timer = setInterval(() => scene.simulator.faults.add({ type: "compact" }), 40);
  const heal = setTimeout(() => scene.simulator.faults.clear(), 8000); // without watches, each wait takes ten seconds
  closing.push(() => Promise.resolve(clearInterval(timer)), () => Promise.resolve(clearTimeout(heal)));
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  await replica();
  assert.is((await scene.becomes(id, "active", "failed")).state, "active");
});

const lasting = suite<Context>("an operation whose API server");
troubled(lasting);

for (
  const [what, fault, code, words] of [
    ["refuses the credentials", { status: 401 }, "Unauthorized", "Unauthorized"],
    ["is hidden by a page", { status: 200, body: "<html>Maintenance</html>" }, "BadAnswer", "Maintenance"],
    ["is away", { status: 503 }, "ServiceUnavailable", "currently unable to handle the request"],
    ["wants a day of quiet", { status: 429, retryAfter: 86_400 }, "TooManyRequests", "asked us to try again later"],
  ] as const
) {
  lasting(`${what} waits, reports why, and does not fail`, async ({ scene, replica }) => {
    await replica();
    const hub = await scene.hubBecomes((await scene.hub("math")).id, "active");
    scene.simulator.faults.add({ type: "answer", ...fault });
    const id = await scene.spoke(hub, "algebra");
    const waiting = await until(async () => (await scene.operations(id)).find(({ failure }) => failure));
    assert.equal([waiting.failure!.code, (await scene.row(id)).state], [code, "provisioning"]);
    assert.match(waiting.failure!.message, words);
    assert.match(waiting.label, /^(Trying again: |Waiting|Creating)/);
    scene.simulator.faults.clear();
    if (code === "TooManyRequests") return; // the retry within a minute is too late for a test
    assert.is((await scene.becomes(id, "active", "failed")).state, "active");
    assertDoneOnce(scene);
  });
}

function assertDoneOnce({ simulator }: WorkScene): void {
  const installs = simulator.objects("Job").filter(({ metadata }) => metadata.name.startsWith("install-"));
  assert.is(installs.length, 1, "one install Job");
  assert.equal(simulator.objects("Job").filter(({ metadata }) => metadata.name.startsWith("reset-")), []);
  const spaces = simulator.objects("Namespace").filter(({ metadata }) => metadata.name.startsWith("spoke-"));
  assert.is(spaces.length, 1, "one namespace");
}

passing.run();
lasting.run();
