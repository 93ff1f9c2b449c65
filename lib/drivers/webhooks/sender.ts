/**
 * Sends one signed message to a webhook's receiver. Receivers are untrusted: the connection uses only an address that
 * was checked, redirects are not followed, and an answer is read for at most 10 s and 64 KiB. Limits how many messages
 * one receiver and one host get at the same time. The limits are per replica.
 */
import http from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import tls from "node:tls";
import { runCancellable } from "#lib/base/cancellation.ts";
import { DriverError } from "#lib/base/errors.ts";
import { SECOND } from "#lib/base/time.ts";
import { openHttpStream, type ResponseStream } from "#lib/drivers/exchange.ts";
import { openReceiverLimits } from "#lib/drivers/webhooks/limits.ts";
import { checkReceiver, type ReceiverRules } from "#lib/drivers/webhooks/receivers.ts";
import { createWebhookHeaders } from "#lib/drivers/webhooks/sign.ts";

export interface WebhookMessage {
  readonly webhookId: string;
  readonly url: string;
  readonly messageId: string;
  readonly body: string;
  /** The secrets that sign the message: two while a secret is being rotated. */
  readonly secrets: readonly string[];
}

/** The result of an attempt. `error` is null if the receiver accepted the message. */
export interface WebhookAnswer {
  /** The HTTP status. Null without an answer. */
  readonly status: number | null;
  /** The first 2 KiB of the answer's body, as text. */
  readonly text: string;
  /** Why the message was not accepted, as a sentence without a full stop. */
  readonly error: string | null;
  readonly durationMs: number;
  /** How long the receiver asks to wait before the next attempt (Retry-After), in milliseconds. */
  readonly retryAfterMs: number | null;
}

/** Either the answer, or how long to wait because the receiver or its host has enough messages at the moment. */
export type SendResult = WebhookAnswer | { readonly busyMs: number };

export interface WebhookSender {
  send(message: WebhookMessage, signal: AbortSignal): Promise<SendResult>;
  /** Returns why nothing may be sent to this URL now, or null. Rejects if no DNS server responds. */
  findRefusal(url: string, signal?: AbortSignal): Promise<string | null>;
  close(): void;
}

export interface WebhookSenderOptions extends ReceiverRules {
  /** The version of this program, for the user agent. */
  readonly version: string;
  readonly timeoutMs?: number;
  /** A certificate authority to trust instead of the usual ones, in PEM. For tests. */
  readonly ca?: string;
}

const TIMEOUT = 10 * SECOND, MAX_BYTES = 64 * 1024, MAX_TEXT_BYTES = 2048, MAX_RETRY_AFTER = 3600 * SECOND;

class ReceiverError extends DriverError {
  override readonly name = "ReceiverError";
  constructor(code: string, message: string, cause?: Error) {
    super(code, message, { transient: true });
    this.cause = cause;
  }
}

export function openWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { timeoutMs = TIMEOUT, ca } = options, limits = openReceiverLimits();
  const agents = {
    http: new http.Agent(),
    https: new https.Agent({ secureContext: tls.createSecureContext(ca === undefined ? {} : { ca }) }),
  };

  async function sendNow(
    message: WebhookMessage,
    signals: readonly AbortSignal[],
  ): Promise<Omit<WebhookAnswer, "durationMs">> {
    const url = new URL(message.url), check = (signal: AbortSignal) => checkReceiver(url, options, signal);
    const receiver = await runCancellable(signals, null, check).catch((error) => {
      for (const signal of signals) signal.throwIfAborted();
      throw new ReceiverError("lookup", "The receiver's host name could not be looked up", error);
    });
    if ("refused" in receiver) throw new ReceiverError("refused", `Nothing was sent, because ${receiver.refused}`);
    const { messageId: id, body, secrets } = message, timestamp = Math.floor(Date.now() / SECOND);
    const stream = await openHttpStream({
      method: "POST",
      url,
      headers: {
        host: url.host,
        "content-type": "application/json",
        "user-agent": `Wheelwright/${options.version}`,
        connection: "close",
        ...createWebhookHeaders({ id, timestamp, body }, secrets),
      },
      body,
      options: {
        agent: url.protocol === "https:" ? agents.https : agents.http,
        lookup: createFixedLookup(receiver.address),
      },
      deadline: timeoutMs + SECOND,
      signals,
      fail: (failure, _, cause) => new ReceiverError(failure, describeFailure(cause, timeoutMs), cause),
    });
    const text = await readStart(stream), { status } = stream;
    return {
      status,
      text,
      error: describeStatus(status),
      retryAfterMs: parseRetryAfter(stream.headers["retry-after"]),
    };
  }

  return {
    async send(message, signal) {
      const turn = limits.enter(message.webhookId, new URL(message.url).host);
      if ("busyMs" in turn) return turn;
      await turn.started;
      const startedAt = performance.now(), late = new AbortController();
      const tooLate = new ReceiverError("deadline", describeLate(timeoutMs));
      const timer = setTimeout(() => late.abort(tooLate), timeoutMs);
      try {
        const answer = await sendNow(message, [signal, late.signal]);
        signal.throwIfAborted();
        turn.leave(true);
        return { ...answer, durationMs: Math.round(performance.now() - startedAt) };
      } catch (error) {
        turn.leave(signal.aborted);
        signal.throwIfAborted();
        if (!(error instanceof ReceiverError)) throw error;
        const durationMs = Math.round(performance.now() - startedAt);
        return { status: null, text: "", error: error.message, durationMs, retryAfterMs: null };
      } finally {
        clearTimeout(timer);
      }
    },
    async findRefusal(url, signal) {
      const receiver = await checkReceiver(new URL(url), options, signal);
      return "refused" in receiver ? receiver.refused : null;
    },
    close() {
      limits.close();
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** Reads the start of an answer's body. The status is known, so a slow or broken body is no failure. */
async function readStart(stream: ResponseStream): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stream.chunks) {
      chunks.push(chunk);
      if ((size += chunk.byteLength) >= MAX_BYTES) break;
    }
  } catch {
    // Keeps the part that arrived.
  } finally {
    stream.close();
  }
  return Buffer.concat(chunks).subarray(0, MAX_TEXT_BYTES).toString().replaceAll("\0", "").toWellFormed();
}

/** Creates a lookup function that always returns the checked address, so that a changed DNS record has no effect. */
function createFixedLookup(address: string): LookupFunction {
  const family = isIP(address);
  return (_host, options, callback) =>
    options.all ? callback(null, [{ address, family }]) : callback(null, address, family);
}

function describeStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `The receiver redirected (${status}); redirects are not followed`;
  return `The receiver answered ${status}`;
}

function describeLate(timeoutMs: number): string {
  return `The receiver did not answer within ${timeoutMs / SECOND} s`;
}

function describeFailure(cause: Error, timeoutMs: number): string {
  const { code = "", message } = cause as Error & { readonly code?: string };
  if (/^took over/.test(message)) return describeLate(timeoutMs);
  if (code === "ECONNREFUSED") return "The receiver refused the connection";
  if (code === "CERT_HAS_EXPIRED") return "The receiver's certificate has expired";
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/.test(code) || /certificate/i.test(message)) {
    return "The receiver's certificate is not valid";
  }
  if (/without an answer|closed|ECONNRESET|socket hang up/i.test(`${code} ${message}`)) {
    return "The receiver closed the connection without an answer";
  }
  return "The receiver could not be connected";
}

/** Returns the delay that a Retry-After header asks for, up to an hour. Null if the header is absent or not valid. */
function parseRetryAfter(header: string | undefined): number | null {
  if (header === undefined) return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * SECOND : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? null : Math.min(MAX_RETRY_AFTER, Math.max(0, ms));
}
