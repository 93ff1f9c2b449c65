/** Defines the API schemas for spokes. */
import * as v from "valibot";
import { CostView } from "#lib/domains/billing/views.ts";
import { changeEntries, inputEntries, parameterEntries, viewEntries } from "#lib/model/field.ts";
import { MoodleVersion, spokeFields } from "#lib/model/spoke.ts";
import { SPOKE_STATES } from "#lib/model/states.ts";
import { OperationView } from "#lib/jobs/operation.ts";
import { boundedList, boundedText, NullableTimestamp, optionalOrNull, Timestamp } from "#lib/base/schema.ts";
import { Fault } from "#lib/base/errors.ts";
import { SpokeFilterBody } from "#lib/domains/spokes/filter.ts";
import { Drift } from "#lib/domains/spokes/drift.ts";
import { ACTION_PARAMETERS, SPOKE_ACTIONS } from "#lib/operations/table.ts";

const CopiedFrom = v.object({ spokeId: v.string(), backupId: v.string() });

export const SpokeView = v.object({
  ...viewEntries(spokeFields),
  /** Former domains, which redirect to the current domain and stay reserved until the given time. */
  formerDomains: v.array(v.object({ domain: v.string(), until: Timestamp })),
  url: v.string(),
  /** Equal to `lmsVersion`. The API specification uses this name. */
  moodleVersion: v.string(),
  /** The spoke and backup that this spoke was copied from. Null if this spoke is not a copy. */
  from: v.nullable(CopiedFrom),
  /** Equal to `state`. The API specification uses this name. */
  status: v.picklist(SPOKE_STATES),
  operation: v.nullable(OperationView),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  readyAt: NullableTimestamp,
  observedAt: NullableTimestamp,
  /** When an operation on the spoke last failed. Null if none has. */
  lastFailedAt: NullableTimestamp,
  /** The differences between the site's objects in the cluster and the applied manifests. Null if there are none. */
  drift: v.nullable(Drift),
});
export type SpokeRecord = v.InferInput<typeof SpokeView>;

const choice = optionalOrNull(boundedText(1, 100));

export const NewSpoke = v.object({
  ...inputEntries(spokeFields),
  /** The ID or slug of the hub in the URL path. Can be omitted, but must not name another hub. */
  federationId: choice,
  moodleVersion: optionalOrNull(MoodleVersion),
  /** The ID or domain of a spoke to copy. Values that the request omits are taken from this spoke. */
  copyOf: optionalOrNull(boundedText(1, 253)),
  /** The backup to copy from: `newest` (default), `now` to take a new backup first, or a backup's ID. */
  copyBackup: optionalOrNull(boundedText(1, 100)),
});
export type NewSpoke = v.InferOutput<typeof NewSpoke>;

/** Values to change in a spoke. Undefined fields stay unchanged. */
export const SpokePatch = v.object(changeEntries(spokeFields));
export type SpokePatch = v.InferOutput<typeof SpokePatch>;

const Action = v.picklist(SPOKE_ACTIONS, `must be one of ${SPOKE_ACTIONS.join(", ")}`);

/** The parameters of all actions. Each action ignores those of the others. */
const actionParameters = { ...parameterEntries(ACTION_PARAMETERS), moodleVersion: optionalOrNull(MoodleVersion) };

export const SpokeAction = v.object({ action: Action, ...actionParameters });
export type SpokeAction = v.InferOutput<typeof SpokeAction>;

/** The maximum number of spokes that a bulk action changes. */
export const MAX_BULK_SPOKES = 500;

export const BULK_ACTIONS = [...SPOKE_ACTIONS, "destroy"] as const;

export const BulkAction = v.object({
  ids: v.optional(
    boundedList(boundedText(1, 100), 1, MAX_BULK_SPOKES, `must be a list of 1 to ${MAX_BULK_SPOKES} ids`),
  ),
  /** Selects spokes by their values. With `ids`, a spoke must match both. */
  filter: v.optional(SpokeFilterBody),
  action: v.picklist(BULK_ACTIONS, `must be one of ${BULK_ACTIONS.join(", ")}`),
  /** The `selection` of the preview. The action starts only if a new preview would be the same. */
  expected: v.optional(boundedText(1, 100)),
  ...actionParameters,
});
export type BulkAction = v.InferOutput<typeof BulkAction>;

export const BulkPreview = v.object({
  dryRun: v.literal(true),
  action: v.picklist(BULK_ACTIONS),
  /** The parameters of the action. */
  parameters: v.record(v.string(), v.unknown()),
  /** Identifies the spokes and which of them can run the action. */
  selection: v.string(),
  /** The number of spokes that can run the action, and the number of spokes that cannot. */
  possible: v.number(),
  refused: v.number(),
  /** The usual duration of the action on one spoke. Null if the action has never succeeded. */
  usualSeconds: v.nullable(v.number()),
  /** The number of sites that the action makes unavailable. Null if this depends on what changes on each site. */
  downtimes: v.nullable(v.number()),
  price: CostView,
  spokes: v.array(v.object({
    spokeId: v.string(),
    federationId: v.string(),
    slug: v.string(),
    domain: v.string(),
    state: v.string(),
    /** The state after the action. Null if the spoke cannot run the action; `reason` then says why. */
    becomes: v.nullable(v.string()),
    reason: v.nullable(v.string()),
  })),
});
export type BulkPreview = v.InferInput<typeof BulkPreview>;

const Problem = v.object({ statusCode: v.number(), code: v.string(), message: v.string(), error: v.string() });

export const BulkOutcome = v.object({
  id: v.string(),
  accepted: v.boolean(),
  spoke: v.optional(SpokeView),
  error: v.optional(Problem),
});
export type BulkOutcome = v.InferInput<typeof BulkOutcome>;

const Amounts = v.object({ cpu: v.string(), memory: v.string() });
const QuotaUse = v.object({ requests: Amounts, limits: Amounts, storage: v.string() });

export const SignInLinkView = v.object({ url: v.string(), expiresAt: Timestamp });
export type SignInLink = v.InferInput<typeof SignInLinkView>;

/** Fields that a spoke has only after its creation. A preview omits these fields. */
const CREATED_FIELDS = [
  ...["id", "formerDomains", "state", "status", "stateReason", "health", "maintenance", "operation"],
  ...["createdAt", "updatedAt", "readyAt", "observedAt", "lastFailedAt", "drift", "imageDigest"],
] as const;

export const SpokePreview = v.object({
  dryRun: v.literal(true),
  spoke: v.object({
    ...v.omit(SpokeView, [...CREATED_FIELDS]).entries,
    /** The spoke and backup to copy from. `backupId` is null if there is no backup yet. */
    from: v.nullable(v.object({ ...CopiedFrom.entries, backupId: v.nullable(v.string()) })),
  }),
  /** The Kubernetes objects that would be applied to create the spoke, in this order. */
  objects: v.array(v.record(v.string(), v.unknown())),
  /** The site's maximum resource use (`demand`), the namespace's quota, and the resources that exceed the quota. */
  quota: v.object({ demand: QuotaUse, quota: QuotaUse, over: v.array(v.string()) }),
  price: CostView,
});
export type SpokePreview = v.InferInput<typeof SpokePreview>;

/** A preview of an action on a spoke, or of a change to the spoke's settings. */
export const ActionPreview = v.object({
  dryRun: v.literal(true),
  action: v.string(),
  spokeId: v.string(),
  /** The spoke's current state (`state`), and the spoke's state after the action has succeeded (`becomes`). */
  state: v.string(),
  becomes: v.string(),
  /** Whether the site is unavailable during or after the action. */
  downtime: v.boolean(),
  steps: v.array(v.string()),
  /** The changes that the cluster reported in a dry run. */
  changes: v.array(v.object({ object: v.string(), field: v.string(), from: v.unknown(), to: v.unknown() })),
  /** Effects that are not visible in changed fields, and changes that the cluster would refuse. */
  notes: v.array(v.string()),
  price: CostView,
});
export type ActionPreview = v.InferInput<typeof ActionPreview>;

/** Returns the input with `moodleVersion`, an alias, as `lmsVersion`. Throws an `invalid` fault if the two differ. */
export function resolveVersionAlias<T extends Pick<NewSpoke, "lmsVersion" | "moodleVersion">>(
  { moodleVersion, lmsVersion = moodleVersion, ...rest }: T,
): Omit<T, "moodleVersion"> {
  if (moodleVersion !== undefined && lmsVersion !== moodleVersion) {
    const message = "lmsVersion and moodleVersion are the same parameter; set only one, or both to the same value";
    throw new Fault("invalid", "version_mismatch", message);
  }
  return { ...rest, lmsVersion } as Omit<T, "moodleVersion">;
}

export const SpokeAddonsView = v.object({
  spokeId: v.string(),
  /** When the site listed its add-ons. Null if it has not reported any list yet. */
  reportedAt: NullableTimestamp,
  /** The number of all add-ons. A report has room for about 100 of them. */
  total: v.nullable(v.number()),
  addons: v.array(v.object({
    component: v.string(),
    version: v.number(),
    enabled: v.boolean(),
    /** Whether the catalog lists the add-on. Null if the catalog has no list of add-ons. */
    listed: v.nullable(v.boolean()),
  })),
});
export type SpokeAddonsRecord = v.InferInput<typeof SpokeAddonsView>;
