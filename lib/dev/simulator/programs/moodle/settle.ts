/** Simulates the blueprint's Job `settle`. */
import { runSeed } from "#lib/dev/simulator/programs/moodle/cli.ts";
import { factsOf, passwordRefusal } from "#lib/dev/simulator/programs/moodle/database.ts";
import { probe } from "#lib/dev/simulator/programs/moodle/probe.ts";
import { isInstalled, siteOf } from "#lib/dev/simulator/programs/moodle/site.ts";
import type { Context, ProgramRun } from "#lib/dev/simulator/programs/program.ts";

/** Runs these steps until one fails: the facts, the seed, the facts again, the login page. */
export function runSettle(context: Context): ProgramRun {
  const { world, pod, env } = context;
  const { database } = siteOf(world, pod.metadata.namespace!, pod);
  const refusal = database ? passwordRefusal(database, env.DB_PASS) : "could not connect to server";
  if (!database || refusal) return { lines: [`PHP Warning:  pg_connect(): Unable to connect: ${refusal}`], exit: 1 };
  const facts = factsOf(database);
  const { siteidentifier = "" } = database.config ?? {};
  if (!isInstalled(database) || (env.SITE_IDENTIFIER && env.SITE_IDENTIFIER !== siteidentifier)) {
    return { lines: facts, exit: 1 };
  }
  const seed = runSeed(context);
  if (seed.exit !== 0) return { ...seed, lines: [...facts, ...seed.lines] };
  const page = probe(context);
  return { ...seed, lines: [...facts, ...seed.lines, ...facts, ...page.lines], exit: page.exit, takes: "settle" };
}
