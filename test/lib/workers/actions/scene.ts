/** An installed site, with helpers that read its row, the cluster and its Moodle. */
import type { ClusterNamespace, KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { createLog, SILENT_LOG } from "#lib/base/log.ts";
import type { Job } from "#lib/jobs/job.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import type { SimulatedSite } from "#lib/dev/simulator/programs/moodle/site.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import type { SpokeActionName } from "#lib/operations/table.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { until } from "#test/support/until.ts";
import { openWorkScene, startReplica, type WorkScene } from "#test/lib/workers/scene.ts";

export const CALL = { signal: new AbortController().signal };

export interface Clinic {
  readonly scene: WorkScene;
  readonly id: string;
  readonly namespace: string;
  row(): Promise<SpokeRow>;
  ask(action: SpokeActionName): Promise<void>;
  /** Returns the last operation once it has ended. */
  does(action: SpokeActionName): Promise<Job>;
  /** Returns the last operation in its current state. */
  last(kind: string): Promise<Job>;
  /** Waits until this step of the kind's last operation is recorded. */
  passes(kind: string, step: string): Promise<Job>;
  /** Objects of this kind in the site's namespace. */
  objects(kind: string): KubeObject[];
  cron(): KubeObject;
  site(): SimulatedSite;
  space(): Promise<ClusterNamespace>;
  /** Blocks the creation of Jobs with this name prefix until the returned function is called. */
  holdBack(name: string): () => void;
  /** The replica's log lines. */
  readonly lines: readonly string[];
  close(): Promise<void>;
}

export async function openClinic(env: Record<string, string> = {}): Promise<Clinic> {
  const scene = await openWorkScene(5, env);
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  const lines: string[] = [];
  const log = createLog({ level: "debug", format: "json", write: (line) => void lines.push(line) });
  const replica = await startReplica({ ...scene.app, log });
  const { namespace } = await scene.becomes(id, "active");
  const clinic: Clinic = {
    scene,
    id,
    namespace,
    row: () => scene.row(id),
    async ask(action) {
      await scene.db.transact((tx) =>
        checkAndEnqueueAction(scene.app, tx, scene.actor, id, { action, parameters: {} })
      );
    },
    async does(action) {
      await clinic.ask(action);
      return await scene.ended(id, action);
    },
    last: async (kind) => (await scene.operations(id)).find((job) => job.kind === kind)!,
    passes: (kind, step) =>
      until(async () => {
        const job = await clinic.last(kind);
        return job?.finishedSteps.includes(step) && job;
      }),
    objects: (kind) => scene.simulator.objects(kind).filter(({ metadata }) => metadata.namespace === namespace),
    cron: () => clinic.objects("CronJob")[0]!,
    site: () => scene.simulator.site(namespace),
    async space() {
      const { cluster, namespaceUid: uid } = await scene.row(id);
      return (await scene.app.clusters.open(cluster)).space(namespace, uid!);
    },
    holdBack(name) {
      const message = "Internal error occurred: failed calling webhook: it does not answer";
      const fault = scene.simulator.faults.add({ type: "deny", kind: "Job", name, message });
      return () => void scene.simulator.faults.remove(fault);
    },
    lines,
    async close() {
      await replica.close();
      await scene.close();
    },
  };
  return clinic;
}

/** Returns a run of this job with the given fence, even if it has lost the job. */
export function holderOf(clinic: Clinic, job: Job, fence: string): JobRun {
  return {
    job: { ...job, fence },
    signal: CALL.signal,
    log: SILENT_LOG,
    leaving: new AbortController().signal,
    throwIfStopped: () => {},
    write: (work) => clinic.scene.db.transact(work),
    saveProgress: () => Promise.resolve(),
    showProgress: () => {},
    timeLeft: () => 20_000,
  };
}

/** Returns the spoke's audit events, oldest first. */
export async function auditsOf({ scene, id }: Clinic): Promise<{ kind: string; metadata: Record<string, unknown> }[]> {
  return await scene.db.sql("select kind, metadata from audit_events where spoke_id = $1 order by at, id", [
    id,
  ]) as never;
}

/** Returns the spec of a Job whose pod looks like a scheduled task and does not end. */
export function sleepingTask(): object {
  const labels = { op: "cron", role: "app", "files-user": "true" };
  const security = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
  const container = { name: "cron", image: "moodle", command: ["sleep", "1000"], securityContext: security };
  const securityContext = { runAsNonRoot: true, runAsUser: 65534, seccompProfile: { type: "RuntimeDefault" } };
  const spec = { restartPolicy: "Never", terminationGracePeriodSeconds: 0, securityContext, containers: [container] };
  return { template: { metadata: { labels }, spec } };
}
