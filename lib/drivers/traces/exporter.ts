/**
 * Sends trace spans to an OpenTelemetry collector, as JSON over HTTP. Spans are queued and sent in batches, so that
 * callers never wait. When the queue is full, new spans are dropped and counted. OpenTelemetry's packages are not used,
 * because version 0.301 needs 18 MB of memory, 20 MB of disk space and up to 0.7 s at startup.
 */
import { Agent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import { setTimeout } from "node:timers";
import { runWithoutContext } from "#lib/base/work-context.ts";
import { DriverError, getErrorReason } from "#lib/base/errors.ts";
import type { Log } from "#lib/base/log.ts";
import type { TraceSettings } from "#lib/base/otel.ts";
import { backoffDelay, MINUTE, SECOND, sleep, withTimeout } from "#lib/base/time.ts";
import { type HttpExchangeResponse, sendHttpRequest } from "#lib/drivers/exchange.ts";
import { encodeSpan, encodeSpanBatch, type RecordedSpan } from "#lib/drivers/traces/encode.ts";

export interface SpanExporter {
  add(span: RecordedSpan): void;
  /** Tries to send the queued spans for up to two seconds, then drops the remaining spans. */
  close(): Promise<void>;
}

export interface SpanExporterOptions {
  readonly settings: Omit<TraceSettings, "sampler">;
  readonly version: string;
  readonly log: Log;
  readonly onDropped?: () => void;
  /** How long to wait before the first retry, in milliseconds. */
  readonly firstRetryMs?: number;
}

const MAX_QUEUE = 2048, BATCH_SIZE = 512;
const MAX_ATTEMPTS = 5; // the maximum number of attempts per batch
const CLOSE_TIMEOUT = 2 * SECOND;
const MAX_ANSWER_BYTES = 64 * 1024; // the maximum number of bytes read from a response
const RETRYABLE_STATUSES = [429, 502, 503, 504]; // as in the OTLP specification; all other errors are permanent

interface SendResult {
  /** The reason why the collector did not accept the batch. Null if it accepted the batch. */
  readonly error: string | null;
  /** The number of spans that the collector refused from an accepted batch. */
  readonly refused?: number;
  /** The time until the batch may be sent again, in milliseconds. Absent after a permanent error. */
  readonly retryAfterMs?: number;
}

class SendError extends DriverError {}

export function openSpanExporter(options: SpanExporterOptions): SpanExporter {
  const { settings, version, log, onDropped = () => {}, firstRetryMs: first = SECOND } = options;
  const agent = settings.url.protocol === "https:" ? new SecureAgent(AGENT_OPTIONS) : new Agent(AGENT_OPTIONS);
  const closing = new AbortController(), abortion = new AbortController();
  const queue: string[] = [];
  let dropped = 0, failing = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sending: Promise<void> | null = null;

  function drop(count: number): void {
    dropped += count;
    for (let i = 0; i < count; i++) onDropped();
  }

  function startSending(): void {
    clearTimeout(timer);
    timer = undefined;
    sending ??= runWithoutContext(sendAll).finally(() => sending = null);
  }

  async function sendAll(): Promise<void> {
    while (queue.length > 0 && !abortion.signal.aborted) await sendBatch(queue.splice(0, BATCH_SIZE));
  }

  async function sendBatch(batch: readonly string[]): Promise<void> {
    for (let attempt = 1;; attempt++) {
      const { error: problem, refused = 0, retryAfterMs: again } = await send(
        encodeSpanBatch(settings.resource, version, batch),
      );
      if (problem === null) drop(refused);
      logState(problem);
      if (problem === null) return;
      if (again === undefined || attempt >= MAX_ATTEMPTS || closing.signal.aborted) return drop(batch.length);
      const wait = Math.max(again, backoffDelay(attempt, first, 30 * SECOND));
      await sleep(wait, closing.signal).catch(() => {}); // closing the exporter ends the wait, for one last attempt
    }
  }

  /** Logs when sending spans starts to fail, and when sending succeeds again. */
  function logState(problem: string | null): void {
    if (problem !== null && !failing) log.warn("Cannot send traces; some may be lost", { reason: problem });
    if (problem === null && failing) log.info("Resumed sending traces", { dropped });
    failing = problem !== null;
  }

  async function send(body: string): Promise<SendResult> {
    try {
      const answer = await sendHttpRequest({
        method: "POST",
        url: settings.url,
        headers: { ...settings.headers, "content-type": "application/json" },
        body,
        options: { agent },
        deadline: settings.timeoutMs,
        signals: [abortion.signal],
        maxBytes: MAX_ANSWER_BYTES,
        fail: (failure, _, cause) => new SendError(failure, getErrorReason(cause), { transient: true }),
      });
      return resultOf(answer);
    } catch (error) {
      return { error: error instanceof SendError ? error.message : "the service is stopping", retryAfterMs: 0 };
    }
  }

  return {
    add(span) {
      if (closing.signal.aborted || queue.length >= MAX_QUEUE) return drop(1);
      queue.push(encodeSpan(span));
      if (queue.length >= BATCH_SIZE) startSending();
      else timer ??= setTimeout(startSending, settings.batchDelayMs).unref();
    },
    async close() {
      closing.abort();
      startSending();
      await withTimeout(CLOSE_TIMEOUT, sending!);
      abortion.abort(new Error("The service is stopping"));
      await sending;
      drop(queue.splice(0).length);
      agent.destroy();
      if (dropped > 0) log.warn("Some spans were dropped, so their traces are incomplete", { dropped });
    },
  };
}

const AGENT_OPTIONS = { keepAlive: true, maxSockets: 1 };

function resultOf(answer: HttpExchangeResponse): SendResult {
  const { status } = answer, problem = `the collector returned ${status}`;
  if (status >= 200 && status < 300) return { error: null, refused: refusedOf(answer) };
  return RETRYABLE_STATUSES.includes(status) ? { error: problem, retryAfterMs: waitOf(answer) } : { error: problem };
}

/** Returns how many spans of an accepted batch the collector refused, according to its response. */
function refusedOf({ body }: HttpExchangeResponse): number {
  try {
    const rejected = Number(JSON.parse(body)?.partialSuccess?.rejectedSpans ?? 0);
    return Number.isSafeInteger(rejected) ? Math.min(Math.max(rejected, 0), BATCH_SIZE) : 0;
  } catch {
    return 0;
  }
}

function waitOf({ headers }: HttpExchangeResponse): number {
  const seconds = Number(headers["retry-after"]);
  return seconds > 0 ? Math.min(seconds * SECOND, MINUTE) : 0;
}
