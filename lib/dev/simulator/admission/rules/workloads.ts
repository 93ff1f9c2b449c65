/** Checks the rules of Deployments, StatefulSets, Jobs and CronJobs that involve several values. */
import {
  all,
  type Cause,
  forbiddenField,
  required,
  unsupported,
  wrongValue,
} from "#lib/dev/simulator/admission/status-error.ts";
import { readSchedule } from "#lib/dev/simulator/admission/rules/schedule.ts";
import { badClaim } from "#lib/dev/simulator/admission/rules/quotas.ts";
import { isRecord, type Json } from "#lib/dev/simulator/store/object.ts";

export function badDeployment({ spec }: Json): Cause[] {
  const { strategy = {}, selector, minReadySeconds = 0, progressDeadlineSeconds: deadline } = spec;
  const { type = "RollingUpdate", rollingUpdate } = strategy, field = "spec.strategy.rollingUpdate";
  const none = (value: Json) => value === 0 || value === "0%";
  const { maxSurge, maxUnavailable } = rollingUpdate ?? {};
  return all(
    badEmptySelector(selector, "deployment"),
    type !== "RollingUpdate" && type !== "Recreate" &&
      unsupported("spec.strategy", { Type: type, RollingUpdate: null }, ["Recreate", "RollingUpdate"]),
    type === "Recreate" && rollingUpdate &&
      forbiddenField(field, "may not be specified when strategy `type` is 'Recreate'"),
    type === "RollingUpdate" && none(maxSurge) && none(maxUnavailable) &&
      wrongValue(`${field}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0"),
    deadline !== undefined && deadline <= minReadySeconds &&
      wrongValue("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds"),
  );
}

export function badStatefulSet({ spec }: Json): Cause[] {
  const { selector, podManagementPolicy: policy = "Parallel", updateStrategy, volumeClaimTemplates = [] } = spec;
  const { type = "OnDelete", rollingUpdate = null } = updateStrategy ?? {};
  const strategy = { Type: type, RollingUpdate: rollingUpdate };
  return all(
    badEmptySelector(selector, "statefulset"),
    policy !== "OrderedReady" && policy !== "Parallel" &&
      wrongValue("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'"),
    type !== "RollingUpdate" && type !== "OnDelete" &&
      wrongValue("spec.updateStrategy", strategy, "must be 'RollingUpdate' or 'OnDelete'"),
    volumeClaimTemplates.flatMap((claim: Json, i: number) => {
      const field = `spec.volumeClaimTemplates[${i}].spec`;
      return all(
        !claim.spec?.accessModes?.length && required(`${field}.accessModes`, "at least 1 access mode is required"),
        !claim.spec?.resources?.requests?.storage && required(`${field}.resources[storage]`),
        badClaim(field, claim.spec),
      );
    }),
  );
}

function badEmptySelector(selector: Json, what: string): Cause[] {
  const empty = isRecord(selector) && !Object.keys(selector.matchLabels ?? {}).length &&
    !selector.matchExpressions?.length;
  return all(empty && wrongValue("spec.selector", {}, `empty selector is invalid for ${what}`));
}

export function badJob({ spec }: Json): Cause[] {
  const policy = spec.template?.spec?.restartPolicy ?? "", field = "spec.template.spec.restartPolicy";
  const why = 'only "Never" is supported when podFailurePolicy is specified';
  return all(spec.podFailurePolicy && policy !== "Never" && wrongValue(field, policy, why));
}

export function badCronJob({ spec }: Json): Cause[] {
  const { schedule = "", timeZone } = spec;
  const read = readSchedule(schedule);
  return all(
    typeof read === "string" && wrongValue("spec.schedule", schedule, read),
    timeZone !== undefined && !isZone(timeZone) &&
      wrongValue("spec.timeZone", timeZone, `unknown time zone ${timeZone}`),
  );
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== null;
  } catch {
    return false;
  }
}
