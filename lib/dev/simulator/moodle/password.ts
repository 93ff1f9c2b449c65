/** The blueprint's password.php, as `php -r` runs it: the administrator's account is made to agree with the Secret. */
import { onSite } from "#lib/dev/simulator/moodle/cli.ts";
import type { Database, Site } from "#lib/dev/simulator/moodle/site.ts";
import type { Context, Run } from "#lib/dev/simulator/program.ts";

export function runPassword(context: Context): Run {
  return onSite(context, "/var/www/html/config.php", (site) => setPassword(site, context.env));
}

function setPassword(
  site: Site & { database: Database },
  { ADMIN_PASSWORD: password, FENCE = "0" }: Context["env"],
): Run {
  const { database } = site, { accounts = {}, passwordAttempt = "0" } = database;
  const failed = (exit: number, line: string): Run => ({ lines: [line], exit });
  if (!password) return failed(1, "the Secret admin holds no password");
  const { admin } = accounts;
  if (!admin) {
    return failed(3, "refused: there is no account named admin; it was renamed or deleted, or was never made");
  }
  if (admin.suspended) return failed(3, "refused: the account admin is suspended");
  if (BigInt(passwordAttempt) > BigInt(FENCE)) {
    return failed(1, `left as it is: attempt ${passwordAttempt} has begun after this one, ${FENCE}`);
  }
  const mails = database.config?.noemailever !== "1";
  return {
    lines: [
      "account set",
      "sessions ended",
      mails ? "mailed" : "not mailed: the site sends no mail",
      "agreed",
    ],
    exit: 0,
    done() {
      const links = (admin.links ?? 0) + (mails ? 1 : 0), { reset: _, ...kept } = admin;
      const after = { ...kept, password, sessions: 0, links };
      site.saveDatabase({ ...database, passwordAttempt: FENCE, accounts: { ...accounts, admin: after } });
    },
  };
}
