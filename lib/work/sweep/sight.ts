/** What a look carries along, and the few words that it keeps of each spoke. */
import type { App } from "#lib/app.ts";
import { type Expected, expectedObjects } from "#lib/moodle/expected.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { SpokeStep } from "#lib/moodle/files.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import type { Cluster } from "#lib/drivers/cluster/cluster.ts";
import type { Paging } from "#lib/work/sweep/pages.ts";
import type { Candidate } from "#lib/work/sweep/rows.ts";

export interface Pace extends Paging {
  /** Objects of which a look asks by dry run what differs; of the others the earlier verdict stands. */
  readonly asks: number;
  /** Objects missing in a list that are looked for by name, before a spoke is called unwell for it. */
  readonly confirms: number;
}

/** What was seen of one spoke. */
export interface Sight {
  readonly spoke: Candidate;
  /** What is wrong with the namespace and each of its parts; of what was not seen there is no entry. */
  readonly ailments: Map<string, string | null>;
  readonly titles: Set<string>;
  /** Titles of what does not look as it should. */
  readonly suspects: Set<string>;
}

export interface Look {
  readonly app: App;
  readonly run: Run;
  readonly cluster: Cluster;
  readonly pace: Pace;
  readonly began: Date;
  /** By namespace. */
  readonly sights: ReadonlyMap<string, Sight>;
  /** Kinds that were listed to their end: only of these can an object be missing. */
  readonly listed: Set<string>;
}

export function expectedOf(
  { blueprint }: App,
  { spoke: { maintenance } }: Sight,
  inputs: SpokeInputs,
  steps?: readonly SpokeStep[],
): Expected[] {
  return expectedObjects(blueprint, { inputs, maintenance }, steps);
}
