/** What an action would come to: judged as the real thing, asked of the cluster by its own dry run, and nothing is written. */
import type { App } from "#lib/app.ts";
import { ClusterError, type KubeObject, type Ref, type Space } from "#lib/cluster/cluster.ts";
import { Fault } from "#lib/errors.ts";
import { OPERATION_KINDS } from "#lib/jobs/kinds.ts";
import { liveOperations } from "#lib/jobs/store.ts";
import { judgeAction, PASSAGES, type SpokeActionName } from "#lib/spokes/state.ts";
import type { SpokeRow } from "#lib/spokes/store.ts";
import type { ActionPreview, SpokeAction } from "#lib/spokes/views.ts";

interface Effect {
  readonly ref: Ref;
  readonly field: string;
  readonly value: string | number | boolean;
}

const CRON: Ref = { apiVersion: "batch/v1", kind: "CronJob", name: "moodle-cron" };
const MOODLE: Ref = { apiVersion: "apps/v1", kind: "Deployment", name: "moodle" };
const DATABASE: Ref = { apiVersion: "apps/v1", kind: "StatefulSet", name: "db" };

/** A retry changes nothing that exists: it makes what is missing. A restart stamps the pods' template, and so replaces them. */
const EFFECTS: Readonly<Record<SpokeActionName, readonly Effect[]>> = {
  suspend: [
    { ref: CRON, field: "spec.suspend", value: true },
    { ref: MOODLE, field: "spec.replicas", value: 0 },
    { ref: DATABASE, field: "spec.replicas", value: 0 },
  ],
  resume: [
    { ref: DATABASE, field: "spec.replicas", value: 1 },
    { ref: MOODLE, field: "spec.replicas", value: 1 },
    { ref: CRON, field: "spec.suspend", value: false },
  ],
  restart: [],
  retry: [],
};

const DOWNTIME: Readonly<Record<SpokeActionName, boolean>> = {
  suspend: true,
  resume: false,
  restart: true,
  retry: false,
};

/** Throws Fault conflict `spoke_state` where the action itself would, and unavailable when the cluster cannot be asked. */
export async function previewAction(
  app: App,
  spoke: SpokeRow,
  { action }: SpokeAction,
  signal: AbortSignal,
): Promise<ActionPreview> {
  const live = await liveOperations(app.db.rows, spoke.id);
  const facts = { state: spoke.state, wasReady: spoke.ready_at !== null, live: live.map((job) => job.kind) };
  const { kind } = judgeAction(action, facts);
  return {
    dryRun: true,
    action,
    spokeId: spoke.id,
    state: spoke.state,
    becomes: PASSAGES[kind].to,
    downtime: DOWNTIME[action],
    steps: OPERATION_KINDS[kind].steps.map(({ label }) => label),
    changes: await askCluster(app, spoke, EFFECTS[action], signal),
    price: { available: false },
  };
}

async function askCluster(
  app: App,
  spoke: SpokeRow,
  effects: readonly Effect[],
  signal: AbortSignal,
): Promise<ActionPreview["changes"]> {
  if (effects.length === 0 || spoke.namespace_uid === null) return [];
  try {
    const space = (await app.clusters.open(spoke.cluster)).space(spoke.namespace, spoke.namespace_uid);
    const changes = await Promise.all(effects.map((effect) => tryEffect(space, effect, signal)));
    return changes.filter(({ from, to }) => from !== to);
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    const message = `The cluster cannot say what would change: ${error.message}`;
    throw new Fault("unavailable", "cluster_unavailable", message, { cause: error });
  }
}

async function tryEffect(space: Space, { ref, field, value }: Effect, signal: AbortSignal) {
  const path = `/${field.replaceAll(".", "/")}`;
  const before = await space.get(ref, { signal });
  const after = await space.dryRunPatch(ref, [{ op: "add", path, value }], { signal });
  return { object: `${ref.kind}/${ref.name}`, field, from: before && read(before, field), to: read(after, field) };
}

function read(object: KubeObject, field: string): string | number | boolean | null {
  // deno-lint-ignore no-explicit-any
  return field.split(".").reduce((value: any, name) => value?.[name], object) ?? null;
}
