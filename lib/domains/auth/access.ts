/**
 * Who may call an endpoint. Every endpoint names one of these values; there is no default.
 *
 * An access loads what the endpoint is about and decides in the same breath: 401 for nobody, 404 for what the caller
 * may not see, 403 for what it sees but may not do. What it loaded is handed to `handle`, so that no handler can look
 * at an object that nobody checked. `spoke("act")` and `federation("change")` stand in their domains.
 */
import type { App } from "#lib/app.ts";
import type { Asker } from "#lib/audit/asker.ts";
import type { TokenScope } from "#lib/drivers/crypto/token.ts";
import { Fault } from "#lib/base/errors.ts";
import type { Role } from "#lib/domains/members/store.ts";

export type { Role, TokenScope };

export type Credential =
  | { readonly kind: "session"; readonly id: string }
  | { readonly kind: "token"; readonly id: string; readonly scope: TokenScope };

/** Who calls, as of this request: memberships are read anew each time, so a lost one narrows at once. */
export interface Actor extends Asker {
  readonly role: Role;
  readonly displayName: string;
  /** Hubs that the user administers. */
  readonly federationIds: readonly string[];
  /** Spokes that the user administers without administering their hub. */
  readonly spokeIds: readonly string[];
  readonly credential: Credential;
}

export interface AccessInput {
  readonly app: App;
  readonly actor: Actor | null;
  /** The path's parameters, as they came. */
  readonly params: Readonly<Record<string, string>>;
  /** The query's parameters, as they came: `includeRemoved` decides what an operator can load. */
  readonly query: Readonly<Record<string, string>>;
}

/** `A` is the actor that handle gets (null where nobody is fine), `L` what was loaded, spread into the call. */
export interface Access<A extends Actor | null, L extends object> {
  /** Shown in the access table and the OpenAPI document: `anyone`, `signed in`, `operator`, `spoke: act` … */
  readonly name: string;
  readonly admit: (request: AccessInput) => Promise<{ readonly actor: A } & L> | ({ readonly actor: A } & L);
}

export const anyone: Access<Actor | null, object> = { name: "anyone", admit: ({ actor }) => ({ actor }) };

export const signedIn: Access<Actor, object> = {
  name: "signed in",
  admit: ({ actor }) => ({ actor: requireActor(actor) }),
};

export const operator: Access<Actor, object> = {
  name: "operator",
  admit({ actor: caller }) {
    const actor = requireActor(caller);
    requireOperator(actor);
    return { actor };
  },
};

/** Throws Fault forbidden `operator_only`. */
export function requireOperator(actor: Actor): void {
  if (actor.role !== "operator") throw new Fault("forbidden", "operator_only", "Only an operator may do this");
}

/** The caller, or a 401 that says how to become one. */
export function requireActor(actor: Actor | null): Actor {
  if (actor) return actor;
  throw new Fault("unauthenticated", "sign_in_required", "Sign in or send a bearer token to do this");
}
