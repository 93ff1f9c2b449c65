/**
 * Defines access rules for endpoints. A rule loads the requested object and checks the caller's permission. It responds
 * 401 if there are no credentials, 404 if the caller cannot see the object, and 403 if the action is not allowed.
 */
import type { App } from "#lib/app.ts";
import type { Requester } from "#lib/audit/requester.ts";
import type { TokenScope } from "#lib/drivers/crypto/token.ts";
import { Fault } from "#lib/base/errors.ts";
import type { UserRole } from "#lib/model/user.ts";

export type { TokenScope, UserRole };

export type Credential =
  | {
    readonly kind: "session";
    readonly id: string;
    /** Whether the user signed in, or confirmed the session, within the last 15 minutes (confirm.ts). */
    readonly recent: boolean;
    /** Whether the user has a second factor. */
    readonly hasFactor: boolean;
  }
  | { readonly kind: "token"; readonly id: string; readonly scope: TokenScope };

/** The authenticated caller. Memberships are read for each request, so changes take effect immediately. */
export interface Actor extends Requester {
  readonly role: UserRole;
  readonly displayName: string;
  readonly federationIds: readonly string[];
  /** The IDs of the spokes that the user administers, excluding spokes whose hub is in `federationIds`. */
  readonly spokeIds: readonly string[];
  readonly credential: Credential;
  /**
   * The IDs of the hubs to which the caller's token is limited, null without a limit. The role and the IDs above are
   * limited already. Only queries that find objects by user ID need this list.
   */
  readonly hubLimit: readonly string[] | null;
}

export interface AccessRuleInput {
  readonly app: App;
  readonly actor: Actor | null;
  readonly params: Readonly<Record<string, string>>;
  /** The unparsed query parameters. An operator can set `includeRemoved` to load removed objects. */
  readonly query: Readonly<Record<string, string>>;
  /** The result of the rule's `prefetch`, if it was called. */
  readonly prefetched?: Promise<unknown> | undefined;
}

/** An access rule. `A` is the type of the caller (null if none is required); `L` contains the loaded object. */
export interface AccessRule<A extends Actor | null, L extends object> {
  /** The rule's name in the access table and the OpenAPI document, for example `signed in` or `spoke: act`. */
  readonly name: string;
  /**
   * Starts to read the object before the caller is known, so that both reads take only one round trip. Returns undefined
   * if the read depends on the caller. Only `admit` may use the result.
   */
  readonly prefetch?: (request: Omit<AccessRuleInput, "actor" | "prefetched">) => Promise<unknown> | undefined;
  readonly admit: (request: AccessRuleInput) => Promise<{ readonly actor: A } & L> | ({ readonly actor: A } & L);
}

export const publicAccess: AccessRule<Actor | null, object> = { name: "anyone", admit: ({ actor }) => ({ actor }) };

export const signedInAccess: AccessRule<Actor, object> = {
  name: "signed in",
  admit: ({ actor }) => ({ actor: requireActor(actor) }),
};

export const operatorAccess: AccessRule<Actor, object> = {
  name: "operator",
  admit({ actor: caller }) {
    const actor = requireActor(caller);
    requireOperator(actor);
    return { actor };
  },
};

/** Throws a `forbidden` fault (`token_limited`) if the caller's token is limited to hubs. */
export function requireUnlimitedToken({ hubLimit }: Actor): void {
  if (hubLimit === null) return;
  const message = "This token is limited to hubs, so it cannot read or change the account";
  throw new Fault("forbidden", "token_limited", message);
}

/** Throws a `forbidden` fault (`operator_only`) unless the actor is an operator. */
export function requireOperator(actor: Actor): void {
  if (actor.role === "operator") return;
  throw new Fault("forbidden", "operator_only", "Only operators can perform this action");
}

/** Returns the caller. Throws an `unauthenticated` fault (`sign_in_required`) if the request has no credentials. */
export function requireActor(actor: Actor | null): Actor {
  if (actor) return actor;
  throw new Fault("unauthenticated", "sign_in_required", "Authentication required: sign in or send a bearer token");
}
