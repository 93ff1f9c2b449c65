/** Tests namespaces against the simulated cluster's controllers: apply, wait, run and fail. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ClusterError, ClusterNamespace, KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { openCluster } from "#lib/drivers/cluster/open.ts";
import { openSimulator, type Simulator } from "#lib/dev/simulator/open.ts";
import { SILENT_LOG } from "#lib/base/log.ts";

const call = { signal: new AbortController().signal };
const waiting = { ...call, timeout: 30_000 };
const patience = { unschedulableMs: 1000, quotaMs: 1000, imageMs: 1000, configMs: 500 };

const withSpace =
  (use: (space: ClusterNamespace, simulator: Simulator) => Promise<void>) => async (): Promise<void> => {
    const simulator = await openSimulator({
      delayMs: 20,
      log: SILENT_LOG,
      node: { cpu: "4", memory: "8Gi", pods: "20" },
    });
    const kubeconfig = { text: simulator.kubeconfig() };
    const cluster = await openCluster({ name: "test", kubeconfig, log: SILENT_LOG, patience });
    try {
      const labels = { "app.kubernetes.io/managed-by": "wheelwright" };
      const manifest = { apiVersion: "v1", kind: "Namespace", metadata: { name: "spoke-1", labels } };
      const { uid } = await cluster.createNamespace(manifest, call);
      await use(cluster.space("spoke-1", uid), simulator);
    } finally {
      await cluster.close();
      await simulator.close();
    }
  };

async function failureOf(promise: Promise<unknown>): Promise<ClusterError> {
  const error = await promise.then(() => null, (error: ClusterError) => error);
  if (!error) throw new Error("it did not fail");
  return error;
}

const container = (more: object = {}) => ({ name: "moodle", image: "busybox:1.35", command: ["true"], ...more });
const MOODLE = { apiVersion: "apps/v1", kind: "Deployment", name: "moodle" };
const deployment = (more: object = {}): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "moodle" },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "moodle" } },
    template: { metadata: { labels: { app: "moodle" } }, spec: { containers: [container(more)] } },
  },
});
const job = (more: object = {}): KubeObject => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "install-1" },
  spec: { backoffLimit: 0, template: { spec: { restartPolicy: "Never", containers: [container(more)] } } },
});

const test = suite("Space");

test(
  "applies a Deployment, waits for it, scales it to zero and deletes it",
  withSpace(async (space) => {
    await space.apply([deployment({ command: ["sleep", "3600"] })], call);
    await space.ready([MOODLE], waiting);
    assert.is((await space.list({ apiVersion: "v1", kind: "Pod" }, "app=moodle", call)).length, 1);
    await space.patch(MOODLE, [{ op: "replace", path: "/spec/replicas", value: 0 }], call);
    await space.noPods("app=moodle", waiting);
    await space.ready([MOODLE], waiting);
    await space.remove(waiting);
  }),
);

test(
  "runs a Job to its end, and finds it when run again",
  withSpace(async (space, simulator) => {
    const first = await space.run(job(), waiting);
    assert.equal([first.succeeded, first.exitCode, first.reason], [true, 0, null]);
    const posts = simulator.writes().filter((write) => /\/jobs(\?|$)/.test(write.path)).length;
    assert.is((await space.run(job(), waiting)).succeeded, true);
    assert.is(simulator.writes().filter((write) => /\/jobs(\?|$)/.test(write.path)).length, posts + 1);
  }),
);

test(
  "returns the reason and log of a failed Job",
  withSpace(async (space, simulator) => {
    simulator.faults.failJob("install-", { log: ["FATAL:  no luck"], exitCode: 7 });
    const { succeeded, reason, exitCode, log } = await space.run(job(), waiting);
    assert.equal([succeeded, reason, exitCode], [false, "BackoffLimitExceeded", 7]);
    assert.equal(log, ["FATAL:  no luck"]);
    const evidence = await space.evidence(call);
    assert.equal(evidence.log, ["FATAL:  no luck"]);
    assert.ok(evidence.events.some((event) => event.object === "Job/install-1"), JSON.stringify(evidence.events));
  }),
);

test(
  "reports a Job that ran out of memory",
  withSpace(async (space, simulator) => {
    simulator.faults.oom("install-");
    assert.is((await space.run(job(), waiting)).reason, "OOMKilled");
  }),
);

test(
  "fails with evidence on a missing image",
  withSpace(async (space, simulator) => {
    simulator.faults.missingImage("nope");
    const { code, transient, blame, evidence } = await failureOf(space.run(job({ image: "nope:1" }), waiting));
    assert.equal([code, transient, blame], ["ErrImagePull", false, "operator"]);
    assert.ok(evidence?.events.some((event) => event.reason === "Failed"), JSON.stringify(evidence));
  }),
);

test(
  "fails immediately on a quota that is too small",
  withSpace(async (space) => {
    const quota = {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "q" },
      spec: { hard: { "limits.cpu": "1" } },
    };
    await space.apply([quota], call);
    await space.ready([{ ...quota, name: "q" }], waiting);
    const { code, message } = await failureOf(space.run(job({ resources: { limits: { cpu: "2" } } }), waiting));
    assert.is(code, "ExceededQuota");
    assert.match(message, "exceeded quota: q");
  }),
);

test(
  "fails on an unschedulable pod after its time limit",
  withSpace(async (space) => {
    await space.apply([deployment({ resources: { requests: { cpu: "64" } } })], call);
    const { code, message } = await failureOf(space.ready([MOODLE], waiting));
    assert.is(code, "Unschedulable");
    assert.match(message, "Insufficient cpu");
  }),
);

test(
  "fails on a missing Secret after its time limit",
  withSpace(async (space) => {
    const env = [{ name: "X", valueFrom: { secretKeyRef: { name: "moodle", key: "x" } } }];
    const { code, message } = await failureOf(space.run(job({ env }), waiting));
    assert.is(code, "CreateContainerConfigError");
    assert.match(message, 'secret "moodle" not found');
  }),
);

test(
  "is not delayed by lost watches",
  withSpace(async (space, simulator) => {
    const dropping = setInterval(() => simulator.faults.dropWatches(), 20);
    try {
      await space.apply([deployment({ command: ["sleep", "3600"] })], call);
      await space.ready([MOODLE], waiting);
      assert.ok((await space.run(job(), waiting)).succeeded);
    } finally {
      clearInterval(dropping);
    }
  }),
);

test.run();
