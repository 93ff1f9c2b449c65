/** Checks Deployments, StatefulSets, Jobs and CronJobs against rules that involve several fields. */
import {
  collectCauses,
  forbiddenField,
  invalidValue,
  requiredValue,
  type StatusCause,
  unsupportedValue,
} from "#lib/dev/simulator/admission/status-error.ts";
import { parseCronSchedule } from "#lib/dev/simulator/admission/rules/schedule.ts";
import { validatePvc } from "#lib/dev/simulator/admission/rules/quotas.ts";
import { isRecord, type Json } from "#lib/dev/simulator/store/object.ts";

export function validateDeployment({ spec }: Json): StatusCause[] {
  const { strategy = {}, selector, minReadySeconds = 0, progressDeadlineSeconds: deadline } = spec;
  const { type = "RollingUpdate", rollingUpdate } = strategy, field = "spec.strategy.rollingUpdate";
  const none = (value: Json) => value === 0 || value === "0%";
  const { maxSurge, maxUnavailable } = rollingUpdate ?? {};
  return collectCauses(
    validateSelectorNotEmpty(selector, "deployment"),
    type !== "RollingUpdate" && type !== "Recreate" &&
      unsupportedValue("spec.strategy", { Type: type, RollingUpdate: null }, ["Recreate", "RollingUpdate"]),
    type === "Recreate" && rollingUpdate &&
      forbiddenField(field, "may not be specified when strategy `type` is 'Recreate'"),
    type === "RollingUpdate" && none(maxSurge) && none(maxUnavailable) &&
      invalidValue(`${field}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0"),
    deadline !== undefined && deadline <= minReadySeconds &&
      invalidValue("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds"),
  );
}

export function validateStatefulSet({ spec }: Json): StatusCause[] {
  const { selector, podManagementPolicy: policy = "Parallel", updateStrategy, volumeClaimTemplates = [] } = spec;
  const { type = "OnDelete", rollingUpdate = null } = updateStrategy ?? {};
  const strategy = { Type: type, RollingUpdate: rollingUpdate };
  return collectCauses(
    validateSelectorNotEmpty(selector, "statefulset"),
    policy !== "OrderedReady" && policy !== "Parallel" &&
      invalidValue("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'"),
    type !== "RollingUpdate" && type !== "OnDelete" &&
      invalidValue("spec.updateStrategy", strategy, "must be 'RollingUpdate' or 'OnDelete'"),
    volumeClaimTemplates.flatMap((claim: Json, i: number) => {
      const field = `spec.volumeClaimTemplates[${i}].spec`;
      return collectCauses(
        !claim.spec?.accessModes?.length && requiredValue(`${field}.accessModes`, "at least 1 access mode is required"),
        !claim.spec?.resources?.requests?.storage && requiredValue(`${field}.resources[storage]`),
        validatePvc(field, claim.spec),
      );
    }),
  );
}

function validateSelectorNotEmpty(selector: Json, what: string): StatusCause[] {
  const empty = isRecord(selector) && !Object.keys(selector.matchLabels ?? {}).length &&
    !selector.matchExpressions?.length;
  return collectCauses(empty && invalidValue("spec.selector", {}, `empty selector is invalid for ${what}`));
}

export function validateJob({ spec }: Json): StatusCause[] {
  const policy = spec.template?.spec?.restartPolicy ?? "", field = "spec.template.spec.restartPolicy";
  const why = 'only "Never" is supported when podFailurePolicy is specified';
  return collectCauses(spec.podFailurePolicy && policy !== "Never" && invalidValue(field, policy, why));
}

export function validateCronJob({ spec }: Json): StatusCause[] {
  const { schedule = "", timeZone } = spec;
  const read = parseCronSchedule(schedule);
  return collectCauses(
    typeof read === "string" && invalidValue("spec.schedule", schedule, read),
    timeZone !== undefined && !isZone(timeZone) &&
      invalidValue("spec.timeZone", timeZone, `unknown time zone ${timeZone}`),
  );
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== null;
  } catch {
    return false;
  }
}
