/** Defines the access rule for operations. The rule loads the operation in the URL path as `operation`. */
import { type AccessRule, type Actor, requireActor } from "#lib/domains/auth/access.ts";
import { Fault } from "#lib/base/errors.ts";
import { canSeeObject } from "#lib/domains/federations/viewer.ts";
import { isId } from "#lib/base/ids.ts";
import type { Job } from "#lib/jobs/job.ts";
import { findOperation } from "#lib/jobs/store.ts";

/** Admits callers who can see the hub or spoke that the operation changes, even if the hub or spoke was removed. */
export function operationAccess(): AccessRule<Actor, { readonly operation: Job }> {
  return {
    name: "operation: see",
    async admit({ app, actor: caller, params }) {
      const actor = requireActor(caller);
      const id = params.operationId ?? "";
      const found = isId("op", id) ? await findOperation(app.db.rows, id) : null;
      if (!found || !canSeeObject(actor, found)) {
        throw new Fault("missing", "operation_missing", "There is no such operation, or you have no access to it");
      }
      return { actor, operation: found };
    },
  };
}
