/**
 * Adds members to a hub or spoke. Creates the user if needed, and emails an invitation if the user's address is
 * unverified. Locks the user's row first, so parallel requests for a new address create only one user and send only one
 * email. To avoid deadlocks, each transaction locks the user first, then other rows, and calls `recordChange` last.
 */
import { sql } from "kysely";
import type { AuditEntry } from "#lib/audit/store.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { createOneTimeToken, MAIL_LINK_LIFETIMES, voidOneTimeTokens } from "#lib/domains/auth/one-time-tokens.ts";
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
import { keepMappedRole } from "#lib/domains/members/mapped-roles.ts";
import type { NewMember } from "#lib/domains/members/views.ts";
import { MINUTE } from "#lib/base/time.ts";
import { insertUser, type LockedUser, lockUser, renameUser } from "#lib/domains/users/store.ts";

interface MembershipTarget {
  readonly membership: MembershipKey;
  readonly ids: { readonly federationId: string; readonly spokeId?: string };
  /** Locks the hub or spoke against removal. Throws a fault if the current state does not allow new members. */
  readonly lock: (tx: Tx) => Promise<unknown>;
  /** The audit event for a new member, without the user's ID and address, which are added to the metadata. */
  readonly auditEntry: Pick<AuditEntry, "kind" | "objectType" | "objectId" | "metadata">;
}

/** The result of adding a member. `expiresAt` is the time when the invitation expires (ISO 8601). */
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
  /** The ID of the one-time token to email. Null if the user received a valid link within the last hour. */
  readonly grantId: string | null;
}

const MAIL_INTERVAL = "1 hour"; // prevents flooding of somebody's mailbox

/** Adds a member. Idempotent. Throws a `conflict` fault (`user_disabled`) or the faults of `target.lock`. */
export async function addMember(
  tx: Tx,
  actor: Actor,
  { email, displayName }: NewMember,
  target: MembershipTarget,
): Promise<InvitationResult> {
  const invitee = await lockInvitee(tx, email, displayName);
  await target.lock(tx);
  // Only operators can add themselves. A hub admin whose membership is just being revoked must not restore it.
  const mayJoin = invitee.id !== actor.userId || actor.role === "operator";
  const joined = mayJoin && await addMembership(tx, target.membership, invitee.id);
  if (joined) await markHistoryAsRead(tx, target.membership, invitee.id);
  const { federationId, spokeId } = target.ids;
  const wasMapped = mayJoin && spokeId === undefined && await keepMappedRole(tx, invitee.id, federationId);
  const kept = wasMapped && !joined; // a provider's groups gave the membership, which is now a person's decision
  const invitation = invitee.verified ? null : await ensureInvitation(tx, invitee.id, joined);
  const grantId = invitation?.grantId ?? null;
  const about = { userId: invitee.id, email };
  const audit: AuditEntry[] = [];
  if (invitee.isNew) {
    audit.push({ kind: "user_created", ...userObject(invitee.id), metadata: { email, by: "invitation" } });
  }
  if (joined || kept) {
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
    status: invitation ? "invited" : joined || kept ? "added" : "unchanged",
    ...(invitation && { expiresAt: invitation.expiresAt.toISOString() }),
  };
}

/** Removes a member. If the user is unverified and has no other membership, also voids the user's invitation. */
export async function removeMember(
  tx: Tx,
  actor: Actor,
  userId: string,
  { membership, ids, auditEntry }: Omit<MembershipTarget, "lock">,
): Promise<void> {
  const user = await lockUser(tx, { id: userId });
  if (!user || !await removeMembership(tx, membership, userId)) {
    throw new Fault("missing", "member_missing", "This user is not a member");
  }
  if (!user.verified && (await listAdministeredNames(tx, userId)).length === 0) {
    await voidOneTimeTokens(tx, userId, ["invitation"]);
  }
  const metadata = { ...auditEntry.metadata, userId, email: user.email };
  await recordChange(tx, actor, { audit: [{ ...auditEntry, ...ids, metadata }] });
}

/** Locks and returns the user with this address. Creates a user without a password if none exists. */
async function lockInvitee(tx: Tx, email: string, displayName: string | undefined): Promise<Invitee> {
  const isNew = await insertUser(tx, { email, displayName: displayName ?? email, passwordHash: null }) !== null;
  const user = await lockUser(tx, { email });
  if (!user) throw new Error(`Could not insert or find the user ${email}`); // rows of users are never deleted
  if (user.disabled) {
    const message = `The user ${email} is disabled; an operator must enable the user first`;
    throw new Fault("conflict", "user_disabled", message);
  }
  if (isNew || user.verified || (await listAdministeredNames(tx, user.id)).length > 0) return { ...user, isNew };
  // Replaces the display name, because a stranger may have signed up with this address and chosen the name.
  const renamed = { ...user, isNew, displayName: displayName ?? email };
  await renameUser(tx, user.id, renamed.displayName);
  return renamed;
}

/** Extends the invitation that was sent within the last hour or, if there is none, creates a new invitation. */
async function ensureInvitation(tx: Tx, userId: string, joined: boolean): Promise<Invitation> {
  const recent = await tx.selectFrom("one_time_tokens").select(["id", "expiresAt", "voidedAt"])
    .where("userId", "=", userId).where("purpose", "=", "invitation").where("usedAt", "is", null)
    .where("createdAt", ">", sql<Date>`wheelwright_now() - ${MAIL_INTERVAL}::interval`)
    // Excludes invitations that the mail server refused, because the user did not get the email.
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("users").select("id").where("id", "=", userId).where("mailRefusal", "is not", null)))
    )
    // Excludes invitations that were revoked before they were emailed, because the user never got the email.
    .where(sql<boolean>`(voided_at is null or cardinality(token_hashes) > 0)`)
    .orderBy("createdAt", "desc").orderBy("id", "desc").limit(1).executeTakeFirst();
  if (!recent) {
    await tx.updateTable("users").set({ mailRefusal: null }).where("id", "=", userId).execute();
    const { id, expiresAt } = await createOneTimeToken(tx, "invitation", userId);
    return { expiresAt, grantId: id };
  }
  if (!joined && recent.voidedAt === null) return { expiresAt: recent.expiresAt, grantId: null };
  const minutes = MAIL_LINK_LIFETIMES.invitation / MINUTE;
  const { expiresAt } = await tx.updateTable("one_time_tokens")
    .set({ voidedAt: null, expiresAt: sql<Date>`wheelwright_now() + ${minutes} * interval '1 minute'` })
    .where("id", "=", recent.id).returning("expiresAt").executeTakeFirstOrThrow();
  return { expiresAt, grantId: null };
}

/** Creates the invitation email. It lists all the user's memberships, because later emails may be suppressed. */
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
