/** Checks Deployments, StatefulSets, Jobs and CronJobs against rules that involve several fields. Parses schedules. */
import { cause, collectCauses, type StatusCause } from "#lib/dev/simulator/admission/status-error.ts";
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
      cause.unsupported("spec.strategy", { Type: type, RollingUpdate: null }, ["Recreate", "RollingUpdate"]),
    type === "Recreate" && rollingUpdate &&
      cause.forbidden(field, "may not be specified when strategy `type` is 'Recreate'"),
    type === "RollingUpdate" && none(maxSurge) && none(maxUnavailable) &&
      cause.invalid(`${field}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0"),
    deadline !== undefined && deadline <= minReadySeconds &&
      cause.invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds"),
  );
}

export function validateStatefulSet({ spec }: Json): StatusCause[] {
  const { selector, podManagementPolicy: policy = "Parallel", updateStrategy, volumeClaimTemplates = [] } = spec;
  const { type = "OnDelete", rollingUpdate = null } = updateStrategy ?? {};
  const strategy = { Type: type, RollingUpdate: rollingUpdate };
  return collectCauses(
    validateSelectorNotEmpty(selector, "statefulset"),
    policy !== "OrderedReady" && policy !== "Parallel" &&
      cause.invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'"),
    type !== "RollingUpdate" && type !== "OnDelete" &&
      cause.invalid("spec.updateStrategy", strategy, "must be 'RollingUpdate' or 'OnDelete'"),
    volumeClaimTemplates.flatMap((claim: Json, i: number) =>
      validatePvc(`spec.volumeClaimTemplates[${i}].spec`, claim.spec)
    ),
  );
}

function validateSelectorNotEmpty(selector: Json, what: string): StatusCause[] {
  const empty = isRecord(selector) && !Object.keys(selector.matchLabels ?? {}).length &&
    !selector.matchExpressions?.length;
  return collectCauses(empty && cause.invalid("spec.selector", {}, `empty selector is invalid for ${what}`));
}

export function validateJob({ spec }: Json): StatusCause[] {
  const policy = spec.template?.spec?.restartPolicy ?? "", field = "spec.template.spec.restartPolicy";
  const why = 'only "Never" is supported when podFailurePolicy is specified';
  return collectCauses(spec.podFailurePolicy && policy !== "Never" && cause.invalid(field, policy, why));
}

export function validateCronJob({ spec }: Json): StatusCause[] {
  const { schedule = "", timeZone } = spec, fields = schedule.trim().split(/\s+/);
  const wrong = fields.length !== 5 && !schedule.startsWith("@")
    ? `expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`
    : parseCronSchedule(schedule);
  return collectCauses(
    typeof wrong === "string" && cause.invalid("spec.schedule", schedule, wrong),
    timeZone !== undefined && !isZone(timeZone) &&
      cause.invalid("spec.timeZone", timeZone, `unknown time zone ${timeZone}`),
  );
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== null;
  } catch {
    return false;
  }
}

const DESCRIPTORS: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
};
const RANGES = [[0, 59], [0, 23], [1, 31], [1, 12], [0, 6]] as const;
const NAMES = [
  [],
  [],
  [],
  ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
  ["sun", "mon", "tue", "wed", "thu", "fri", "sat"],
];

/** Returns the values that each field allows, or an error message. The list is empty for `@every`, which never runs. */
export function parseCronSchedule(schedule: string): ReadonlySet<number>[] | string {
  if (/^@every \d+(\.\d+)?(ns|us|ms|s|m|h)/.test(schedule)) return [];
  if (schedule.startsWith("@") && !Object.hasOwn(DESCRIPTORS, schedule)) return `unrecognized descriptor: ${schedule}`;
  const fields: Set<number>[] = [];
  for (const [i, field] of (DESCRIPTORS[schedule] ?? schedule).trim().split(/\s+/).slice(0, RANGES.length).entries()) {
    const values = fields[i] = new Set<number>();
    for (const part of field.split(",")) {
      const read = parseSchedulePart(part, i);
      if (typeof read === "string") return read;
      for (let value = read.from; value <= read.to; value += read.step) values.add(value);
    }
  }
  return fields;
}

/** Parses one part of a schedule field: `*`, `5`, `1-5` or `0-59/10`. */
function parseSchedulePart(part: string, i: number): { from: number; to: number; step: number } | string {
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
  const size = step === undefined ? 1 : /^\d+$/.test(step) ? Number(step) : NaN;
  for (const [text, value] of [[low, from], [high ?? low, to], [step, size]] as const) {
    if (Number.isNaN(value)) return `failed to parse int from ${text}: strconv.Atoi: parsing "${text}": invalid syntax`;
  }
  if (from < least) return `beginning of range (${from}) below minimum (${least}): ${part}`;
  if (to > most) return `end of range (${to}) above maximum (${most}): ${part}`;
  if (from > to) return `beginning of range (${from}) beyond end of range (${to}): ${part}`;
  return size === 0 ? `step of range should be a positive number: ${part}` : { from, to, step: size };
}
