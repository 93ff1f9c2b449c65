/**
 * Defines what a hub's tier sets on a site: where its pods run, and how many backups are kept. The values are part of
 * the site's blueprint inputs, so a changed catalog changes a site only when the blueprint is reapplied.
 */
import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { isYamlMap } from "#lib/moodle/render.ts";
import { type BackupRetention, DEFAULT_RETENTION } from "#lib/model/backup.ts";

const LABEL_KEY = "must be a label key such as example.org/pool";
const KEY_PATTERN = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const LabelKey = v.pipe(v.string(LABEL_KEY), v.regex(KEY_PATTERN, LABEL_KEY));
const LABEL_VALUE = "must be the text of a label value; put numbers and true or false in quotes";
const VALUE_PATTERN = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/;
const LabelValue = v.pipe(v.string(LABEL_VALUE), v.regex(VALUE_PATTERN, LABEL_VALUE));

const MAX_ENTRIES = 20;
const NODE_SELECTOR = `must be a map of 1 to ${MAX_ENTRIES} node labels`;
const NodeSelector = v.pipe(
  v.custom<Readonly<Record<string, unknown>>>(isYamlMap, NODE_SELECTOR),
  v.record(LabelKey, LabelValue),
  v.check((labels) => isCountValid(Object.keys(labels)), NODE_SELECTOR),
);

const OPERATORS = ["Equal", "Exists"] as const, EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"] as const;
const SECONDS = "must be a whole number of seconds";
/** A toleration of a pod, with the rules of the Kubernetes API. */
const Toleration = v.pipe(
  v.strictObject({
    key: v.optional(LabelKey),
    operator: v.optional(v.picklist(OPERATORS, `must be one of ${OPERATORS.join(", ")}`)),
    value: v.optional(LabelValue),
    effect: v.optional(v.picklist(EFFECTS, `must be one of ${EFFECTS.join(", ")}`)),
    tolerationSeconds: v.optional(v.pipe(v.number(SECONDS), v.integer(SECONDS))),
  }),
  v.check(({ key, operator }) => key !== undefined || operator === "Exists", "without a key needs operator: Exists"),
  v.check(({ operator, value }) => operator !== "Exists" || !value, "with operator: Exists must not have a value"),
  v.check(
    ({ effect, tolerationSeconds }) => tolerationSeconds === undefined || effect === "NoExecute",
    "with tolerationSeconds needs effect: NoExecute",
  ),
);

const TOLERATIONS = `must be a list of 1 to ${MAX_ENTRIES} tolerations`;
const Tolerations = v.pipe(v.array(Toleration, TOLERATIONS), v.check((list) => isCountValid(list), TOLERATIONS));

const PRIORITY_CLASS = "must be the name of a PriorityClass";
const PriorityClass = v.pipe(
  v.string(PRIORITY_CLASS),
  v.regex(/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/, PRIORITY_CLASS),
);

/** The maximum number of backups that a retention may keep. */
const MAX_KEPT = 100;

function countOf(minimum: number) {
  const message = `must be a whole number from ${minimum} to ${MAX_KEPT}`;
  return v.pipe(v.number(message), v.integer(message), v.minValue(minimum, message), v.maxValue(MAX_KEPT, message));
}

const RetentionSchema = v.pipe(
  v.strictObject({ daily: countOf(1), weekly: countOf(0), monthly: countOf(0) }),
  v.check((retention) => countBackups(retention) <= MAX_KEPT, `must keep at most ${MAX_KEPT} backups in total`),
);

/** The fields of a tier that become part of a site's blueprint inputs. */
export const tierInputEntries = {
  nodeSelector: v.optional(NodeSelector),
  tolerations: v.optional(Tolerations),
  priorityClass: v.optional(PriorityClass),
  retention: v.optional(RetentionSchema),
};
export const TierInputs = v.object(tierInputEntries);
export type TierInputs = v.InferOutput<typeof TierInputs>;

function isCountValid({ length }: readonly unknown[]): boolean {
  return length >= 1 && length <= MAX_ENTRIES;
}

function countBackups({ daily, weekly, monthly }: BackupRetention): number {
  return daily + weekly + monthly;
}

/** Returns the object with the tier's values. Returns the same object if the tier does not change it. */
export function applyTier(object: KubeObject, tier: TierInputs | undefined): KubeObject {
  if (!tier) return object;
  if (object.kind === "ResourceQuota") return tier.retention ? raiseSnapshotQuota(object, tier.retention) : object;
  const isPlaced = tier.nodeSelector ?? tier.tolerations ?? tier.priorityClass;
  return isPlaced === undefined || object["spec"] === undefined
    ? object
    : { ...object, spec: placeTemplates(object["spec"], tier) };
}

interface WorkloadSpec {
  readonly template?: { readonly spec?: PodSpec };
  readonly jobTemplate?: { readonly spec: WorkloadSpec };
}

interface PodSpec {
  readonly nodeSelector?: TierInputs["nodeSelector"];
  readonly tolerations?: TierInputs["tolerations"];
}

function placeTemplates(spec: WorkloadSpec, tier: TierInputs): WorkloadSpec {
  const { template, jobTemplate } = spec;
  return {
    ...spec,
    ...(template?.spec && { template: { ...template, spec: placePod(template.spec, tier) } }),
    ...(jobTemplate && { jobTemplate: { ...jobTemplate, spec: placeTemplates(jobTemplate.spec, tier) } }),
  };
}

/** Adds the tier's placement to what the manifest has. */
function placePod(spec: PodSpec, { nodeSelector, tolerations, priorityClass }: TierInputs): PodSpec {
  return {
    ...spec,
    ...(nodeSelector && { nodeSelector: { ...spec.nodeSelector, ...nodeSelector } }),
    ...(tolerations && { tolerations: [...spec.tolerations ?? [], ...tolerations] }),
    ...(priorityClass && { priorityClassName: priorityClass }),
  };
}

const SNAPSHOT_QUOTA = "count/volumesnapshots.snapshot.storage.k8s.io";
const SNAPSHOTS_OF_BACKUP = 2; // one of each volume
/** The number of backups beyond the retention: those that a user requested, and the one that is being taken. */
const OTHER_BACKUPS = 3;

function raiseSnapshotQuota(object: KubeObject, retention: BackupRetention): KubeObject {
  const { hard } = object["spec"], needed = SNAPSHOTS_OF_BACKUP * (countBackups(retention) + OTHER_BACKUPS);
  if (!(Number(hard?.[SNAPSHOT_QUOTA]) < needed)) return object;
  return { ...object, spec: { ...object["spec"], hard: { ...hard, [SNAPSHOT_QUOTA]: String(needed) } } };
}

/** Replaces the tier's values in the inputs. */
export function withTier<I extends { readonly tier?: TierInputs | undefined }>(
  { tier: _, ...inputs }: I,
  tier: TierInputs | undefined,
): Omit<I, "tier"> & { readonly tier?: TierInputs } {
  return { ...inputs, ...(tier && { tier }) };
}

/** Whether the pods of the site must move: the tiers place them differently. */
export function isPlacedDifferently(before: TierInputs | undefined, after: TierInputs | undefined): boolean {
  const placementOf = ({ retention: _, ...placement }: TierInputs = {}) => placement;
  return !isDeepStrictEqual(placementOf(before), placementOf(after));
}

/** Returns the retention for the site's backups. */
export function retentionOf({ tier }: { readonly tier?: TierInputs | undefined }): BackupRetention {
  return tier?.retention ?? DEFAULT_RETENTION;
}
