/** Streams a hub's events, and decides which events each follower (client of a stream) can see. */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { sessionExpiryExpression, validSessionCondition, validTokenCondition } from "#lib/domains/auth/credentials.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import type { StreamFollower, StreamVisibility, VisibilityDecision } from "#lib/events/visibility.ts";
import { SECOND } from "#lib/base/time.ts";
import { streamHubEvents } from "#lib/events/stream.ts";
import type { SendFrame } from "#lib/events/keep-alive.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";

interface FollowOptions {
  /** The number of the last event that the client received. Null if the client received no event. */
  readonly since: number | null;
  readonly signal: AbortSignal;
}

interface StreamSource {
  /** Sends events until the stream ends (see `streamHubEvents`). */
  run(send: SendFrame): Promise<void>;
  cancel(): void;
}

/** Prepares a stream of a hub's events. Throws a `limited` fault (`too_many_streams`). */
export function openHubEventStream(
  app: App,
  { credential, userId }: Actor,
  federation: FederationRow,
  { since, signal }: FollowOptions,
): StreamSource {
  const follower = { credentialId: credential.id, userId, federationId: federation.id };
  signal.throwIfAborted(); // a signal that is already aborted would never end the stream
  const { feeds } = app, reader = feeds.enter(follower);
  let request: AbortSignal | null = signal; // released when the stream starts; otherwise it would keep the request in memory
  request.addEventListener("abort", reader.leave);
  return {
    run(send) {
      request?.removeEventListener("abort", reader.leave);
      request = null;
      return streamHubEvents(feeds, reader, since, send);
    },
    cancel: reader.leave,
  };
}

/** Returns the last received event's number; null to start at the first. Last-Event-ID overrides `requested`. */
export function parseResumePosition(request: Request, requested: number | undefined): number | null {
  const lastEventId = request.headers.get("last-event-id");
  if (lastEventId === null) return requested ?? null;
  return /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null;
}

/**
 * Decides which events each follower (client) of a stream can see. Returns the decisions in the order of `followers`.
 * Admins of hubs and spokes removed in the last 5 minutes still get events, so that they see the removal. A token that is
 * limited to hubs gets no events of other hubs, and in its hubs an operator's limited token counts as a hub admin's.
 */
export async function decideEventVisibility(
  rows: RowQueries,
  followers: readonly StreamFollower[],
): Promise<(VisibilityDecision | null)[]> {
  const credentials = followers.map(({ credentialId }) => credentialId);
  const hubs = followers.map(({ federationId }) => federationId);
  const { rows: found } = await sql<
    { place: string; left: number | null; all: boolean; whole: boolean; own: string[] }
  >`
    select follower.place, extract(epoch from credential.ends - wheelwright_now())::float8 as left,
      users.operator and credential.hub_limit is null as all, access.whole, case when access.whole then '{}' else array(
      select spoke.id from spoke_members as member join spokes as spoke on spoke.id = member.spoke_id
      where member.user_id = users.id and spoke.federation_id = follower.hub
        and (spoke.removed_at is null or spoke.removed_at > (select wheelwright_now()) - interval '5 minutes')
    ) end as own
    from unnest(${credentials}::text[], ${hubs}::text[]) with ordinality as follower (credential, hub, place)
    cross join lateral (
      select user_id, ${sessionExpiryExpression} as ends, null::text[] as hub_limit from sessions where id = follower.credential and ${validSessionCondition}
      union all
      select user_id, expires_at as ends, federation_ids as hub_limit from api_tokens as token where id = follower.credential and ${validTokenCondition}
    ) as credential
    join users on users.id = credential.user_id and disabled_at is null and email_verified_at is not null
    cross join lateral (
      select users.operator or exists (
        select from federation_members as member join federations as hub on hub.id = member.federation_id
        where member.user_id = users.id and hub.id = follower.hub
          and (hub.removed_at is null or hub.removed_at > (select wheelwright_now()) - interval '5 minutes')
      ) as whole
    ) as access
    where credential.hub_limit is null or follower.hub = any(credential.hub_limit)`.execute(rows);
  const decisions: (VisibilityDecision | null)[] = followers.map(() => null);
  for (const { place: position, left: secondsLeft, all: isOperator, whole: seesHub, own: ownSpokeIds } of found) {
    const visibility: StreamVisibility = isOperator ? "all" : seesHub ? "plain" : new Set(ownSpokeIds);
    if (isOperator || seesHub || ownSpokeIds.length > 0) {
      decisions[Number(position) - 1] = {
        visibility,
        expiresInMs: secondsLeft === null ? Infinity : secondsLeft * SECOND,
      };
    }
  }
  return decisions;
}
