/**
 * How long a site takes from the request until it is active, step by step, by its install Job and from a template, where
 * everything takes as long as it was measured to on a real cluster: `npm run ways -- [--factor F]`, 1 unless told: about four
 * minutes.
 *
 * What the control plane itself takes (queries, looks at the cluster) is not scaled, so it weighs more with a small factor.
 * Times stand as they were, and divided by the factor beside it.
 */
import { parseArgs } from "node:util";
import { timeWays } from "#test/support/bench/ways.ts";

const { values } = parseArgs({ options: { factor: { type: "string", default: "1" } } });
await timeWays(Number(values.factor), console.log);
