/**
 * Converts addresses that an older release stored to the canonical form (email.ts).
 *
 * The conversion runs at each start, because an older replica may still store such addresses during a rollout. Two
 * accounts with the same canonical address are never merged, because they may belong to different people. The log names
 * both.
 */
import { sql } from "kysely";
import { canonicalEmail } from "#lib/base/email.ts";
import { messageOf } from "#lib/base/errors.ts";
import type { Log } from "#lib/base/log.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import { violates } from "#lib/drivers/db/faults.ts";

const INVISIBLE_CHARACTERS =
  "An account has an address with invisible characters, so nobody can sign in with it; disable it";
const SAME_ADDRESS =
  "Two accounts have the same address in different spellings, and neither was changed; disable one of them";

/**
 * Returns how many addresses were changed. Errors do not prevent the start. They are logged, and the next start tries
 * again.
 */
export async function canonicaliseAddresses({ rows }: Pick<Database, "rows">, log: Log): Promise<number> {
  let changed = 0;
  try {
    const found = await rows.selectFrom("users").select(["id", "email"])
      .where(sql<boolean>`email ~ '[^[:ascii:]]'`).orderBy("createdAt").execute();
    for (const { id, email } of found) {
      const form = canonicalEmail(email);
      if (form === null) log.warn(INVISIBLE_CHARACTERS, { user: id });
      else if (form !== email && await setAddress(rows, log, { id, email, form })) changed++;
    }
  } catch (error) {
    log.warn("Could not normalize the addresses of accounts; the next start tries again", {
      reason: messageOf(error),
    });
  }
  if (changed > 0) log.info("Normalized the addresses of accounts", { accounts: changed });
  return changed;
}

interface Change {
  readonly id: string;
  readonly email: string;
  readonly form: string;
}

async function setAddress(rows: Database["rows"], log: Log, { id, email, form }: Change): Promise<boolean> {
  try {
    const { numUpdatedRows } = await rows.updateTable("users")
      .set({ email: form, updatedAt: sql<Date>`wheelwright_now()` })
      .where("id", "=", id).where("email", "=", email).executeTakeFirst();
    return numUpdatedRows === 1n;
  } catch (error) {
    if (!violates(error, "users_email")) throw error;
    const other = await rows.selectFrom("users").select("id").where("email", "=", form).executeTakeFirst();
    log.warn(SAME_ADDRESS, { users: [id, other?.id ?? null] });
    return false;
  }
}
