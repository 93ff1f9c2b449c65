/** Declares the roles and states of a user. */

/** The roles of a user. Operators are marked in the database; the other roles follow from the user's memberships. */
export const USER_ROLES = ["operator", "hub_admin", "spoke_admin"] as const;
export type UserRole = (typeof USER_ROLES)[number];

/**
 * The states of a user. An `invited` user has an unverified address and a membership in a hub or spoke; an `unverified`
 * user has no membership. Only operators disable users.
 */
export const USER_STATES = ["active", "invited", "unverified", "disabled"] as const;
export type UserState = (typeof USER_STATES)[number];
