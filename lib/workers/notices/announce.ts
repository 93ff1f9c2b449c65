/**
 * Emails users who have an API token about deprecated features. Runs every 10 minutes, so that users hear of new
 * deprecations soon after a release is installed.
 */
import type { App } from "#lib/app.ts";
import {
  mailNoticesToPage,
  type NoticePageResult,
  type NoticeRecipientPage,
  selectPendingNotices,
} from "#lib/domains/deprecations/announce.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";
import { upkeepHandler } from "#lib/steps/upkeep.ts";

/** The maximum number of users that one transaction handles. */
const BATCH = 200;

export function announceDeprecations({ db, notices }: Pick<App, "db" | "notices">, batch = BATCH): JobHandler {
  return upkeepHandler({ kind: "announce", limit: 2 * HOUR, every: 10 * MINUTE }, {
    people: ["Announcing deprecations to users", 30 * MINUTE, async (run) => {
      const current = notices.length === 0 ? [] : selectPendingNotices(notices, await db.now());
      if (current.length === 0) return;
      let mailedUsers = 0;
      for (let after: string | null = ""; after !== null;) {
        const page: NoticeRecipientPage = { after, limit: batch };
        const done: NoticePageResult = await run.write((tx) => mailNoticesToPage(tx, current, page));
        mailedUsers += done.mailed;
        after = done.next;
      }
      if (mailedUsers > 0) {
        run.log.info("Announced deprecations to users", { people: mailedUsers, notices: current.map(({ id }) => id) });
      }
    }],
  });
}
