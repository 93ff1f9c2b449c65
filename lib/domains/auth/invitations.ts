/**
 * Bringing somebody in, to a hub or to a spoke: the user of an address, the seat, and the invitation by mail of
 * everybody who has not proven that the address is theirs.
 *
 * Everything is decided under the lock of the user's row, which is made first if need be: so of a hundred who bring in
 * the same new address at once one makes the user and the mail, and the others find them. A transaction that needs more
 * locks takes the user's first, and last what `record` locks.
 */
import { sql } from "kysely";
import type { AuditEntry } from "#lib/audit/store.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { createGrant, LIFETIME, voidGrants } from "#lib/domains/auth/one-time-tokens.ts";
import { record } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import type { NewJob } from "#lib/jobs/job.ts";
import { mailJob } from "#lib/jobs/mail.ts";
import { skipHistory } from "#lib/domains/members/history.ts";
import { addSeat, listAdministeredNames, removeSeat, type Seat } from "#lib/domains/members/seats.ts";
import type { NewMember } from "#lib/domains/members/views.ts";
import { MINUTE } from "#lib/base/time.ts";
import { insertUser, type LockedUser, lockUser, renameUser } from "#lib/domains/users/store.ts";

/** A hub or spoke as somebody is brought into it. */
interface MembershipTarget {
  readonly seat: Seat;
  readonly ids: { readonly federationId: string; readonly spokeId?: string };
  /** Holds the place against going away meanwhile. Throws the Fault of a place that takes nobody. */
  readonly lock: (tx: Tx) => Promise<unknown>;
  /** What is written down of a new seat; its metadata grow by the user's id and address. */
  readonly auditEntry: Pick<AuditEntry, "kind" | "objectType" | "objectId" | "metadata">;
}

/** What became of it. `expiresAt` is the invitation's, ISO 8601, as it must survive a stored reply. */
export interface InvitationResult {
  readonly status: "added" | "invited" | "unchanged";
  readonly userId: string;
  readonly email: string;
  readonly expiresAt?: string;
}

interface Invitee extends LockedUser {
  /** Whether it was made just now. */
  readonly isNew: boolean;
}

interface Invitation {
  readonly expiresAt: Date;
  /** The token of a mail that shall go out; null when the one that went out within the hour is good. */
  readonly grantId: string | null;
}

const MAIL_INTERVAL = "1 hour"; // nobody shall be able to fill somebody's mailbox by way of us

/** Idempotent: what is there already stays. Throws Fault conflict `user_disabled`, and what `keep` throws. */
export async function addMember(
  tx: Tx,
  actor: Actor,
  { email, displayName }: NewMember,
  target: MembershipTarget,
): Promise<InvitationResult> {
  const invitee = await lockInvitee(tx, email, displayName);
  await target.lock(tx);
  // Nobody but an operator seats themselves: they run the hub already, and somebody may just be taking that away.
  const mayJoin = invitee.id !== actor.userId || actor.role === "operator";
  const joined = mayJoin && await addSeat(tx, target.seat, invitee.id);
  if (joined) await skipHistory(tx, target.seat, invitee.id);
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
  if (audit.length > 0) await record(tx, actor, { audit, jobs });
  return {
    ...about,
    status: invitation ? "invited" : joined ? "added" : "unchanged",
    ...(invitation && { expiresAt: invitation.expiresAt.toISOString() }),
  };
}

/** Takes the seat back. A person who is left with none, and has not accepted, is not invited any more. */
export async function removeMember(
  tx: Tx,
  actor: Actor,
  userId: string,
  { seat, ids, auditEntry }: Omit<MembershipTarget, "lock">,
): Promise<void> {
  const user = await lockUser(tx, { id: userId });
  if (!user || !await removeSeat(tx, seat, userId)) {
    throw new Fault("missing", "member_missing", "There is no such member here");
  }
  if (!user.verified && (await listAdministeredNames(tx, userId)).length === 0) {
    await voidGrants(tx, userId, ["invitation"]);
  }
  const metadata = { ...auditEntry.metadata, userId, email: user.email };
  await record(tx, actor, { audit: [{ ...auditEntry, ...ids, metadata }] });
}

/** The user of the address, held; made without a password if none exists. */
async function lockInvitee(tx: Tx, email: string, displayName: string | undefined): Promise<Invitee> {
  const isNew = await insertUser(tx, { email, displayName: displayName ?? email, passwordHash: null }) !== null;
  const user = await lockUser(tx, { email });
  if (!user) throw new Error(`The user ${email}, who is there, was not found`); // rows of users are never deleted
  if (user.disabled) {
    throw new Fault("conflict", "user_disabled", `The user ${email} is disabled; an operator must enable them first`);
  }
  if (isNew || user.verified || (await listAdministeredNames(tx, user.id)).length > 0) return { ...user, isNew };
  // Somebody signed up with the address and never proved it: what they call it is not its owner's word.
  const renamed = { ...user, isNew, displayName: displayName ?? email };
  await renameUser(tx, user.id, renamed.displayName);
  return renamed;
}

/**
 * The user's invitation. One that was mailed within the hour is good, also after it was taken back: its link is in the
 * mailbox already. With each new seat it has its full time again. Else it is granted anew, and mailed.
 */
async function ensureInvitation(tx: Tx, userId: string, joined: boolean): Promise<Invitation> {
  const recent = await tx.selectFrom("one_time_tokens").select(["id", "expiresAt", "voidedAt"])
    .where("userId", "=", userId).where("purpose", "=", "invitation").where("usedAt", "is", null)
    .where("createdAt", ">", sql<Date>`wheelwright_now() - ${MAIL_INTERVAL}::interval`)
    // An invitation that the mail server refused reached nobody.
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("users").select("id").where("id", "=", userId).where("mailRefused", "is not", null)))
    )
    // One that was taken back before its mail went out is in no mailbox.
    .where(sql<boolean>`(voided_at is null or cardinality(token_hashes) > 0)`)
    .orderBy("createdAt", "desc").orderBy("id", "desc").limit(1).executeTakeFirst();
  if (!recent) {
    await tx.updateTable("users").set({ mailRefused: null }).where("id", "=", userId).execute();
    const { id, expiresAt } = await createGrant(tx, "invitation", userId);
    return { expiresAt, grantId: id };
  }
  if (!joined && recent.voidedAt === null) return { expiresAt: recent.expiresAt, grantId: null };
  const minutes = LIFETIME.invitation / MINUTE;
  const { expiresAt } = await tx.updateTable("one_time_tokens")
    .set({ voidedAt: null, expiresAt: sql<Date>`wheelwright_now() + ${minutes} * interval '1 minute'` })
    .where("id", "=", recent.id).returning("expiresAt").executeTakeFirstOrThrow();
  return { expiresAt, grantId: null };
}

/** Of everything that awaits the user, and not of the newest alone: a mail an hour is all that there is. */
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
  return mailJob({ template: "invitation", to: { email: user.email, name: user.displayName }, about }, grantId);
}

function userObject(id: string) {
  return { objectType: "user", objectId: id } as const;
}
