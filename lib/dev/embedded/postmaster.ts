/**
 * Finds, checks and stops a PostgreSQL server process, using its postmaster.pid file.
 *
 * The server need not be a child of this process: another program may have started it and exited long ago.
 */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SECOND, sleep } from "#lib/base/time.ts";

const POLL_INTERVAL = 20; // ms between checks whether the server has started or stopped

interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly status: "starting" | "stopping" | "ready";
}

/** Reads postmaster.pid (format: PostgreSQL's `pidfile.h`). Returns null if the file is missing or incomplete. */
export async function readPostmasterFile(data: string): Promise<Postmaster | null> {
  const text = await readFile(join(data, "postmaster.pid"), "utf8").catch(nullIfFileMissing);
  const lines = text?.split("\n") ?? [];
  const pid = Number(lines[0]), port = Number(lines[3]);
  if (!Number.isInteger(pid) || pid < 2) return null;
  const status = lines[7]?.trim();
  return { pid, port, status: status === "ready" || status === "stopping" ? status : "starting" };
}

/** Whether the PID belongs to this data directory's server, and not to another process that now has the same PID. */
export async function isPostmasterRunning(pid: number, data: string): Promise<boolean> {
  if (!sendSignal(pid, 0)) return false;
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => readCommandLine(pid));
  return command.replaceAll("\0", " ").trim().concat(" ").includes(` -D ${data} `);
}

/** Waits until the server accepts connections. Returns null after `limit` ms or once `hasExited` returns true. */
export async function waitUntilPostgresReady(
  data: string,
  pid: number,
  limit: number,
  hasExited: () => boolean,
): Promise<Postmaster | null> {
  const end = performance.now() + limit;
  while (performance.now() < end && !hasExited()) {
    const found = await readPostmasterFile(data);
    if (found?.pid === pid && found.status === "ready") return found;
    await sleep(POLL_INTERVAL);
  }
  return null;
}

/**
 * Requests a fast, clean shutdown, then sends SIGQUIT and SIGKILL if needed. Returns once the process has ended. A
 * zombie process counts as ended, because a container without an init process may never reap it.
 */
export async function stopPostmaster(pid: number, data: string): Promise<void> {
  for (
    const [signal, patience] of [["SIGINT", 10 * SECOND], ["SIGQUIT", 5 * SECOND], ["SIGKILL", 5 * SECOND]] as const
  ) {
    if (!sendSignal(pid, signal)) return;
    const end = performance.now() + patience;
    while (performance.now() < end) {
      if (!await isPostmasterRunning(pid, data)) return;
      await sleep(POLL_INTERVAL);
    }
  }
  throw new Error(`The PostgreSQL process ${pid} did not stop`);
}

/** Sends a signal. Returns false if the process does not exist. Signal 0 only checks whether the process exists. */
function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
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

/** Reads a process's command line with `ps`, for systems without /proc such as macOS. */
function readCommandLine(pid: number): Promise<string> {
  return new Promise((resolve) =>
    execFile("ps", ["-o", "command=", "-p", String(pid)], (_, out) => resolve(out ?? ""))
  );
}

export function nullIfFileMissing(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
  throw error;
}
