/** Who may do what with a spoke. The spoke of the path, by id or domain, is loaded here and handed on as `spoke`. */
import { type Access, type Actor, requireActor } from "#lib/domains/auth/access.ts";
import { Fault } from "#lib/base/errors.ts";
import { removedFor } from "#lib/domains/federations/access.ts";
import { runsHub, sees } from "#lib/domains/federations/viewer.ts";
import { findShown, findSpoke, type FoundSpoke, type ListedSpoke } from "#lib/domains/spokes/store.ts";

/**
 * `see` and `act`: operators, admins of its hub and its own admins. `remove` and `delegate`: not its own admins. `history`:
 * as `see`, and what has become of a removed spoke stays readable to operators and the admins of its hub. `restore`: these, of
 * a removed spoke as well.
 */
type SpokeDeed = "see" | "act" | "remove" | "delegate" | "history" | "restore";

/** What those who run its hub alone may do with a spoke. */
const RESERVED: { readonly [D in SpokeDeed]?: string } = {
  remove: "remove a spoke",
  delegate: "say who administers a spoke",
  restore: "request a restore",
};

type Loaded<Deed extends SpokeDeed> = Access<Actor, {
  readonly spoke: Deed extends "see" | "history" | "restore" ? ListedSpoke : FoundSpoke;
}>;

export function spoke<Deed extends SpokeDeed>(deed: Deed): Loaded<Deed> {
  const find = deed === "see" || deed === "history" || deed === "restore" ? findShown : findSpoke;
  return {
    name: `spoke: ${deed}`,
    async admit({ app, actor: caller, params, query }) {
      const actor = requireActor(caller);
      const removed = deed === "history" || deed === "restore"
        ? "shown"
        : deed === "see"
        ? removedFor(actor, query)
        : "hidden";
      const row = await find(app.db.rows, params.spokeId ?? "", removed);
      if (!row || !seesSpoke(actor, row)) throw missingSpoke();
      if (RESERVED[deed] && !runsHub(actor, row.federationId)) {
        const message = `Only an operator or an admin of its hub may ${RESERVED[deed]}`;
        throw new Fault("forbidden", "federation_admin_only", message);
      }
      return { actor, spoke: row };
    },
  } as Loaded<Deed>;
}

export function missingSpoke(): Fault {
  return new Fault("missing", "spoke_missing", "There is no such spoke, or you have no access to it");
}

/** Also whether they may act on it. */
export function seesSpoke(actor: Actor, row: ListedSpoke): boolean {
  if (row.state === "removed") return runsHub(actor, row.federationId);
  return sees(actor, { federationId: row.federationId, spokeId: row.id });
}
