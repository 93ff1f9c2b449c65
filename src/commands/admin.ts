/** Implements `wheelwright admin reset-password EMAIL`, which sets a new password without signing in. */
import { resetPasswordFromCommandLine } from "#lib/domains/auth/accounts.ts";
import { openPasswordHasher } from "#lib/drivers/crypto/password.ts";
import { withDatabase } from "./database.ts";

export async function resetPassword(email: string): Promise<void> {
  const { password, enabled } = await withDatabase((db) =>
    resetPasswordFromCommandLine({ db, passwords: openPasswordHasher() }, email)
  );
  const note = enabled ? "The disabled account belongs to the last operator. The account is enabled again.\n" : "";
  process.stdout.write(`New password for ${email}: ${password}\nAll sessions of this user have ended.\n${note}`);
}
