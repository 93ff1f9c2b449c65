/**
 * Waits for operations and shows how far they are. The hubs' event streams say when to look, across cuts; a slow look now and
 * then makes up for what no stream says.
 */
import { type OperationDetail, type Wheelwright, WheelwrightError } from "#lib/client/client.ts";
import { isTransient } from "#lib/client/retry.ts";
import { SECOND } from "#lib/base/time.ts";
import { CommandError, EX_INTERRUPTED } from "../commands/command.ts";
import type { Cli } from "./noun.ts";
import { isDone, watchCommand } from "./operation-views.ts";
import { openDisplay, type ProgressRow } from "./progress.ts";
import { TIMED_OUT } from "./status.ts";
import { plural } from "./text.ts";
import { lasting } from "./times.ts";

export interface WatchedOperation {
  readonly id: string;
  /** What people call what it is about. */
  readonly label: string;
  readonly federationId: string | null;
}

interface Course extends ProgressRow {
  readonly id: string;
  readonly federationId: string | null;
  seen: OperationDetail | null;
}

const LOOKS_AT_ONCE = 6;
/** Milliseconds between two rounds of looks: what waits in a queue moves without an event of its own. */
const ROUND = 5 * SECOND, ROUND_OF_EACH = 200;

interface Watched {
  /** In their order; null of what was never seen. */
  readonly seen: readonly (OperationDetail | null)[];
  readonly stopped: CommandError | null;
}

/**
 * Resolves when all of them are over. When the time is over, or on Ctrl-C, it stops: they go on all the same, and it says how
 * to watch them again.
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
    if (error instanceof WheelwrightError && isTransient(error)) line.lost(error); // the next round looks again
    else ended.reject(error);
  });
  const round = setInterval(() => look(left()), Math.max(ROUND, courses.length * ROUND_OF_EACH));
  try {
    for (const hub of new Set(courses.map(({ federationId }) => federationId))) {
      if (hub !== null) follow(cli.api, hub, signal, line, (concerns) => look(left().filter(concerns)));
    }
    look(courses);
    const stopped = await ended.promise;
    // npm hands on what a terminal sent already: the same Ctrl-C may come twice, and is no reason to say nothing.
    if (stopped === null) process.off("SIGINT", onSignal);
    return { seen: courses.map(({ seen }) => seen), stopped };
  } finally {
    over.abort();
    clearTimeout(late);
    clearInterval(round);
    display.close();
  }
}

/** Looks at what it is given, a few at once, and never twice at one at a time. */
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
      api.getOperation({ operationId: course.id }, { signal, tries: 1 })
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

/** Whether the server is there: told when that changes, however many notice it. */
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

/** Nobody needs it to end well: without a stream there are the rounds. */
async function follow(
  api: Wheelwright,
  federationId: string,
  signal: AbortSignal,
  line: Line,
  onEvent: (concerns: Concerns) => void,
): Promise<void> {
  const events = api.followFederation({ federationId }, {
    ...{ signal, tries: 1 },
    onCut: ({ error }) => line.lost(error),
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
