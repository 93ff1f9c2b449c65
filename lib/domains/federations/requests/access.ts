/** Defines access rules for requests for new hubs. A rule loads the request in the URL path as `hubRequest`. */
import { type AccessRule, type Actor, requireActor, requireOperator } from "#lib/domains/auth/access.ts";
import { Fault } from "#lib/base/errors.ts";
import { findHubRequest, type HubRequestRow } from "#lib/domains/federations/requests/store.ts";

/** Permissions on a request: operators and the requester can `see` and `withdraw`; only operators can `decide`. */
type RequestPermission = "see" | "decide" | "withdraw";

export function hubRequestAccess(
  permission: RequestPermission,
): AccessRule<Actor, { readonly hubRequest: HubRequestRow }> {
  return {
    name: `federation request: ${permission}`,
    async admit({ app, actor: caller, params }) {
      const actor = requireActor(caller);
      const row = await findHubRequest(app.db.rows, params.requestId ?? "");
      const isOwn = row?.requestedBy === actor.userId &&
        (actor.hubLimit === null || actor.hubLimit.includes(row.federationId ?? ""));
      if (!row || (actor.role !== "operator" && !isOwn)) {
        throw new Fault("missing", "request_missing", "There is no such request, or you have no access to it");
      }
      if (permission === "decide") requireOperator(actor);
      return { actor, hubRequest: row };
    },
  };
}
