import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ClusterError, KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { ClusterOptions } from "#lib/drivers/cluster/open.ts";
import { HOUR } from "#lib/base/time.ts";
import {
  NAMESPACE,
  openStaticCluster,
  recordWatch,
  type StaticCluster,
  UID,
} from "#test/support/kube/static-cluster.ts";

const now = () => new Date().toISOString();
const MOODLE = { apiVersion: "apps/v1", kind: "Deployment", name: "moodle" };
const DB = { apiVersion: "apps/v1", kind: "StatefulSet", name: "db" };

const deployment = (available: number): KubeObject => ({
  ...MOODLE,
  metadata: { name: "moodle", uid: "uid-moodle", generation: 1, creationTimestamp: now() },
  spec: { replicas: 1, selector: { matchLabels: { app: "moodle" } } },
  status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: available },
});
const statefulSet = (ready: number): KubeObject => ({
  ...DB,
  metadata: { name: "db", uid: "uid-db", generation: 1, creationTimestamp: now() },
  spec: { replicas: 1 },
  status: { observedGeneration: 1, replicas: 1, readyReplicas: ready },
});
const dbPod = (status: object, spec: object = {}) => ({
  metadata: {
    name: "db-0",
    uid: "uid-db-0",
    labels: { role: "db" },
    creationTimestamp: now(),
    ownerReferences: [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "db", uid: "uid-db" }],
  },
  spec,
  status,
});
const claim = (phase: string, uid = "uid-data") => ({ metadata: { name: "data-db-0", uid }, status: { phase } });

const withTable =
  (use: (table: StaticCluster) => Promise<void>, options: Partial<ClusterOptions> = {}) => async (): Promise<void> => {
    const table = await openStaticCluster(options);
    await use(table).finally(table.close);
  };

async function failureOf(promise: Promise<unknown>): Promise<ClusterError> {
  const error = await promise.then(() => null, (error: ClusterError) => error);
  if (!error) throw new Error("it did not fail");
  return error;
}

const test = suite("Space.ready");

test(
  "resolves once all objects are ready, and reports what is missing",
  withTable(async (table) => {
    table.put("deployments", deployment(0));
    const waiting = recordWatch();
    const ready = table.cluster.space(NAMESPACE, UID).ready([MOODLE, DB], waiting);
    await waiting.told(/The site is starting.*0 of 1 pods ready.*; The database is not created yet/);
    table.put("statefulsets", statefulSet(0));
    await waiting.told(/The database is starting.*0 of 1 pods ready/);
    table.put("deployments", deployment(1));
    table.put("statefulsets", statefulSet(1));
    await ready;
  }),
);

test(
  "reports the last log line of a starting container without secrets",
  withTable(async (table) => {
    const at = new Date(Date.parse(now()) - HOUR).toISOString();
    table.put("statefulsets", statefulSet(0));
    const starting = dbPod({
      containerStatuses: [{ name: "postgres", ready: false, state: { running: { startedAt: at } } }],
    });
    table.put("pods", { ...starting, metadata: { ...starting.metadata, creationTimestamp: at } });
    table.logs.set("db-0/postgres", {
      text: "PGPASSWORD=hush\nWaiting for db:5432 to be ready\n......",
      followers: [],
    });
    const message = "Startup probe failed: curl: (7) Failed to connect";
    table.put("events", {
      metadata: { name: "e1", creationTimestamp: now() },
      involvedObject: { kind: "Pod", name: "db-0", uid: "uid-db-0" },
      ...{ reason: "Unhealthy", type: "Warning", message, firstTimestamp: at, lastTimestamp: now() },
    });
    const waiting = recordWatch();
    const ready = table.cluster.space(NAMESPACE, UID).ready([DB], waiting);
    await waiting.told(
      /^Pod db-0 is not ready: Startup probe failed: .*\. Last log line: Waiting for db:5432 to be ready$/,
    );
    table.logs.get("db-0/postgres")!.text += "\nPGPASSWORD=hush\n";
    await waiting.told(/Last log line: PGPASSWORD=\*\*\*$/);
    table.put("statefulsets", statefulSet(1));
    await ready;
  }),
);

const crashed = (finishedAt: string) =>
  dbPod({
    containerStatuses: [{
      name: "postgres",
      restartCount: 5,
      state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 5m0s restarting failed container" } },
      lastState: { terminated: { exitCode: 1, reason: "Error", finishedAt } },
    }],
  });

test(
  "fails immediately with evidence, but not because of older problems",
  withTable(async (table) => {
    table.put("statefulsets", statefulSet(0));
    table.put("pods", crashed(new Date(Date.parse(now()) - HOUR).toISOString()));
    table.logs.set("db-0/postgres", { text: "FATAL:  out of shared memory\n", followers: [] });
    const waiting = recordWatch();
    const failing = failureOf(table.cluster.space(NAMESPACE, UID).ready([DB], waiting));
    await waiting.told(/crashed and will be restarted within minutes/);
    table.put("pods", crashed(now()));
    const { code, transient, evidence } = await failing;
    assert.equal([code, transient], ["CrashLoopBackOff", false]);
    assert.equal(evidence?.log, ["FATAL:  out of shared memory"]);
  }),
);

test(
  "ignores events of a bound or earlier PersistentVolumeClaim",
  withTable(async (table) => {
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data-db-0" } }];
    table.put("statefulsets", statefulSet(0));
    table.put("pods", dbPod({}, { volumes }));
    table.put("persistentvolumeclaims", claim("Pending"));
    const event = { reason: "ExternalProvisioning", message: "Waiting for a volume", lastTimestamp: now(), count: 1 };
    const about = { kind: "PersistentVolumeClaim", name: "data-db-0", uid: "uid-data" };
    table.put("events", { metadata: { name: "e1" }, ...event, involvedObject: about });
    for (const settled of [claim("Bound"), claim("Pending", "uid-of-another")]) {
      table.put("persistentvolumeclaims", claim("Pending"));
      const waiting = recordWatch();
      const ready = table.cluster.space(NAMESPACE, UID).ready([DB], waiting);
      await waiting.told(/Waiting for the volume of PersistentVolumeClaim data-db-0: Waiting for a volume/);
      table.put("persistentvolumeclaims", settled);
      table.put("statefulsets", statefulSet(0)); // PersistentVolumeClaims are not watched
      await waiting.told(/^The database is starting/);
      table.put("statefulsets", statefulSet(1));
      await ready;
      table.put("statefulsets", statefulSet(0));
    }
  }),
);

test(
  "notices a passed time limit without any change",
  withTable(async (table) => {
    table.put("statefulsets", statefulSet(0));
    const message = "0/1 nodes are available: 1 Insufficient cpu.";
    const conditions = [{
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message,
      lastTransitionTime: now(),
    }];
    table.put("pods", dbPod({ conditions }));
    const waiting = recordWatch(8000); // less than the polling interval of ten seconds
    const failing = failureOf(table.cluster.space(NAMESPACE, UID).ready([DB], waiting));
    await waiting.told(/Waiting for a node that can run pod db-0/);
    const { code, blame } = await failing;
    assert.equal([code, blame], ["Unschedulable", "operator"]);
  }, { patience: { unschedulableMs: 1500 } }),
);

test(
  "polls if watches are refused",
  withTable(async (table) => {
    table.intercept = (asked, response) => {
      if (!asked.query.has("watch")) return false;
      response.writeHead(403, { "content-type": "application/json" });
      response.end(JSON.stringify({ kind: "Status", reason: "Forbidden", message: "no", code: 403 }));
      return true;
    };
    table.put("statefulsets", statefulSet(0));
    const waiting = recordWatch();
    const ready = table.cluster.space(NAMESPACE, UID).ready([DB], waiting);
    await waiting.told(/0 of 1 pods/);
    table.put("statefulsets", statefulSet(1));
    await ready;
  }),
);

test(
  "stops waiting if the namespace is replaced",
  withTable(async (table) => {
    table.put("statefulsets", statefulSet(0));
    const waiting = recordWatch();
    const failing = failureOf(table.cluster.space(NAMESPACE, UID).ready([DB], waiting));
    await waiting.told(/0 of 1 pods/);
    table.put("namespaces", { metadata: { name: NAMESPACE, uid: "another" }, status: { phase: "Active" } });
    const news = setInterval(() => table.put("events", { metadata: { name: "anything" } }), 300);
    assert.is((await failing).code, "ForeignNamespace");
    clearInterval(news);
  }),
);

test(
  "rejects with the abort reason",
  withTable(async (table) => {
    const stop = new AbortController(), reason = new Error("stop");
    const waiting = recordWatch(20_000, stop.signal);
    const failing = failureOf(table.cluster.space(NAMESPACE, UID).ready([DB], waiting));
    await waiting.told(/is not created yet/);
    stop.abort(reason);
    assert.is(await failing, reason);
  }),
);

test(
  "waits until no pod is left, and names the remaining pods",
  withTable(async (table) => {
    table.put("pods", dbPod({}));
    const waiting = recordWatch();
    const gone = table.cluster.space(NAMESPACE, UID).noPods("role=db", waiting);
    await waiting.told(/Pods still running: db-0$/);
    const [{ metadata }] = [dbPod({})];
    const deletionTimestamp = new Date(Date.now() - 60_000).toISOString();
    table.put("pods", { ...dbPod({}, { nodeName: "b" }), metadata: { ...metadata, deletionTimestamp } });
    await waiting.told(/: db-0 \(on node b, overdue since \S+ \S+ UTC: check whether that node is up\)$/);
    assert.is(
      table.server.requests.findLast((one) => one.path.endsWith("/pods"))?.query.get("labelSelector"),
      "role=db",
    );
    table.drop("pods", "db-0");
    await gone;
  }),
);

test(
  "does not wait for completed pods",
  withTable(async (table) => {
    table.put("pods", dbPod({ phase: "Succeeded" }));
    await table.cluster.space(NAMESPACE, UID).noPods("role=db", recordWatch());
  }),
);

test.run();
