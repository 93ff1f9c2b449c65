/** Defines the API schemas for hubs. */
import * as v from "valibot";
import { FEDERATION_ACTIONS } from "#lib/domains/federations/state.ts";
import { TEMPLATE_STATES } from "#lib/model/backup.ts";
import { changeEntries, inputEntries, viewEntries } from "#lib/model/field.ts";
import { hubFields } from "#lib/model/hub.ts";
import { HUB_STATES, LIVE_STATES } from "#lib/model/states.ts";
import { OperationView } from "#lib/jobs/operation.ts";
import {
  boundedText,
  createOptionalChoiceSchema,
  NullableTimestamp,
  optionalOrNull,
  SearchText,
  Slug,
  Timestamp,
} from "#lib/base/schema.ts";

const { stateReason, ...hubEntries } = viewEntries(hubFields);

export const FederationView = v.object({
  ...hubEntries,
  /** Equal to `state`. The API specification uses this name. */
  status: v.picklist(HUB_STATES),
  stateReason,
  spokeCount: v.number(),
  /** A sentence about a mode that does less than it seems to; null for the other modes. */
  modeNote: v.nullable(v.string()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  operation: v.nullable(OperationView),
});
export type FederationRecord = v.InferInput<typeof FederationView>;

const spokeCounts = {
  total: v.number(),
  byState: v.object(v.entriesFromList(LIVE_STATES, v.number())),
  /** The number of active spokes whose health is degraded. */
  degraded: v.number(),
  /** The number of active spokes whose last restore test failed. */
  unverified: v.number(),
  /** The earliest of the times at which active spokes last passed a restore test. Null if none has passed a test. */
  oldestVerifiedAt: NullableTimestamp,
};
const SpokeCounts = v.object(spokeCounts);
export type SpokeCounts = v.InferInput<typeof SpokeCounts>;

/** A template: a prepared installation from which new sites are created. */
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

const HUBS_MESSAGE = "must be at most 100 IDs of hubs, separated by commas";
/** The IDs of the hubs to list in an overview, separated by commas. An empty text lists no hub. */
export const ListedHubs = v.optional(v.pipe(
  v.string(HUBS_MESSAGE),
  v.regex(/^(?:\w{1,40}(?:,\w{1,40}){0,99})?$/, HUBS_MESSAGE),
  v.transform((ids) => ids.split(",").filter(Boolean)),
));

/** The numbers of objects that the caller can see. Removed objects do not count. */
export const OverviewView = v.object({
  spokes: SpokeCounts,
  hubs: v.array(v.object({ federationId: v.string(), ...spokeCounts })),
  /** The numbers of queued and running operations. `oldestWaitSeconds` is null if no operation waits in the queue. */
  queue: v.object({ queued: v.number(), running: v.number(), oldestWaitSeconds: v.nullable(v.number()) }),
  /** The templates for new sites. Null unless an operator requests the overview of all hubs. */
  templates: v.nullable(v.array(TemplateSummary)),
  /** The spokes with manifests from an older revision of the blueprint. At most 1,000 are counted. */
  outdated: v.object({ spokes: v.number(), more: v.boolean() }),
});
export type OverviewCounts = v.InferInput<typeof OverviewView>;

/** Filters for lists of hubs. A hub must match all given filters. */
export const federationFilters = {
  slug: v.optional(Slug),
  state: createOptionalChoiceSchema(HUB_STATES),
  /** Text that the hub's slug or name must contain. */
  q: SearchText,
};
export type FederationFilter = {
  readonly [F in keyof typeof federationFilters]?: v.InferOutput<(typeof federationFilters)[F]>;
};

export const NewFederation = v.object(inputEntries(hubFields));
export type NewFederation = v.InferOutput<typeof NewFederation>;

/** Values to change in a hub. The slug cannot be changed: if given, `slug` must be the hub's current slug. */
export const FederationPatch = v.object({
  slug: optionalOrNull(boundedText(1, 100)),
  ...changeEntries(hubFields),
});
export type FederationPatch = v.InferOutput<typeof FederationPatch>;

export const FederationAction = v.object({
  action: v.picklist(FEDERATION_ACTIONS, `must be one of ${FEDERATION_ACTIONS.join(", ")}`),
});
export type FederationAction = v.InferOutput<typeof FederationAction>;
