/** What containers wrote: bounded, by pod and container, with the run before the last; gone when the pod is. */
export interface ContainerLog {
  readonly lines: { readonly at: number; readonly text: string }[];
  /** Whether the container may still write. */
  open: boolean;
}

export interface Logs {
  /** Begins a container's next run. */
  start(pod: string, container: string): ContainerLog;
  write(log: ContainerLog, at: number, lines: readonly string[]): void;
  end(log: ContainerLog): void;
  find(pod: string, container: string, previous: boolean): ContainerLog | undefined;
  /** Calls back at each write and at the end, until called off. */
  follow(log: ContainerLog, listener: () => void): () => void;
  /** Ends and forgets all of a pod's. */
  forget(pod: string): void;
  entries(): [string, ContainerLog][];
  restore(entries: readonly [string, ContainerLog][]): void;
}

const MOST_LINES = 1000;

export function openLogs(): Logs {
  const logs = new Map<string, ContainerLog>();
  const listeners = new Map<ContainerLog, Set<() => void>>();
  const tell = (log: ContainerLog) => {
    for (const listener of [...listeners.get(log) ?? []]) listener();
  };
  const end = (log: ContainerLog) => {
    log.open = false;
    tell(log);
    listeners.delete(log);
  };
  return {
    start(pod, container) {
      const last = logs.get(`${pod}/${container}`);
      if (last) logs.set(`${pod}/${container}/previous`, last);
      const log: ContainerLog = { lines: [], open: true };
      logs.set(`${pod}/${container}`, log);
      return log;
    },
    write(log, at, lines) {
      for (const text of lines) log.lines.push({ at, text });
      if (log.lines.length > MOST_LINES) log.lines.splice(0, log.lines.length - MOST_LINES);
      tell(log);
    },
    end,
    find: (pod, container, previous) => logs.get(`${pod}/${container}${previous ? "/previous" : ""}`),
    follow(log, listener) {
      const all = listeners.get(log) ?? new Set();
      listeners.set(log, all.add(listener));
      return () => void all.delete(listener);
    },
    forget(pod) {
      for (const [key, log] of [...logs]) {
        if (!key.startsWith(`${pod}/`)) continue;
        logs.delete(key);
        end(log);
      }
    },
    entries: () => [...logs],
    restore(entries) {
      for (const [key, log] of entries) logs.set(key, log);
    },
  };
}
