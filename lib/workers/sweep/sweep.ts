/**
 * The sweep: every minute each cluster's active spokes are looked at, whether they are well and as they were made.
 *
 * `sweep` only says which clusters there are to look at; each has a `look` of its own, so that one cluster that does not
 * answer, or is large, keeps no other waiting. A look begins again a minute after it ended, at the earliest.
 *
 * The budget: a look lists each kind but Secrets across all namespaces, 500 objects a page, and asks for 200 objects by
 * name at most: those that seem changed or missing (three calls each), and Secrets of some spokes by chance. A spoke of
 * the built-in blueprint has 28 objects of 12 kinds, 4 of them Secrets: 11 pages for up to 55 spokes, and 480 for 10,000.
 * With a pause of 0.3 s before each page about two calls a second. That would be two and a half minutes of pausing for 10,000:
 * a cluster of 2,000 spokes or more is followed (follow.ts), and a look at it lasts half an hour.
 */
import { SYSTEM } from "#lib/audit/requester.ts";
import type { App } from "#lib/app.ts";
import { record } from "#lib/changes/record.ts";
import type { NewJob } from "#lib/jobs/job.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import type { Handler } from "#lib/scheduler/handler.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";
import { lookOrForget } from "#lib/workers/sweep/away.ts";
import type { Following, Pace } from "#lib/workers/sweep/sight.ts";
import { upkeep } from "#lib/workers/upkeep/upkeep.ts";

/** Not repeated by itself: which clusters are in use is seen anew each time. */
const LOOK: JobKind = {
  kind: "look",
  plan: 1,
  visible: false,
  steps: [{ name: "spokes", label: "Looking at the spokes of a cluster", timeout: 50 * MINUTE }],
  timeLimit: HOUR,
};

const FOLLOWING: Following = { from: 2000, ms: 30 * MINUTE, minute: MINUTE, gap: 500 };
export const PACE: Pace = { page: 500, pauseMs: 300, asks: 200, confirms: 100, follow: FOLLOWING };

export function sweep({ db }: Pick<App, "db">): Handler {
  return upkeep({ kind: "sweep", limit: 10 * MINUTE, every: MINUTE }, {
    clusters: ["Finding the clusters to look at", MINUTE, async (run) => {
      const found = await db.rows.selectFrom("spokes").select("cluster").distinct()
        .where("state", "=", "active").where("namespaceUid", "is not", null).execute();
      if (found.length === 0) return;
      await run.write((tx) => record(tx, SYSTEM, { jobs: found.map(({ cluster }) => lookAt(cluster)) }));
    }],
  });
}

export function look(app: App, pace: Pace = PACE): Handler {
  return { kind: LOOK, steps: { spokes: (run) => lookOrForget(app, run, String(run.job.payload.cluster), pace) } };
}

/** One at a time for a cluster, no matter who runs it. */
export function lookAt(cluster: string): NewJob {
  return {
    kind: LOOK,
    lane: null,
    federationId: null,
    spokeId: null,
    payload: { cluster },
    dedupeKey: `look:${cluster}`,
  };
}
