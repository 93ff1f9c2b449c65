/** Loads the second factor in the URL path for its owner. */
import { type AccessRule, type Actor, requireActor } from "#lib/domains/auth/access.ts";
import { factorMissingFault } from "#lib/domains/auth/factors/store.ts";
import { isId } from "#lib/base/ids.ts";

/** Lets only the owner see a second factor. Factors that are not active yet count, too. */
export const ownFactorAccess: AccessRule<Actor, { readonly factorId: string }> = {
  name: "own factor",
  async admit({ app, actor: caller, params: { factorId = "" } }) {
    const actor = requireActor(caller);
    if (!isId("fac", factorId)) throw factorMissingFault();
    const row = await app.db.rows.selectFrom("factors").select("id").where("id", "=", factorId)
      .where("userId", "=", actor.userId).executeTakeFirst();
    if (!row) throw factorMissingFault();
    return { actor, factorId };
  },
};
