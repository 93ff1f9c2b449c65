/** Runs the long trial of actions: `npm run bench -- trial [--spokes N] [--actions a,b]
 * [--factor F]`. The defaults are 50 spokes in two hubs, every action, and half of the measured durations for the sites.
 *
 * Prints each round, then how long a site takes by its install Job and from a template. At the end, prints the counts
 * of all actions and every violated guarantee. The exit status reports whether there was a violation. */
import { parseArgs } from "node:util";
import { runTrial } from "#test/support/bench/action-trial.ts";
import { printCreationTimes } from "#test/support/bench/creation-times.ts";

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: { spokes: { type: "string" }, actions: { type: "string" }, factor: { type: "string", default: "0.5" } },
  });
  const only = values.actions?.split(",");
  const spokes = Number(values.spokes ?? 50);
  const began = performance.now();
  const seconds = () => Math.round((performance.now() - began) / 1000);
  const { breaches, counts } = await runTrial({
    spokes,
    rounds: [
      [{ action: "suspend" }],
      [{ action: "resume" }],
      [{ action: "restart" }, { action: "purge-caches" }, { action: "run-cron" }],
      [{ action: "reset-admin-password" }, { action: "backup" }],
      [{ action: "maintenance-on" }],
      [{ action: "maintenance-off" }],
      [{ action: "resize", size: "medium" }],
      [{ action: "upgrade", lmsVersion: "5.2.2" }],
      [{ action: "reapply" }],
    ].filter((actions) => actions.some(({ action }) => only?.includes(action) ?? true)).map((actions) => ({
      actions,
      kill: actions.at(-1)!.action,
    })),
    print: (line) => console.log(`${seconds()} s: ${line}`),
  });
  for (const breach of breaches) console.log(`BREACH ${breach}`);
  await printCreationTimes(Number(values.factor), console.log);
  const summary = Object.entries(counts).map(([name, count]) => `${count} ${name}`).join(", ");
  console.log(`${breaches.length} breaches in ${seconds()} s; ${summary}`);
  return breaches.length === 0;
}

process.exitCode = await main() ? 0 : 1;
