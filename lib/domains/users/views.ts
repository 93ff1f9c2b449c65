/** Defines the API schemas for users. */
import { canonicalPrefix } from "#lib/base/email.ts";
import * as v from "valibot";
import {
  boundedText,
  NullableTimestamp,
  optionalChoice,
  optionalOrNull,
  SearchText,
  Timestamp,
} from "#lib/base/schema.ts";
import type { User } from "#lib/domains/users/store.ts";

const ROLES = ["operator", "hub_admin", "spoke_admin"] as const;

/**
 * A user's possible states. An `invited` user has an unverified address and a membership in a hub or spoke; an
 * `unverified` user has no membership. A user is `disabled` by an operator.
 */
const STATES = ["active", "invited", "unverified", "disabled"] as const;
export type UserState = (typeof STATES)[number];

export const UserView = v.object({
  id: v.string(),
  email: v.string(),
  role: v.picklist(ROLES),
  federationIds: v.array(v.string()),
  displayName: v.string(),
  spokeIds: v.array(v.string()),
});

export function showUser(user: User): v.InferInput<typeof UserView> {
  return { ...user, federationIds: [...user.federationIds], spokeIds: [...user.spokeIds] };
}

/** A user as shown to operators. Memberships that are still pending are not included. */
export const UserRecordView = v.object({
  ...UserView.entries,
  operator: v.boolean(),
  state: v.picklist(STATES),
  emailVerifiedAt: NullableTimestamp,
  mailRefusal: v.nullable(v.string()),
  disabledAt: NullableTimestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type UserRecord = v.InferInput<typeof UserRecordView>;

export const userFilters = {
  /** The email address, or how it must start. */
  email: v.optional(v.pipe(boundedText(1, 254), v.transform(canonicalPrefix))),
  role: optionalChoice(ROLES),
  state: optionalChoice(STATES),
  /** Text that the email address or display name must contain. */
  q: SearchText,
};

export const UserPatch = v.object({
  displayName: optionalOrNull(boundedText(1, 200)),
  operator: optionalOrNull(v.boolean()),
  disabled: optionalOrNull(v.boolean()),
});
export type UserPatch = v.InferOutput<typeof UserPatch>;

export const UserPath = v.object({ userId: v.string() });

/** A new password. It is shown only in this response. */
export const NewPasswordView = v.object({ userId: v.string(), password: v.string() });
