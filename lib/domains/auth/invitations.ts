/**
 * Adds members to a hub or spoke. Creates the user if needed, and mails an invitation to users with an unverified
 * address. The user's row is locked first, so parallel requests for a new address create only one user and one mail. A
 * transaction that needs other locks takes the user's lock first and the locks of `record` last.
 */
import { sql } from "kysely";
import type { AuditEntry } from "#lib/audit/store.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { createGrant, LINK_LIFETIMES, voidGrants } from "#lib/domains/auth/one-time-tokens.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import type { NewJob } from "#lib/jobs/job.ts";
import { createMailJob } from "#lib/jobs/mail.ts";
import { markHistoryAsRead } from "#lib/domains/members/history.ts";
import {
  addMembership,
  listAdministeredNames,
  type MembershipKey,
  removeMembership,
} from "#lib/domains/members/memberships.ts";
import type { NewMember } from "#lib/domains/members/views.ts";
import { MINUTE } from "#lib/base/time.ts";
import { insertUser, type LockedUser, lockUser, renameUser } from "#lib/domains/users/store.ts";

interface MembershipTarget {
  readonly membership: MembershipKey;
  readonly ids: { readonly federationId: string; readonly spokeId?: string };
  /** Locks the hub or spoke against removal. Throws a fault if its state does not allow new members. */
  readonly lock: (tx: Tx) => Promise<unknown>;
  /** The audit event of a new member. The user's ID and address are added to its metadata. */
  readonly auditEntry: Pick<AuditEntry, "kind" | "objectType" | "objectId" | "metadata">;
}

/** The result of adding a member. `expiresAt` is the invitation's expiry as ISO 8601 text. */
export interface InvitationResult {
  readonly status: "added" | "invited" | "unchanged";
  readonly userId: string;
  readonly email: string;
  readonly expiresAt?: string;
}

interface Invitee extends LockedUser {
  readonly isNew: boolean;
}

interface Invitation {
  readonly expiresAt: Date;
  /** The grant for which to send a mail. Null if a mail of the last hour is still valid. */
  readonly grantId: string | null;
}

const MAIL_INTERVAL = "1 hour"; // prevents flooding of somebody's mailbox

/** Adds a member. Idempotent. Throws a `conflict` fault (`user_disabled`), and the faults of `lock`. */
export async function addMember(
  tx: Tx,
  actor: Actor,
  { email, displayName }: NewMember,
  target: MembershipTarget,
): Promise<InvitationResult> {
  const invitee = await lockInvitee(tx, email, displayName);
  await target.lock(tx);
  // Only operators can add themselves: a hub admin's own permission may be revoked at this moment.
  const mayJoin = invitee.id !== actor.userId || actor.role === "operator";
  const joined = mayJoin && await addMembership(tx, target.membership, invitee.id);
  if (joined) await markHistoryAsRead(tx, target.membership, invitee.id);
  const invitation = invitee.verified ? null : await ensureInvitation(tx, invitee.id, joined);
  const grantId = invitation?.grantId ?? null;
  const about = { userId: invitee.id, email };
  const audit: AuditEntry[] = [];
  if (invitee.isNew) {
    audit.push({ kind: "user_created", ...userObject(invitee.id), metadata: { email, by: "invitation" } });
  }
  if (joined) {
    audit.push({ ...target.auditEntry, ...target.ids, metadata: { ...target.auditEntry.metadata, ...about } });
  }
  if (invitation && grantId) {
    const metadata = { email, expiresAt: invitation.expiresAt.toISOString() };
    audit.push({ kind: "user_invited", ...userObject(invitee.id), ...target.ids, metadata });
  }
  const jobs = invitation && grantId
    ? [await createInvitationMail(tx, actor, invitee, invitation.expiresAt, grantId)]
    : [];
  if (audit.length > 0) await recordChange(tx, actor, { audit, jobs });
  return {
    ...about,
    status: invitation ? "invited" : joined ? "added" : "unchanged",
    ...(invitation && { expiresAt: invitation.expiresAt.toISOString() }),
  };
}

/** Removes a member. Voids the invitation of an unverified user who has no other membership. */
export async function removeMember(
  tx: Tx,
  actor: Actor,
  userId: string,
  { membership, ids, auditEntry }: Omit<MembershipTarget, "lock">,
): Promise<void> {
  const user = await lockUser(tx, { id: userId });
  if (!user || !await removeMembership(tx, membership, userId)) {
    throw new Fault("missing", "member_missing", "There is no such member here");
  }
  if (!user.verified && (await listAdministeredNames(tx, userId)).length === 0) {
    await voidGrants(tx, userId, ["invitation"]);
  }
  const metadata = { ...auditEntry.metadata, userId, email: user.email };
  await recordChange(tx, actor, { audit: [{ ...auditEntry, ...ids, metadata }] });
}

/** Returns the locked user with this address. Creates a user without a password if none exists. */
async function lockInvitee(tx: Tx, email: string, displayName: string | undefined): Promise<Invitee> {
  const isNew = await insertUser(tx, { email, displayName: displayName ?? email, passwordHash: null }) !== null;
  const user = await lockUser(tx, { email });
  if (!user) throw new Error(`No row was inserted or found for the user ${email}`); // rows of users are never deleted
  if (user.disabled) {
    throw new Fault("conflict", "user_disabled", `The user ${email} is disabled; an operator must enable them first`);
  }
  if (isNew || user.verified || (await listAdministeredNames(tx, user.id)).length > 0) return { ...user, isNew };
  // An unverified signup chose this name. The inviter's name replaces it.
  const renamed = { ...user, isNew, displayName: displayName ?? email };
  await renameUser(tx, user.id, renamed.displayName);
  return renamed;
}

/** Returns the user's invitation with a renewed expiry. Creates a new grant unless a mail was sent in the last hour. */
async function ensureInvitation(tx: Tx, userId: string, joined: boolean): Promise<Invitation> {
  const recent = await tx.selectFrom("one_time_tokens").select(["id", "expiresAt", "voidedAt"])
    .where("userId", "=", userId).where("purpose", "=", "invitation").where("usedAt", "is", null)
    .where("createdAt", ">", sql<Date>`wheelwright_now() - ${MAIL_INTERVAL}::interval`)
    // An invitation that the mail server refused did not arrive.
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("users").select("id").where("id", "=", userId).where("mailRefusal", "is not", null)))
    )
    // An invitation that was revoked before its mail was sent did not arrive.
    .where(sql<boolean>`(voided_at is null or cardinality(token_hashes) > 0)`)
    .orderBy("createdAt", "desc").orderBy("id", "desc").limit(1).executeTakeFirst();
  if (!recent) {
    await tx.updateTable("users").set({ mailRefusal: null }).where("id", "=", userId).execute();
    const { id, expiresAt } = await createGrant(tx, "invitation", userId);
    return { expiresAt, grantId: id };
  }
  if (!joined && recent.voidedAt === null) return { expiresAt: recent.expiresAt, grantId: null };
  const minutes = LINK_LIFETIMES.invitation / MINUTE;
  const { expiresAt } = await tx.updateTable("one_time_tokens")
    .set({ voidedAt: null, expiresAt: sql<Date>`wheelwright_now() + ${minutes} * interval '1 minute'` })
    .where("id", "=", recent.id).returning("expiresAt").executeTakeFirstOrThrow();
  return { expiresAt, grantId: null };
}

/** Creates the invitation mail. It lists all of the user's memberships, because at most one mail per hour is sent. */
async function createInvitationMail(
  tx: Tx,
  actor: Actor,
  user: Invitee,
  expiresAt: Date,
  grantId: string,
): Promise<NewJob> {
  const about = {
    inviter: actor.displayName,
    places: await listAdministeredNames(tx, user.id),
    expiresAt: expiresAt.toISOString(),
  };
  return createMailJob({ template: "invitation", to: { email: user.email, name: user.displayName }, about }, grantId);
}

function userObject(id: string) {
  return { objectType: "user", objectId: id } as const;
}
