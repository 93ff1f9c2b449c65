/** Schemas of hub requests in the API. */
import * as v from "valibot";
import { FederationView, NewFederation } from "#lib/domains/federations/views.ts";
import { boundedText, NullableTimestamp, optionalChoice, optionalOrNull, Slug, Timestamp } from "#lib/base/schema.ts";

const REQUEST_STATES = ["pending", "approved", "rejected", "withdrawn"] as const;
export type RequestState = (typeof REQUEST_STATES)[number];

const PersonView = v.object({ id: v.string(), email: v.string() });

/** A hub request with the requested values. The hub may have other values, if an operator changed them. */
export const FederationRequestView = v.object({
  ...v.pick(FederationView, ["id", "slug", "name", "region", "mode", "tier"]).entries,
  reason: v.nullable(v.string()),
  state: v.picklist(REQUEST_STATES),
  requestedBy: PersonView,
  /** The user who approved, rejected or withdrew it. */
  decidedBy: v.nullable(PersonView),
  decidedAt: NullableTimestamp,
  rejectReason: v.nullable(v.string()),
  federationId: v.nullable(v.string()),
  createdAt: Timestamp,
});
export type FederationRequestRecord = v.InferInput<typeof FederationRequestView>;

/** A request for a hub, and its reason. */
export const NewFederationRequest = v.object({
  ...NewFederation.entries,
  reason: optionalOrNull(boundedText(1, 2000)),
});
export type NewFederationRequest = v.InferOutput<typeof NewFederationRequest>;

/** Values that replace the requested ones. All are optional. */
export const Approval = v.object({ ...NewFederation.entries, slug: optionalOrNull(Slug) });
export type Approval = v.InferOutput<typeof Approval>;

/** A rejection. The requester reads its reason. */
export const Rejection = v.object({ reason: boundedText(1, 2000) });
export type Rejection = v.InferOutput<typeof Rejection>;

export const RequestStateFilter = optionalChoice(REQUEST_STATES);
