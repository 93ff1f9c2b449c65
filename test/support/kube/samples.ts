/** Builds sample objects, pods and events, as in a cluster after each kind of failure. All times are fixed. */
import * as assert from "uvu/assert";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { type Diagnosis, DIAGNOSIS_TIME_LIMITS, type WaitClock } from "#lib/drivers/cluster/diagnosis/diagnosis.ts";

const START = Date.parse("2026-11-21T01:00:00Z");
export const timestampAt = (ms: number) => new Date(START + ms).toISOString();
export const waitClockAt = (ms: number, since = 0): WaitClock => ({
  now: START + ms,
  since: START + since,
  patience: DIAGNOSIS_TIME_LIMITS,
});

export const metadataOf = (name: string, more = {}) => ({
  name,
  uid: `uid-${name}`,
  creationTimestamp: timestampAt(0),
  ...more,
});
export const job = (conditions: unknown[] = []): KubeObject => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: metadataOf("install-1"),
  status: { conditions },
});
export const deployment = (status: object = {}): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: metadataOf("moodle", { generation: 1 }),
  spec: { replicas: 1, selector: { matchLabels: { app: "moodle" } } },
  status: { observedGeneration: 1, ...status },
});
export const statefulSet = (): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: metadataOf("db", { generation: 1 }),
  spec: { replicas: 1 },
  status: { observedGeneration: 1, replicas: 0 },
});
export const pod = (owner: KubeObject, status: object, spec: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: metadataOf(`${owner.metadata.name}-abc`, {
    labels: { app: "moodle" },
    ownerReferences: [
      owner.kind === "Deployment"
        ? { apiVersion: "apps/v1", kind: "ReplicaSet", name: `${owner.metadata.name}-5f7`, uid: "uid-rs" }
        : { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.metadata.name, uid: owner.metadata.uid },
    ],
  }),
  spec,
  status,
});
export const event = (
  about: { kind: string; name: string; uid?: string },
  reason: string,
  message: string,
  ms = 0,
) => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: metadataOf(`${about.name}.${reason}.${ms}`),
  involvedObject: about,
  reason,
  message,
  firstTimestamp: timestampAt(ms),
  lastTimestamp: timestampAt(ms),
  count: 1,
});
export const aboutObject = (object: KubeObject) => ({
  kind: object.kind,
  name: object.metadata.name,
  uid: object.metadata.uid!,
});

/** Asserts that the diagnosis is "impossible" with this code. The text must match or contain `message`. */
export function assertImpossible(verdict: Diagnosis, code: string, message: RegExp | string): void {
  assert.is(verdict.is, "impossible", JSON.stringify(verdict));
  if (verdict.is !== "impossible") return;
  assert.is(verdict.code, code);
  if (typeof message === "string") assert.ok(verdict.message.includes(message), verdict.message);
  else assert.match(verdict.message, message);
}

export function assertWaiting(verdict: Diagnosis, sentence: RegExp): void {
  assert.is(verdict.is, "waiting", JSON.stringify(verdict));
  if (verdict.is === "waiting") assert.match(verdict.sentence, sentence);
}

/** Builds a Deployment's pod that crashes repeatedly. `finishedAt` is the time of the last crash. */
export const crashedContainer = (restartCount: number, reason = "Error", finishedAt = timestampAt(0)) =>
  pod(deployment(), {
    containerStatuses: [{
      name: "moodle",
      restartCount,
      state: {
        waiting: {
          reason: "CrashLoopBackOff",
          message: "back-off 10s restarting failed container=moodle pod=moodle-5f7-x",
        },
      },
      lastState: { terminated: { exitCode: 1, reason, finishedAt } },
    }],
  });
