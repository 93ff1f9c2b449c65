/**
 * Follows a hub's event stream and reconnects when the connection is lost. Each event is delivered once, in order and
 * without gaps.
 */
import { buildRequest, callEndpoint, type CallParams, type EndpointDescription } from "./call.ts";
import type { ApiConnection, ApiRequest, ApiResponse } from "./connection.ts";
import { WheelwrightError } from "./error.ts";
import { delayBeforeRetry, isTransient, pauseBeforeRetry } from "./retry.ts";
import type { StreamEvent } from "./schemas.ts";
import { readSseFrames } from "./sse.ts";

const SILENCE = 40_000; // ms; the server sends a comment every 15 s
const CONNECTING = 40_000;

export interface FollowOptions {
  /** When this signal aborts, the iteration ends without an error. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the connection is lost, and after each failed attempt to reconnect. */
  readonly onDisconnect?: ((disconnect: StreamDisconnect) => void) | undefined;
  /** Called when the connection is restored. */
  readonly onResume?: (() => void) | undefined;
  /** How long the connection may be silent before it counts as lost, in milliseconds. Defaults to 40 s. */
  readonly silence?: number | undefined;
  /** How long to try to reconnect before the iteration fails, in milliseconds. Unlimited if absent. */
  readonly timeout?: number | undefined;
  /** The maximum number of attempts to open the first connection. */
  readonly maxAttempts?: number | undefined;
}

export interface StreamDisconnect {
  readonly error: WheelwrightError;
  /** The number of failed attempts to reconnect so far. */
  readonly attempts: number;
  /** The delay before the next attempt, in milliseconds. */
  readonly wait: number;
}

interface StreamProgress {
  /** The number of the last event received; null before the first event. */
  last: number | null;
  /** How long to wait before reconnecting, in milliseconds, as requested by the server; null if not requested. */
  reconnectDelay: number | null;
  /** When the connection was lost (performance.now()) and how often reconnecting failed; null while connected. */
  disconnect: { readonly at: number; tried: number } | null;
}

/** Yields events until the hub is removed or the signal aborts. Rejects on permanent errors like a revoked token. */
export async function* followStream(
  connection: ApiConnection,
  call: EndpointDescription,
  { since, ...params }: CallParams,
  options: FollowOptions = {},
): AsyncGenerator<StreamEvent, void> {
  const { signal } = options, left = new AbortController();
  const over = signal ? AbortSignal.any([signal, left.signal]) : left.signal;
  const progress: StreamProgress = {
    last: since === undefined || since === null ? null : Number(since),
    reconnectDelay: null,
    disconnect: null,
  };
  let removed = false;
  try {
    for (let first = true;; first = false) {
      try {
        const request = resumeRequest(call, params, progress);
        // Retries the first connection like any other call. This loop itself retries later connections.
        const answer = first
          ? await callEndpoint(connection, request, { signal: over, maxAttempts: options.maxAttempts })
          : await connection.send(request, connection.options.attemptTimeout ?? CONNECTING, over);
        for await (const event of events(answer, progress, { ...options, signal: over })) {
          yield event;
          removed ||= event.type === "FederationUpdateRemoved";
          if (event.type === "StreamEnd") return;
        }
        throw new Error("the server ended the stream");
      } catch (error) {
        if (over.aborted || removed) return; // a removed hub has no stream
        const cause = error instanceof WheelwrightError ? error : disconnectError(connection, error);
        if (first && error instanceof WheelwrightError || !isTransient(cause)) throw cause;
        await waitToReconnect(connection, cause, progress, options, over);
      }
    }
  } finally {
    left.abort();
  }
}

function resumeRequest(call: EndpointDescription, params: CallParams, { last }: StreamProgress): ApiRequest {
  const headers = { accept: "text/event-stream", ...(last !== null && { "last-event-id": String(last) }) };
  return buildRequest(call, { params, headers });
}

async function* events(
  { body }: ApiResponse,
  progress: StreamProgress,
  { silence = SILENCE, onResume, signal }: FollowOptions,
): AsyncGenerator<StreamEvent, void> {
  for await (const { id, data, retry } of readSseFrames(body as ReadableStream<Uint8Array>, { silence, signal })) {
    if (progress.disconnect) onResume?.();
    progress.disconnect = null;
    progress.reconnectDelay = retry;
    if (data === null) continue;
    const event = JSON.parse(data) as StreamEvent, number = Number(id);
    // Skips events that were already received. `Stream…` events reuse another event's number and are never skipped.
    if (progress.last !== null && number <= progress.last && !event.type.startsWith("Stream")) continue;
    progress.last = number;
    yield event;
  }
}

async function waitToReconnect(
  connection: ApiConnection,
  error: WheelwrightError,
  progress: StreamProgress,
  { timeout = Infinity, onDisconnect }: FollowOptions,
  over: AbortSignal,
): Promise<void> {
  const disconnect = progress.disconnect ??= { at: performance.now(), tried: 0 };
  const wait = progress.reconnectDelay ?? delayBeforeRetry(connection, error, disconnect.tried + 1);
  if (performance.now() + wait > disconnect.at + timeout) throw error;
  onDisconnect?.({ error, attempts: disconnect.tried, wait });
  disconnect.tried++;
  progress.reconnectDelay = null;
  await pauseBeforeRetry(connection, wait, over).catch(() => {}); // the caller's loop checks the signal
}

function disconnectError({ url }: ApiConnection, cause: unknown): WheelwrightError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new WheelwrightError("unreachable", `The event stream of ${url} was interrupted: ${reason}`, { cause });
}
