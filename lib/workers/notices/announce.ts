/**
 * Announces deprecations to users before they take effect. It runs often, so that new releases and new token owners are
 * announced soon. Without notices it does nothing.
 */
import type { App } from "#lib/app.ts";
import {
  type AnnounceResult,
  announceToPage,
  type ReaderPage,
  selectCurrentNotices,
} from "#lib/domains/deprecations/announce.ts";
import type { Handler } from "#lib/scheduler/handler.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";
import { upkeepHandler } from "#lib/workers/upkeep/upkeep.ts";

/** Users per transaction. */
const BATCH = 200;

export function announce({ db, notices }: Pick<App, "db" | "notices">, batch = BATCH): Handler {
  return upkeepHandler({ kind: "announce", limit: 2 * HOUR, every: 10 * MINUTE }, {
    people: ["Telling people what is going to change", 30 * MINUTE, async (run) => {
      const ahead = notices.length === 0 ? [] : selectCurrentNotices(notices, await db.now());
      if (ahead.length === 0) return;
      let people = 0;
      for (let after: string | null = ""; after !== null;) {
        const page: ReaderPage = { after, limit: batch };
        const done: AnnounceResult = await run.write((tx) => announceToPage(tx, ahead, page));
        people += done.mailed;
        after = done.next;
      }
      if (people > 0) {
        run.log.info("Told people what is going to change", { people, notices: ahead.map(({ id }) => id) });
      }
    }],
  });
}
