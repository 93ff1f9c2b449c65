/**
 * Waits for operations and shows how far they are. The hubs' event streams say when to look, across cuts; a slow look now and
 * then makes up for what no stream says.
 */
import { type OperationDetail, type Wheelwright, WheelwrightError } from "#lib/client/client.ts";
import { SECOND } from "#lib/base/time.ts";
import { CommandError, EX_INTERRUPTED } from "../commands/command.ts";
import type { Cli } from "./noun.ts";
import { hasEnded } from "./operation-views.ts";
import { openDisplay, type ProgressRow } from "./progress.ts";
import { TIMED_OUT } from "./status.ts";
import { counted } from "./text.ts";
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

/**
 * Resolves with all of them as they ended, in their order. Throws CommandError when the time is over, or on Ctrl-C: they go
 * on all the same, and it says how to watch them again.
 */
export async function watchOperations(
  cli: Cli,
  watched: readonly WatchedOperation[],
  ms: number,
): Promise<OperationDetail[]> {
  if (watched.length === 0) return [];
  const display = openDisplay(cli), over = new AbortController(), { signal } = over;
  const courses: Course[] = watched.map((one) => ({ ...one, seen: null }));
  const left = () => courses.filter(({ seen }) => !seen || !hasEnded(seen));
  const ended = Promise.withResolvers<void>();
  const stop = (status: number, why: string) => {
    const ids = left().map(({ id }) => id);
    const next = `${ids.length === 1 ? "It goes" : "They go"} on; watch again: wheelwright operations watch ${
      ids.slice(0, 10).join(" ")
    }`;
    ended.reject(new CommandError(status, `${why}. ${next}`));
  };
  const onSignal = () => stop(EX_INTERRUPTED, "Stopped watching");
  process.once("SIGINT", onSignal);
  const late = setTimeout(() => {
    stop(TIMED_OUT, `${counted(left().length, "operation")} not done after ${lasting(ms)}`);
  }, ms);
  const look = openLooks(cli.api, signal, (course, seen) => {
    course.seen = seen;
    display.show(courses);
    if (left().length === 0) ended.resolve();
  }, ended.reject);
  const round = setInterval(() => look(left()), Math.max(ROUND, courses.length * ROUND_OF_EACH));
  try {
    for (const hub of new Set(courses.map(({ federationId }) => federationId))) {
      if (hub !== null) follow(cli.api, hub, signal, display.say, (concerns) => look(left().filter(concerns)));
    }
    look(courses);
    await ended.promise;
    return courses.map(({ seen }) => seen!);
  } finally {
    over.abort();
    clearTimeout(late);
    clearInterval(round);
    process.off("SIGINT", onSignal);
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
      api.getOperation({ operationId: course.id }, { signal, tries: Infinity, timeout: Infinity })
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

type Concerns = (course: Course) => boolean;

/** Nobody needs it to end well: without a stream there are the rounds. */
async function follow(
  api: Wheelwright,
  federationId: string,
  signal: AbortSignal,
  say: (text: string) => void,
  onEvent: (concerns: Concerns) => void,
): Promise<void> {
  let cut = false;
  const events = api.followFederation({ federationId }, {
    ...{ signal, tries: 2 },
    onCut({ error, tried }) {
      cut = true;
      if (tried === 0) say(`${error.message}; trying again`);
    },
    onResume() {
      if (cut) say("Connected again");
      cut = false;
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
