/**
 * Creates and locks DATA_DIR for `wheelwright dev`, so that only one process uses the directory. Also stores the port of
 * the simulated sites and the key for secrets there.
 *
 * SQLite locks the file `lock`. The operating system releases this lock when the process ends, even after a crash, so a
 * stale process ID can never block the directory. The file `pid` contains the process ID, for people to read.
 */
import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { getErrorMessage, getErrorReason } from "#lib/base/errors.ts";
import { CommandError, EXIT } from "./cli/exit-status.ts";

/** Locks the directory and returns an unlock function. Throws a CommandError if the directory is unusable or in use. */
export async function lockDataDirectory(path: string): Promise<() => void> {
  const [lock, pid] = ["lock", "pid"].map((name) => join(path, name)) as [string, string];
  try {
    await createDirectory(resolve(path));
    await (await open(lock, "a", 0o600)).close(); // closed now, because closing it later would release the lock
  } catch (cause) {
    throw unusableDirectory(path, cause);
  }
  const database = tryLock(lock);
  if (database === null) throw directoryInUse(path, await readFile(pid, "utf8").catch(() => ""));
  try {
    await writeFile(pid, `${process.pid}\n`, { mode: 0o600 });
  } catch (cause) {
    database.close();
    throw unusableDirectory(path, cause);
  }
  return () => database.close();
}

/**
 * Creates the directory and its parents one by one. Does not use Node's recursive `mkdir`, which never returns where
 * directories cannot be created, for example below /proc.
 */
async function createDirectory(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || await stat(dirname(path)).catch(() => null)) throw error;
    await createDirectory(dirname(path));
    await createDirectory(path);
  }
}

/** Locks the file. Returns null if another process holds the lock. */
function tryLock(file: string): DatabaseSync | null {
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec("begin exclusive");
    return lock;
  } catch (error) {
    lock.close();
    if (/locked/.test(getErrorMessage(error))) return null;
    throw error;
  }
}

function unusableDirectory(path: string, cause: unknown): CommandError {
  const { code = "" } = cause as NodeJS.ErrnoException;
  const why = code === "ENOENT" ? "no file can be created there" : getErrorReason(cause);
  const next = ["ENOSPC", "EDQUOT"].includes(code)
    ? "free some space, or set DATA_DIR to a directory on another disk"
    : "set DATA_DIR to a directory that this user can write to";
  return new CommandError(EXIT.config, `Cannot use DATA_DIR ${path}: ${why}; ${next}`, { cause });
}

function directoryInUse(path: string, pid: string): CommandError {
  const whose = /^\d+\s*$/.test(pid) ? `Another Wheelwright process (${pid.trim()})` : "Another Wheelwright process";
  const message = `${whose} uses DATA_DIR ${path}. Stop it, or set a different DATA_DIR and PORT`;
  return new CommandError(EXIT.unavailable, message);
}

const SECRETS_KEY_FILE = "secrets-key";

/** Returns the key for secrets in the database of `dev`. The first start generates the key. */
export async function ensureSecretsKey(dataDir: string): Promise<string> {
  const file = join(dataDir, SECRETS_KEY_FILE), unfinished = `${file}.part`;
  const stored = await readFile(file, "utf8").catch((error) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (stored !== null) return stored.trim();
  const key = randomBytes(32).toString("base64");
  await writeFile(unfinished, `${key}\n`, { mode: 0o600, flush: true });
  await rename(unfinished, file);
  return key;
}

const SITE_PORT_FILE = "site-port";

/** Returns the stored port of the simulated sites, which is part of their addresses. Null at the first start. */
export async function readSitePort(dataDir: string): Promise<number | null> {
  const text = await readFile(join(dataDir, SITE_PORT_FILE), "utf8").catch((error) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const port = /^\d{1,5}\s*$/.test(text) ? Number(text) : 0;
  return port > 0 && port < 65536 ? port : null;
}

export async function writeSitePort(dataDir: string, port: number): Promise<void> {
  await writeFile(join(dataDir, SITE_PORT_FILE), `${port}\n`, { mode: 0o600 });
}
