/** Defines the API schemas for rollouts: one action on many spokes, in waves. */
import * as v from "valibot";
import { parameterEntries } from "#lib/model/field.ts";
import { ROLLOUT_ACTIONS, ROLLOUT_SPOKE_STATES, WEEKDAYS } from "#lib/model/rollout.ts";
import { ROLLOUT_STATES } from "#lib/model/states.ts";
import {
  boundedList,
  createOptionalChoiceSchema,
  NullableTimestamp,
  optionalOrNull,
  Timestamp,
} from "#lib/base/schema.ts";
import { isTimeZone } from "#lib/base/time.ts";
import { createSelectorSchema } from "#lib/domains/spokes/filter.ts";
import { ROLLOUT_PARAMETERS } from "#lib/operations/table.ts";

/** The maximum number of spokes in a rollout. */
export const MAX_ROLLOUT_SPOKES = 1000;

const TIME_MESSAGE = "must be a time of day such as 22:00";
const TimeOfDay = v.pipe(v.string(TIME_MESSAGE), v.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, TIME_MESSAGE));

const Window = v.object({
  days: boundedList(
    v.picklist(WEEKDAYS, `must be one of ${WEEKDAYS.join(", ")}`),
    1,
    7,
    "must be a list of 1 to 7 days",
  ),
  from: TimeOfDay,
  to: TimeOfDay,
  timeZone: v.pipe(
    v.string("must be a time zone such as Europe/Berlin"),
    v.maxLength(64, "must be a time zone such as Europe/Berlin"),
    v.check(isTimeZone, "must be a time zone such as Europe/Berlin"),
  ),
});

const BATCH_MESSAGE = "must be a number of spokes such as 20, or a percentage such as 10%";
const Batch = v.pipe(v.string(BATCH_MESSAGE), v.regex(/^(?:[1-9]\d{0,3}|[1-9]\d?%|100%)$/, BATCH_MESSAGE));

function wholeNumber(minimum: number, maximum: number) {
  const message = `must be a whole number from ${minimum} to ${maximum}`;
  return v.pipe(v.number(message), v.integer(message), v.minValue(minimum, message), v.maxValue(maximum, message));
}

const Canary = v.object({ spokes: wholeNumber(0, 100), minutes: wholeNumber(0, 1440) });

const RolloutSelector = createSelectorSchema(MAX_ROLLOUT_SPOKES);

export const NewRollout = v.object({
  action: v.picklist(ROLLOUT_ACTIONS, `must be one of ${ROLLOUT_ACTIONS.join(", ")}`),
  ...parameterEntries(ROLLOUT_PARAMETERS),
  selector: RolloutSelector,
  canary: v.optional(Canary),
  batch: optionalOrNull(Batch),
  maxUnavailable: optionalOrNull(wholeNumber(1, 1000)),
  maxFailures: optionalOrNull(wholeNumber(1, 1000)),
  window: v.optional(Window),
});
export type NewRollout = v.InferOutput<typeof NewRollout>;

/** The values of a rollout that does not set them. */
export const ROLLOUT_DEFAULTS = {
  canary: { spokes: 1, minutes: 10 },
  batch: "10%",
  maxUnavailable: 5,
  maxFailures: 1,
} as const;

const planEntries = {
  action: v.picklist(ROLLOUT_ACTIONS),
  /** The parameters of the action. */
  parameters: v.record(v.string(), v.unknown()),
  canary: v.object({ spokes: v.number(), minutes: v.number() }),
  batch: v.string(),
  maxUnavailable: v.number(),
  maxFailures: v.number(),
  window: v.nullable(v.object({ ...Window.entries, days: v.array(v.picklist(WEEKDAYS)), timeZone: v.string() })),
};

export const RolloutView = v.object({
  id: v.string(),
  state: v.picklist(ROLLOUT_STATES),
  ...planEntries,
  /** The thing that the rollout waits for. Null if it is not running. */
  note: v.nullable(v.string()),
  /** Why the rollout was paused. */
  reason: v.nullable(v.string()),
  /** The number of waves. Wave 0 is the canary. */
  waves: v.number(),
  /** The first wave with spokes that are not finished. Null if all are finished. */
  currentWave: v.nullable(v.number()),
  /** The number of spokes in each state. */
  counts: v.object(
    Object.fromEntries(ROLLOUT_SPOKE_STATES.map((state) => [state, v.number()])) as Record<
      (typeof ROLLOUT_SPOKE_STATES)[number],
      v.NumberSchema<undefined>
    >,
  ),
  requestedBy: v.object({ id: v.string(), email: v.string() }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  finishedAt: NullableTimestamp,
});
export type RolloutRecord = v.InferInput<typeof RolloutView>;

const spokeEntries = {
  spokeId: v.string(),
  federationId: v.string(),
  slug: v.string(),
  domain: v.string(),
  /** Null for a spoke that the action cannot change. */
  wave: v.nullable(v.number()),
  /** Why the spoke failed or is skipped. */
  reason: v.nullable(v.string()),
};

export const RolloutDetailView = v.object({
  ...RolloutView.entries,
  spokes: v.array(v.object({
    ...spokeEntries,
    state: v.picklist(ROLLOUT_SPOKE_STATES),
    operationId: v.nullable(v.string()),
    endedAt: NullableTimestamp,
  })),
});
export type RolloutDetail = v.InferInput<typeof RolloutDetailView>;

export const RolloutPreview = v.object({
  dryRun: v.literal(true),
  ...planEntries,
  /** The number of spokes in each wave. The first number is the canary. */
  waves: v.array(v.number()),
  /** The number of spokes that the action cannot change. */
  skipped: v.number(),
  /** The usual duration of the action on one spoke. Null if it has never succeeded. */
  usualSeconds: v.nullable(v.number()),
  /** The number of sites that are down for about this time. Null if it depends on the objects that change. */
  downtimes: v.nullable(v.number()),
  /** The least time in which the rollout can end. Null if the usual duration is unknown. */
  minimumSeconds: v.nullable(v.number()),
  /** The monthly price of the changed spokes at the catalog's prices. Null if the action does not change it. */
  price: v.nullable(v.object({
    totals: v.array(v.object({ currency: v.string(), before: v.number(), after: v.number() })),
    /** The number of spokes for whose size, before or after, the catalog has no price. */
    unpriced: v.number(),
  })),
  spokes: v.array(v.object(spokeEntries)),
});
export type RolloutPreview = v.InferInput<typeof RolloutPreview>;

const FAILED_MESSAGE = "must be retry or skip";
/** Says whether the spokes that have failed are tried again (the default) or skipped. */
export const RolloutResumption = v.object({
  failed: v.optional(v.picklist(["retry", "skip"], FAILED_MESSAGE), "retry"),
});
export type RolloutResumption = v.InferOutput<typeof RolloutResumption>;

export const RolloutFilter = createOptionalChoiceSchema(ROLLOUT_STATES);
