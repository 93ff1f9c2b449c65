/**
 * Tells operators by mail that somebody asks for a hub. The notification is the audit event itself.
 *
 * Anybody with an account can ask, take it back and ask again: of what one person asks within an hour, the first is mailed.
 */
import { sql } from "kysely";
import type { Rows } from "#lib/drivers/db/database.ts";
import type { RequestRow } from "#lib/domains/federations/requests/store.ts";
import type { NewJob } from "#lib/records/jobs/job.ts";
import { bulkMailJob } from "#lib/records/jobs/mail.ts";
import type { HeldUser } from "#lib/domains/users/store.ts";

const PAUSE = "1 hour";

/** One for each operator, but for an operator who asks. */
export async function lettersOf(rows: Rows, asker: HeldUser, request: RequestRow): Promise<NewJob[]> {
  const earlier = await rows.selectFrom("federation_requests").select("id").where("requestedBy", "=", asker.id)
    .where("id", "<>", request.id).where("createdAt", ">", sql<Date>`wheelwright_now() - ${PAUSE}::interval`)
    .limit(1).executeTakeFirst();
  if (earlier) return [];
  const operators = await rows.selectFrom("users").select(["email", "displayName"]).where("operator", "=", true)
    .where("emailVerifiedAt", "is not", null).where("disabledAt", "is", null).where("id", "<>", asker.id)
    .orderBy("id").execute();
  const about = { id: request.id, by: asker.email, hub: request.name, slug: request.slug };
  return operators.map(({ email, displayName: name }) =>
    bulkMailJob({ template: "hub-requested", to: { email, name }, about })
  );
}
