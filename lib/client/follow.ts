/**
 * A hub's events as they happen, across cuts: each once, in order, and none left out.
 *
 * The stream is resumed after the last event that was handed on. What a server sends again all the same is passed over.
 */
import { type ApiCall, callEndpoint, type Params, requestOf } from "./call.ts";
import type { ApiConnection, ApiRequest, ApiResponse } from "./connection.ts";
import { WheelwrightError } from "./error.ts";
import { isTransient, pauseFor, waitAfter } from "./retry.ts";
import type { StreamEvent } from "./schemas.ts";
import { sentFrames } from "./sse.ts";

const SILENCE = 40_000; // ms: a server that has nothing to say says that every 15 s
const CONNECTING = 40_000;

export interface FollowOptions {
  /** Ends the iteration, without an error. */
  readonly signal?: AbortSignal | undefined;
  /** Told when the stream is cut, before the wait until it is resumed; and of each try to resume it that fails. */
  readonly onCut?: ((cut: StreamCut) => void) | undefined;
  /** Told when it is resumed. */
  readonly onResume?: (() => void) | undefined;
  /** Milliseconds without a whole event or comment after which it counts as cut; 40 s. */
  readonly silence?: number | undefined;
  /** Milliseconds for which resuming is tried before the iteration ends with the error; for ever when absent. */
  readonly timeout?: number | undefined;
  /** How often the first connection is tried. */
  readonly tries?: number | undefined;
}

export interface StreamCut {
  readonly error: WheelwrightError;
  /** Tries to resume it that have failed. */
  readonly tried: number;
  /** Milliseconds until the next one. */
  readonly wait: number;
}

/** What is kept of a stream from one connection to the next. */
interface StreamProgress {
  /** The number of the last event that was handed on. */
  last: number | null;
  /** How long the server wants to be left alone; null where it said nothing. */
  reconnectDelay: number | null;
  /** Since when it is cut (by performance.now()), and tries since; null while it is not. */
  cut: { readonly at: number; tried: number } | null;
}

/**
 * Ends when the hub is removed (after its `StreamEnd`) or the signal aborts; rejects with what resuming cannot mend, such as
 * a token that was revoked.
 */
export async function* followStream(
  contact: ApiConnection,
  call: ApiCall,
  { since, ...params }: Params,
  options: FollowOptions = {},
): AsyncGenerator<StreamEvent, void> {
  const { signal } = options, left = new AbortController();
  const over = signal ? AbortSignal.any([signal, left.signal]) : left.signal;
  const course: StreamProgress = {
    last: since === undefined || since === null ? null : Number(since),
    reconnectDelay: null,
    cut: null,
  };
  let removed = false;
  try {
    for (let first = true;; first = false) {
      try {
        const asked = resumeRequest(call, params, course);
        // The first connection is tried like any call; those after it once, for this loop tries again.
        const answer = first
          ? await callEndpoint(contact, asked, { signal: over, tries: options.tries })
          : await contact.send(asked, contact.options.tryTimeout ?? CONNECTING, over);
        for await (const event of events(answer, course, { ...options, signal: over })) {
          yield event;
          removed ||= event.type === "FederationUpdateRemoved";
          if (event.type === "StreamEnd") return;
        }
        throw new Error("the server ended the stream");
      } catch (error) {
        if (over.aborted || removed) return; // a hub that is gone has no stream to come back to
        const cause = error instanceof WheelwrightError ? error : streamCutError(contact, error);
        if (first && error instanceof WheelwrightError || !isTransient(cause)) throw cause;
        await waitToReconnect(contact, cause, course, options, over);
      }
    }
  } finally {
    left.abort();
  }
}

function resumeRequest(call: ApiCall, params: Params, { last }: StreamProgress): ApiRequest {
  const headers = { accept: "text/event-stream", ...(last !== null && { "last-event-id": String(last) }) };
  return requestOf(call, { params, headers });
}

async function* events(
  { body }: ApiResponse,
  course: StreamProgress,
  { silence = SILENCE, onResume, signal }: FollowOptions,
): AsyncGenerator<StreamEvent, void> {
  for await (const { id, data, retry } of sentFrames(body as ReadableStream<Uint8Array>, { silence, signal })) {
    if (course.cut) onResume?.();
    Object.assign(course, { cut: null, reconnectDelay: retry });
    if (data === null) continue;
    const event = JSON.parse(data) as StreamEvent, number = Number(id);
    // What is said of the stream itself stands at the number that it begins or ends with.
    if (course.last !== null && number <= course.last && !event.type.startsWith("Stream")) continue;
    course.last = number;
    yield event;
  }
}

async function waitToReconnect(
  contact: ApiConnection,
  error: WheelwrightError,
  course: StreamProgress,
  { timeout = Infinity, onCut }: FollowOptions,
  over: AbortSignal,
): Promise<void> {
  const cut = course.cut ??= { at: performance.now(), tried: 0 };
  const wait = course.reconnectDelay ?? waitAfter(contact, error, cut.tried + 1);
  if (performance.now() + wait > cut.at + timeout) throw error;
  onCut?.({ error, tried: cut.tried, wait });
  cut.tried++;
  course.reconnectDelay = null;
  await pauseFor(contact, wait, over).catch(() => {}); // the loop sees that it is over
}

function streamCutError({ url }: ApiConnection, cause: unknown): WheelwrightError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new WheelwrightError("unreachable", `The event stream of ${url} was cut: ${reason}`, { cause });
}
