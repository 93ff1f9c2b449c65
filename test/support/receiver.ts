/** Runs an HTTP server on loopback that receives webhooks, and answers as a test chooses. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { until } from "#test/support/until.ts";

export interface ReceivedMessage {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** The parsed body. */
  readonly event: { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> };
}

export interface WebhookReceiver {
  readonly url: string;
  readonly port: number;
  /** The messages that arrived, in order. */
  readonly messages: ReceivedMessage[];
  /** Answers a message that has arrived. By default 204. */
  respond: (message: ReceivedMessage, response: ServerResponse) => void;
  /** Waits until so many messages have arrived. */
  waitFor(count: number): Promise<ReceivedMessage[]>;
  close(): Promise<void>;
}

export async function openReceiver(): Promise<WebhookReceiver> {
  const messages: ReceivedMessage[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const message = { path: request.url!, headers: request.headers, body, event: JSON.parse(body || "{}") };
    messages.push(message);
    receiver.respond(message, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    messages,
    respond: (_, response) => void response.writeHead(204).end(),
    async waitFor(count) {
      await until(() => Promise.resolve(messages.length >= count));
      return messages;
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return receiver;
}
