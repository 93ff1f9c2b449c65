/** Defines the API schemas for users. */
import { canonicalizeSearchTerm } from "#lib/base/email.ts";
import * as v from "valibot";
import {
  boundedText,
  createOptionalChoiceSchema,
  NullableTimestamp,
  optionalOrNull,
  SearchText,
  Timestamp,
} from "#lib/base/schema.ts";
import type { User } from "#lib/domains/users/store.ts";

const ROLES = ["operator", "hub_admin", "spoke_admin"] as const;

/**
 * The states of a user. An `invited` user has an unverified address and a membership in a hub or spoke; an `unverified`
 * user has no membership. Only operators disable users.
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

/** A user as shown to operators. Excludes pending memberships. */
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
  /** The email address or its prefix. */
  email: v.optional(v.pipe(boundedText(1, 254), v.transform(canonicalizeSearchTerm))),
  role: createOptionalChoiceSchema(ROLES),
  state: createOptionalChoiceSchema(STATES),
  /** Text that the email address or display name must contain. */
  q: SearchText,
};

export const UserPatch = v.object({
  displayName: optionalOrNull(boundedText(1, 200)),
  operator: optionalOrNull(v.boolean()),
  disabled: optionalOrNull(v.boolean()),
});
export type UserPatch = v.InferOutput<typeof UserPatch>;

export const UserPathParams = v.object({ userId: v.string() });

/** A generated password. The password is shown only in this response. */
export const NewPasswordView = v.object({ userId: v.string(), password: v.string() });
