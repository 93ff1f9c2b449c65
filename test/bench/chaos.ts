/** Runs the long chaos test: `npm run bench -- chaos [--seed N] [--rounds N] [--hubs N]`. The defaults are 100 rounds and 3
 * hubs.
 *
 * Prints the seed and each round, then the counts of all actions and every violated guarantee. The exit status reports
 * whether there was a violation. The same seed repeats the same faults, but not the same timing. */
import { parseArgs } from "node:util";
import { runChaos } from "#test/support/bench/chaos.ts";

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: { seed: { type: "string" }, rounds: { type: "string" }, hubs: { type: "string" } },
  });
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
  const rounds = Number(values.rounds ?? 100), hubs = Number(values.hubs ?? 3);
  console.log(`seed ${seed}, ${rounds} rounds, ${hubs} hubs`);
  const began = performance.now();
  const { breaches, counts, errors } = await runChaos({ seed, rounds, hubs, print: (line) => console.log(line) });
  for (const breach of breaches) console.log(`BREACH ${breach}`);
  for (const [message, count] of Object.entries(errors)) console.log(`logged as an error ${count} times: ${message}`);
  const summary = Object.entries(counts).map(([name, count]) => `${count} ${name}`).join(", ");
  console.log(`${breaches.length} breaches in ${Math.round((performance.now() - began) / 1000)} s; ${summary}`);
  return breaches.length === 0;
}

process.exitCode = await main() ? 0 : 1;
