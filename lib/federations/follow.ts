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

/**
 * Spoke admins see their spokes' events alone; once they have none in this hub, there is nothing to follow. What was
 * removed a few minutes ago still counts for those who administered it: they are to hear that it is gone.
 */
async function sightOf(rows: Rows, actor: Actor | null, federationId: string): Promise<Sight | null> {
  if (!actor) return null;
  if (runsHub(actor, federationId)) return "all";
  const { rows: [row] } = await sql<{ ran: boolean; own: string[] }>`
    select exists (
      select from federation_members as member join federations as hub on hub.id = member.federation_id
      where member.user_id = users.id and hub.id = ${federationId}
        and hub.removed_at > wheelwright_now() - interval '5 minutes'
    ) as ran, array(
      select spoke.id from spoke_members as member join spokes as spoke on spoke.id = member.spoke_id
      where member.user_id = users.id and spoke.federation_id = ${federationId}
        and (spoke.removed_at is null or spoke.removed_at > wheelwright_now() - interval '5 minutes')
    ) as own
    from users where id = ${actor.userId} and email_verified_at is not null`.execute(rows);
  if (row?.ran) return "all";
  return row && row.own.length > 0 ? new Set(row.own) : null;
}
