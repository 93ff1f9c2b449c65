/** Schemas of members in the API. */
import * as v from "valibot";
import { boundedText, EmailAddress, optionalOrNull, Timestamp } from "#lib/base/schema.ts";

export const NewMember = v.object({ email: EmailAddress, displayName: optionalOrNull(boundedText(1, 200)) });
export type NewMember = v.InferOutput<typeof NewMember>;

const invitationFields = {
  /** `invited`: the user must follow the mailed link first. */
  status: v.picklist(["added", "invited", "unchanged"]),
  userId: v.string(),
  email: v.string(),
  expiresAt: v.optional(Timestamp),
};

export const SpokeInvitationView = v.object({ ...invitationFields, spokeId: v.string() });
export const HubInvitationView = v.object({ ...invitationFields, federationId: v.string() });

export const MemberView = v.object({
  userId: v.string(),
  email: v.string(),
  displayName: v.string(),
  pending: v.boolean(),
  /** The reason why the mail server refused the last mail. */
  mailRefusal: v.nullable(v.string()),
  createdAt: Timestamp,
});
