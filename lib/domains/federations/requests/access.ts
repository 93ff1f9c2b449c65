/** Access rules for hub requests. They load the request in the path and pass it on as `hubRequest`. */
import { type Access, type Actor, requireActor, requireOperator } from "#lib/domains/auth/access.ts";
import { Fault } from "#lib/base/errors.ts";
import { findRequest, type RequestRow } from "#lib/domains/federations/requests/store.ts";

/** `see` and `withdraw`: operators and the requester. `decide`: operators. */
type RequestPermission = "see" | "decide" | "withdraw";

export function hubRequestAccess(permission: RequestPermission): Access<Actor, { readonly hubRequest: RequestRow }> {
  return {
    name: `federation request: ${permission}`,
    async admit({ app, actor: caller, params }) {
      const actor = requireActor(caller);
      const row = await findRequest(app.db.rows, params.requestId ?? "");
      if (!row || (actor.role !== "operator" && row.requestedBy !== actor.userId)) {
        throw new Fault("missing", "request_missing", "There is no such request, or you have no access to it");
      }
      if (permission === "decide") requireOperator(actor);
      return { actor, hubRequest: row };
    },
  };
}
