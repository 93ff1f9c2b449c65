/** A user as the API shows it, to itself and to operators, and what an operator may change. */
import { canonicalPrefix } from "#lib/base/email.ts";
import * as v from "valibot";
import { NullableTimestamp, optionalChoice, optionalOrNull, SearchText, text, Timestamp } from "#lib/base/schema.ts";
import type { User } from "#lib/domains/users/store.ts";

const ROLES = ["operator", "hub_admin", "spoke_admin"] as const;

/**
 * `active`: the address is verified. `invited`: it is not, and a hub or spoke awaits the user. `unverified`: it is not, and
 * nothing does. `disabled`: an operator said so, whatever else is true.
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

/** Role, hubs and spokes are what works now; what awaits somebody who has not accepted yet stands with its members. */
export const UserRecordView = v.object({
  ...UserView.entries,
  operator: v.boolean(),
  state: v.picklist(STATES),
  emailVerifiedAt: NullableTimestamp,
  mailRefused: v.nullable(v.string()),
  disabledAt: NullableTimestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type UserRecord = v.InferInput<typeof UserRecordView>;

export const userFilters = {
  /** Or what it begins with. */
  email: v.optional(v.pipe(text(1, 254), v.transform(canonicalPrefix))),
  role: optionalChoice(ROLES),
  state: optionalChoice(STATES),
  /** A part of the address or the display name. */
  q: SearchText,
};

export const UserPatch = v.object({
  displayName: optionalOrNull(text(1, 200)),
  operator: optionalOrNull(v.boolean()),
  disabled: optionalOrNull(v.boolean()),
});
export type UserPatch = v.InferOutput<typeof UserPatch>;

export const UserPath = v.object({ userId: v.string() });

/** A password as it is shown once. */
export const NewPasswordView = v.object({ userId: v.string(), password: v.string() });
