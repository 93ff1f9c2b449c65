/** Prepares tests of webhooks: a hub with events, receivers on loopback, and replicas that deliver. */
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import type { App } from "#lib/app.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { DeliveryRow } from "#lib/domains/webhooks/store.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { openScheduler, type Scheduler } from "#lib/scheduler/scheduler.ts";
import { createHandlers } from "#lib/workers/handlers.ts";
import { openReceiver, type ReceivedMessage, type WebhookReceiver } from "#test/support/receiver.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { until } from "#test/support/until.ts";

const KINDS = ["webhook", "webhook-message", "keep-webhooks"];

export interface WebhookScene extends Scene {
  /** Opens a receiver that the scene closes. */
  receiver(): Promise<WebhookReceiver>;
  /** Creates a webhook of a hub, or of the installation, by the API. */
  webhook(url: string, hub?: string | null, more?: object): Promise<{ id: string; secret: string }>;
  /** Writes stream events about the hub's spoke, each in its own transaction. */
  emit(count: number, hub?: string, state?: string): Promise<void>;
  /** Starts a replica that the scene closes. */
  replica(wrap?: (handler: JobHandler) => JobHandler): Promise<Scheduler>;
  /** The webhook's deliveries, oldest first. */
  deliveries(id: string): Promise<DeliveryRow[]>;
  /** The hub's position of a webhook. */
  cursor(id: string, hub?: string): Promise<{ number: number; attempt: number; failingSince: Date | null }>;
  /** Lets the next attempt of all webhooks start now. */
  retryNow(): Promise<void>;
}

export async function openWebhookScene(change: (app: App) => App = (app) => app): Promise<WebhookScene> {
  const scene = await openScene(), { db, hub: north, spoke } = scene, app = change(scene.app);
  const opened: (() => Promise<void>)[] = [];
  return {
    ...scene,
    app,
    async receiver() {
      const receiver = await openReceiver();
      opened.push(receiver.close);
      return receiver;
    },
    async webhook(url, hub = north, more = {}) {
      const path = hub === null ? "/api/webhooks" : `/api/federations/${hub}/webhooks`;
      const { status, body } = await scene.as("operator", "cli").post(path, { url, ...more });
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body;
    },
    async emit(count, federationId = north, state = "active") {
      for (let i = 0; i < count; i++) {
        const spokeId = federationId === north ? spoke : null;
        await db.transact((tx) => recordChange(tx, SYSTEM_REQUESTER, { events: [{ federationId, spokeId, state }] }));
      }
    },
    async replica(wrap = (handler) => handler) {
      const handlers = createHandlers(app).filter(({ kind }) => KINDS.includes(kind.kind)).map(wrap);
      const scheduler = await openScheduler(app, { handlers, lanes: 4, retry: { firstMs: 50, maxMs: 200 } });
      opened.push(scheduler.close);
      return scheduler;
    },
    deliveries: async (id) =>
      await db.rows.selectFrom("webhook_deliveries").selectAll().where("webhookId", "=", id).orderBy("createdAt")
        .orderBy("id").execute(),
    async cursor(id, hub = north) {
      const row = await db.rows.selectFrom("webhook_cursors").selectAll().where("webhookId", "=", id)
        .where("federationId", "=", hub).executeTakeFirst();
      if (!row) return { number: 0, attempt: 0, failingSince: null };
      return { number: Number(row.number), attempt: row.attempt, failingSince: row.failingSince };
    },
    async retryNow() {
      await db.rows.updateTable("webhook_cursors").set({ retryAt: null }).execute();
      await db.transact(async (tx) => {
        const now = (await tx.selectFrom("jobs").select("runAt").orderBy("runAt").executeTakeFirst())?.runAt;
        await tx.updateTable("jobs").set({ runAt: now ?? new Date(0) }).where("state", "=", "queued")
          .where("kind", "like", "webhook%").execute();
        tx.wakes.add("jobs");
      });
    },
    async close() {
      for (const close of opened.reverse()) await close();
      await scene.close();
    },
  };
}

/** The numbers of the stream events in these messages. */
export const numbersOf = (messages: readonly ReceivedMessage[]): number[] =>
  messages.map(({ event }) => Number(event.data.id));

/** Waits until the webhook has delivered the hub's newest event. */
export async function untilDelivered(scene: WebhookScene, id: string, hub = scene.hub): Promise<void> {
  await until(async () => {
    const head = await scene.db.rows.selectFrom("stream_heads").select("number").where("federationId", "=", hub)
      .executeTakeFirst();
    return (await scene.cursor(id, hub)).number === Number(head?.number ?? 0);
  });
}
