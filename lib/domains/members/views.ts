/** Defines the API schemas for members. */
import * as v from "valibot";
import { boundedText, EmailAddress, optionalOrNull, Timestamp } from "#lib/base/schema.ts";

export const NewMember = v.object({ email: EmailAddress, displayName: optionalOrNull(boundedText(1, 200)) });
export type NewMember = v.InferOutput<typeof NewMember>;

const invitationFields = {
  /** The result of adding a member. `invited` means that the user must first open the link in the invitation email. */
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
  /** Why the mail server refused the last email to the member. Null if the email was not refused. */
  mailRefusal: v.nullable(v.string()),
  createdAt: Timestamp,
});
