/** Implements `wheelwright webhooks`, which sends a hub's events to a URL, and forwards them to a local program. */
import type { IssuedWebhook, NewWebhook, Webhook, WebhookDelivery } from "#lib/client/client.ts";
import { SECOND, sleep } from "#lib/base/time.ts";
import { WEBHOOK_EVENT_TYPES } from "#lib/model/webhook.ts";
import { type CliContext, defineCommand } from "./command.ts";
import { CommandError, EXIT, UsageError } from "./exit-status.ts";
import { print, printNote, showChange, showJson, showRecord } from "./output.ts";
import { PAGE_OPTIONS, showPages } from "./pagination.ts";
import type { RecordLine, TableColumn } from "./table.ts";
import { sanitizeLine } from "./text.ts";
import { listenToEvents } from "./webhook-listen.ts";

const ID = "whk_0123456789abcdefghjkmnpqrs", TEST_PATIENCE = 30 * SECOND, TEST_INTERVAL = SECOND / 2;
const HUB_OPTION = { type: "string", value: "HUB", help: "the hub; all hubs if absent (operators only)" } as const;
const CHANGE_OPTIONS = {
  url: { type: "string", value: "URL", help: "the receiver's URL" },
  event: { type: "string", multiple: true, value: "TYPE", help: "send only this type of event; can be repeated" },
  description: { type: "string", value: "TEXT", help: "a text for people" },
} as const;

export const webhooksCommands = [
  defineCommand({
    name: "create",
    summary: "Send the events of a hub, or of all hubs, to a URL. Prints the secret once",
    words: ["URL"],
    options: { hub: HUB_OPTION, event: CHANGE_OPTIONS.event, description: CHANGE_OPTIONS.description },
    examples: [
      "webhooks create https://hooks.example.org/wheelwright --hub north",
      "webhooks create https://hooks.example.org/wheelwright --event SpokeUpdateFailed",
    ],
    async run(cli, { words: [url], options: { hub: federationId, event = [], description } }) {
      const body = { url, eventTypes: parseEventTypes(event), ...(description !== undefined && { description }) };
      const created = federationId === undefined
        ? await cli.api.createWebhook(body)
        : await cli.api.createFederationWebhook({ federationId }, body);
      showSecret(cli, created, `Created webhook ${created.id}`);
    },
  }),
  defineCommand({
    name: "list",
    summary: "List the webhooks of a hub, or those that get the events of all hubs",
    options: { hub: HUB_OPTION, ...PAGE_OPTIONS },
    examples: ["webhooks list --hub north", "webhooks list"],
    run: (cli, { options: { hub: federationId, ...options } }) =>
      showPages<Webhook>(
        cli,
        options,
        (limit) =>
          federationId === undefined
            ? cli.api.listWebhooks({ limit })
            : cli.api.listFederationWebhooks({ federationId, limit }),
        [
          ["ID", (one) => one.id, "id"],
          ["STATE", (one) => one.state, "state"],
          ["URL", (one) => one.url],
          ["EVENTS", formatTypes],
          ["FAILING SINCE", (one) => one.failingSince, "time"],
          ["LAST ANSWER", (one) => one.lastDelivery?.error ?? one.lastDelivery?.status?.toString() ?? null],
          ["DESCRIPTION", (one) => one.description],
        ],
      ),
  }),
  defineCommand({
    name: "show",
    summary: "Show a webhook",
    words: ["WEBHOOK"],
    examples: [`webhooks show ${ID}`],
    run: async (cli, { words: [webhookId] }) => showWebhook(cli, await cli.api.getWebhook({ webhookId })),
  }),
  defineCommand({
    name: "update",
    summary: "Change a webhook's URL, events or description",
    words: ["WEBHOOK"],
    options: { ...CHANGE_OPTIONS, "all-events": { type: "boolean", help: "send all types of events" } },
    examples: [`webhooks update ${ID} --event SpokeUpdateFailed`],
    async run(cli, { words: [webhookId], options: { url, event, description, "all-events": all } }) {
      const eventTypes = all ? [] : event && parseEventTypes(event);
      if (url === undefined && eventTypes === undefined && description === undefined) {
        throw new UsageError("Set --url, --event, --all-events or --description");
      }
      const changed = await cli.api.updateWebhook({ webhookId }, { url, eventTypes, description });
      showChange(cli, changed, `Webhook ${webhookId} was changed`);
    },
  }),
  defineCommand({
    name: "disable",
    summary: "Stop sending events to a webhook",
    words: ["WEBHOOK"],
    examples: [`webhooks disable ${ID}`],
    async run(cli, { words: [webhookId] }) {
      const changed = await cli.api.updateWebhook({ webhookId }, { state: "disabled" });
      showChange(cli, changed, `Webhook ${webhookId} is disabled`);
    },
  }),
  defineCommand({
    name: "enable",
    summary: "Continue a disabled or failing webhook immediately, after the last delivered event",
    words: ["WEBHOOK"],
    options: { "from-now": { type: "boolean", help: "skip the events that were not delivered" } },
    examples: [`webhooks enable ${ID}`],
    async run(cli, { words: [webhookId], options }) {
      const from = options["from-now"] ? "now" : "last";
      const changed = await cli.api.updateWebhook({ webhookId, from }, { state: "active" });
      showChange(cli, changed, `Webhook ${webhookId} is active`);
    },
  }),
  defineCommand({
    name: "rotate",
    summary: "Give a webhook a new secret, and print it once. For 24 hours, messages are signed with both secrets",
    words: ["WEBHOOK"],
    examples: [`webhooks rotate ${ID}`],
    async run(cli, { words: [webhookId] }) {
      const rotated = await cli.api.rotateSecretWebhook({ webhookId });
      showSecret(cli, rotated, `Webhook ${webhookId} has a new secret`);
    },
  }),
  defineCommand({
    name: "test",
    summary: "Send a test message, and show the answer",
    words: ["WEBHOOK"],
    examples: [`webhooks test ${ID}`],
    async run(cli, { words: [webhookId] }) {
      const { messageId } = await cli.api.testWebhook({ webhookId });
      await showResult(cli, webhookId, (one) => one.messageId === messageId);
    },
  }),
  defineCommand({
    name: "deliveries",
    summary: "List the attempts to deliver messages, newest first, with the receiver's answers",
    words: ["WEBHOOK"],
    options: PAGE_OPTIONS,
    examples: [`webhooks deliveries ${ID}`, `webhooks deliveries ${ID} --json=messageId,status,answer`],
    run: (cli, { words: [webhookId], options }) =>
      showPages(
        cli,
        options,
        (limit) => cli.api.listWebhookDeliveries({ webhookId, limit }),
        DELIVERY_COLUMNS,
      ),
  }),
  defineCommand({
    name: "redeliver",
    summary: "Send a message again, with the same ID and body, and show the answer",
    words: ["WEBHOOK", "DELIVERY"],
    examples: [`webhooks redeliver ${ID} whd_0123456789abcdefghjkmnpqrs`],
    async run(cli, { words: [webhookId, deliveryId] }) {
      const [newest] = await cli.api.listWebhookDeliveries({ webhookId, limit: 1 });
      const { messageId } = await cli.api.redeliverWebhookDelivery({ webhookId, deliveryId });
      const since = newest?.id ?? "";
      await showResult(
        cli,
        webhookId,
        (one) => one.messageId === messageId && one.trigger === "redelivery" && one.id > since,
      );
    },
  }),
  defineCommand({
    name: "delete",
    summary: "Delete webhooks and their deliveries",
    words: ["WEBHOOK..."],
    examples: [`webhooks delete ${ID}`],
    async run(cli, { words }) {
      for (const webhookId of words) await cli.api.deleteWebhook({ webhookId });
      for (const id of words) showChange(cli, { id }, `Webhook ${id} was deleted`);
    },
  }),
  defineCommand({
    name: "listen",
    summary:
      "Forward a hub's events to a program on your machine, signed like those of a webhook, until you press Ctrl-C",
    options: {
      hub: { type: "string", value: "HUB", help: "the hub (required)" },
      forward: { type: "string", value: "URL", help: "the URL to which events are sent (required)" },
      event: CHANGE_OPTIONS.event,
    },
    more: "For development: it needs no webhook and no public address. Failed messages are not sent again.",
    examples: ["webhooks listen --hub north --forward http://localhost:3001/hook"],
    async run(cli, { options: { hub, forward, event = [] } }) {
      if (hub === undefined || forward === undefined) throw new UsageError("--hub and --forward are required");
      await listenToEvents(cli, { hub, forward, eventTypes: parseEventTypes(event) });
    },
  }),
];

const DELIVERY_COLUMNS: readonly TableColumn<WebhookDelivery>[] = [
  ["TIME", (one) => one.createdAt, "time"],
  ["TYPE", (one) => one.type],
  ["EVENT", (one) => one.number === null ? null : String(one.number)],
  ["TRY", (one) => String(one.attempt)],
  ["STATUS", (one) => one.status === null ? "-" : String(one.status)],
  ["MS", (one) => String(one.durationMs)],
  ["PROBLEM", (one) => one.error],
  ["ID", (one) => one.id, "id"],
];

function showWebhook(cli: CliContext, webhook: Webhook): void {
  const lines: readonly RecordLine[] = [
    ["webhook", webhook.id],
    ["state", webhook.state, "state"],
    ["reason", webhook.disabledReason],
    ["url", webhook.url],
    ["hub", webhook.federationId ?? "all hubs"],
    ["events", formatTypes(webhook)],
    ["description", webhook.description],
    ["failing since", webhook.failingSince, "time"],
    ["last attempt", webhook.lastDelivery?.at ?? null, "time"],
    ["last answer", webhook.lastDelivery?.error ?? webhook.lastDelivery?.status?.toString() ?? null],
    ["created by", webhook.createdBy.email],
    ["created", webhook.createdAt, "time"],
  ];
  showRecord(cli, webhook, () => lines);
}

function showSecret(cli: CliContext, webhook: IssuedWebhook, message: string): void {
  if (cli.json) return showJson(cli, webhook);
  print(`${sanitizeLine(webhook.secret)}\n`);
  printNote(cli, `${message}. Store the secret now, because it cannot be shown again`);
}

/** Waits for the result of a message, and fails unless the receiver accepted it. */
async function showResult(
  cli: CliContext,
  webhookId: string,
  isWanted: (delivery: WebhookDelivery) => boolean,
): Promise<void> {
  const until = performance.now() + TEST_PATIENCE;
  while (performance.now() < until) {
    for await (const delivery of cli.api.listWebhookDeliveries({ webhookId, limit: 20 })) {
      if (!isWanted(delivery)) continue;
      const { error, status, durationMs } = delivery;
      if (error === null) return showChange(cli, delivery, `The receiver answered ${status} after ${durationMs} ms`);
      if (cli.json) showJson(cli, delivery);
      throw new CommandError(EXIT.failed, error);
    }
    await sleep(TEST_INTERVAL);
  }
  throw new CommandError(EXIT.failed, "The message was not sent within 30 s; see 'wheelwright webhooks deliveries'");
}

type EventTypes = NonNullable<NewWebhook["eventTypes"]>;

function parseEventTypes(types: readonly string[]): EventTypes {
  const unknown = types.find((type) => !WEBHOOK_EVENT_TYPES.includes(type));
  if (unknown === undefined) return types as EventTypes;
  throw new UsageError(`--event must be one of ${WEBHOOK_EVENT_TYPES.join(", ")}`);
}

function formatTypes({ eventTypes }: Webhook): string {
  return eventTypes.length === 0 ? "all" : eventTypes.join(", ");
}
