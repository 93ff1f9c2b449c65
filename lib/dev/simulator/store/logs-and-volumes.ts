/**
 * Stores container logs and volume contents. A log has a limited number of lines and is deleted together with its pod.
 * A volume snapshot has its own copy of the volume's contents.
 */
import type { Json } from "#lib/dev/simulator/store/object.ts";

export interface ContainerLog {
  readonly pod: string;
  readonly container: string;
  /** The latest lines, oldest first. Older lines are discarded. */
  lines: { readonly at: number; readonly text: string }[];
  /** How many lines were written in total, including discarded lines. */
  written: number;
  /** Whether the container is still running and can write to this log. */
  open: boolean;
}

type LogListener = (pod: string, container: string, log: ContainerLog | null) => void;

const MOST_LINES = 1000;
const PREVIOUS = "/previous"; // container names contain no slash

export function createContainerLogs() {
  const pods = new Map<string, Map<string, ContainerLog>>();
  const listeners = new Map<ContainerLog, Set<() => void>>();
  const followed = new Set<string>();
  const all = new Set<LogListener>();
  const notifyAll: LogListener = (pod, container, log) => all.forEach((listener) => listener(pod, container, log));
  const notifyFollowers = (log: ContainerLog) => {
    notifyAll(log.pod, log.container, log);
    for (const listener of [...listeners.get(log) ?? []]) listener();
  };
  const end = (log: ContainerLog): void => {
    log.open = false;
    notifyFollowers(log);
    listeners.delete(log);
  };
  return {
    /** Starts an empty log for a new run of a container. The log of the previous run remains readable. */
    start(pod: string, container: string): ContainerLog {
      const own = pods.get(pod) ?? new Map<string, ContainerLog>();
      const last = own.get(container), log: ContainerLog = { pod, container, lines: [], written: 0, open: true };
      if (last) {
        own.set(container + PREVIOUS, last);
        notifyAll(pod, container + PREVIOUS, last);
      }
      pods.set(pod, own.set(container, log));
      notifyAll(pod, container, log);
      return log;
    },
    write(log: ContainerLog, at: number, lines: readonly string[]): void {
      log.lines.push(...lines.map((text) => ({ at, text })));
      log.written += lines.length;
      if (log.lines.length > MOST_LINES) log.lines = log.lines.slice(-MOST_LINES);
      if (lines.length > 0) notifyFollowers(log);
    },
    end,
    find: (pod: string, container: string, previous: boolean): ContainerLog | undefined =>
      pods.get(pod)?.get(container + (previous ? PREVIOUS : "")),
    /** Whether a client followed a log of this pod at any time. */
    wasFollowed: (pod: string): boolean => followed.has(pod),
    /** Calls `listener` after each write to this log and when the log ends. Returns a function that unsubscribes. */
    follow(log: ContainerLog, listener: () => void): () => void {
      followed.add(log.pod);
      const own = listeners.get(log) ?? new Set();
      listeners.set(log, own.add(listener));
      return () => void own.delete(listener);
    },
    forget(pod: string): void {
      followed.delete(pod);
      for (const log of pods.get(pod)?.values() ?? []) end(log);
      if (pods.delete(pod)) notifyAll(pod, "", null);
    },
    /** Calls `listener` with each changed log, or null when a pod's logs are deleted. Returns an unsubscribe function. */
    subscribe(listener: LogListener): () => void {
      all.add(listener);
      return () => void all.delete(listener);
    },
    entries: (): [string, [string, ContainerLog][]][] => [...pods].map(([pod, own]) => [pod, [...own]]),
    restore(entries: readonly [string, readonly [string, ContainerLog][]][]): void {
      for (const [pod, own] of entries) pods.set(pod, new Map(own));
    },
  };
}

export type VolumeContents = ReturnType<typeof createVolumeContents>;

export function createVolumeContents() {
  const data = new Map<string, Json>();
  const listeners = new Set<(handle: string, data: Json | null) => void>();
  return {
    read: (handle: string): Json => data.get(handle) ?? {},
    /** Whether the volume or snapshot exists, even if it is empty. */
    has: (handle: string): boolean => data.has(handle),
    write(handle: string, value: Json): void {
      data.set(handle, value);
      for (const listener of listeners) listener(handle, value);
    },
    wipe(handle: string): void {
      data.delete(handle);
      for (const listener of listeners) listener(handle, null);
    },
    /** Calls `listener` with a changed volume's contents, or null for a wiped volume. Returns an unsubscribe function. */
    subscribe(listener: (handle: string, data: Json | null) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    entries: (): [string, Json][] => [...data],
    restore(entries: readonly [string, Json][]): void {
      for (const [handle, value] of entries) data.set(handle, value);
    },
  };
}
