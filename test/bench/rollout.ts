/** Runs the trial of a rollout: `npm run bench -- rollout [--spokes N] [--hubs N]`. The defaults are 500 sites in 20 hubs.
 *
 * Prints each wave, and at the end every violated guarantee. The exit status reports whether there was a violation. */
import { parseArgs } from "node:util";
import { runRolloutTrial } from "#test/support/bench/rollout-trial.ts";

const { values } = parseArgs({
  options: { spokes: { type: "string", default: "500" }, hubs: { type: "string", default: "20" } },
});
const start = performance.now(), seconds = () => Math.round((performance.now() - start) / 1000);
const spokes = Number(values.spokes), hubs = Number(values.hubs);
const breaches = await runRolloutTrial({
  spokes,
  hubs,
  maxUnavailable: Math.max(2, Math.round(spokes / 20)),
  print: (line) => console.log(`${seconds()} s: ${line}`),
});
for (const breach of breaches) console.log(`BREACH ${breach}`);
console.log(`${breaches.length} breaches in ${seconds()} s; ${spokes} sites in ${hubs} hubs`);
process.exitCode = breaches.length === 0 ? 0 : 1;
