/** Schemas of hubs in the API. */
import * as v from "valibot";
import { FEDERATION_ACTIONS, FEDERATION_STATES } from "#lib/domains/federations/state.ts";
import { LIVE_STATES } from "#lib/operations/states.ts";
import { OperationView } from "#lib/jobs/operation.ts";
import {
  boundedText,
  NullableTimestamp,
  optionalChoice,
  optionalOrNull,
  SearchText,
  Slug,
  Timestamp,
} from "#lib/base/schema.ts";

export const FederationView = v.object({
  id: v.string(),
  slug: v.string(),
  name: v.string(),
  region: v.nullable(v.string()),
  mode: v.nullable(v.string()),
  tier: v.nullable(v.string()),
  state: v.picklist(FEDERATION_STATES),
  status: v.picklist(FEDERATION_STATES),
  stateReason: v.nullable(v.string()),
  spokeCount: v.number(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  operation: v.nullable(OperationView),
});
export type FederationRecord = v.InferInput<typeof FederationView>;

const spokeCounts = {
  total: v.number(),
  byState: v.object(v.entriesFromList(LIVE_STATES, v.number())),
  /** Active spokes that are degraded. */
  degraded: v.number(),
  /** Active spokes whose last restore test failed. */
  unverified: v.number(),
  /** The oldest of the last successful restore tests of all active spokes. Null if no test was successful. */
  oldestVerifiedAt: NullableTimestamp,
};
const SpokeCounts = v.object(spokeCounts);
export type SpokeCounts = v.InferInput<typeof SpokeCounts>;

export const TEMPLATE_STATES = ["creating", "ready", "failed", "retiring"] as const;

/** A template, from which new sites are created. */
const TemplateSummary = v.object({
  cluster: v.string(),
  lmsVersion: v.string(),
  state: v.picklist(TEMPLATE_STATES),
  error: v.nullable(v.string()),
  nextAttemptAt: NullableTimestamp,
  readyAt: NullableTimestamp,
  lastUsedAt: NullableTimestamp,
});
export type TemplateSummary = v.InferInput<typeof TemplateSummary>;

/** Counts of everything that the caller can see, without removed objects. */
export const OverviewView = v.object({
  spokes: SpokeCounts,
  hubs: v.array(v.object({ federationId: v.string(), ...spokeCounts })),
  /** Operations that are queued or running. */
  queue: v.object({ queued: v.number(), running: v.number(), oldestWaitSeconds: v.nullable(v.number()) }),
  /** The templates. Null unless an operator requests all hubs. */
  templates: v.nullable(v.array(TemplateSummary)),
});
export type Overview = v.InferInput<typeof OverviewView>;

/** Filters for lists of hubs. All must match. */
export const federationFilters = {
  slug: v.optional(Slug),
  state: optionalChoice(FEDERATION_STATES),
  /** A part of the slug or the name. */
  q: SearchText,
};
export type FederationFilter = {
  readonly [F in keyof typeof federationFilters]?: v.InferOutput<(typeof federationFilters)[F]>;
};

const choice = optionalOrNull(boundedText(1, 100));

export const NewFederation = v.object({
  slug: Slug,
  name: optionalOrNull(boundedText(1, 200)),
  region: choice,
  mode: choice,
  tier: choice,
});
export type NewFederation = v.InferOutput<typeof NewFederation>;

/** Changes of a hub. If the slug is sent, it must be the current one. */
export const FederationPatch = v.object({ ...NewFederation.entries, slug: choice });
export type FederationPatch = v.InferOutput<typeof FederationPatch>;

export const FederationAction = v.object({
  action: v.picklist(FEDERATION_ACTIONS, `must be one of ${FEDERATION_ACTIONS.join(", ")}`),
});
export type FederationAction = v.InferOutput<typeof FederationAction>;
