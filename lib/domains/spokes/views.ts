/** Schemas of spokes in the API. */
import * as v from "valibot";
import { CostView } from "#lib/domains/billing/cost.ts";
import { VersionNumber } from "#lib/moodle/sizes.ts";
import { OperationView } from "#lib/jobs/operation.ts";
import {
  boundedList,
  boundedText,
  EmailAddress,
  HostName,
  NullableTimestamp,
  optionalChoice,
  optionalOrNull,
  SearchText,
  Slug,
  Timestamp,
} from "#lib/base/schema.ts";
import { Drift } from "#lib/domains/spokes/drift.ts";
import { SPOKE_ACTIONS } from "#lib/operations/table.ts";
import { SPOKE_STATES } from "#lib/operations/states.ts";

const SPOKE_HEALTH = ["healthy", "degraded", "unknown"] as const;
const MAIL = ["on", "held"] as const;

const CopiedFrom = v.object({ spokeId: v.string(), backupId: v.string() });

export const SpokeView = v.object({
  id: v.string(),
  federationId: v.string(),
  slug: v.string(),
  displayName: v.string(),
  domain: v.string(),
  /** Former domains, which redirect to the current one and stay reserved until then. */
  formerDomains: v.array(v.object({ domain: v.string(), until: Timestamp })),
  url: v.string(),
  size: v.string(),
  identity: v.boolean(),
  content: v.boolean(),
  contentMode: v.nullable(v.string()),
  brand: v.nullable(v.string()),
  adminEmail: v.string(),
  region: v.nullable(v.string()),
  lmsVersion: v.string(),
  /** Equals lmsVersion. The specification uses this name. */
  moodleVersion: v.string(),
  /**
   * The image digest after the installation or the last upgrade, restore or reapply. Null until a pod has reported it.
   */
  imageDigest: v.nullable(v.string()),
  seed: v.nullable(v.string()),
  /** The source of a copy. Null if the spoke is not a copy. */
  from: v.nullable(CopiedFrom),
  /** `held` if the site sends no mail until an administrator allows it, as in a copy. */
  mail: v.picklist(MAIL),
  state: v.picklist(SPOKE_STATES),
  status: v.picklist(SPOKE_STATES),
  stateReason: v.nullable(v.string()),
  health: v.picklist(SPOKE_HEALTH),
  /** Whether the site is in maintenance mode because somebody requested it. */
  maintenance: v.boolean(),
  namespace: v.string(),
  operation: v.nullable(OperationView),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  readyAt: NullableTimestamp,
  observedAt: NullableTimestamp,
  /** The drift of the site. Null if no drift was found. */
  drift: v.nullable(Drift),
});
export type SpokeRecord = v.InferInput<typeof SpokeView>;

/** Filters for lists of spokes. All must match. */
export const spokeFilters = {
  slug: v.optional(Slug),
  state: optionalChoice(SPOKE_STATES),
  health: optionalChoice(SPOKE_HEALTH),
  /** A part of the slug, the display name or the domain. */
  q: SearchText,
};
export type SpokeFilter = { readonly [F in keyof typeof spokeFilters]?: v.InferOutput<(typeof spokeFilters)[F]> };

const BOOLEAN_MESSAGE = "must be true or false";
const choice = optionalOrNull(boundedText(1, 100));
const flag = optionalOrNull(v.boolean(BOOLEAN_MESSAGE));

export const NewSpoke = v.object({
  slug: Slug,
  /** ID or slug of the hub. If present, this value must match the path. */
  federationId: choice,
  displayName: optionalOrNull(boundedText(1, 200)),
  domain: optionalOrNull(HostName),
  size: choice,
  identity: flag,
  content: flag,
  contentMode: choice,
  brand: choice,
  adminEmail: optionalOrNull(EmailAddress),
  region: choice,
  lmsVersion: optionalOrNull(VersionNumber),
  moodleVersion: optionalOrNull(VersionNumber),
  seed: choice,
  /** The spoke to copy, by ID or domain. The copied spoke provides omitted values. */
  copyOf: optionalOrNull(boundedText(1, 253)),
  /** `newest` (the default), `now` to take a backup first, or the ID of a backup. */
  copyBackup: optionalOrNull(boundedText(1, 100)),
});
export type NewSpoke = v.InferOutput<typeof NewSpoke>;

/** Changes of a spoke. Undefined fields stay unchanged. */
export const SpokePatch = v.object({
  ...v.pick(NewSpoke, ["displayName", "brand", "adminEmail", "domain"]).entries,
  mail: optionalOrNull(v.picklist(MAIL, "must be on or held")),
});
export type SpokePatch = v.InferOutput<typeof SpokePatch>;

const Action = v.picklist(SPOKE_ACTIONS, `must be one of ${SPOKE_ACTIONS.join(", ")}`);

/** Parameters of some actions. */
const actionParameters = {
  lmsVersion: optionalOrNull(VersionNumber),
  moodleVersion: optionalOrNull(VersionNumber),
  size: choice,
  /** Whether an upgrade continues without a backup if the cluster cannot take one. */
  skipBackup: flag,
};

export const SpokeAction = v.object({ action: Action, ...actionParameters });
export type SpokeAction = v.InferOutput<typeof SpokeAction>;

export const BulkAction = v.object({
  ids: boundedList(boundedText(1, 100), 1, 500, "must be a list of 1 to 500 ids"),
  action: Action,
  ...actionParameters,
});
export type BulkAction = v.InferOutput<typeof BulkAction>;

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

/** Fields that a spoke has only after its creation. */
const CREATED_FIELDS = [
  ...["id", "formerDomains", "state", "status", "stateReason", "health", "maintenance", "operation"],
  ...["createdAt", "updatedAt", "readyAt", "observedAt", "drift", "imageDigest"],
] as const;

export const SpokePreview = v.object({
  dryRun: v.literal(true),
  spoke: v.object({
    ...v.omit(SpokeView, [...CREATED_FIELDS]).entries,
    /** `backupId` is null if the backup has to be taken first. */
    from: v.nullable(v.object({ ...CopiedFrom.entries, backupId: v.nullable(v.string()) })),
  }),
  /** Objects that would be applied in the cluster, in order. */
  objects: v.array(v.record(v.string(), v.unknown())),
  /** The site's maximum demand, the quota of its namespace, and where the demand exceeds it. */
  quota: v.object({ demand: QuotaUse, quota: QuotaUse, over: v.array(v.string()) }),
  price: CostView,
});
export type SpokePreview = v.InferInput<typeof SpokePreview>;

/** The preview of an action or patch. */
export const ActionPreview = v.object({
  dryRun: v.literal(true),
  action: v.string(),
  spokeId: v.string(),
  /** The current state, and the state after the action succeeded. */
  state: v.string(),
  becomes: v.string(),
  /** Whether the site is unavailable during the action or after it. */
  downtime: v.boolean(),
  steps: v.array(v.string()),
  /** Changes according to the cluster's dry run. */
  changes: v.array(v.object({ object: v.string(), field: v.string(), from: v.unknown(), to: v.unknown() })),
  /** Effects that no field shows, and changes that the cluster would refuse. */
  notes: v.array(v.string()),
  price: CostView,
});
export type ActionPreview = v.InferInput<typeof ActionPreview>;
