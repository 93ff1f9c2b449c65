/** What Deployments, StatefulSets, Jobs and CronJobs must be, where a rule looks at more than one value. */
import {
  all,
  type Cause,
  forbiddenField,
  required,
  unsupported,
  wrongValue,
} from "#lib/dev/simulator/admission/refusal.ts";
import { badClaim } from "#lib/dev/simulator/admission/rules/space.ts";
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
  const why = schedule.split(/\s+/).length === 5 || schedule.startsWith("@") ? badSchedule(schedule) : null;
  return all(
    why && wrongValue("spec.schedule", schedule, why),
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

const DESCRIPTORS = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];
const NAMES = [
  [],
  [],
  [],
  ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
  ["sun", "mon", "tue", "wed", "thu", "fri", "sat"],
];
const RANGES = [[0, 59], [0, 23], [1, 31], [1, 12], [0, 6]] as const;

/** What is wrong with a schedule of five fields or of one word. */
function badSchedule(schedule: string): string | null {
  if (schedule.startsWith("@")) {
    return DESCRIPTORS.includes(schedule) || /^@every \d+(\.\d+)?(ns|us|ms|s|m|h)/.test(schedule)
      ? null
      : `unrecognized descriptor: ${schedule}`;
  }
  for (const [i, field] of schedule.split(/\s+/).entries()) {
    for (const part of field.split(",")) {
      const why = badPart(part, i);
      if (why) return why;
    }
  }
  return null;
}

function badPart(part: string, i: number): string | null {
  const [least, most] = RANGES[i]!;
  const [range = "", step, more] = part.split("/");
  if (more !== undefined) return `too many slashes: ${part}`;
  const [low = "", high, extra] = range.split("-");
  if (extra !== undefined) return `too many hyphens: ${part}`;
  const read = (text: string): number => {
    const named = NAMES[i]!.indexOf(text.toLowerCase());
    return named >= 0 ? named + least : /^\d+$/.test(text) ? Number(text) : NaN;
  };
  const any = low === "*" || low === "?";
  const from = any ? least : read(low);
  const to = any ? most : high !== undefined ? read(high) : step === undefined ? from : most;
  for (const [text, value] of [[low, from], [high ?? low, to]] as const) {
    if (Number.isNaN(value)) return `failed to parse int from ${text}: strconv.Atoi: parsing "${text}": invalid syntax`;
  }
  if (step !== undefined && !/^\d+$/.test(step)) {
    return `failed to parse int from ${step}: strconv.Atoi: parsing "${step}": invalid syntax`;
  }
  if (from < least) return `beginning of range (${from}) below minimum (${least}): ${part}`;
  if (to > most) return `end of range (${to}) above maximum (${most}): ${part}`;
  if (from > to) return `beginning of range (${from}) beyond end of range (${to}): ${part}`;
  return step !== undefined && Number(step) === 0 ? `step of range should be a positive number: ${part}` : null;
}
