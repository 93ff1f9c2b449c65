/** Collects facts about a site from the status of its pods. Pure. */
import { MINUTE } from "#lib/base/time.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { parseUsageLine, type UsageLine } from "#lib/moodle/usage-line.ts";

/** How long scheduled tasks may be silent. Mail that cannot be sent delays them by several minutes. */
export const MAX_SILENCE = 30 * MINUTE;
/** In a restart loop, a container has restarted at least this often, and each run lasts less than this time. */
const LOOP_RESTARTS = 3, LOOP_TIME = 10 * MINUTE;
/** The number of pods whose restarts are counted. More pods exist only while old pods are being replaced. */
const MAX_PODS = 8;
/** How much older than its pod a line can be. The script measures every 15 minutes, and repeats the line meanwhile. */
const MAX_LINE_AGE = 120 * MINUTE;

export interface PodFacts {
  /** The number of restarts of each pod that has restarted. */
  readonly restarts: Map<string, number>;
  /** When containers were killed because they used too much memory. */
  readonly oomKills: Set<number>;
  /** The containers that may be in a restart loop. */
  readonly ends: { readonly container: string; readonly count: number; readonly at: number; readonly text: string }[];
  /** When scheduled tasks last succeeded; null if no pod shows it. */
  tasksAt: Date | null;
  /** The newest line about the usage, and the end of its pod. */
  line: { readonly usage: UsageLine; readonly endedAt: Date } | null;
}

export function createPodFacts(): PodFacts {
  return { restarts: new Map(), oomKills: new Set(), ends: [], tasksAt: null, line: null };
}

interface ContainerEnd {
  readonly exitCode?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
}

interface ContainerStatus {
  readonly name: string;
  readonly restartCount?: number;
  readonly state?: { readonly terminated?: ContainerEnd; readonly waiting?: { readonly reason?: string } };
  readonly lastState?: { readonly terminated?: ContainerEnd };
}

/** Records the restarts of a pod of Moodle or of its database. */
export function recordRestarts(facts: PodFacts, pod: KubeObject): void {
  const statuses = listStatuses(pod), count = statuses.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
  if (count > 0 && facts.restarts.size < MAX_PODS) facts.restarts.set(pod.metadata.name, count);
  for (const { name, restartCount = 0, state, lastState } of statuses) {
    const end = state?.terminated ?? lastState?.terminated, at = parseTime(end?.finishedAt);
    recordOomKills(facts, [state?.terminated, lastState?.terminated]);
    if (at === null) continue;
    const isShort = at - (parseTime(end?.startedAt) ?? 0) < LOOP_TIME;
    if (state?.waiting?.reason !== "CrashLoopBackOff" && !(isShort && restartCount >= LOOP_RESTARTS)) continue;
    const text = `${end!.reason ?? "Error"}, exit code ${end!.exitCode ?? "unknown"}`;
    facts.ends.push({ container: name, count: restartCount, at, text });
  }
}

/** Records the end of a pod that ran the scheduled tasks. */
export function recordFinishedTasks(facts: PodFacts, pod: KubeObject): void {
  for (const { state } of listStatuses(pod)) {
    const end = state?.terminated, at = parseTime(end?.finishedAt);
    if (!end || at === null) continue;
    const endedAt = new Date(at);
    recordOomKills(facts, [end]);
    if (end.exitCode === 0 && (facts.tasksAt === null || facts.tasksAt < endedAt)) facts.tasksAt = endedAt;
    if (typeof end.message !== "string" || (facts.line && facts.line.endedAt >= endedAt)) continue;
    const usage = parseUsageLine(end.message);
    if (usage) facts.line = { usage, endedAt };
  }
}

/** Returns when the site measured its usage. A wrong time in the line cannot hide later lines, or change old samples. */
export function getMeasuredAt({ usage, endedAt }: NonNullable<PodFacts["line"]>): Date {
  const end = endedAt.getTime();
  return new Date(Math.min(end, Math.max(end - MAX_LINE_AGE, usage.at * 1000)));
}

/** Describes a restart loop; null if there is none. */
export function findRestartLoop({ ends }: PodFacts, now: Date): string | null {
  const looping = ends.filter(({ at }) => now.getTime() - at < LOOP_TIME);
  const [worst] = looping.sort((one, other) => other.count - one.count);
  return worst ? `The container ${worst.container} keeps restarting (last end: ${worst.text})` : null;
}

/** Describes that the scheduled tasks have not succeeded since `since` for too long; null if they have. */
export function findSilence(since: Date, now: Date): string | null {
  const minutes = Math.floor((now.getTime() - since.getTime()) / MINUTE);
  return minutes * MINUTE < MAX_SILENCE ? null : "The scheduled tasks have not succeeded for 30 minutes";
}

function recordOomKills({ oomKills }: PodFacts, ends: readonly (ContainerEnd | undefined)[]): void {
  for (const end of ends) {
    const at = end?.reason === "OOMKilled" ? parseTime(end.finishedAt) : null;
    if (at !== null) oomKills.add(at);
  }
}

function listStatuses({ status }: KubeObject): readonly ContainerStatus[] {
  return [...status?.initContainerStatuses ?? [], ...status?.containerStatuses ?? []];
}

function parseTime(text: string | undefined): number | null {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? null : time;
}
