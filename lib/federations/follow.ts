/** Following a hub's events: whose they are to see is asked again at each turn of the stream. */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/auth/access.ts";
import { authenticateAgain } from "#lib/auth/authenticate.ts";
import type { Rows } from "#lib/db/database.ts";
import { followHub, type Frame, type Sight } from "#lib/events/stream.ts";
import type { FederationRow } from "#lib/federations/store.ts";
import { runsHub } from "#lib/federations/viewer.ts";

export interface FollowOptions {
  /** The last event that the client has, or null. */
  readonly since: number | null;
  readonly signal: AbortSignal;
}

export function followFederation(
  app: App,
  actor: Actor,
  federation: FederationRow,
  options: FollowOptions,
): AsyncGenerator<Frame> {
  return followHub(app.db, app.feeds, {
    federationId: federation.id,
    ...options,
    sight: async () => await sightOf(app.db.rows, await authenticateAgain(app, actor), federation.id),
  });
}

/**
 * The number after which a client wants to go on: what its browser remembered, or what it asks for. A Last-Event-ID that
 * is no number of ours is of another stream: null begins anew.
 */
export function sinceOf(request: Request, asked: number | undefined): number | null {
  const remembered = request.headers.get("last-event-id");
  if (remembered === null) return asked ?? null;
  return /^\d{1,15}$/.test(remembered) ? Number(remembered) : null;
}

/** Spoke admins see their spokes' events alone; once they have none in this hub, there is nothing to follow. */
async function sightOf(rows: Rows, actor: Actor | null, federationId: string): Promise<Sight | null> {
  if (!actor) return null;
  if (runsHub(actor, federationId)) return "all";
  if (actor.spokeIds.length === 0) return null;
  const found = await rows.selectFrom("spokes").select("id").where("federation_id", "=", federationId)
    .where(sql<boolean>`id = any(${actor.spokeIds}::text[])`).execute();
  return found.length > 0 ? new Set(found.map(({ id }) => id)) : null;
}
