/**
 * Waits for operations and shows their progress. When a hub's event stream reports a change, the affected operations
 * are read. Periodic reads, 5 seconds or more apart, find the changes that have no event.
 */
import { type OperationDetail, type Wheelwright, WheelwrightError } from "#lib/client/client.ts";
import { isTransient } from "#lib/client/retry.ts";
import { SECOND } from "#lib/base/time.ts";
import { CommandError, EX_INTERRUPTED } from "../commands/command.ts";
import type { Cli } from "./verb-declaration.ts";
import { isDone, watchCommand } from "./operation-views.ts";
import { openDisplay, type ProgressRow } from "./progress.ts";
import { TIMED_OUT } from "./exit-status.ts";
import { plural } from "./text.ts";
import { lasting } from "./times.ts";

export interface WatchedOperation {
  readonly id: string;
  /** The name of the operation's hub or spoke, for people. */
  readonly label: string;
  readonly federationId: string | null;
}

interface Course extends ProgressRow {
  readonly id: string;
  readonly federationId: string | null;
  seen: OperationDetail | null;
}

const LOOKS_AT_ONCE = 6;
/**
 * Milliseconds between periodic reads: ROUND, or ROUND_OF_EACH per operation if that is longer. Queue positions change
 * without an event.
 */
const ROUND = 5 * SECOND, ROUND_OF_EACH = 200;

interface Watched {
  /** The operations, in the order of the input. Null for an operation that was never read. */
  readonly seen: readonly (OperationDetail | null)[];
  readonly stopped: CommandError | null;
}

/**
 * Watches operations until all are done, `ms` milliseconds have passed or the user presses Ctrl-C. The operations
 * continue after an early end. `stopped` then has the command to watch them again.
 */
export async function watchOperations(cli: Cli, watched: readonly WatchedOperation[], ms: number): Promise<Watched> {
  if (watched.length === 0) return { seen: [], stopped: null };
  const display = openDisplay(cli), over = new AbortController(), { signal } = over;
  const courses: Course[] = watched.map((one) => ({ ...one, seen: null }));
  const left = () => courses.filter(({ seen }) => !seen || !isDone(seen));
  const ended = Promise.withResolvers<CommandError | null>();
  const stop = (status: number, why: string) => {
    const those = left(), they = those.length === 1 ? "It goes" : "They go";
    ended.resolve(new CommandError(status, `${why}. ${they} on; watch again: ${watchCommand(those)}`));
  };
  const onSignal = () => stop(EX_INTERRUPTED, "Stopped watching");
  process.on("SIGINT", onSignal);
  const late = setTimeout(() => {
    stop(TIMED_OUT, `${plural(left().length, "operation")} not done after ${lasting(ms)}`);
  }, ms);
  const line = openLine(display.say);
  const look = openLooks(cli.api, signal, (course, seen) => {
    line.found();
    course.seen = seen;
    display.show(courses);
    if (left().length === 0) ended.resolve(null);
  }, (error) => {
    if (error instanceof WheelwrightError && isTransient(error)) line.lost(error); // the next periodic read retries
    else ended.reject(error);
  });
  const round = setInterval(() => look(left()), Math.max(ROUND, courses.length * ROUND_OF_EACH));
  try {
    for (const hub of new Set(courses.map(({ federationId }) => federationId))) {
      if (hub !== null) follow(cli.api, hub, signal, line, (concerns) => look(left().filter(concerns)));
    }
    look(courses);
    const stopped = await ended.promise;
    // The handler stays after Ctrl-C. npm may forward the same SIGINT again, and that must not suppress the message.
    if (stopped === null) process.off("SIGINT", onSignal);
    return { seen: courses.map(({ seen }) => seen), stopped };
  } finally {
    over.abort();
    clearTimeout(late);
    clearInterval(round);
    display.close();
  }
}

/** Returns a function that reads operations, 6 at a time. It never reads one operation twice at the same time. */
function openLooks(
  api: Wheelwright,
  signal: AbortSignal,
  onSeen: (course: Course, seen: OperationDetail) => void,
  onError: (error: unknown) => void,
): (courses: readonly Course[]) => void {
  const waiting = new Set<Course>(), busy = new Set<Course>();
  const next = (): void => {
    for (const course of waiting) {
      if (busy.size >= LOOKS_AT_ONCE) return;
      if (busy.has(course)) continue;
      waiting.delete(course);
      busy.add(course);
      api.getOperation({ operationId: course.id }, { signal, maxAttempts: 1 })
        .then((seen) => signal.aborted || onSeen(course, seen))
        .catch((error) => signal.aborted || onError(error))
        .finally(() => {
          busy.delete(course);
          next();
        });
    }
  };
  return (courses) => {
    for (const course of courses) waiting.add(course);
    next();
  };
}

/** Reports that the connection is lost or restored. Repeated calls are reported once. */
interface Line {
  lost(error: WheelwrightError): void;
  found(): void;
}

function openLine(say: (text: string) => void): Line {
  let isLost = false;
  return {
    lost({ message }) {
      if (!isLost) say(`${message}; trying again`);
      isLost = true;
    },
    found() {
      if (isLost) say("Connected again");
      isLost = false;
    },
  };
}

type Concerns = (course: Course) => boolean;

/**
 * Follows a hub's event stream and calls `onEvent` for each event. Ignores errors of the API, because the periodic
 * reads continue.
 */
async function follow(
  api: Wheelwright,
  federationId: string,
  signal: AbortSignal,
  line: Line,
  onEvent: (concerns: Concerns) => void,
): Promise<void> {
  const events = api.followFederation({ federationId }, {
    ...{ signal, maxAttempts: 1 },
    onDisconnect: ({ error }) => line.lost(error),
    onResume() {
      line.found();
      onEvent((course) => course.federationId === federationId);
    },
  });
  try {
    for await (const { spokeId, operation } of events) {
      onEvent(({ id, seen }) => operation?.id === id || !!seen && seen.spokeId === (spokeId ?? null));
    }
  } catch (error) {
    if (!(error instanceof WheelwrightError)) throw error;
  }
  if (!signal.aborted) onEvent((course) => course.federationId === federationId);
}
