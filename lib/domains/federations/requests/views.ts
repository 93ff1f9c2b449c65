/** A request for a hub as the API shows it, and what it takes to make one and to decide it. */
import * as v from "valibot";
import { FederationView, NewFederation } from "#lib/domains/federations/views.ts";
import { NullableTimestamp, optionalChoice, optionalOrNull, Slug, text, Timestamp } from "#lib/base/schema.ts";

const REQUEST_STATES = ["pending", "approved", "rejected", "withdrawn"] as const;
export type RequestState = (typeof REQUEST_STATES)[number];

const PersonView = v.object({ id: v.string(), email: v.string() });

/** Slug, name and choices as they were asked for; the hub, which an operator may have named otherwise, tells its own. */
export const FederationRequestView = v.object({
  ...v.pick(FederationView, ["id", "slug", "name", "region", "mode", "tier"]).entries,
  reason: v.nullable(v.string()),
  state: v.picklist(REQUEST_STATES),
  requestedBy: PersonView,
  /** Who approved, rejected or withdrew it. */
  decidedBy: v.nullable(PersonView),
  decidedAt: NullableTimestamp,
  rejectReason: v.nullable(v.string()),
  /** The hub that was made of it. */
  federationId: v.nullable(v.string()),
  createdAt: Timestamp,
});
export type FederationRequestRecord = v.InferInput<typeof FederationRequestView>;

/** A hub, and why it is wanted. */
export const NewFederationRequest = v.object({ ...NewFederation.entries, reason: optionalOrNull(text(1, 2000)) });
export type NewFederationRequest = v.InferOutput<typeof NewFederationRequest>;

/** What shall be otherwise than it was asked for; nothing need be. */
export const Approval = v.object({ ...NewFederation.entries, slug: optionalOrNull(Slug) });
export type Approval = v.InferOutput<typeof Approval>;

/** Who asked reads the reason. */
export const Rejection = v.object({ reason: text(1, 2000) });
export type Rejection = v.InferOutput<typeof Rejection>;

export const StateFilter = optionalChoice(REQUEST_STATES);
