/** What bringing somebody in takes and answers, and a member as the API shows one. */
import * as v from "valibot";
import { Email, optionalOrNull, text, Timestamp } from "#lib/base/schema.ts";

export const NewMember = v.object({ email: Email, displayName: optionalOrNull(text(1, 200)) });
export type NewMember = v.InferOutput<typeof NewMember>;

const invitationFields = {
  /** `added` and `unchanged` are of users with a verified address; `invited` is who has yet to follow the mailed link. */
  status: v.picklist(["added", "invited", "unchanged"]),
  userId: v.string(),
  email: v.string(),
  /** Of the invitation. */
  expiresAt: v.optional(Timestamp),
};

export const SpokeJoining = v.object({ ...invitationFields, spokeId: v.string() });
export const HubJoining = v.object({ ...invitationFields, federationId: v.string() });

export const MemberView = v.object({
  userId: v.string(),
  email: v.string(),
  displayName: v.string(),
  pending: v.boolean(),
  /** In the mail server's own words. */
  mailRefused: v.nullable(v.string()),
  createdAt: Timestamp,
});
