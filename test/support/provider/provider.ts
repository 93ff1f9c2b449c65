/** Simulates a payment provider over HTTP: one version of Stripe's API, limited to subscription billing. Rejects the
 * same requests as Stripe. Written from Stripe's documentation and types, independently of Wheelwright's client. */
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { handleRequest, type ProviderResponse } from "#test/support/provider/handle-request.ts";
import { advanceClock } from "#test/support/provider/clock.ts";
import { createProviderFaults, type ProviderFaults } from "#test/support/provider/faults.ts";
import { parseForm } from "#test/support/provider/form.ts";
import { createSimulatedEvents, type SimulatedEvents } from "#test/support/provider/simulated-events.ts";
import { createIdempotencyKeys } from "#test/support/provider/idempotency.ts";
import type { Json, StripeEvent } from "#test/support/provider/records.ts";
import { newWorld, type World } from "#test/support/provider/world.ts";

export interface RecordedCall {
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string | null;
  /** The status of the response; 0 until the response is sent, even after the provider did the work. */
  readonly status: number;
  /** The sent parameters, from the request's form or the query of a GET. */
  readonly form: Record<string, Json>;
}

export interface Provider extends SimulatedEvents {
  readonly url: string;
  readonly key: string;
  readonly webhookSecret: string;
  /** Configuration variables that make the program use this provider. */
  readonly env: Record<string, string>;
  readonly calls: readonly RecordedCall[];
  /** The provider's stored objects. Tests may read but not change them. */
  readonly state: Readonly<Omit<World, "request">>;
  /** Returns the time on the provider's clock, in seconds. Only a test moves this clock. */
  now(): number;
  /** Sets the clock, and does all due work: finalizes drafts, records missed payments, and invoices periods. */
  setNow(seconds: number): void;
  break: ProviderFaults["break"];
  /** Delays updates of the search index until the returned function is called. */
  delaySearch(): () => void;
  /** Returns the number of requests without a response. */
  hanging(): number;
  /** All events of the provider, oldest first. */
  readonly events: readonly StripeEvent[];
  /** Returns the `Stripe-Signature` header for a webhook body. */
  sign(payload: string, at?: number, secret?: string): string;
  /** Sends the event to a webhook. `instead` replaces the body or signature. */
  deliver(url: string, event: StripeEvent, instead?: { signature?: string; body?: string }): Promise<Response>;
  close(): Promise<void>;
}

export async function openProvider(options: { readonly port?: number } = {}): Promise<Provider> {
  const key = "sk_test_double", webhookSecret = "whsec_double";
  const world = newWorld(), faults = createProviderFaults(), keys = createIdempotencyKeys();
  const calls: { -readonly [Name in keyof RecordedCall]: RecordedCall[Name] }[] = [];
  const sockets = new Set<Socket>();
  let hanging = 0;

  const server = createServer((request, response) => {
    const chunks: Uint8Array[] = [];
    request.on("error", () => {});
    request.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    request.on("end", async () => {
      const { pathname: path, search } = new URL(request.url!, "http://provider");
      const body = Buffer.concat(chunks).toString(), { method = "", headers } = request, query = search.slice(1);
      const call = {
        method,
        path,
        idempotencyKey: keyOf(headers),
        status: 0,
        form: formOf(method === "POST" ? body : query),
      };
      calls.push(call);
      const met = faults.meet(method, path), what = met?.fault.what;
      if (what === "down") return request.socket.destroy();
      if (what === "hang") return void hanging++;
      const wait = async () => {
        if (what !== "slow") return;
        hanging++;
        await met!.mended;
        hanging--;
      };
      const reply = await handleRequest(
        { world, key, keys },
        { method, path, query, headers, body },
        met?.fault ?? null,
        wait,
      )
        .catch(broken);
      if (what === "lost answer") return request.socket.destroy();
      if (request.socket.destroyed) return; // the client disconnected
      call.status = reply.status;
      response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
      response.end(reply.body);
    });
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {}); // expected: some tests disconnect
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const sign = (payload: string, at = world.now, secret = webhookSecret) =>
    `t=${at},v1=${createHmac("sha256", secret).update(`${at}.${payload}`).digest("hex")}`;
  return {
    ...createSimulatedEvents(world),
    url,
    key,
    webhookSecret,
    env: { STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_API_BASE: url },
    calls,
    state: world,
    now: () => world.now,
    setNow: (seconds) => advanceClock(world, seconds),
    break: faults.break,
    delaySearch() {
      world.indexed = structuredClone([...world.customers.values()]);
      return () => world.indexed = null;
    },
    hanging: () => hanging,
    events: world.events,
    sign,
    deliver(url, event, instead = {}) {
      const body = instead.body ?? JSON.stringify(event, null, 2);
      const headers = {
        "content-type": "application/json; charset=utf-8",
        "stripe-signature": instead.signature ?? sign(body),
        "user-agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
      };
      return fetch(url, { method: "POST", headers, body });
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns a response that reports a bug in the simulated provider and fails the test. */
function broken(cause: unknown): ProviderResponse {
  const message = `The simulated provider has a bug: ${cause instanceof Error ? cause.stack : cause}`;
  const body = JSON.stringify({ error: { type: "api_error", message } });
  return { status: 500, body, requestId: "", headers: {} };
}

function keyOf(headers: Readonly<Record<string, string | string[] | undefined>>): string | null {
  const key = headers["idempotency-key"];
  return typeof key === "string" ? key : null;
}

/** Parses a request's form for the request log. Returns an empty object for a malformed form. */
function formOf(text: string): Record<string, Json> {
  try {
    return parseForm(text);
  } catch {
    return {};
  }
}
