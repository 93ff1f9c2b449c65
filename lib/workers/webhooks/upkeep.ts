/** Looks after webhooks: enqueues missed jobs, ends the webhooks of removed hubs, and deletes old deliveries. */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import { HOUR, MINUTE, SECOND } from "#lib/base/time.ts";
import { enqueueMissedWebhookJobs } from "#lib/jobs/webhook.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { upkeepHandler } from "#lib/steps/upkeep.ts";

/** How many deliveries of a webhook are kept, and how many one statement deletes. */
const MAX_DELIVERIES = 1000, BATCH = 1000;

export function keepWebhooks(): JobHandler {
  return upkeepHandler({ kind: "keep-webhooks", every: 30 * SECOND }, {
    enqueue: [
      "Enqueuing missed deliveries",
      MINUTE,
      (run) => run.write(async (tx) => void await enqueueMissedWebhookJobs(tx)),
    ],
    // The last event of a hub says that it was removed. Failing webhooks get three days to deliver it.
    removed: [
      "Ending the webhooks of removed hubs",
      MINUTE,
      (run) =>
        run.write(async (tx) =>
          void await sql`delete from webhooks using federations
          where federations.id = webhooks.federation_id and federations.state = 'removed'
            and (federations.removed_at < wheelwright_now() - interval '3 days' or not exists (
              select from stream_heads as head
              left join webhook_cursors as cursor
                on cursor.webhook_id = webhooks.id and cursor.federation_id = head.federation_id
              where head.federation_id = webhooks.federation_id and head.number > coalesce(cursor.number, 0)))`
            .execute(tx)
        ),
    ],
    secrets: [
      "Deleting former secrets of webhooks",
      MINUTE,
      (run) =>
        run.write(async (tx) =>
          void await sql`update webhooks set former_secret = null, former_secret_ends_at = null
          where former_secret_ends_at < wheelwright_now()`.execute(tx)
        ),
    ],
  });
}

/** Deletes old deliveries. Apart from the other work, because it reads all deliveries. */
export function pruneDeliveries({ db }: Pick<App, "db">): JobHandler {
  return upkeepHandler({ kind: "prune-deliveries", every: HOUR }, {
    deliveries: ["Deleting old deliveries of webhooks", 10 * MINUTE, async (run) => {
      for (let deleted = BATCH; deleted >= BATCH;) {
        run.throwIfStopped();
        const { numAffectedRows = 0n } = await sql`delete from webhook_deliveries where id = any(array(
          select old.id from webhooks cross join lateral (
            select id, created_at, row_number() over (order by created_at desc, id desc) as place
            from webhook_deliveries where webhook_id = webhooks.id
          ) as old
          where old.place > ${MAX_DELIVERIES} or old.created_at < wheelwright_now() - interval '14 days'
          limit ${BATCH}))`.execute(db.rows);
        deleted = Number(numAffectedRows);
      }
    }],
  });
}
