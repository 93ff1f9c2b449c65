/** `wheelwright admin reset-password EMAIL`: a way in for whoever may run programs on this machine. */
import { resetPassword } from "#lib/users/reset.ts";
import { CommandError, EX_USAGE, type Given } from "./command.ts";
import { withDatabase } from "./database.ts";

export async function admin({ words: [what, email] }: Given): Promise<void> {
  if (what !== "reset-password" || !email) {
    throw new CommandError(EX_USAGE, "wheelwright admin reset-password EMAIL");
  }
  const password = await withDatabase((db) => resetPassword(db, email));
  process.stdout.write(`New password of ${email}: ${password}\nAll sessions of this user have ended.\n`);
}
