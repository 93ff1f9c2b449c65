/** Creates the first operator (administrator of the service) from the configuration. */
import { sql } from "kysely";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { recordChange } from "#lib/changes/record.ts";
import { hashPassword } from "#lib/drivers/crypto/password.ts";
import { findPasswordProblem } from "#lib/drivers/crypto/password-rules.ts";
import { generatePassword } from "#lib/drivers/crypto/secret.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import type { Log } from "#lib/base/log.ts";
import { findFirstOperator, hasOperators, insertOperator } from "#lib/domains/users/store.ts";

interface Admin {
  /** The email address, in lower case. */
  readonly email: string;
  readonly password: string;
}

const DEV_EMAIL = "admin@wheelwright.localhost";

/** Creates the first operator from the configuration. Does nothing if an operator already exists. */
export async function bootstrapFirstOperator(db: Database, admin: Admin | null, log: Log): Promise<void> {
  if (!admin) {
    if (await hasOperators(db.rows)) return;
    const variables = "BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD";
    return log.warn(`No operator exists: to create an operator, set ${variables}, and restart`);
  }
  if (!await createFirstOperator(db, admin)) return;
  log.info("Created the first operator", { email: admin.email });
  const problem = findPasswordProblem(admin.password, admin.email);
  if (problem) log.warn(`BOOTSTRAP_ADMIN_PASSWORD is weak: a password ${problem}; set a stronger password`);
}

/**
 * Returns the first operator for `wheelwright dev`. If no operator exists, creates an operator with a generated
 * password and also returns the password.
 */
export async function ensureFirstOperator(
  db: Database,
  admin: Admin | null,
  log: Log,
): Promise<{ readonly email: string; readonly password: string | null }> {
  if (admin) await bootstrapFirstOperator(db, admin, log);
  else {
    const created = { email: DEV_EMAIL, password: generatePassword() };
    if (await createFirstOperator(db, created)) return created;
  }
  return { email: await findFirstOperator(db.rows), password: null };
}

/** Creates the first operator. Returns false if an operator exists. Replicas can safely call this in parallel. */
export async function createFirstOperator(db: Database, { email, password }: Admin): Promise<boolean> {
  if (await hasOperators(db.rows)) return false;
  const passwordHash = await hashPassword(password);
  return await db.transact(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('wheelwright: the first operator', 0))`.execute(tx);
    if (await hasOperators(tx)) return false;
    const { id, isNew: created } = await insertOperator(tx, { email, passwordHash });
    const kind = created ? "user_created" : "user_updated", metadata = { email, role: "operator" };
    await recordChange(tx, SYSTEM_REQUESTER, { audit: [{ kind, objectType: "user", objectId: id, metadata }] });
    return true;
  });
}
