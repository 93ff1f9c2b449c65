/** Marks spokes as outdated if the catalog now says something else about their hub's tier than their sites have. */
import type { App } from "#lib/app.ts";
import { MINUTE } from "#lib/base/time.ts";
import { markOutdatedTiers } from "#lib/domains/tiers/store.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { runUntilNoChanges, upkeepHandler } from "#lib/steps/upkeep.ts";

export function compareTiers({ db, catalog }: Pick<App, "db" | "catalog">): JobHandler {
  return upkeepHandler({ kind: "compare-tiers", every: 10 * MINUTE }, {
    mark: ["Comparing sites with their hub's tier", 10 * MINUTE, async (run) => {
      if (catalog.tiers.length > 0) {
        await runUntilNoChanges(run, () => db.transact((tx) => markOutdatedTiers(tx, catalog)));
      }
    }],
  });
}
