/**
 * Follows a collection: lists it, then yields its changes until the reader stops.
 *
 *   list -> watch -> ended, cut, silent -> watch again from the last version
 *     ^                    |
 *     +------ 410 ---------+   the version has expired
 *
 * Each watch request asks the server to end it within a minute. The server sends a bookmark before the end, so the next
 * watch continues from a fresh version over the same connection. A watch that receives nothing for a minute counts as
 * dead and is closed.
 */
import { isClosed, type KubeApi } from "#lib/drivers/cluster/client/api.ts";
import { type ClusterCall, ClusterError, type KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { splitLines } from "#lib/drivers/cluster/client/split-lines.ts";
import { isObject, listPages } from "#lib/drivers/cluster/client/pages.ts";
import { errorOfStatus, isRecord, statusOf } from "#lib/drivers/cluster/client/status.ts";
import { backoffDelay, MINUTE, SECOND, sleep } from "#lib/base/time.ts";

export type WatchChange =
  | { readonly type: "LISTED"; readonly objects: readonly KubeObject[] }
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubeObject };

export interface WatchQuery {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** The resource version to start from. Absent to begin with a list. */
  readonly version?: string | undefined;
  /** Whether to throw a 410 when the version has expired. Otherwise the collection is listed again. */
  readonly strict?: boolean;
  /** Milliseconds without data after which the connection counts as dead (60 s). */
  readonly silence?: number;
  /** Called for each error before the watch is retried. */
  readonly onRetry?: (error: ClusterError) => void;
}

/** The maximum number of characters in a line. An object may have 1.5 MB in etcd, and twice as much as text. */
const MAX_LINE_LENGTH = 16 * 2 ** 20;

/**
 * The minimum duration of a watch, in milliseconds. A shorter watch without an event counts as a failure and is retried
 * with backoff.
 */
const SHORTEST_ROUND = SECOND;

/** Yields the changes. Ends only by throwing the signal's reason or a permanent ClusterError. */
export async function* watch(api: KubeApi, options: WatchQuery, call: ClusterCall): AsyncGenerator<WatchChange> {
  let { version } = options;
  for (let failures = 0;;) {
    try {
      if (version === undefined) {
        const list = await listPages(api, options.path, options.query ?? {}, call);
        version = list.version;
        yield { type: "LISTED", objects: list.items };
      }
      const began = performance.now();
      let receivedEvent = false;
      for await (const { type, object } of watchOnce(api, options, version, call)) {
        receivedEvent = true;
        failures = 0;
        version = object.metadata.resourceVersion ?? version;
        if (type !== "BOOKMARK") yield { type, object };
      }
      if (!receivedEvent && performance.now() - began < SHORTEST_ROUND) {
        throw interruptedError(options.path, "ended immediately");
      }
    } catch (error) {
      call.signal.throwIfAborted();
      if (!(error instanceof ClusterError) || isClosed(error)) throw error;
      const expired = error.status === 410;
      if (expired) version = undefined;
      if (!error.transient && !expired || expired && options.strict) throw error;
      options.onRetry?.(error);
      api.telemetry.record("watch_restart", {});
      await sleep(Math.max(backoffDelay(++failures, 200, 30 * SECOND), error.retryAfterMs ?? 0), call.signal);
    }
  }
}

const EVENT_TYPES = new Set(["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]);

interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: KubeObject;
}

async function* watchOnce(
  api: KubeApi,
  options: WatchQuery,
  version: string,
  call: ClusterCall,
): AsyncGenerator<WatchEvent> {
  const query = {
    ...options.query,
    watch: "1",
    resourceVersion: version,
    allowWatchBookmarks: "true",
    timeoutSeconds: String(45 + Math.floor(Math.random() * 10)), // random, so that not all watches end at the same moment
  };
  const stream = await api.stream(options.path, query, call);
  const silence = options.silence ?? MINUTE;
  const cut = () => stream.close(interruptedError(options.path, `received nothing for ${silence} ms`));
  let timer = setTimeout(cut, silence);
  try {
    for await (const line of splitLines(stream.chunks, MAX_LINE_LENGTH)) {
      clearTimeout(timer);
      timer = setTimeout(cut, silence);
      if (line.trim() !== "") yield readEvent(line, options.path);
    }
  } finally {
    clearTimeout(timer);
    stream.close();
  }
}

function readEvent(line: string, path: string): WatchEvent {
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch (cause) {
    throw interruptedError(path, "was cut off in the middle of a line", cause);
  }
  const { type, object } = isRecord(event) ? event : {};
  if (type === "ERROR") {
    const status = statusOf(object);
    throw errorOfStatus(status?.code ?? 500, status, `watch of ${path}`);
  }
  // A bookmark has no object name.
  const isValid = type === "BOOKMARK" ? isRecord(object) && isRecord(object.metadata) : isObject(object);
  if (!isValid || !EVENT_TYPES.has(String(type))) throw interruptedError(path, "received an invalid event");
  return event as WatchEvent;
}

function interruptedError(path: string, how: string, cause?: unknown): ClusterError {
  return new ClusterError("unreachable", `The watch of ${path} ${how}`, { transient: true, cause });
}
