/** Who may see an operation: everybody who sees what it was done to. It is loaded here and handed on as `operation`. */
import { type Access, type Actor, requireActor } from "#lib/domains/auth/access.ts";
import { Fault } from "#lib/base/errors.ts";
import { canSee } from "#lib/domains/federations/viewer.ts";
import { isId } from "#lib/base/ids.ts";
import type { Job } from "#lib/jobs/job.ts";
import { findOperation } from "#lib/jobs/store.ts";

/**
 * An operation is seen after its spoke is gone too, else nobody who asked for a removal could learn how it went. A hub's
 * own operations are for those who run the hub.
 */
export function operation(): Access<Actor, { readonly operation: Job }> {
  return {
    name: "operation: see",
    async admit({ app, actor: caller, params }) {
      const actor = requireActor(caller);
      const id = params.operationId ?? "";
      const found = isId("op", id) ? await findOperation(app.db.rows, id) : null;
      if (!found || !canSee(actor, found)) {
        throw new Fault("missing", "operation_missing", "There is no such operation, or you have no access to it");
      }
      return { actor, operation: found };
    },
  };
}
