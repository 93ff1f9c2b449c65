/**
 * Tells people what is announced, for as long as it is ahead. It looks often, because that is all that has it happen soon
 * after a new release has started, and soon after somebody got a first token; and with nothing to tell it asks nothing.
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
import { upkeep } from "#lib/workers/upkeep/upkeep.ts";

/** People of one transaction. */
const BATCH = 200;

export function announce({ db, notices }: Pick<App, "db" | "notices">, batch = BATCH): Handler {
  return upkeep({ kind: "announce", limit: 2 * HOUR, every: 10 * MINUTE }, {
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
