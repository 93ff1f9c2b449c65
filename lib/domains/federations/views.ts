/** A hub as the API shows it, and what it takes to make one or to change it. */
import * as v from "valibot";
import { FEDERATION_ACTIONS, FEDERATION_STATES } from "#lib/domains/federations/state.ts";
import { LIVE_STATES } from "#lib/operations/states.ts";
import { OperationView } from "#lib/jobs/operation.ts";
import {
  NullableTimestamp,
  optionalChoice,
  optionalOrNull,
  SearchText,
  Slug,
  text,
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
  /** Active ones that are not well. */
  degraded: v.number(),
  /** Active ones whose last drill could not prove their backup. */
  unproved: v.number(),
  /** Of the active ones' last proofs the oldest; null where there is none. */
  oldestProofAt: NullableTimestamp,
};
const SpokeCounts = v.object(spokeCounts);
export type SpokeCounts = v.InferInput<typeof SpokeCounts>;

export const TEMPLATE_STATES = ["making", "ready", "failed", "retiring"] as const;

/** An installation that new sites are made from. */
const TemplateSummary = v.object({
  cluster: v.string(),
  lmsVersion: v.string(),
  state: v.picklist(TEMPLATE_STATES),
  error: v.nullable(v.string()),
  nextTryAt: NullableTimestamp,
  readyAt: NullableTimestamp,
  lastUsedAt: NullableTimestamp,
});
export type TemplateSummary = v.InferInput<typeof TemplateSummary>;

/** All that the caller sees, in numbers; what is removed does not count. */
export const OverviewView = v.object({
  spokes: SpokeCounts,
  hubs: v.array(v.object({ federationId: v.string(), ...spokeCounts })),
  /** Operations that have not ended. */
  queue: v.object({ queued: v.number(), running: v.number(), oldestWaitSeconds: v.nullable(v.number()) }),
  /** Null but for operators who ask for all hubs. */
  templates: v.nullable(v.array(TemplateSummary)),
});
export type Overview = v.InferInput<typeof OverviewView>;

/** What a list of hubs can be narrowed by; all of them must fit. */
export const federationFilters = {
  slug: v.optional(Slug),
  state: optionalChoice(FEDERATION_STATES),
  /** A part of the slug or the name. */
  q: SearchText,
};
export type FederationFilter = {
  readonly [F in keyof typeof federationFilters]?: v.InferOutput<(typeof federationFilters)[F]>;
};

const choice = optionalOrNull(text(1, 100));

export const NewFederation = v.object({
  slug: Slug,
  name: optionalOrNull(text(1, 200)),
  region: choice,
  mode: choice,
  tier: choice,
});
export type NewFederation = v.InferOutput<typeof NewFederation>;

/** The slug may be said again; it must be the one that the hub has. */
export const FederationPatch = v.object({ ...NewFederation.entries, slug: choice });
export type FederationPatch = v.InferOutput<typeof FederationPatch>;

export const FederationAction = v.object({
  action: v.picklist(FEDERATION_ACTIONS, `must be one of ${FEDERATION_ACTIONS.join(", ")}`),
});
export type FederationAction = v.InferOutput<typeof FederationAction>;
