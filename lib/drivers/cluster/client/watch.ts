/**
 * Follows a collection of objects: lists the objects, then yields their changes until the reader stops. When a watch
 * ends, the next watch continues from the last version. If that version has expired (status 410), the collection is
 * listed again. A watch that receives nothing for a minute counts as dead and is closed. The Kubernetes library's Watch
 * skips lines that it cannot parse, so that a change may be lost, and does not report Retry-After.
 */
import { isApiClosedError, type KubeApi } from "#lib/drivers/cluster/client/api.ts";
import { type ClusterCall, ClusterError, type KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { splitLines } from "#lib/drivers/cluster/client/split-lines.ts";
import { isKubeObject, listPages } from "#lib/drivers/cluster/client/pages.ts";
import { createErrorFromStatus, isRecord, parseKubeStatus } from "#lib/drivers/cluster/client/status.ts";
import { backoffDelay, MINUTE, SECOND, sleep } from "#lib/base/time.ts";

export type ListOrChange =
  | { readonly type: "LISTED"; readonly objects: readonly KubeObject[] }
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubeObject };

export interface WatchQuery {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** The resource version from which to watch. If absent, the collection is listed first. */
  readonly version?: string | undefined;
  /** Whether to throw an error with status 410 if the version has expired. If false, lists the collection again. */
  readonly strict?: boolean;
  /** Milliseconds without data after which a connection counts as dead. Defaults to one minute. */
  readonly silence?: number;
  /** Called with each error after which the watch is retried. */
  readonly onRetry?: (error: ClusterError) => void;
}

/** The maximum number of characters per line. An object can take up 1.5 MB in etcd, and twice that as JSON. */
const MAX_LINE_LENGTH = 16 * 2 ** 20;

/**
 * The minimum duration of a watch, in milliseconds. A watch that ends earlier without an event counts as a failure and
 * is retried with backoff.
 */
const SHORTEST_ROUND = SECOND;

/** Yields the collection's changes. Ends only by throwing the signal's abort reason or a permanent ClusterError. */
export async function* watchCollection(
  api: KubeApi,
  options: WatchQuery,
  call: ClusterCall,
): AsyncGenerator<ListOrChange> {
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
      if (!(error instanceof ClusterError) || isApiClosedError(error)) throw error;
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
    timeoutSeconds: String(45 + Math.floor(Math.random() * 10)), // random, so that watches end at different times
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
    const status = parseKubeStatus(object);
    throw createErrorFromStatus(status?.code ?? 500, status, `watch of ${path}`);
  }
  // Checks bookmarks separately, because a bookmark has metadata but no object name.
  const isValid = type === "BOOKMARK" ? isRecord(object) && isRecord(object.metadata) : isKubeObject(object);
  if (!isValid || !EVENT_TYPES.has(String(type))) throw interruptedError(path, "received an invalid event");
  return event as WatchEvent;
}

function interruptedError(path: string, how: string, cause?: unknown): ClusterError {
  return new ClusterError("unreachable", `The watch on ${path} ${how}`, { transient: true, cause });
}
