/** Creates requests for new hubs, and lets users withdraw their requests. */
import type { App } from "#lib/app.ts";
import type { AuditEntry } from "#lib/audit/store.ts";
import { type Actor, requireUnlimitedToken } from "#lib/domains/auth/access.ts";
import { requireVerifiedEmail } from "#lib/domains/auth/verify-email.ts";
import { recordChange } from "#lib/changes/record.ts";
import { sql } from "kysely";
import { createBulkMailJob } from "#lib/jobs/mail.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { requireOfferedValues } from "#lib/catalog/catalog.ts";
import { requestDecidedFault } from "#lib/domains/federations/requests/decide.ts";
import {
  countRecentRequests,
  type HubRequestRow,
  insertHubRequest,
  lockHubRequest,
  saveRequestDecision,
  showHubRequest,
} from "#lib/domains/federations/requests/store.ts";
import type { FederationRequestRecord, NewFederationRequest } from "#lib/domains/federations/requests/views.ts";
import { findFederation } from "#lib/domains/federations/store.ts";
import { type IdempotencyKey, runIdempotently } from "#lib/idempotency/store.ts";
import { createId } from "#lib/base/ids.ts";
import type { NewJob } from "#lib/jobs/job.ts";
import { listOperators, type LockedUser, lockUser } from "#lib/domains/users/store.ts";

/** The maximum number of pending requests for hubs per user, and of requests that a user may withdraw per hour. */
const MAX_PENDING = 10;

/** Requests a new hub. Throws a fault: `conflict` (`slug_taken` or `too_many_pending`), `forbidden` or `invalid`. */
export async function requestFederation(
  app: App,
  actor: Actor,
  input: NewFederationRequest,
  key: IdempotencyKey | null,
): Promise<FederationRequestRecord> {
  requireUnlimitedToken(actor);
  requireOfferedFields(app, input);
  return await runIdempotently(app.db, key, async (tx) => {
    const user = await lockUser(tx, { id: actor.userId });
    const { row, entry, jobs } = await insertPendingRequest(tx, user!, input);
    await recordChange(tx, actor, { audit: [entry], jobs });
    return await showHubRequest(tx, row);
  });
}

/** Throws an `invalid` fault (`not_offered`) if the catalog does not offer one of the requested values. */
export function requireOfferedFields(app: App, { region, mode, tier }: NewFederationRequest): void {
  requireOfferedValues(app.catalog, { region, mode, tier });
}

/** Adds a request for a hub. Returns the row, an audit event and email jobs. Lock the user's row before this call. */
export async function insertPendingRequest(
  tx: Tx,
  user: LockedUser,
  input: NewFederationRequest,
): Promise<{ readonly row: HubRequestRow; readonly entry: AuditEntry; readonly jobs: readonly NewJob[] }> {
  requireVerifiedEmail(user);
  const { pending, withdrawn } = await countRecentRequests(tx, user.id);
  if (pending >= MAX_PENDING) {
    throw tooManyFault(`You have ${MAX_PENDING} pending hub requests; wait for a decision, or withdraw one`);
  }
  if (withdrawn >= MAX_PENDING) {
    throw tooManyFault(`You withdrew ${MAX_PENDING} hub requests within the last hour; try again later`);
  }
  const { slug, name = slug, region = null, mode = null, tier = null, reason = null } = input;
  // This check can miss a hub that is just being created. Approving the request then finds the conflict.
  if (await findFederation(tx, slug, "hidden")) throw slugTaken(slug, "another hub");
  const fields = { slug, name, region, mode, tier, reason };
  const row = await insertHubRequest(tx, { id: createId("frq"), ...fields, requestedBy: user.id });
  if (!row) throw slugTaken(slug, "a requested hub");
  return {
    row,
    entry: createAuditEntry(row, "federation_requested", fields),
    jobs: await createOperatorMails(tx, user, row),
  };
}

/** Withdraws a request for a hub. Idempotent. Throws a `conflict` fault if the request is already decided. */
export async function withdrawHubRequest(
  app: App,
  actor: Actor,
  { id }: HubRequestRow,
): Promise<FederationRequestRecord> {
  return await app.db.transact(async (tx) => {
    const before = await lockHubRequest(tx, id);
    if (before.state === "withdrawn") return await showHubRequest(tx, before);
    if (before.state !== "pending") throw await requestDecidedFault(tx, before);
    const after = await saveRequestDecision(tx, id, { state: "withdrawn", decidedBy: actor.userId });
    await recordChange(tx, actor, {
      audit: [createAuditEntry(after, "federation_request_withdrawn", { slug: after.slug })],
    });
    return await showHubRequest(tx, after);
  });
}

function createAuditEntry(
  { id }: HubRequestRow,
  kind: AuditEntry["kind"],
  metadata: Record<string, unknown>,
): AuditEntry {
  return { kind, objectType: "federation_request", objectId: id, metadata };
}

function slugTaken(slug: string, by: string): Fault {
  return new Fault("conflict", "slug_taken", `The slug ${slug} is taken by ${by}; choose another slug`);
}

function tooManyFault(message: string): Fault {
  return new Fault("conflict", "too_many_pending", message);
}

/** Returns an email to each other operator, or no emails if the user already requested a hub in the last hour. */
async function createOperatorMails(rows: RowQueries, requester: LockedUser, request: HubRequestRow): Promise<NewJob[]> {
  const earlier = await rows.selectFrom("federation_requests").select("id").where("requestedBy", "=", requester.id)
    .where("id", "<>", request.id).where("createdAt", ">", sql<Date>`wheelwright_now() - interval '1 hour'`)
    .limit(1).executeTakeFirst();
  if (earlier) return [];
  const operators = (await listOperators(rows)).filter(({ id }) => id !== requester.id);
  const createAuditEntry = { id: request.id, by: requester.email, hub: request.name, slug: request.slug };
  return operators.map(({ email, displayName: name }) =>
    createBulkMailJob({ template: "hub-requested", to: { email, name }, about: createAuditEntry })
  );
}
