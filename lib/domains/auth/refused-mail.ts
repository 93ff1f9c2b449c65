/** Records that a mail server permanently refused an email. For a refused invitation, also notifies the admins. */
import { sql } from "kysely";
import type { AuditEntry } from "#lib/audit/store.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { MailTemplate } from "#lib/drivers/mail/letter.ts";

/** The maximum number of audit events to record for one refused invitation. */
const MAX_EVENTS = 50;

/** Stores why an email to the user was refused. Returns audit events to record, or none if the user is unknown. */
export async function recordRefusedMail(
  tx: Tx,
  { email, template, reason }: { readonly email: string; readonly template: MailTemplate; readonly reason: string },
): Promise<AuditEntry[]> {
  const user = await tx.updateTable("users").set({ mailRefusal: reason }).where("email", "=", email).returning("id")
    .executeTakeFirst();
  if (!user) return [];
  const about = { objectType: "user", objectId: user.id, metadata: { email, reason } } as const;
  const memberships = template === "invitation" ? await membershipsOf(tx, user.id) : [];
  if (memberships.length > 0) {
    return memberships.map((membership) => ({ kind: "invitation_refused", ...about, ...membership }));
  }
  return [{ kind: "user_mail_refused", ...about, metadata: { ...about.metadata, template } }];
}

/** Deletes the stored reason why an email was refused. Called when a later email is accepted or sent. */
export async function clearRefusedMail(tx: Tx, email: string): Promise<void> {
  await tx.updateTable("users").set({ mailRefusal: null }).where("email", "=", email)
    .where("mailRefusal", "is not", null).execute();
}

async function membershipsOf(rows: RowQueries, userId: string) {
  const { rows: memberships } = await sql<{ federationId: string; spokeId: string | null }>`
    select hub.id as federation_id, null as spoke_id from federation_members as member
      join federations as hub on hub.id = member.federation_id
      where member.user_id = ${userId} and hub.state <> 'removed'
    union all
    select spoke.federation_id, spoke.id from spoke_members as member join spokes as spoke on spoke.id = member.spoke_id
      where member.user_id = ${userId} and spoke.state <> 'removed'
    order by 1, 2 limit ${MAX_EVENTS}`.execute(rows);
  return memberships.map(({ federationId, spokeId }) => ({ federationId, ...(spokeId !== null && { spokeId }) }));
}
