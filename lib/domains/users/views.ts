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
import { USER_ROLES, USER_STATES } from "#lib/model/user.ts";
import type { User } from "#lib/domains/users/store.ts";

export const UserView = v.object({
  id: v.string(),
  email: v.string(),
  role: v.picklist(USER_ROLES),
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
  state: v.picklist(USER_STATES),
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
  role: createOptionalChoiceSchema(USER_ROLES),
  state: createOptionalChoiceSchema(USER_STATES),
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
