/** Times how long a site takes from the request until it is active, step by step, by its install Job and from a
 * template. The simulated cluster uses the durations measured in a real one. Run `npm run bench -- creation-times [--factor F]`. The
 * default factor is 1, about four minutes.
 *
 * The time of the control plane itself (queries, reads of the cluster) is not scaled, so it weighs more with a small
 * factor. Each duration is also printed divided by the factor. */
import { parseArgs } from "node:util";
import { printCreationTimes } from "#test/support/bench/creation-times.ts";

const { values } = parseArgs({ options: { factor: { type: "string", default: "1" } } });
await printCreationTimes(Number(values.factor), console.log);
