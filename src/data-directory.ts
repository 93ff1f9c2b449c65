/**
 * DATA_DIR of `wheelwright dev`: made if need be, tried, and held by one process at a time.
 *
 * Two that ran a simulated cluster over the same files would lose each other's spokes. The lock is the operating
 * system's own (SQLite takes it on the file `lock`, in which nothing is ever written): it ends with its process, however
 * that ends, so no number of a process that died, or that belongs to another one by now, is ever believed. The file `pid`
 * is for people alone.
 */
import { mkdir, open, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { messageOf, reasonOf } from "#lib/base/errors.ts";
import { CommandError, EX_CONFIG, EX_UNAVAILABLE } from "./commands/command.ts";

/** Holds the directory until this is called. Throws a CommandError that says why it cannot be used, or who uses it. */
export async function holdDirectory(path: string): Promise<() => void> {
  const [lock, pid] = ["lock", "pid"].map((name) => join(path, name)) as [string, string];
  try {
    await make(resolve(path));
    await (await open(lock, "a", 0o600)).close(); // before it is locked: closing it would let go of the lock
  } catch (cause) {
    throw unusable(path, cause);
  }
  const held = takeLock(lock);
  if (held === null) throw inUse(path, await readFile(pid, "utf8").catch(() => ""));
  try {
    await writeFile(pid, `${process.pid}\n`, { mode: 0o600 });
  } catch (cause) {
    held.close();
    throw unusable(path, cause);
  }
  return () => held.close();
}

/** Step by step: asked for all at once where no directory can be made, as under /proc, Node tries for ever. */
async function make(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || await stat(dirname(path)).catch(() => null)) throw error;
    await make(dirname(path));
    await make(path);
  }
}

/** Null while another process has it. */
function takeLock(file: string): DatabaseSync | null {
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec("begin exclusive");
    return lock;
  } catch (error) {
    lock.close();
    if (/locked/.test(messageOf(error))) return null;
    throw error;
  }
}

function unusable(path: string, cause: unknown): CommandError {
  const { code = "" } = cause as NodeJS.ErrnoException;
  const why = code === "ENOENT" ? "no file can be made there" : reasonOf(cause);
  const next = ["ENOSPC", "EDQUOT"].includes(code)
    ? "make room, or set DATA_DIR to a directory on another disk"
    : "set DATA_DIR to a directory that this user may write to";
  return new CommandError(EX_CONFIG, `Nothing can be kept in DATA_DIR ${path}: ${why}; ${next}`, { cause });
}

function inUse(path: string, pid: string): CommandError {
  const whose = /^\d+\s*$/.test(pid) ? `Another Wheelwright, process ${pid.trim()},` : "Another Wheelwright";
  const message = `${whose} runs on DATA_DIR ${path}; stop that one, or give this one a DATA_DIR and a PORT of its own`;
  return new CommandError(EX_UNAVAILABLE, message);
}
