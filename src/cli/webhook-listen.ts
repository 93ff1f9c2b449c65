/** Forwards a hub's events to a program on the user's machine, signed like the messages of a webhook. */
import { createMessageId, createWebhookHeaders, createWebhookSecret } from "#lib/drivers/webhooks/sign.ts";
import { getErrorReason } from "#lib/base/errors.ts";
import { SECOND } from "#lib/base/time.ts";
import { CLIENT_VERSION, type StreamEvent } from "#lib/client/client.ts";
import type { CliContext } from "./command.ts";
import { UsageError } from "./exit-status.ts";
import { print, printNote, showJsonLine } from "./output.ts";
import { sanitizeLine } from "./text.ts";

const TIMEOUT = 10 * SECOND;

interface ListenOptions {
  readonly hub: string;
  readonly forward: string;
  readonly eventTypes: readonly string[];
}

/** Forwards events until the hub is removed. Prints the secret first, then each event with the program's answer. */
export async function listenToEvents(
  cli: CliContext,
  { hub, forward, eventTypes }: ListenOptions,
): Promise<void> {
  const url = URL.parse(forward);
  if (!url || !["http:", "https:"].includes(url.protocol)) throw new UsageError("--forward must be an http URL");
  const secret = createWebhookSecret();
  printNote({ quiet: false }, `Forwarding the events of ${hub} to ${url.href}. Their secret: ${secret}`);
  const events = cli.api.followFederation({ federationId: hub }, {
    onDisconnect: ({ error, attempts }) => attempts === 0 && printNote(cli, `${error.message}. Reconnecting …`),
    onResume: () => printNote(cli, "Reconnected"),
  });
  for await (const event of events) {
    if (eventTypes.length > 0 && !eventTypes.includes(event.type)) continue;
    const answer = await forwardEvent(url, secret, event);
    if (cli.json) showJsonLine(cli, { id: event.id, type: event.type, answer });
    else print(`${[event.at, event.id, event.type, answer].map((part) => sanitizeLine(String(part))).join("\t")}\n`);
  }
}

/** Sends an event, and returns the status of the answer or the reason why there is none. */
async function forwardEvent(url: URL, secret: string, event: StreamEvent): Promise<number | string> {
  const body = JSON.stringify({ type: event.type, timestamp: event.at, data: event });
  const message = { id: createMessageId("listen", event.federationId, event.id), timestamp: unixTime(), body };
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": `Wheelwright/${CLIENT_VERSION}`,
        ...createWebhookHeaders(message, [secret]),
      },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT),
    });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    const { cause } = error as Error;
    return getErrorReason(cause ?? error);
  }
}

function unixTime(): number {
  return Math.floor(Date.now() / SECOND);
}
