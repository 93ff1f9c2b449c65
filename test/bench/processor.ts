/** Processor time of other processes, as Linux counts it (proc_pid_stat(5)). */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const TICK = 10; // ms; clock ticks are a hundredth of a second on every Linux that we meet

interface Stat {
  readonly parent: number;
  /** Milliseconds in the program and in the kernel for it. */
  readonly own: number;
  /** The same of its children that have ended. */
  readonly ended: number;
}

/** Milliseconds that the process has used since its start, all threads together. */
export async function processorOf(pid: number): Promise<number> {
  return (await readStat(pid))!.own;
}

/** The same of a PostgreSQL server: the postmaster, its backends and helpers, and those that have ended. */
export async function processorOfServer(postmaster: number): Promise<number> {
  const { own, ended } = (await readStat(postmaster))!;
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const stats = await Promise.all(pids.map(readStat));
  return own + ended + stats.reduce((sum, stat) => stat?.parent === postmaster ? sum + stat.own : sum, 0);
}

export async function findPostmaster(directory: string): Promise<number> {
  return Number((await readFile(join(directory, "data/postmaster.pid"), "utf8")).split("\n")[0]);
}

async function readStat(pid: number): Promise<Stat | null> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  return text === null ? null : parseStat(text);
}

/** The name stands in brackets and may hold anything; fields are counted from what follows it, the third of all. */
export function parseStat(text: string): Stat {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ").map(Number);
  const [parent, user, system, endedUser, endedSystem] = [
    fields[1]!,
    fields[11]!,
    fields[12]!,
    fields[13]!,
    fields[14]!,
  ];
  return { parent, own: (user + system) * TICK, ended: (endedUser + endedSystem) * TICK };
}
