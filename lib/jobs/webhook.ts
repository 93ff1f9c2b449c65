/**
 * Declares the jobs that send webhooks, and enqueues a job when an event is written. A job delivers all events that
 * its webhook has not yet delivered in one hub, so a second queued job is unnecessary.
 */
import { sql } from "kysely";
import * as v from "valibot";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { MINUTE } from "#lib/base/time.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { createJob, type NewJob } from "#lib/jobs/job.ts";
import { enqueueJob } from "#lib/jobs/store.ts";
import { declareJobKind } from "#lib/operations/plan.ts";

/** Delivers a hub's events in order. The job is repeated until the webhook has delivered them or is disabled. */
export const WEBHOOK_JOB_KIND = declareJobKind({
  kind: "webhook",
  steps: { deliver: ["Sending events to a webhook", 2 * MINUTE] },
  timeLimit: 10 * MINUTE,
  persistent: true,
  separate: true,
  payload: v.object({ webhookId: v.string(), federationId: v.string() }),
});

/** Sends one message once: a test message, or an earlier message again. */
export const WEBHOOK_MESSAGE_JOB_KIND = declareJobKind({
  kind: "webhook-message",
  steps: { send: ["Sending a message to a webhook", 2 * MINUTE] },
  timeLimit: 10 * MINUTE,
  separate: true,
  payload: v.object({
    webhookId: v.string(),
    federationId: v.nullable(v.string()),
    number: v.nullable(v.number()),
    trigger: v.picklist(["test", "redelivery"]),
    messageId: v.string(),
    type: v.string(),
    body: v.string(),
  }),
});

/** The start of a webhook's lanes. Each hub has its own lane, so that a failing one does not delay the others. */
const LANE_PREFIX = "webhook:";

export function createWebhookJob(webhookId: string, federationId: string): NewJob {
  const lane = `${LANE_PREFIX}${webhookId}:${federationId}`;
  return createJob(WEBHOOK_JOB_KIND, { webhookId, federationId }, { lane });
}

export function createWebhookMessageJob(payload: v.InferOutput<typeof WEBHOOK_MESSAGE_JOB_KIND.payload & object>) {
  return createJob(WEBHOOK_MESSAGE_JOB_KIND, payload, { lane: `${LANE_PREFIX}${payload.webhookId}:messages` });
}

/** Whether a webhook gets events of this hub. Part of another statement, because few hubs have webhooks. */
export const hasActiveWebhook = (federationId: string) =>
  sql<boolean>`exists (select from webhooks where state = 'active'
    and (webhooks.federation_id = ${federationId} or webhooks.federation_id is null))`;

/**
 * Enqueues jobs for the webhooks that want an event of one of these types. Skips a webhook with a queued job. The lane's
 * lock keeps this job queued until the transaction ends (poll.ts), so that the job sees the event. Waits for no lock.
 */
export async function enqueueWebhookJobs(tx: Tx, federationId: string, types: readonly string[]): Promise<void> {
  const { rows } = await sql<{ id: string; isQueued: boolean }>`
    with locked as materialized (
      select id, lane, pg_try_advisory_xact_lock_shared(hashtextextended(lane, 0)) as held
      from (
        select id, ${LANE_PREFIX} || id || ':' || ${federationId} as lane from webhooks
        where state = 'active' and (federation_id = ${federationId} or federation_id is null)
          and (event_types = '{}' or event_types && ${types}::text[])
      ) as wanted
    ),
    queued as materialized (
      select lane from jobs where lane = any(array(select lane from locked where held)) and state = 'queued'
      for share skip locked
    )
    select id, lane in (select lane from queued) as is_queued from locked`.execute(tx);
  if (rows.length > 0) tx.wakes.add("jobs"); // a poll may have skipped the locked lanes
  for (const { id } of rows.filter(({ isQueued }) => !isQueued)) {
    await enqueueJob(tx, SYSTEM_REQUESTER, createWebhookJob(id, federationId));
  }
}

/**
 * Enqueues jobs for webhooks that are behind and have no job, and returns their number. A safety net for events that were
 * written while a webhook was being created or was disabled. `webhookId` limits it to one webhook, whose delayed jobs are
 * then ignored.
 */
export async function enqueueMissedWebhookJobs(tx: Tx, webhookId: string | null = null): Promise<number> {
  const { rows } = await sql<{ id: string; federationId: string }>`
    select webhooks.id, head.federation_id from webhooks
    join stream_heads as head on webhooks.federation_id is null or webhooks.federation_id = head.federation_id
    left join webhook_cursors as cursor on cursor.webhook_id = webhooks.id and cursor.federation_id = head.federation_id
    where webhooks.state = 'active' and head.number > coalesce(cursor.number, 0)
      and (${webhookId}::text is null or webhooks.id = ${webhookId})
      and not exists (select from jobs where jobs.lane = ${LANE_PREFIX} || webhooks.id || ':' || head.federation_id
        and (state = 'running' or state = 'queued' and (${webhookId}::text is null or run_at <= wheelwright_now())))
    order by webhooks.id, head.federation_id limit 1000`.execute(tx);
  for (const { id, federationId } of rows) {
    await enqueueJob(tx, SYSTEM_REQUESTER, createWebhookJob(id, federationId));
  }
  return rows.length;
}
