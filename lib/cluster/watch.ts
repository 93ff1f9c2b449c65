/**
 * Follows a collection: a list, then what changes after it, for as long as somebody reads.
 *
 *   list -> watch -> ended, cut, silent -> watch again from the last version
 *     ^                    |
 *     +------ 410 ---------+   the server no longer knows that version
 *
 * The server is asked to end each round before a minute has passed; it sends a bookmark just before, so that a quiet
 * collection goes on from a fresh version and over the same connection. A round that says nothing for longer than
 * that hangs on a connection that is dead, and is cut.
 */
import type { Api } from "#lib/cluster/api.ts";
import { type Call, ClusterError, type KubeObject } from "#lib/cluster/cluster.ts";
import { splitLines } from "#lib/cluster/lines.ts";
import { errorOfStatus } from "#lib/cluster/status.ts";
import { backoff, MINUTE, SECOND, sleep } from "#lib/time.ts";

export type Change =
  | { readonly type: "LISTED"; readonly objects: readonly KubeObject[] }
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubeObject };

export interface WatchOptions {
  /** Path of the collection. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Milliseconds without a word after which the connection is taken for dead (60 s). */
  readonly silence?: number;
  /** Told of each failure that it gets over. */
  readonly onTrouble?: (error: ClusterError) => void;
}

/** The longest line of a watch: an object may have 1.5 MB in the server's store, and twice that as text. */
const LINE_MOST = 16 * 2 ** 20;

/** Ends only by throwing: the abort reason, or a permanent ClusterError. */
export async function* watch(api: Api, options: WatchOptions, call: Call): AsyncGenerator<Change> {
  let version: string | undefined;
  for (let failures = 0;;) {
    try {
      if (version === undefined) {
        const list = await listAll(api, options, call);
        version = list.version;
        yield { type: "LISTED", objects: list.objects };
      }
      for await (const { type, object } of oneRound(api, options, version, call)) {
        failures = 0;
        version = object.metadata.resourceVersion ?? version;
        if (type !== "BOOKMARK") yield { type, object };
      }
    } catch (error) {
      call.signal.throwIfAborted();
      if (!(error instanceof ClusterError)) throw error;
      const expired = error.status === 410;
      if (expired) version = undefined;
      if (!error.transient && !expired) throw error;
      options.onTrouble?.(error);
      await sleep(Math.max(backoff(++failures, 200, 30 * SECOND), error.retryAfterMs ?? 0), call.signal);
    }
  }
}

async function listAll(
  api: Api,
  options: WatchOptions,
  call: Call,
): Promise<{ objects: KubeObject[]; version: string }> {
  const objects: KubeObject[] = [];
  let version = "", next = "";
  do {
    const query: Record<string, string> = { ...options.query, limit: "500", ...(next ? { continue: next } : {}) };
    const { body } = await api.call({ method: "GET", path: options.path, query, repeat: "safe" }, call);
    objects.push(...(body.items ?? []));
    version = body.metadata?.resourceVersion ?? "";
    next = body.metadata?.continue ?? "";
  } while (next);
  return { objects, version };
}

interface Line {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: KubeObject;
}

async function* oneRound(api: Api, options: WatchOptions, version: string, call: Call): AsyncGenerator<Line> {
  const query = {
    ...options.query,
    watch: "1",
    resourceVersion: version,
    allowWatchBookmarks: "true",
    timeoutSeconds: String(45 + Math.floor(Math.random() * 10)), // not all rounds of all spaces at the same moment
  };
  const stream = await api.stream(options.path, query, call);
  const silence = options.silence ?? MINUTE;
  let guard = setTimeout(stream.close, silence);
  try {
    for await (const line of splitLines(stream.chunks, LINE_MOST)) {
      clearTimeout(guard);
      guard = setTimeout(stream.close, silence);
      if (line.trim() !== "") yield readLine(line, options.path);
    }
  } finally {
    clearTimeout(guard);
    stream.close();
  }
}

function readLine(line: string, path: string): Line {
  let event: { type: string; object: unknown };
  try {
    event = JSON.parse(line);
  } catch (cause) {
    throw new ClusterError("unreachable", `The watch of ${path} broke off in a line`, { transient: true, cause });
  }
  if (event.type !== "ERROR") return event as Line;
  const status = event.object as { code?: number };
  throw errorOfStatus(status.code ?? 500, status, `watch of ${path}`);
}
