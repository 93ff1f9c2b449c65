/**
 * Approves or rejects requests for new hubs. Approving a request creates the hub and makes the requester its admin.
 * Locks the request's row first, so that only one of several parallel decisions succeeds.
 */
import { buildHubSubject } from "#lib/audit/store.ts";
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { markHubBilled } from "#lib/domains/billing/connect.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { requireOfferedValues } from "#lib/catalog/catalog.ts";
import { insertNewFederation, recordNewFederation } from "#lib/domains/federations/create.ts";
import {
  type HubRequestRow,
  lockHubRequest,
  saveRequestDecision,
  showHubRequest,
} from "#lib/domains/federations/requests/store.ts";
import type {
  FederationRequestRecord,
  HubRequestApproval,
  HubRequestRejection,
} from "#lib/domains/federations/requests/views.ts";
import type { NewFederation } from "#lib/domains/federations/views.ts";
import { type IdempotencyKey, runIdempotently } from "#lib/idempotency/store.ts";
import { createMailJob } from "#lib/jobs/mail.ts";
import type { QueuedMail } from "#lib/drivers/mail/letter.ts";
import { addMembership } from "#lib/domains/members/memberships.ts";
import { type LockedUser, lockUser } from "#lib/domains/users/store.ts";

/**
 * Approves a request and creates the hub. Values in `approval` replace requested values. The requester becomes a hub
 * admin and, with billing, gets the invoices. Throws a `conflict` fault if the approval is not possible.
 */
export async function approveHubRequest(
  app: App,
  actor: Actor,
  { id }: HubRequestRow,
  approval: HubRequestApproval,
  key: IdempotencyKey | null,
): Promise<FederationRequestRecord> {
  return await runIdempotently(app.db, key, async (tx) => {
    const before = await lockPending(tx, id);
    const requester = await lockRequester(tx, before);
    if (requester.disabled) throw requesterDisabledFault(requester.email);
    const input = mergeApproval(before, approval);
    requireOfferedValues(app.catalog, { region: input.region, mode: input.mode, tier: input.tier });
    const hub = await insertNewFederation(tx, app, actor, input);
    await addMembership(tx, { federationId: hub.id }, requester.id);
    const billing = app.payments ? await markHubBilled(tx, hub, requester.email) : [];
    const after = await saveRequestDecision(tx, id, {
      state: "approved",
      decidedBy: actor.userId,
      federationId: hub.id,
    });
    const to = { email: requester.email, name: requester.displayName };
    await recordNewFederation(tx, actor, hub, {
      audit: [{
        kind: "federation_member_added",
        ...buildHubSubject(hub.id),
        metadata: { slug: hub.slug, userId: requester.id, email: requester.email, requestId: id },
      }, {
        kind: "federation_request_approved",
        objectType: "federation_request",
        objectId: id,
        federationId: hub.id,
        audienceUserId: requester.id,
        metadata: { slug: hub.slug, name: hub.name, asked: before.slug },
      }, ...billing],
      jobs: [createMailJob({ template: "request-approved", to, about: { hub: hub.name, slug: hub.slug } })],
    });
    return await showHubRequest(tx, after);
  });
}

/** Rejects a request for a hub. Throws a `conflict` fault (`request_decided`) if it is already decided. */
export async function rejectHubRequest(
  app: App,
  actor: Actor,
  { id }: HubRequestRow,
  { reason }: HubRequestRejection,
  key: IdempotencyKey | null,
): Promise<FederationRequestRecord> {
  return await runIdempotently(app.db, key, async (tx) => {
    const before = await lockPending(tx, id);
    const requester = await lockRequester(tx, before);
    const after = await saveRequestDecision(tx, id, {
      state: "rejected",
      decidedBy: actor.userId,
      rejectReason: reason,
    });
    const to = { email: requester.email, name: requester.displayName };
    const letter: QueuedMail = { template: "request-rejected", to, about: { hub: before.name, reason } };
    await recordChange(tx, actor, {
      audit: [{
        kind: "federation_request_rejected",
        objectType: "federation_request",
        objectId: id,
        audienceUserId: requester.id,
        metadata: { slug: before.slug, name: before.name, reason },
      }],
      jobs: requester.disabled ? [] : [createMailJob(letter)],
    });
    return await showHubRequest(tx, after);
  });
}

/** Creates a fault that says how, and by which user, a request for a hub was decided. */
export async function requestDecidedFault(rows: RowQueries, row: HubRequestRow): Promise<Fault> {
  const { decidedBy, state } = await showHubRequest(rows, row);
  const message = `This request was already ${state} by ${decidedBy?.email}`;
  return new Fault("conflict", "request_decided", message);
}

/** Locks the requester's row until the transaction ends. */
async function lockRequester(tx: Tx, { requestedBy }: HubRequestRow): Promise<LockedUser> {
  const user = await lockUser(tx, { id: requestedBy });
  if (!user) throw new Error(`The user ${requestedBy}, who requested the hub, does not exist`);
  return user;
}

async function lockPending(tx: Tx, id: string): Promise<HubRequestRow> {
  const row = await lockHubRequest(tx, id);
  if (row.state !== "pending") throw await requestDecidedFault(tx, row);
  return row;
}

/** Merges the approval into the request. If the requested name equals the requested slug, uses the new slug as name. */
function mergeApproval(request: HubRequestRow, approval: HubRequestApproval): NewFederation {
  const slug = approval.slug ?? request.slug;
  return {
    slug,
    name: approval.name ?? (request.name === request.slug ? slug : request.name),
    region: approval.region ?? request.region ?? undefined,
    mode: approval.mode ?? request.mode ?? undefined,
    tier: approval.tier ?? request.tier ?? undefined,
  };
}

function requesterDisabledFault(email: string): Fault {
  const message = `Cannot approve: the user ${email} is disabled; enable the user first, or reject the request`;
  return new Fault("conflict", "requester_disabled", message);
}
