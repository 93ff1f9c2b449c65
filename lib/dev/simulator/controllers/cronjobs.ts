/** CronJobs: a Job at each time that the schedule names, at most one a minute, the old ones cleared away. */
import { MINUTE, SECOND } from "#lib/base/time.ts";
import type { Kind } from "#lib/dev/simulator/kinds.ts";
import { type Json, type KubeObject, timestamp } from "#lib/dev/simulator/object.ts";
import { Refusal } from "#lib/dev/simulator/refusal.ts";
import { deleteObject } from "#lib/dev/simulator/deletion.ts";
import { say } from "#lib/dev/simulator/events.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import { changeObject, createObject } from "#lib/dev/simulator/writes.ts";
import { type Controller, ownedBy, ownerReference, ownersOf } from "#lib/dev/simulator/controllers/controller.ts";

const BY = "cronjob-controller";
const MANAGER = "kube-controller-manager";
const AHEAD = 366 * 24 * 60; // minutes that are searched for the next time

export function cronJobController(world: World): Controller {
  const kind = world.kinds.of("batch/v1", "CronJob")!, jobs = world.kinds.of("batch/v1", "Job")!;
  return {
    kind,
    also: (change) => change.kind === jobs ? ownersOf(world, kind, change) : [],
    reconcile(cron) {
      if (cron.metadata.deletionTimestamp !== undefined) return;
      const own = ownedBy(world, jobs, cron);
      clear(world, jobs, cron, own);
      const active = own.filter((job) => resultOf(job) === null);
      const now = world.timers.now();
      const since = Date.parse(cron.status?.lastScheduleTime ?? cron.metadata.creationTimestamp);
      const due = nextTime(cron.spec.schedule, since);
      const late = cron.spec.startingDeadlineSeconds as number | undefined;
      const open = due !== null && due <= now && !cron.spec.suspend;
      const missed = open && late !== undefined && now - due > late * SECOND;
      const blocked = cron.spec.concurrencyPolicy === "Forbid" && active.length > 0;
      if (open && !missed && !blocked) run(world, jobs, cron, now);
      const present = ownedBy(world, jobs, cron).filter((job) => resultOf(job) === null);
      changeObject(world, kind, cron, MANAGER, (live) => {
        const { active: _, ...rest } = live.status ?? {};
        const references = present.map(({ metadata }) => ({
          kind: "Job",
          namespace: metadata.namespace,
          name: metadata.name,
          uid: metadata.uid,
          apiVersion: "batch/v1",
        }));
        const scheduled = open ? { lastScheduleTime: timestamp(Math.floor(now / MINUTE) * MINUTE) } : {};
        return { ...live, status: { ...rest, ...scheduled, ...(references.length > 0 ? { active: references } : {}) } };
      });
      if (cron.spec.suspend) return;
      const next = nextTime(cron.spec.schedule, now);
      return next === null ? undefined : Math.min(next - now + 50, 2 ** 30);
    },
  };
}

function run(world: World, jobs: Kind, cron: KubeObject, at: number): void {
  const { metadata, spec } = cron.spec.jobTemplate;
  const body = {
    metadata: {
      ...(metadata?.labels ? { labels: metadata.labels } : {}),
      annotations: { ...metadata?.annotations, "batch.kubernetes.io/cronjob-scheduled-timestamp": timestamp(at) },
      name: `${cron.metadata.name}-${Math.floor(at / MINUTE)}`,
      ownerReferences: [ownerReference(cron)],
    },
    spec,
  };
  try {
    createObject(world, jobs, cron.metadata.namespace, body, { manager: MANAGER });
    say(world, cron, {
      type: "Normal",
      reason: "SuccessfulCreate",
      message: `Created job ${body.metadata.name}`,
      by: BY,
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.reason === "AlreadyExists") return;
    say(world, cron, {
      type: "Warning",
      reason: "FailedCreate",
      message: `Error creating job: ${error.message}`,
      by: BY,
    });
  }
}

/** The oldest finished ones beyond what is to be kept. */
function clear(world: World, jobs: Kind, cron: KubeObject, own: readonly KubeObject[]): void {
  const limits = { Complete: cron.spec.successfulJobsHistoryLimit, Failed: cron.spec.failedJobsHistoryLimit };
  for (const result of ["Complete", "Failed"] as const) {
    const finished = own.filter((job) => resultOf(job) === result && job.metadata.deletionTimestamp === undefined)
      .sort((a, b) => b.metadata.name < a.metadata.name ? -1 : 1);
    for (const job of finished.slice(limits[result] ?? 0)) {
      deleteObject(world, jobs, job, { propagation: "Background" });
    }
  }
}

function resultOf(job: KubeObject): "Complete" | "Failed" | null {
  const end = (job.status?.conditions ?? []).find((each: Json) =>
    /^(Complete|Failed)$/.test(each.type) && each.status === "True"
  );
  return end?.type ?? null;
}

/** The first whole minute after `since` that the five fields name, in UTC; null if none exists within a year. */
export function nextTime(schedule: string, since: number): number | null {
  const fields = (NAMED[schedule] ?? schedule).trim().split(/\s+/).map((field, i) => readField(field, RANGES[i]!));
  if (fields.length !== 5) return null;
  let at = (Math.floor(since / MINUTE) + 1) * MINUTE;
  for (let i = 0; i < AHEAD; i++, at += MINUTE) {
    const time = new Date(at);
    const parts = [
      time.getUTCMinutes(),
      time.getUTCHours(),
      time.getUTCDate(),
      time.getUTCMonth() + 1,
      time.getUTCDay(),
    ];
    if (fields.every((field, j) => field.has(parts[j]!))) return at;
  }
  return null;
}

const NAMED: Record<string, string> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
};
const RANGES: readonly (readonly [number, number])[] = [[0, 59], [0, 23], [1, 31], [1, 12], [0, 7]];

/** `*`, `5`, `1-5`, `0-59/10`, `1,2,3`: the values of one field. */
function readField(field: string, [least, most]: readonly [number, number]): Set<number> {
  const values = new Set<number>();
  for (const part of field.split(",")) {
    const [range = "", step = "1"] = part.split("/");
    const [from, to] = range === "*" ? [least, most] : range.split("-").map(Number);
    const end = to ?? (part.includes("/") ? most : from!);
    for (let value = from!; value <= end; value += Number(step) || 1) values.add(most === 7 ? value % 7 : value);
  }
  return values;
}
