/** Defines the access rule for rollouts. It loads the rollout in the URL path as `rollout`. */
import { type AccessRule, type Actor, requireActor } from "#lib/domains/auth/access.ts";
import { Fault } from "#lib/base/errors.ts";
import { findRollout, type RolloutRow } from "#lib/domains/rollouts/store.ts";

/** Operators, and users who manage all hubs of the rollout's spokes, can see and change it. */
export function rolloutAccess(): AccessRule<Actor, { readonly rollout: RolloutRow }> {
  return {
    name: "rollout: see and change",
    async admit({ app, actor: caller, params }) {
      const actor = requireActor(caller);
      const rollout = await findRollout(app.db.rows, actor, params.rolloutId ?? "");
      if (!rollout) {
        throw new Fault("missing", "rollout_missing", "There is no such rollout, or you have no access to it");
      }
      return { actor, rollout };
    },
  };
}
