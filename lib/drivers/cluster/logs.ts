/**
 * Reads container logs, either once or while the containers run. Kubernetes deletes a log with its pod, for example at
 * a Job's deadline, so a Job's logs are followed from the start. Only the last 200 lines of a log are kept.
 */
import { isApiClosedError, type KubeApi } from "#lib/drivers/cluster/client/api.ts";
import { getContainerStates } from "#lib/drivers/cluster/diagnosis/inspect-objects.ts";
import { type ClusterCall, ClusterError, type KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { buildApiPath } from "#lib/drivers/cluster/client/kinds.ts";
import { splitLines } from "#lib/drivers/cluster/client/split-lines.ts";
import { getErrorMessage } from "#lib/base/errors.ts";
import { escapeInvisibleCharacters } from "#lib/base/readable.ts";
import { backoffDelay, SECOND, sleep } from "#lib/base/time.ts";

const MAX_LINES = 200;
const MAX_LINE_LENGTH = 4096;
/** The maximum number of bytes that the server may send for one log. */
const MAX_LOG_BYTES = 4 * 2 ** 20;

/** The beginning of the line that is shown instead of a log that could not be read. */
export const UNREADABLE_LOG_PREFIX = "(the log of ";

export interface LogSource {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Whether to read the log from before the container's last restart. */
  readonly previous?: boolean;
}

/** Returns the last 200 lines of the log so far, or a single line with the error if the log cannot be read. */
export async function readLog(api: KubeApi, source: LogSource, call: ClusterCall): Promise<string[]> {
  const previous: Record<string, string> = source.previous ? { previous: "true" } : {};
  const query = {
    container: source.container,
    tailLines: String(MAX_LINES),
    limitBytes: String(MAX_LOG_BYTES),
    ...previous,
  };
  try {
    const text = await api.text(pathOfLog(source), query, call);
    return text.split("\n").filter((line, index, all) => line !== "" || index < all.length - 1).slice(-MAX_LINES).map(
      trim,
    );
  } catch (error) {
    call.signal.throwIfAborted();
    return [`${UNREADABLE_LOG_PREFIX}${source.pod}/${source.container} cannot be read: ${getErrorMessage(error)})`];
  }
}

export interface FollowedLog {
  readonly pod: string;
  readonly container: string;
  readonly lines: readonly string[];
}

export interface LogFollower {
  /** Starts to follow the logs of containers in these pods, once the containers have started. */
  update(pods: readonly KubeObject[]): void;
  /** Returns the last lines of each followed log, in the order in which the logs were first opened. */
  followed(): readonly FollowedLog[];
  /** Stops reconnecting, and waits up to `timeoutMs` milliseconds for open logs to end before closing them. */
  close(timeoutMs: number): Promise<void>;
}

/** Follows pods' logs. If `listen` is set, reads each log from its first line, otherwise only the last 200 lines. */
export function followLogs(
  api: KubeApi,
  namespace: string,
  signal: AbortSignal,
  listen: (() => (line: string) => void) | null = null,
): LogFollower {
  const stop = new AbortController(), closing = new AbortController();
  const call = { signal: stop.signal };
  const onAbort = () => {
    stop.abort(signal.reason);
    closing.abort();
  };
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  const tails = new Map<string, FollowedLog>();
  const ended = new Set<string>();
  const running: Promise<void>[] = [];

  async function follow(key: string, source: LogSource): Promise<void> {
    for (let failures = 0;;) {
      const lines: string[] = [], onLine = listen?.();
      try {
        for await (const line of linesOf(api, source, onLine !== undefined, call)) {
          onLine?.(line);
          if (lines.push(line) > MAX_LINES) lines.shift();
          tails.set(key, { pod: source.pod, container: source.container, lines });
        }
      } catch (error) {
        if (stop.signal.aborted || !isWorthReopening(error)) return;
      }
      if (ended.has(key) || closing.signal.aborted) return;
      await sleep(backoffDelay(++failures, 500, 5 * SECOND), closing.signal).catch(() => {}); // aborts are checked next
      if (closing.signal.aborted || ended.has(key)) return;
    }
  }

  return {
    update: (pods) => {
      for (const pod of pods) {
        for (const { name: container, state } of getContainerStates(pod)) {
          const key = `${pod.metadata.uid}/${container}`;
          if (state?.terminated) ended.add(key);
          if (tails.has(key) || !(state?.running || state?.terminated)) continue;
          const source = { namespace, pod: pod.metadata.name, container };
          tails.set(key, { ...source, lines: [] });
          running.push(follow(key, source));
        }
      }
    },
    followed: () => [...tails.values()],
    close: async (timeoutMs) => {
      closing.abort();
      const timer = setTimeout(() => stop.abort(new Error("timed out while waiting for the log to end")), timeoutMs);
      await Promise.all(running);
      clearTimeout(timer);
      stop.abort(new Error("the log was read completely"));
      signal.removeEventListener("abort", onAbort);
    },
  };
}

/**
 * Whether reopening the log can succeed. The API server responds with 400 while a container is starting. Reopening is
 * useless if the pod was deleted or the log is forbidden.
 */
function isWorthReopening(error: unknown): boolean {
  return error instanceof ClusterError && (error.transient || error.status === 400) && !isApiClosedError(error);
}

async function* linesOf(
  api: KubeApi,
  source: LogSource,
  fromStart: boolean,
  call: ClusterCall,
): AsyncGenerator<string> {
  const end: Record<string, string> = fromStart ? {} : { tailLines: String(MAX_LINES) };
  const query = { container: source.container, follow: "true", ...end };
  const answer = await api.stream(pathOfLog(source), query, call);
  try {
    for await (const line of splitLines(answer.chunks, MAX_LINE_LENGTH)) yield trim(line);
  } finally {
    answer.close();
  }
}

function pathOfLog(source: LogSource): string {
  return `${buildApiPath("v1", "pods", source.namespace, source.pod)}/log`;
}

function trim(line: string): string {
  return escapeInvisibleCharacters(line.slice(0, MAX_LINE_LENGTH).replace(/\r$/, ""));
}
