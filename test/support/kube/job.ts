/** Creates a Job with one pod in a static cluster, where the test sets each state of the Job. */
import type { JobResult, JobWaitOptions, KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { NAMESPACE, openStaticCluster, type StaticCluster, UID } from "#test/support/kube/static-cluster.ts";

export const nowTimestamp = () => new Date().toISOString();
export const JOB_MANIFEST: KubeObject = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "install-1" } };
export const jobWith = (status: object) => ({
  ...JOB_MANIFEST,
  metadata: { name: "install-1", uid: "uid-install-1", creationTimestamp: nowTimestamp() },
  status,
});
export const condition = (type: string, reason: string, message: string) => ({ type, status: "True", reason, message });
export const podWith = (status: object) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "install-1-abc",
    uid: "uid-pod",
    creationTimestamp: nowTimestamp(),
    ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "install-1", uid: "uid-install-1" }],
  },
  status,
});
const running = { containerStatuses: [{ name: "moodle", state: { running: { startedAt: nowTimestamp() } } }] };
export const terminatedContainer = (exitCode: number, reason: string) => ({
  containerStatuses: [{ name: "moodle", state: { terminated: { exitCode, reason, finishedAt: nowTimestamp() } } }],
});

export const withStaticCluster = (use: (table: StaticCluster) => Promise<void>) => async (): Promise<void> => {
  const table = await openStaticCluster();
  await use(table).finally(table.close);
};

/** Starts to wait for the Job, and sets its pod to running, with a log that the client follows. */
export async function waitForJobStart(
  table: StaticCluster,
  text: string,
  waiting: JobWaitOptions,
): Promise<{ result: Promise<JobResult> }> {
  table.logs.set("install-1-abc/moodle", { text, followers: [] });
  const result = table.cluster.space(NAMESPACE, UID).run(JOB_MANIFEST, waiting);
  result.catch(() => {}); // prevents an unhandled rejection; the test checks the result later
  const followed = new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (table.logs.get("install-1-abc/moodle")!.followers.length === 0) return;
      clearInterval(timer);
      resolve();
    }, 5);
  });
  while (!table.server.requests.some((one) => one.method === "POST")) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  table.put("pods", podWith(running));
  await followed;
  return { result };
}

/** Waits until the client has read the Job twice. Then the client has processed the result of the first read. */
export async function waitForSecondRead(table: StaticCluster): Promise<void> {
  const looks = () => table.server.requests.filter((one) => one.path.endsWith("/jobs/install-1")).length;
  const before = looks();
  const poke = setInterval(() => table.put("events", { metadata: { name: "poke" } }), 100);
  while (looks() < before + 2) await new Promise((resolve) => setTimeout(resolve, 10));
  clearInterval(poke);
}

export function endLogs(table: StaticCluster, text = ""): void {
  const log = table.logs.get("install-1-abc/moodle")!;
  log.ended = true;
  for (const follower of log.followers) follower.end(text);
}
