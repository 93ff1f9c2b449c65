/** Simulates the CronJob controller: creates a Job at each scheduled minute and deletes old finished Jobs. */
import { MINUTE, SECOND } from "#lib/base/time.ts";
import { readSchedule } from "#lib/dev/simulator/admission/rules/schedule.ts";
import type { Controller } from "#lib/dev/simulator/controllers/controller.ts";
import {
  changeStatus,
  CONTROLLERS,
  isTrue,
  make,
  ownedBy,
  ownerReference,
} from "#lib/dev/simulator/controllers/objects.ts";
import { deleteObject } from "#lib/dev/simulator/admission/deletion.ts";
import { say } from "#lib/dev/simulator/controllers/events.ts";
import { type StoredObject, timestamp } from "#lib/dev/simulator/store/object.ts";
import { Refusal } from "#lib/dev/simulator/admission/status-error.ts";
import type { World } from "#lib/dev/simulator/world.ts";

const BY = "cronjob-controller";
const AHEAD = 366 * 24 * 60; // minutes to search for the next scheduled time

export function cronJobController(world: World): Controller {
  return {
    kind: "CronJob",
    owns: "Job",
    reconcile(cron) {
      const { schedule, suspend, concurrencyPolicy, startingDeadlineSeconds: late } = cron.spec;
      const active = () =>
        ownedBy(world, "Job", cron).filter((job) => !isTrue(job, "Complete") && !isTrue(job, "Failed"));
      clear(world, cron);
      const now = world.timers.now();
      const due = nextTime(schedule, Date.parse(cron.status?.lastScheduleTime ?? cron.metadata.creationTimestamp));
      const open = due !== null && due <= now && !suspend;
      const missed = open && late !== undefined && now - due > late * SECOND;
      const blocked = concurrencyPolicy === "Forbid" && active().length > 0;
      if (open && !missed && !blocked) run(world, cron, now);
      const present = active().map(({ metadata: { namespace, name, uid } }) => (
        { kind: "Job", namespace, name, uid, apiVersion: "batch/v1" }
      ));
      changeStatus(world, cron, CONTROLLERS, ({ active: _, ...status }) => ({
        ...status,
        ...(open ? { lastScheduleTime: timestamp(Math.floor(now / MINUTE) * MINUTE) } : {}),
        ...(present.length > 0 ? { active: present } : {}),
      }));
      const next = suspend ? null : nextTime(schedule, now);
      return next === null ? undefined : Math.min(next - now + 50, 2 ** 30);
    },
  };
}

function run(world: World, cron: StoredObject, at: number): void {
  const { metadata, spec } = cron.spec.jobTemplate, name = `${cron.metadata.name}-${Math.floor(at / MINUTE)}`;
  try {
    make(world, CONTROLLERS, {
      kind: "Job",
      metadata: {
        ...(metadata?.labels ? { labels: metadata.labels } : {}),
        annotations: { ...metadata?.annotations, "batch.kubernetes.io/cronjob-scheduled-timestamp": timestamp(at) },
        name,
        namespace: cron.metadata.namespace,
        ownerReferences: [ownerReference(cron)],
      },
      spec,
    });
    say(world, cron, { by: BY, normal: "SuccessfulCreate", message: `Created job ${name}` });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.reason === "AlreadyExists") return;
    say(world, cron, { by: BY, warning: "FailedCreate", message: `Error creating job: ${error.message}` });
  }
}

/** Deletes the oldest finished Jobs beyond the history limits. */
function clear(world: World, cron: StoredObject): void {
  const own = ownedBy(world, "Job", cron);
  const limits = { Complete: cron.spec.successfulJobsHistoryLimit, Failed: cron.spec.failedJobsHistoryLimit };
  for (const [result, most] of Object.entries(limits)) {
    const finished = own.filter((job) => isTrue(job, result) && job.metadata.deletionTimestamp === undefined)
      .sort((a, b) => b.metadata.name < a.metadata.name ? -1 : 1);
    for (const job of finished.slice(most ?? 0)) deleteObject(world, job, { propagation: "Background" });
  }
}

/** Returns the first minute (UTC) after `since` that matches the schedule, or null if none does within a year. */
function nextTime(schedule: string, since: number): number | null {
  const fields = readSchedule(schedule);
  if (typeof fields === "string" || fields.length !== 5) return null;
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
