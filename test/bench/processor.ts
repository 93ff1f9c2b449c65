/** Reads the CPU time of other processes on Linux (proc_pid_stat(5)). */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const TICK = 10; // milliseconds; Linux counts hundredths of a second on all common systems

interface Stat {
  readonly parent: number;
  /** Milliseconds in user and kernel mode. */
  readonly own: number;
  /** Milliseconds of its children that have ended. */
  readonly ended: number;
}

/** Returns the milliseconds of CPU time of all the process's threads since its start. */
export async function readCpuTime(pid: number): Promise<number> {
  return (await readStat(pid))!.own;
}

/** Returns the milliseconds of CPU time of a PostgreSQL server: the postmaster, its processes, and those that have
 * ended. */
export async function readServerCpuTime(postmaster: number): Promise<number> {
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

/** Parses a stat line. The name is in brackets and may contain any character, so fields are counted after it, from the
 * third on. */
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
