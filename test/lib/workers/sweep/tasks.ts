/** Runs a site's scheduled tasks in the simulated cluster when a test wants them, instead of at each minute. */
import * as assert from "uvu/assert";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { until } from "#test/support/until.ts";
import { selectRows } from "#test/support/rows.ts";
import { byHand } from "./checks.ts";

const GIB = 2 ** 30;

export interface TaskSite {
  readonly scene: WorkScene;
  /** The spoke's ID. */
  readonly id: string;
  /** The number of runs so far. */
  runs: number;
}

/** Opens an environment with one active site, whose scheduled tasks run only when the test wants them. */
export async function openTaskSite(): Promise<TaskSite> {
  const scene = await openWorkScene();
  await scene.replica();
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.becomes(id, "active");
  await scene.stopReplicas();
  const site = { scene, id, runs: 0 };
  await suspendCron(site);
  return site;
}

export async function usageOf({ scene, id }: TaskSite) {
  return (await selectRows(scene.db, "spoke_usage", { spokeId: id }))[0]!;
}

/** Returns a line that says how many bytes of the disk for files are used, of 10 GiB. */
export function buildUsageLine(minutes: number, used: number, more: object = {}): object {
  return { usage: 1, at: currentSecond() + minutes * 60, disk: 10 * GIB, diskUsed: used, ...more };
}

/** Suspends the site's CronJob: a run of its own, at the start of a minute, would report other values. */
export async function suspendCron({ scene: { simulator, ...scene }, id }: TaskSite): Promise<void> {
  const { namespace } = await scene.row(id);
  const [cron] = simulator.objects("CronJob").filter(({ metadata }) => metadata.namespace === namespace);
  const path = `/apis/batch/v1/namespaces/${namespace}/cronjobs/${cron!.metadata.name}`;
  await byHand(simulator.url, path, { spec: { suspend: true } });
  await until(() =>
    simulator.objects("Job").every(({ metadata, status }) => metadata.namespace !== namespace || !status?.active)
  );
}

/**
 * Runs the scheduled tasks in a Job with the CronJob's template. With a message, their pod leaves this message. Each run
 * starts in a new second, because times in the cluster have no fractions.
 */
export async function runTasks(
  context: TaskSite,
  say?: () => object | string,
): Promise<Json> {
  const { scene: { simulator }, scene, id } = context, { namespace } = await scene.row(id);
  const second = currentSecond();
  await until(() => currentSecond() > second);
  const name = `tasks-${context.runs = context.runs + 1}`;
  if (say) {
    const message = say(), text = typeof message === "string" ? message : JSON.stringify(message);
    simulator.faults.add({ type: "termination-message", name: `${name}-`, message: text });
  }
  const cron = simulator.objects("CronJob").find(({ metadata }) => metadata.namespace === namespace)!;
  const job = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace },
    spec: cron["spec"].jobTemplate.spec,
  };
  const answer = await fetch(`${simulator.url}/apis/batch/v1/namespaces/${namespace}/jobs`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(job),
  });
  assert.is(answer.status, 201, await answer.text());
  return await until(() =>
    simulator.objects("Pod").find(({ metadata, status }) =>
      metadata.labels?.["job-name"] === name && status?.phase === "Succeeded"
    )?.["status"].containerStatuses[0].state.terminated
  );
}

export const currentSecond = () => Math.floor(Date.now() / 1000);
