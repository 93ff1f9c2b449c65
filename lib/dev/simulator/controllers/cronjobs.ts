/** Simulates the CronJob controller: creates a Job at each scheduled minute and deletes old finished Jobs. */
import { MINUTE, SECOND } from "#lib/base/time.ts";
import { parseCronSchedule } from "#lib/dev/simulator/admission/rules/workloads.ts";
import type { Controller } from "#lib/dev/simulator/controllers/controller.ts";
import {
  changeObjectStatus,
  CONTROLLER_FIELD_MANAGER,
  createManagedObject,
  createOwnerReference,
  isConditionTrue,
  listOwnedObjects,
  recordKubernetesEvent,
} from "#lib/dev/simulator/controllers/objects.ts";
import { deleteObject } from "#lib/dev/simulator/admission/deletion.ts";
import { formatTimestamp, type StoredObject } from "#lib/dev/simulator/store/object.ts";
import { StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";

const COMPONENT = "cronjob-controller";
const SEARCH_MINUTES = 366 * 24 * 60; // minutes to search for the next scheduled time

export function cronJobController(world: Simulation): Controller {
  return {
    kind: "CronJob",
    owns: "Job",
    reconcile(cron) {
      const { schedule, suspend, concurrencyPolicy, startingDeadlineSeconds: late } = cron.spec;
      const active = () =>
        listOwnedObjects(world, "Job", cron).filter((job) =>
          !isConditionTrue(job, "Complete") && !isConditionTrue(job, "Failed")
        );
      deleteOldJobs(world, cron);
      const now = world.timers.now();
      const due = findNextTime(schedule, Date.parse(cron.status?.lastScheduleTime ?? cron.metadata.creationTimestamp));
      const open = due !== null && due <= now && !suspend;
      const missed = open && late !== undefined && now - due > late * SECOND;
      const blocked = concurrencyPolicy === "Forbid" && active().length > 0;
      if (open && !missed && !blocked) createCronJobRun(world, cron, now);
      const present = active().map(({ metadata: { namespace, name, uid } }) => (
        { kind: "Job", namespace, name, uid, apiVersion: "batch/v1" }
      ));
      changeObjectStatus(world, cron, CONTROLLER_FIELD_MANAGER, ({ active: _, ...status }) => ({
        ...status,
        ...(open ? { lastScheduleTime: formatTimestamp(Math.floor(now / MINUTE) * MINUTE) } : {}),
        ...(present.length > 0 ? { active: present } : {}),
      }));
      const next = suspend ? null : findNextTime(schedule, now);
      return next === null ? undefined : Math.min(next - now + 50, 2 ** 30);
    },
  };
}

function createCronJobRun(world: Simulation, cron: StoredObject, at: number): void {
  const { metadata, spec } = cron.spec.jobTemplate, name = `${cron.metadata.name}-${Math.floor(at / MINUTE)}`;
  try {
    createManagedObject(world, CONTROLLER_FIELD_MANAGER, {
      kind: "Job",
      metadata: {
        ...(metadata?.labels ? { labels: metadata.labels } : {}),
        annotations: {
          ...metadata?.annotations,
          "batch.kubernetes.io/cronjob-scheduled-timestamp": formatTimestamp(at),
        },
        name,
        namespace: cron.metadata.namespace,
        ownerReferences: [createOwnerReference(cron)],
      },
      spec,
    });
    recordKubernetesEvent(world, cron, { by: COMPONENT, normal: "SuccessfulCreate", message: `Created job ${name}` });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    if (error.reason === "AlreadyExists") return;
    recordKubernetesEvent(world, cron, {
      by: COMPONENT,
      warning: "FailedCreate",
      message: `Error creating job: ${error.message}`,
    });
  }
}

function deleteOldJobs(world: Simulation, cron: StoredObject): void {
  const own = listOwnedObjects(world, "Job", cron);
  const limits = { Complete: cron.spec.successfulJobsHistoryLimit, Failed: cron.spec.failedJobsHistoryLimit };
  for (const [result, most] of Object.entries(limits)) {
    const finished = own.filter((job) => isConditionTrue(job, result) && job.metadata.deletionTimestamp === undefined)
      .sort((a, b) => b.metadata.name < a.metadata.name ? -1 : 1);
    for (const job of finished.slice(most ?? 0)) deleteObject(world, job, { propagation: "Background" });
  }
}

/** Returns the first minute after `since` that matches the schedule in UTC; null if none does within a year. */
function findNextTime(schedule: string, since: number): number | null {
  const fields = parseCronSchedule(schedule);
  if (typeof fields === "string" || fields.length !== 5) return null;
  let at = (Math.floor(since / MINUTE) + 1) * MINUTE;
  for (let i = 0; i < SEARCH_MINUTES; i++, at += MINUTE) {
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
