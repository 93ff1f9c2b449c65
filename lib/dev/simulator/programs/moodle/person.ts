/** Simulates person.php, which suspends and reinstates the accounts with an email address. */
import { runScriptOnSite } from "#lib/dev/simulator/programs/moodle/cli.ts";
import type { MoodleAccount } from "#lib/dev/simulator/programs/moodle/site.ts";
import type { ProgramContext, ProgramRun } from "#lib/dev/simulator/programs/program.ts";

export function runPersonScript(context: ProgramContext): ProgramRun {
  const { ACTION: action, EMAIL: email = "" } = context.env, isSuspending = action === "suspend-person";
  return runScriptOnSite(context, "/var/www/html/config.php", (site) => {
    const own = Object.entries(site.database.accounts ?? {}).filter(([, account]) =>
      account.email?.toLowerCase() === email.toLowerCase() && (isSuspending || account.isSuspendedByHub)
    );
    if (isSuspending && own.some(([name]) => name === "admin")) return { lines: ["refused: administrator"], exit: 3 };
    const changed = Object.fromEntries(own.map(([name, account]) => [name, change(account, isSuspending)]));
    return {
      lines: [`accounts: ${own.length}`],
      exit: 0,
      delay: "cli",
      done: () => site.changeDatabase((database) => ({ ...database, accounts: { ...database.accounts, ...changed } })),
    };
  });
}

function change(account: MoodleAccount, isSuspending: boolean): MoodleAccount {
  const { isSuspendedByHub: _, ...rest } = account;
  if (!isSuspending) return { ...rest, suspended: false };
  return { ...account, suspended: true, sessions: 0, ...(!account.suspended && { isSuspendedByHub: true }) };
}
