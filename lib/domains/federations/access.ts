/** Who may do what with a hub. The hub of the path, by id or slug, is loaded here and handed on as `federation`. */
import { sql } from "kysely";
import { type Access, type Actor, requireActor, requireOperator } from "#lib/domains/auth/access.ts";
import type { Rows } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { type FederationRow, findFederation, type Removed } from "#lib/domains/federations/store.ts";
import { hubsSeenBy, runsHub, type Viewer } from "#lib/domains/federations/viewer.ts";

/**
 * `see`: everybody who has to do with it. `change`: operators and its own admins, also for what is done to its spokes.
 * `remove` and `bill`: operators alone.
 */
type FederationDeed = "see" | "change" | "remove" | "bill";

export function federation(deed: FederationDeed): Access<Actor, { readonly federation: FederationRow }> {
  return {
    name: `federation: ${deed}`,
    async admit({ app, actor: caller, params, query }) {
      const actor = requireActor(caller);
      const removed = deed === "see" ? removedFor(actor, query) : "hidden";
      const row = await findSeen(app.db.rows, actor, params.federationId ?? "", removed);
      if (deed === "change") requireRunning(actor, row.id);
      if (deed === "remove" || deed === "bill") requireOperator(actor);
      return { actor, federation: row };
    },
  };
}

/** Throws Fault forbidden `federation_admin_only`. */
export function requireRunning(actor: Actor, federationId: string): void {
  if (runsHub(actor, federationId)) return;
  throw new Fault("forbidden", "federation_admin_only", "Only an operator or an admin of this hub may do this");
}

/** What is removed is there for operators alone, and only when they ask for it: `?includeRemoved=true`. */
export function removedFor(actor: Actor, query: { readonly includeRemoved?: string | boolean | undefined }): Removed {
  const asked = ["true", "1"].includes(String(query.includeRemoved));
  return asked && actor.role === "operator" ? "shown" : "hidden";
}

/** The hub of this id or slug. Throws Fault missing `federation_missing` where they see none. */
export async function findSeen(rows: Rows, viewer: Viewer, name: string, removed: Removed): Promise<FederationRow> {
  const row = await findFederation(rows, name, removed);
  if (!row || !await seesHub(rows, viewer, row.id)) throw missingFederation();
  return row;
}

export function missingFederation(): Fault {
  return new Fault("missing", "federation_missing", "There is no such hub, or you have no access to it");
}

async function seesHub(rows: Rows, viewer: Viewer, id: string): Promise<boolean> {
  if (runsHub(viewer, id)) return true;
  if (viewer.spokeIds.length === 0) return false;
  const found = await rows.selectFrom("federations").select("id").where("id", "=", id)
    .where(hubsSeenBy(viewer, sql.ref("federations.id"))).executeTakeFirst();
  return found !== undefined;
}
