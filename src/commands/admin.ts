/** Implements `wheelwright admin`, which sets a password or removes second factors without signing in. */
import { resetPasswordFromCommandLine } from "#lib/domains/auth/accounts.ts";
import { resetFactorsFromCommandLine } from "#lib/domains/auth/factors/reset.ts";
import { openPasswordHasher } from "#lib/drivers/crypto/password.ts";
import { withDatabase } from "./database.ts";

export async function resetPassword(email: string): Promise<void> {
  const { password, enabled } = await withDatabase((db) =>
    resetPasswordFromCommandLine({ db, passwords: openPasswordHasher() }, email)
  );
  const note = enabled ? "The disabled account belongs to the last operator. The account is enabled again.\n" : "";
  process.stdout.write(`New password for ${email}: ${password}\nAll sessions of this user have ended.\n${note}`);
}

export async function resetFactors(email: string): Promise<void> {
  const { removed } = await withDatabase((db) => resetFactorsFromCommandLine({ db }, email));
  process.stdout.write(
    removed === 0
      ? `${email} has no second factor.\n`
      : `Removed the second factors of ${email} (${removed}). All sessions of this user have ended.\n`,
  );
}
