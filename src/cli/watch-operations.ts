/**
 * Waits for operations and shows their progress. When a hub's event stream reports a change, reads the affected
 * operations again. Also reads all operations periodically, because some changes cause no event.
 */
import { type OperationDetail, type Wheelwright, WheelwrightError } from "#lib/client/client.ts";
import { isTransient } from "#lib/client/retry.ts";
import { SECOND } from "#lib/base/time.ts";
import type { CliContext } from "./command.ts";
import { formatWatchCommand, isOperationDone } from "./operation-views.ts";
import { openProgressDisplay, type ProgressRow } from "./progress.ts";
import { formatCount } from "#lib/base/text.ts";
import { formatClockDuration } from "./times.ts";
import { CommandError, EXIT } from "./exit-status.ts";

export interface WatchedOperation {
  readonly id: string;
  /** The name of the affected hub or spoke, for display. */
  readonly label: string;
  readonly federationId: string | null;
}

interface TrackedOperation extends ProgressRow {
  readonly id: string;
  readonly federationId: string | null;
  operation: OperationDetail | null;
}

const MAX_PARALLEL_READS = 6;
/**
 * How often all operations are read, in milliseconds: every READ_INTERVAL, or READ_INTERVAL_PER_OPERATION times the
 * number of operations if that is longer. Needed because no event reports a changed queue position.
 */
const READ_INTERVAL = 5 * SECOND, READ_INTERVAL_PER_OPERATION = 200;

/** The result of waiting for operations. */
export interface WaitResult {
  /** The last known state of each operation, in the order of the input. Null if unknown, or with --no-wait. */
  readonly operations: readonly (OperationDetail | null)[];
  /** The reason why waiting ended before all operations were done. Null if waiting did not end early. */
  readonly earlyEnd: CommandError | null;
}

/**
 * Watches operations until all are done, `ms` milliseconds have passed or the user presses Ctrl-C. If watching ends
 * early, the operations continue, and `earlyEnd` has the command for watching these operations again.
 */
export async function watchOperations(
  cli: CliContext,
  watched: readonly WatchedOperation[],
  ms: number,
): Promise<WaitResult> {
  if (watched.length === 0) return { operations: [], earlyEnd: null };
  const display = openProgressDisplay(cli), over = new AbortController(), { signal } = over;
  const tracked: TrackedOperation[] = watched.map((one) => ({ ...one, operation: null }));
  const unfinished = () => tracked.filter(({ operation: seen }) => !seen || !isOperationDone(seen));
  const ended = Promise.withResolvers<CommandError | null>();
  const stop = (status: number, why: string) => {
    const those = unfinished(), they = those.length === 1 ? "The operation continues" : "The operations continue";
    ended.resolve(new CommandError(status, `${why}. ${they}. To watch again: ${formatWatchCommand(those)}`));
  };
  const onSignal = () => stop(EXIT.interrupted, "Stopped watching");
  process.on("SIGINT", onSignal);
  const timeoutTimer = setTimeout(() => {
    stop(
      EXIT.timedOut,
      `${formatCount(unfinished().length, "operation")} not finished after ${formatClockDuration(ms)}`,
    );
  }, ms);
  const connection = createConnectionReporter(display.print);
  const readOperations = createOperationReader(cli.api, signal, (target, seen) => {
    connection.restored();
    target.operation = seen;
    display.update(tracked);
    if (unfinished().length === 0) ended.resolve(null);
  }, (error) => {
    if (error instanceof WheelwrightError && isTransient(error)) connection.lost(error); // the next periodic read retries
    else ended.reject(error);
  });
  const readTimer = setInterval(
    () => readOperations(unfinished()),
    Math.max(READ_INTERVAL, tracked.length * READ_INTERVAL_PER_OPERATION),
  );
  try {
    for (const hub of new Set(tracked.map(({ federationId }) => federationId))) {
      if (hub !== null) {
        follow(cli.api, hub, signal, connection, (isAffected) => readOperations(unfinished().filter(isAffected)));
      }
    }
    readOperations(tracked);
    const earlyEnd = await ended.promise;
    // Keeps the signal handler after Ctrl-C: a second SIGINT from npm would end the process before it prints a message.
    if (earlyEnd === null) process.off("SIGINT", onSignal);
    return { operations: tracked.map(({ operation: seen }) => seen), earlyEnd };
  } finally {
    over.abort();
    clearTimeout(timeoutTimer);
    clearInterval(readTimer);
    display.close();
  }
}

/** Returns a function that reads operations: at most 6 in parallel, and never one operation twice at the same time. */
function createOperationReader(
  api: Wheelwright,
  signal: AbortSignal,
  onSeen: (target: TrackedOperation, seen: OperationDetail) => void,
  onError: (error: unknown) => void,
): (tracked: readonly TrackedOperation[]) => void {
  const waiting = new Set<TrackedOperation>(), busy = new Set<TrackedOperation>();
  const next = (): void => {
    for (const target of waiting) {
      if (busy.size >= MAX_PARALLEL_READS) return;
      if (busy.has(target)) continue;
      waiting.delete(target);
      busy.add(target);
      api.getOperation({ operationId: target.id }, { signal, maxAttempts: 1 })
        .then((seen) => signal.aborted || onSeen(target, seen))
        .catch((error) => signal.aborted || onError(error))
        .finally(() => {
          busy.delete(target);
          next();
        });
    }
  };
  return (tracked) => {
    for (const target of tracked) waiting.add(target);
    next();
  };
}

/** Reports once when the connection to the server is lost, and once when it is restored. */
function createConnectionReporter(print: (text: string) => void) {
  let isLost = false;
  return {
    lost({ message }: WheelwrightError): void {
      if (!isLost) print(`${message}. Reconnecting …`);
      isLost = true;
    },
    restored(): void {
      if (isLost) print("Reconnected");
      isLost = false;
    },
  };
}

type OperationFilter = (target: TrackedOperation) => boolean;

/**
 * Follows a hub's event stream and calls `onEvent` for each event. Ignores API errors, because the periodic reads
 * continue without the stream.
 */
async function follow(
  api: Wheelwright,
  federationId: string,
  signal: AbortSignal,
  connection: ReturnType<typeof createConnectionReporter>,
  onEvent: (isAffected: OperationFilter) => void,
): Promise<void> {
  const events = api.followFederation({ federationId }, {
    ...{ signal, maxAttempts: 1 },
    onDisconnect: ({ error }) => connection.lost(error),
    onResume() {
      connection.restored();
      onEvent((target) => target.federationId === federationId);
    },
  });
  try {
    for await (const { spokeId, operation } of events) {
      onEvent(({ id, operation: seen }) => operation?.id === id || !!seen && seen.spokeId === (spokeId ?? null));
    }
  } catch (error) {
    if (!(error instanceof WheelwrightError)) throw error;
  }
  if (!signal.aborted) onEvent((target) => target.federationId === federationId);
}
