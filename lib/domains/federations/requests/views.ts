/** Defines the API schemas for requests for new hubs. */
import * as v from "valibot";
import { FederationView, NewFederation } from "#lib/domains/federations/views.ts";
import { HUB_REQUEST_STATES } from "#lib/model/hub.ts";
import {
  boundedText,
  createOptionalChoiceSchema,
  NullableTimestamp,
  optionalOrNull,
  Slug,
  Timestamp,
} from "#lib/base/schema.ts";

const PersonView = v.object({ id: v.string(), email: v.string() });

/** A request for a hub, with the requested values. An operator can replace these values when approving the request. */
export const FederationRequestView = v.object({
  ...v.pick(FederationView, ["id", "slug", "name", "region", "mode", "tier"]).entries,
  reason: v.nullable(v.string()),
  state: v.picklist(HUB_REQUEST_STATES),
  requestedBy: PersonView,
  /** The user who approved, rejected or withdrew the request. Null while the request is pending. */
  decidedBy: v.nullable(PersonView),
  decidedAt: NullableTimestamp,
  rejectReason: v.nullable(v.string()),
  federationId: v.nullable(v.string()),
  createdAt: Timestamp,
});
export type FederationRequestRecord = v.InferInput<typeof FederationRequestView>;

/** A request for a new hub, with an optional reason. */
export const NewFederationRequest = v.object({
  ...NewFederation.entries,
  reason: optionalOrNull(boundedText(1, 2000)),
});
export type NewFederationRequest = v.InferOutput<typeof NewFederationRequest>;

/** An operator's replacements for requested values when approving a request for a hub. All fields are optional. */
export const HubRequestApproval = v.object({ ...NewFederation.entries, slug: optionalOrNull(Slug) });
export type HubRequestApproval = v.InferOutput<typeof HubRequestApproval>;

/** A rejection of a request for a hub. The reason is shown to the requester. */
export const HubRequestRejection = v.object({ reason: boundedText(1, 2000) });
export type HubRequestRejection = v.InferOutput<typeof HubRequestRejection>;

export const HubRequestStateFilter = createOptionalChoiceSchema(HUB_REQUEST_STATES);
