/** Emails users whose API tokens expire soon. Runs every hour. */
import type { App } from "#lib/app.ts";
import { mailExpiringTokens } from "#lib/domains/auth/expiring-tokens.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";
import { runUntilNoChanges, upkeepHandler } from "#lib/steps/upkeep.ts";

/** The maximum number of tokens that one transaction handles. */
const BATCH_SIZE = 200;

export function announceExpiringTokens(_: App, batch = BATCH_SIZE): JobHandler {
  return upkeepHandler({ kind: "mail-expiring-tokens", every: HOUR }, {
    mail: ["Emailing owners of API tokens that expire soon", 10 * MINUTE, async (run) => {
      await runUntilNoChanges(run, () => run.write((tx) => mailExpiringTokens(tx, batch)));
    }],
  });
}
