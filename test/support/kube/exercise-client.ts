/** Calls every function of the cluster client, correctly and incorrectly, and then closes the client. Afterwards, this
 * process must exit on its own. Usage: `exercise-client.ts URL`. */
import { openCluster } from "#lib/drivers/cluster/open.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { kubeconfigOf } from "#test/support/kube/server.ts";

async function visit(url: string): Promise<void> {
  const call = { signal: new AbortController().signal };
  const cluster = await openCluster({ name: "test", kubeconfig: kubeconfigOf(url), log: SILENT_LOG, deadline: 500 });
  const headers = { "content-type": "application/json" };
  const fault = (body: object) =>
    fetch(`${url}/simulator/faults`, { method: "POST", headers, body: JSON.stringify(body) });
  const heal = () => fetch(`${url}/simulator/faults`, { method: "DELETE" });
  const labels = { "app.kubernetes.io/managed-by": "wheelwright" };
  const manifest = { apiVersion: "v1", kind: "Namespace", metadata: { name: "visit", labels } };
  const { uid } = await cluster.createNamespace(manifest, call);
  const space = cluster.space("visit", uid);
  const job = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "j" },
    spec: {
      template: { spec: { restartPolicy: "Never", containers: [{ name: "m", image: "x", command: ["true"] }] } },
    },
  };
  await space.run(job, { ...call, timeout: 20_000 });

  const ref = { apiVersion: "apps/v1", kind: "Deployment", name: "never" };
  const stop = new AbortController();
  const waiting = space.ready([ref], { signal: stop.signal, timeout: 60_000 });
  const late = space.ready([ref], { ...call, timeout: 700 });
  setTimeout(() => stop.abort(new Error("enough")), 300);
  await Promise.allSettled([waiting, late]);

  const ways = [{ type: "hang", at: "body" }, { type: "cut", at: "headers" }, { type: "answer", status: 401 }];
  for (const way of ways) {
    await fault({ ...way, path: "/pods" });
    await space.list({ apiVersion: "v1", kind: "Pod" }, "", call).catch(() => {});
    await heal();
  }
  await fault({ type: "silent-watches" });
  const followed = space.noPods("job-name=other", { ...call, timeout: 5000 });
  await fault({ type: "answer", status: 429, retryAfter: 40 });
  const removed = space.remove({ ...call, timeout: 60_000 });
  const under = Promise.allSettled([removed, cluster.version(call), followed]);
  await new Promise((resolve) => setTimeout(resolve, 200));
  await cluster.close();
  console.log(`closed ${(await under).map(({ status }) => status).join(" ")}`);
}

await visit(process.argv[2]!);
