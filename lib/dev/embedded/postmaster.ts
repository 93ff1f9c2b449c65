/**
 * A PostgreSQL server process as its own files describe it: found, judged and stopped by its postmaster.pid.
 *
 * The process may have been started by a program that is long dead, so nothing here needs to be its parent.
 */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SECOND, sleep } from "#lib/base/time.ts";

const LOOK_EVERY = 20; // ms; what a start or a stop loses at most by being looked at and not waited for

interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly status: "starting" | "stopping" | "ready";
}

/** What postmaster.pid says, or null where none exists or it is half written. Its lines are PostgreSQL's `pidfile.h`. */
export async function readPostmaster(data: string): Promise<Postmaster | null> {
  const text = await readFile(join(data, "postmaster.pid"), "utf8").catch(nullWhenGone);
  const lines = text?.split("\n") ?? [];
  const pid = Number(lines[0]), port = Number(lines[3]);
  if (!Number.isInteger(pid) || pid < 2) return null;
  const status = lines[7]?.trim();
  return { pid, port, status: status === "ready" || status === "stopping" ? status : "starting" };
}

/**
 * Whether this pid is a PostgreSQL of this data directory. After a kill or a power loss the number in a stale file
 * may belong to any other process by now, so being alive proves nothing; the command line does.
 */
export async function isPostmasterOf(pid: number, data: string): Promise<boolean> {
  if (!send(pid, 0)) return false;
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => listed(pid));
  return command.replaceAll("\0", " ").trim().concat(" ").includes(` -D ${data} `);
}

/** Waits until the server takes connections; null when `gone` says that it never will, or after the time limit. */
export async function untilServing(
  data: string,
  pid: number,
  limit: number,
  gone: () => boolean,
): Promise<Postmaster | null> {
  const end = performance.now() + limit;
  while (performance.now() < end && !gone()) {
    const found = await readPostmaster(data);
    if (found?.pid === pid && found.status === "ready") return found;
    await sleep(LOOK_EVERY);
  }
  return null;
}

/**
 * Asks the server to shut down at once but cleanly, then insists. Returns when the process is gone, or is only a pid
 * that its new parent has not reaped: in a container whose first process is not an init, that can be for ever.
 */
export async function stopPostmaster(pid: number, data: string): Promise<void> {
  for (
    const [signal, patience] of [["SIGINT", 10 * SECOND], ["SIGQUIT", 5 * SECOND], ["SIGKILL", 5 * SECOND]] as const
  ) {
    if (!send(pid, signal)) return;
    const end = performance.now() + patience;
    while (performance.now() < end) {
      if (!await isPostmasterOf(pid, data)) return;
      await sleep(LOOK_EVERY);
    }
  }
  throw new Error(`The PostgreSQL process ${pid} does not end`);
}

/** Whether there is such a process. Signal 0 asks, and sends nothing. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ESRCH") return false;
    if (code === "EPERM" && signal === 0) return true;
    throw error;
  }
}

/** Where there is no /proc, as on macOS. */
function listed(pid: number): Promise<string> {
  return new Promise((resolve) =>
    execFile("ps", ["-o", "command=", "-p", String(pid)], (_, out) => resolve(out ?? ""))
  );
}

export function nullWhenGone(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
  throw error;
}
