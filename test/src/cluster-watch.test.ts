import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openCluster } from "#lib/drivers/cluster/open.ts";
import { openSimulator, type Simulator } from "#lib/dev/simulator/open.ts";
import { watchClusters } from "#src/cluster-watch.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ simulator: Simulator }>("watchClusters");
test.before.each(async (context) => void (context.simulator = await openSimulator({ delayMs: 0, log: SILENT_LOG })));
test.after.each(({ simulator }) => simulator.close());

async function notesOf({ kubeconfig }: Simulator, names: readonly string[]): Promise<readonly string[]> {
  const cluster = await openCluster({ name: "default", kubeconfig: { text: kubeconfig() }, log: SILENT_LOG });
  const away = await openCluster({
    name: "away",
    kubeconfig: { text: kubeconfig().replace(/127\.0\.0\.1:\d+/, "127.0.0.1:1") },
    log: SILENT_LOG,
  });
  const open = (name: string) => Promise.resolve(name === "away" ? away : cluster);
  const watch = await watchClusters({ open }, names, SILENT_LOG);
  try {
    return await until(() => watch.notes().length === (names.length === 3 ? 2 : 1) && watch.notes());
  } finally {
    await watch.close();
    await Promise.all([cluster.close(), away.close()]);
  }
}

test("reports a cluster that answers 429 as busy, not as unreachable", async ({ simulator }) => {
  simulator.faults.answer(429, { path: "/version", retryAfter: 0 });
  assert.equal(await notesOf(simulator, ["default"]), [
    "The cluster is busy. Operations that need it are waiting",
  ]);
});

test("reports a cluster without a listener as unreachable", async ({ simulator }) => {
  const away = "The cluster does not respond. Operations that need it are waiting";
  assert.equal(await notesOf(simulator, ["away"]), [away]);
});

test("counts the unreachable and the busy clusters", async ({ simulator }) => {
  simulator.faults.answer(429, { path: "/version", retryAfter: 0 });
  assert.equal(await notesOf(simulator, ["away", "default", "other"]), [
    "1 of 3 clusters do not respond. Operations that need them are waiting",
    "2 of 3 clusters are busy. Operations that need them are waiting",
  ]);
});

test.run();
