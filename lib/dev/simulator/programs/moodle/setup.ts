/** Simulates the Job `setup`, which creates the initial content of a new site. */
import { runSeedScript } from "#lib/dev/simulator/programs/moodle/cli.ts";
import { findPasswordError, formatFactLines } from "#lib/dev/simulator/programs/moodle/database.ts";
import { runCurl } from "#lib/dev/simulator/programs/moodle/probe.ts";
import { getSimulatedSite, isSiteInstalled } from "#lib/dev/simulator/programs/moodle/site.ts";
import type { ProgramContext, ProgramRun } from "#lib/dev/simulator/programs/program.ts";

/** Runs facts.php, seed.php, facts.php again and a request to the login page. Stops at the first failure. */
export function runSetupJob(context: ProgramContext): ProgramRun {
  const { world, pod, env } = context;
  const { database } = getSimulatedSite(world, pod.metadata.namespace!, pod);
  const refusal = database ? findPasswordError(database, env.DB_PASS) : "could not connect to server";
  if (!database || refusal) return { lines: [`PHP Warning:  pg_connect(): Unable to connect: ${refusal}`], exit: 1 };
  const facts = formatFactLines(database);
  const { siteidentifier = "" } = database.config ?? {};
  if (!isSiteInstalled(database) || (env.SITE_IDENTIFIER && env.SITE_IDENTIFIER !== siteidentifier)) {
    return { lines: facts, exit: 1 };
  }
  const seed = runSeedScript(context);
  if (seed.exit !== 0) return { ...seed, lines: [...facts, ...seed.lines] };
  const page = runCurl(context);
  return { ...seed, lines: [...facts, ...seed.lines, ...facts, ...page.lines], exit: page.exit, delay: "setup" };
}
