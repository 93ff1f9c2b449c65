/** A spoke as the API shows it, and what it takes to make one or to change it. */
import * as v from "valibot";
import { CostView } from "#lib/domains/billing/cost.ts";
import { Version } from "#lib/moodle/sizes.ts";
import { OperationView } from "#lib/jobs/operation.ts";
import {
  boundedList,
  Email,
  HostName,
  NullableTimestamp,
  optionalChoice,
  optionalOrNull,
  SearchText,
  Slug,
  text,
  Timestamp,
} from "#lib/base/schema.ts";
import { Drift } from "#lib/domains/spokes/drift.ts";
import { SPOKE_ACTIONS } from "#lib/operations/table.ts";
import { SPOKE_STATES } from "#lib/operations/states.ts";

const SPOKE_HEALTH = ["healthy", "degraded", "unknown"] as const;
const MAIL = ["on", "held"] as const;

/** Of a copy: the spoke that it is a copy of, and the backup that its data is from. */
const CopiedFrom = v.object({ spokeId: v.string(), backupId: v.string() });

export const SpokeView = v.object({
  id: v.string(),
  federationId: v.string(),
  slug: v.string(),
  displayName: v.string(),
  domain: v.string(),
  /** Names that it had before, which lead to the present one until then; nobody else can have them as long. */
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
  /** The same under the name that the specification gives it on the wire. */
  moodleVersion: v.string(),
  /** The image that ran after the installation or the last upgrade, restore or reapply; null until it was seen. */
  imageDigest: v.nullable(v.string()),
  seed: v.nullable(v.string()),
  /** Null of what is no copy. */
  from: v.nullable(CopiedFrom),
  /** `held` where the site sends no mail until an administrator says so, as a copy does. */
  mail: v.picklist(MAIL),
  state: v.picklist(SPOKE_STATES),
  status: v.picklist(SPOKE_STATES),
  stateReason: v.nullable(v.string()),
  health: v.picklist(SPOKE_HEALTH),
  /** Whether the site tells its visitors that it is in maintenance, because somebody asked for that. */
  maintenance: v.boolean(),
  namespace: v.string(),
  operation: v.nullable(OperationView),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  readyAt: NullableTimestamp,
  observedAt: NullableTimestamp,
  /** In what it differs from what it was made from; null where nothing is known to. */
  drift: v.nullable(Drift),
});
export type SpokeRecord = v.InferInput<typeof SpokeView>;

/** What a list of spokes can be narrowed by; all of them must fit. */
export const spokeFilters = {
  slug: v.optional(Slug),
  state: optionalChoice(SPOKE_STATES),
  health: optionalChoice(SPOKE_HEALTH),
  /** A part of the slug, the display name or the domain. */
  q: SearchText,
};
export type SpokeFilter = { readonly [F in keyof typeof spokeFilters]?: v.InferOutput<(typeof spokeFilters)[F]> };

const BOOLEAN_MESSAGE = "must be true or false";
const choice = optionalOrNull(text(1, 100));
const flag = optionalOrNull(v.boolean(BOOLEAN_MESSAGE));

export const NewSpoke = v.object({
  slug: Slug,
  /** Of the hub in the path, should it be given: its id or its slug. */
  federationId: choice,
  displayName: optionalOrNull(text(1, 200)),
  domain: optionalOrNull(HostName),
  size: choice,
  identity: flag,
  content: flag,
  contentMode: choice,
  brand: choice,
  adminEmail: optionalOrNull(Email),
  region: choice,
  lmsVersion: optionalOrNull(Version),
  moodleVersion: optionalOrNull(Version),
  seed: choice,
  /** Of a copy: the spoke whose courses and people it gets, by id or domain. What is absent is then as it is there. */
  copyOf: optionalOrNull(text(1, 253)),
  /** `newest`, which is what absent means; `now` for one that is taken first; or the id of a backup. */
  copyBackup: optionalOrNull(text(1, 100)),
});
export type NewSpoke = v.InferOutput<typeof NewSpoke>;

/** What is absent stays. */
export const SpokePatch = v.object({
  ...v.pick(NewSpoke, ["displayName", "brand", "adminEmail", "domain"]).entries,
  mail: optionalOrNull(v.picklist(MAIL, "must be on or held")),
});
export type SpokePatch = v.InferOutput<typeof SpokePatch>;

const Action = v.picklist(SPOKE_ACTIONS, `must be one of ${SPOKE_ACTIONS.join(", ")}`);

/** What some actions need, or may be told, besides. */
const actionParameters = {
  /** Of upgrade: the target version. */
  lmsVersion: optionalOrNull(Version),
  moodleVersion: optionalOrNull(Version),
  /** Of resize. */
  size: choice,
  /** Of upgrade: go on without a backup, where the cluster cannot take one. */
  skipBackup: flag,
};

export const SpokeAction = v.object({ action: Action, ...actionParameters });
export type SpokeAction = v.InferOutput<typeof SpokeAction>;

export const BulkAction = v.object({
  ids: boundedList(text(1, 100), 1, 500, "must be a list of 1 to 500 ids"),
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
const Demand = v.object({ requests: Amounts, limits: Amounts, storage: v.string() });

/** A way into a spoke's site, as it is shown once to the person who asked. */
export const SignInLinkView = v.object({ url: v.string(), expiresAt: Timestamp });
export type SignInLink = v.InferInput<typeof SignInLinkView>;

/** What a spoke has only once it is made. */
const CREATED_FIELDS = [
  ...["id", "formerDomains", "state", "status", "stateReason", "health", "maintenance", "operation"],
  ...["createdAt", "updatedAt", "readyAt", "observedAt", "drift", "imageDigest"],
] as const;

/** What creating a spoke would come to. */
export const SpokePreview = v.object({
  dryRun: v.literal(true),
  spoke: v.object({
    ...v.omit(SpokeView, [...CREATED_FIELDS]).entries,
    /** backupId is null of one that would be taken first. */
    from: v.nullable(v.object({ ...CopiedFrom.entries, backupId: v.nullable(v.string()) })),
  }),
  /** What would be applied in the cluster, in order. */
  objects: v.array(v.record(v.string(), v.unknown())),
  /** What it takes at most, what its namespace may take, and where the first is over the second. */
  quota: v.object({ demand: Demand, quota: Demand, over: v.array(v.string()) }),
  price: CostView,
});
export type SpokePreview = v.InferInput<typeof SpokePreview>;

/** What asking a spoke to change would come to. */
export const ActionPreview = v.object({
  dryRun: v.literal(true),
  action: v.string(),
  spokeId: v.string(),
  /** The spoke's state now, and once the action has succeeded. */
  state: v.string(),
  becomes: v.string(),
  /** Whether the site is away meanwhile, or from then on. */
  downtime: v.boolean(),
  /** What would be done, in order, as the operation would tell it. */
  steps: v.array(v.string()),
  /** What the cluster says would change, by its own dry run. */
  changes: v.array(v.object({ object: v.string(), field: v.string(), from: v.unknown(), to: v.unknown() })),
  /** What no field shows, and what the cluster would refuse. */
  notes: v.array(v.string()),
  price: CostView,
});
export type ActionPreview = v.InferInput<typeof ActionPreview>;
