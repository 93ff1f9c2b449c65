/**
 * Emails owners of API tokens that expire soon. Tokens that live for more than 7 days are announced 7 days ahead, and
 * tokens that live for more than 30 days again one day ahead. The email and its mark are one transaction, so that each
 * email is queued once.
 */
import { sql } from "kysely";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { QueuedMail } from "#lib/drivers/mail/letter.ts";
import { createBulkMailJob } from "#lib/jobs/mail.ts";

/** The maximum number of tokens listed in one email. For further tokens, the email gives only their number. */
const MAX_LISTED = 10;

interface ExpiringToken {
  readonly userId: string;
  readonly email: string;
  readonly displayName: string;
  readonly name: string;
  readonly prefix: string;
  readonly expiresAt: Date;
  readonly lastUsedAt: Date | null;
  readonly lastUsedIp: string | null;
  readonly lastUsedAgent: string | null;
}

/** Queues the emails about at most `limit` tokens that expire soon. Returns the number of tokens. */
export async function mailExpiringTokens(tx: Tx, limit: number): Promise<number> {
  const tokens = await markExpiringTokens(tx, limit);
  const letters = [...Map.groupBy(tokens, ({ userId }) => userId).values()].map(composeLetter);
  await recordChange(tx, SYSTEM_REQUESTER, { jobs: letters.map((letter) => createBulkMailJob(letter)) });
  return tokens.length;
}

/** Marks tokens as mailed and returns them. Skips tokens that another transaction has locked. */
async function markExpiringTokens(tx: Tx, limit: number): Promise<ExpiringToken[]> {
  const now = sql`(select wheelwright_now())`;
  const { rows } = await sql<ExpiringToken>`
    with due as materialized (
      select token.id, email, display_name from api_tokens as token join users on users.id = token.user_id
      where token.revoked_at is null and token.expires_at > ${now} and token.expires_at <= ${now} + interval '7 days'
        and token.expires_at > token.created_at + interval '7 days'
        and (token.expiry_mailed_at is null or token.expires_at <= ${now} + interval '1 day'
          and token.expires_at > token.created_at + interval '30 days'
          and token.expiry_mailed_at < token.expires_at - interval '1 day')
        and users.disabled_at is null and users.email_verified_at is not null
      order by token.expires_at, token.id limit ${limit} for no key update of token skip locked
    )
    update api_tokens as token set expiry_mailed_at = ${now} from due where token.id = due.id
    returning token.user_id, email, display_name, name, prefix, expires_at, last_used_at, last_used_ip, last_used_agent`
    .execute(tx);
  return rows.toSorted((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime());
}

function composeLetter(tokens: readonly ExpiringToken[]): QueuedMail {
  const { email, displayName: name } = tokens[0]!, listed = tokens.slice(0, MAX_LISTED);
  const about = {
    tokens: listed.map(({ expiresAt, lastUsedAt, ...token }) => ({
      ...{ name: token.name, prefix: token.prefix, ip: token.lastUsedIp ?? "", userAgent: token.lastUsedAgent ?? "" },
      ...{ expiresAt: expiresAt.toISOString(), lastUsedAt: lastUsedAt?.toISOString() ?? null },
    })),
    more: tokens.length - listed.length,
  };
  return { template: "tokens-expiring", to: { email, name }, about };
}
