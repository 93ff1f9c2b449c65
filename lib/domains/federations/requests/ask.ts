/** Asking for a hub, and taking the request back. */
import type { App } from "#lib/app.ts";
import type { AuditEntry } from "#lib/audit/store.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { requireVerified } from "#lib/domains/auth/verify.ts";
import { record } from "#lib/changes/record.ts";
import { sql } from "kysely";
import { bulkMailJob } from "#lib/jobs/mail.ts";
import type { Rows, Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { refuseUnlisted } from "#lib/catalog/catalog.ts";
import { requestDecided } from "#lib/domains/federations/requests/decide.ts";
import { showRequest } from "#lib/domains/federations/requests/show.ts";
import {
  countRecent,
  decide,
  insertRequest,
  lockRequest,
  type RequestRow,
} from "#lib/domains/federations/requests/store.ts";
import type { FederationRequestRecord, NewFederationRequest } from "#lib/domains/federations/requests/views.ts";
import { findFederation } from "#lib/domains/federations/store.ts";
import { type IdempotencyKey, once } from "#lib/idempotency/store.ts";
import { newId } from "#lib/base/ids.ts";
import type { NewJob } from "#lib/jobs/job.ts";
import { type HeldUser, holdUser, listOperators } from "#lib/domains/users/store.ts";

/**
 * As many requests of one person may be pending: more would keep slugs from others and bury the operators. As many more may
 * have been taken back within the hour: operators are notified of each.
 */
const MOST_PENDING = 10;

/** Throws Fault conflict `slug_taken` or `too_many_pending`, forbidden `unverified`, invalid `not_offered`. */
export async function askForFederation(
  app: App,
  actor: Actor,
  input: NewFederationRequest,
  key: IdempotencyKey | null,
): Promise<FederationRequestRecord> {
  refuseUnoffered(app, input);
  return await app.db.transact((tx) =>
    once(tx, key, async () => {
      const user = await holdUser(tx, { id: actor.userId });
      const { row, entry, jobs } = await placeRequest(tx, user!, input);
      await record(tx, actor, { audit: [entry], jobs });
      return await showRequest(tx, row);
    })
  );
}

/** Throws Fault invalid `not_offered`. */
export function refuseUnoffered(app: App, { region, mode, tier }: NewFederationRequest): void {
  refuseUnlisted(app.catalog, { region, mode, tier });
}

/** The row, and what is to be told of it. The user is held by then, so that of many requests at once each is counted. */
export async function placeRequest(
  tx: Tx,
  user: HeldUser,
  input: NewFederationRequest,
): Promise<{ readonly row: RequestRow; readonly entry: AuditEntry; readonly jobs: readonly NewJob[] }> {
  requireVerified(user);
  const { pending, withdrawn } = await countRecent(tx, user.id);
  if (pending >= MOST_PENDING) throw tooMany("that nobody has decided yet; wait, or withdraw one");
  if (withdrawn >= MOST_PENDING) throw tooMany("that you took back within an hour; wait");
  const { slug, name = slug, region = null, mode = null, tier = null, reason = null } = input;
  // A hub that is made at this moment is seen when the request is decided.
  if (await findFederation(tx, slug, "hidden")) throw slugTaken(slug, "another hub");
  const asked = { slug, name, region, mode, tier, reason };
  const row = await insertRequest(tx, { id: newId("frq"), ...asked, requestedBy: user.id });
  if (!row) throw slugTaken(slug, "a hub that was asked for");
  return { row, entry: about(row, "federation_requested", asked), jobs: await lettersOf(tx, user, row) };
}

/** Taken back; again, it stays as it is. Throws Fault conflict `request_decided`. */
export async function withdrawRequest(app: App, actor: Actor, { id }: RequestRow): Promise<FederationRequestRecord> {
  return await app.db.transact(async (tx) => {
    const before = await lockRequest(tx, id);
    if (before.state === "withdrawn") return await showRequest(tx, before);
    if (before.state !== "pending") throw await requestDecided(tx, before);
    const after = await decide(tx, id, { state: "withdrawn", decidedBy: actor.userId });
    await record(tx, actor, { audit: [about(after, "federation_request_withdrawn", { slug: after.slug })] });
    return await showRequest(tx, after);
  });
}

function about({ id }: RequestRow, kind: AuditEntry["kind"], metadata: Record<string, unknown>): AuditEntry {
  return { kind, objectType: "federation_request", objectId: id, metadata };
}

function slugTaken(slug: string, by: string): Fault {
  return new Fault("conflict", "slug_taken", `The slug ${slug} is taken by ${by}; choose another`);
}

function tooMany(which: string): Fault {
  return new Fault("conflict", "too_many_pending", `You have ${MOST_PENDING} requests ${which}`);
}

/**
 * A mail for each operator, but for an operator who asks; the notification is the audit event itself. Anybody with an
 * account can ask, take it back and ask again: of what one person asks within an hour, the first is mailed.
 */
async function lettersOf(rows: Rows, asker: HeldUser, request: RequestRow): Promise<NewJob[]> {
  const earlier = await rows.selectFrom("federation_requests").select("id").where("requestedBy", "=", asker.id)
    .where("id", "<>", request.id).where("createdAt", ">", sql<Date>`wheelwright_now() - interval '1 hour'`)
    .limit(1).executeTakeFirst();
  if (earlier) return [];
  const operators = (await listOperators(rows)).filter(({ id }) => id !== asker.id);
  const about = { id: request.id, by: asker.email, hub: request.name, slug: request.slug };
  return operators.map(({ email, displayName: name }) =>
    bulkMailJob({ template: "hub-requested", to: { email, name }, about })
  );
}
