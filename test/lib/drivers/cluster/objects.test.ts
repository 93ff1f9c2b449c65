/** Tests paged lists over all namespaces against the simulated cluster. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openCluster } from "#lib/drivers/cluster/open.ts";
import type { Cluster, KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openSimulator, type Simulator } from "#lib/dev/simulator/open.ts";

const test = suite<{ simulator: Simulator; cluster: Cluster }>("listPage");
const CALL = { signal: new AbortController().signal };
const SECRET = { apiVersion: "v1", kind: "Secret" };

test.before(async (context) => {
  context.simulator = await openSimulator({ delayMs: 0, log: SILENT_LOG });
  const kubeconfig = { text: context.simulator.kubeconfig() };
  const cluster = context.cluster = await openCluster({ name: "test", kubeconfig, log: SILENT_LOG });
  for (const name of ["a", "b", "c"]) {
    const labels = { "app.kubernetes.io/managed-by": "wheelwright", mine: "yes" };
    const namespace: KubeObject = { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
    const { uid } = await cluster.createNamespace(namespace, CALL);
    const secret: KubeObject = { ...SECRET, metadata: { name: "s", labels }, stringData: { password: "none" } };
    await cluster.space(name, uid).apply([secret, { ...secret, metadata: { name: "other" } }], CALL);
  }
});
test.after(async ({ simulator, cluster }) => {
  await cluster.close();
  await simulator.close();
});

test("continues after each page until the last one", async ({ cluster }) => {
  const names: string[] = [];
  let next: string | null = null, pages = 0;
  do {
    const from: { next?: string } = next === null ? {} : { next };
    const page = await cluster.listPage(SECRET, { selector: "mine=yes", limit: 2, ...from }, CALL);
    assert.ok(page.items.every(({ apiVersion, kind, data }) => apiVersion === "v1" && kind === "Secret" && data));
    names.push(...page.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
    next = page.next;
    pages++;
  } while (next !== null);
  assert.equal([names, pages], [["a/s", "b/s", "c/s"], 2]);
});

test.run();
