/** `wheelwright admin reset-password EMAIL`: a way in for whoever may run programs on this machine. */
import { join } from "node:path";
import { ConfigError, readProcessConfig } from "#lib/config.ts";
import { openEmbedded } from "#lib/db/embedded.ts";
import { openDatabase } from "#lib/db/open.ts";
import { type Log, openLog } from "#lib/log.ts";
import { resetPassword } from "#lib/users/reset.ts";
import { CommandError, EX_USAGE, type Given } from "./command.ts";

export async function admin({ words: [what, email] }: Given): Promise<void> {
  if (what !== "reset-password" || !email) {
    throw new CommandError(EX_USAGE, "wheelwright admin reset-password EMAIL");
  }
  const log = openLog({ level: "warn", format: "pretty", write: (line) => process.stderr.write(line) });
  const { url, close } = await findDatabase(log);
  try {
    const db = await openDatabase({ url, size: 2, log });
    try {
      const password = await resetPassword(db, email);
      process.stdout.write(`New password of ${email}: ${password}\nAll sessions of this user have ended.\n`);
    } finally {
      await db.close();
    }
  } finally {
    await close();
  }
}

/** The database of the variables; where none is named, that of `wheelwright dev` in DATA_DIR. */
async function findDatabase(log: Log): Promise<{ url: string; close: () => Promise<void> }> {
  try {
    return { url: readProcessConfig("migrate").database.url, close: () => Promise.resolve() };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const directory = join(readProcessConfig("dev").dataDir, "postgres");
    const embedded = await openEmbedded({ directory, durable: true, log });
    return { url: embedded.url, close: () => embedded.adopted ? Promise.resolve() : embedded.stop() };
  }
}
