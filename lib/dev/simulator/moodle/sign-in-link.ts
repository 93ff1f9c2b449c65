/** The blueprint's sign-in-link.php, as `php -r` runs it: a reset of the administrator's password, whose token is sealed. */
import { seal } from "#lib/drivers/crypto/seal.ts";
import { randomText } from "#lib/dev/simulator/moodle/boot.ts";
import { onSite } from "#lib/dev/simulator/moodle/cli.ts";
import type { Account, Database } from "#lib/dev/simulator/moodle/site.ts";
import type { Context, Run } from "#lib/dev/simulator/program.ts";
import { SECOND } from "#lib/base/time.ts";

export function runSignInLink(context: Context): Run {
  return onSite(context, "/var/www/html/config.php", (site) => {
    const { database } = site, { accounts = {}, config = {} } = database, { admin } = accounts;
    const refused = refusalOf(database, admin);
    if (refused !== null || !admin) return { lines: [`refused: ${refused}`], exit: 3 };
    const requested = Math.floor(context.world.timers.now() / SECOND), token = randomText(32);
    const answer = JSON.stringify({ token, expires: requested + Number(config.pwresettime ?? 1800) });
    return {
      lines: [`sealed: ${seal(answer, context.env.LINK_KEY!)}`],
      exit: 0,
      done() {
        const after = { ...admin, reset: { token, requested } };
        site.saveDatabase({ ...database, accounts: { ...accounts, admin: after } });
      },
    };
  });
}

function refusalOf({ config }: Database, admin: Account | undefined): string | null {
  if (config?.forgottenpasswordurl) return "page";
  if (!admin) return "missing";
  if (admin.suspended) return "suspended";
  if (admin.auth === "nologin") return "closed";
  return admin.auth === "oauth2" ? "elsewhere" : null;
}
