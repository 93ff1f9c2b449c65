/**
 * Stores the profiles that `login` creates: the URL and token for each server, in a file that only the user can read.
 *
 * Changes are written to a temporary file, which then replaces the settings file, so that a full disk or a crash loses
 * nothing. The temporary file is also a lock: if two logins run at the same time, both profiles are stored.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, realpathSync, renameSync } from "node:fs";
import { fstatSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import type { ProcessVariables } from "#lib/base/environment.ts";
import { getErrorReason } from "#lib/base/errors.ts";
import { decodeUtf8 } from "#lib/base/utf8.ts";
import { SECOND, sleep } from "#lib/base/time.ts";
import { CommandError, EXIT } from "./exit-status.ts";

export interface ServerProfile {
  readonly url: string;
  readonly token: string;
  /** The ID that `logout` needs to revoke the token. Null if `login` stored an existing token. */
  readonly tokenId: string | null;
  readonly email: string | null;
}

export interface CliSettings {
  readonly profiles: Readonly<Record<string, ServerProfile>>;
}

const EMPTY_SETTINGS: CliSettings = { profiles: {} };
const LOCK_TIMEOUT = 5 * SECOND, STALE_LOCK_AGE = 30 * SECOND;

export function findSettingsPath({ XDG_CONFIG_HOME: base, HOME }: ProcessVariables): string {
  return join(base && isAbsolute(base) ? base : join(HOME || homedir(), ".config"), "wheelwright", "servers.json");
}

/**
 * Reads the settings. Returns empty settings if the file does not exist. Warns if other users can read the file. Throws
 * a CommandError if the file cannot be read or parsed.
 */
export function readSettings(file: string, warn: (text: string) => void): CliSettings {
  let handle: number;
  try {
    handle = openSync(file, "r");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return EMPTY_SETTINGS;
    throw unusableFile(file, error);
  }
  try {
    if (fstatSync(handle).mode & 0o077) {
      warn(`Other users of this machine can read the tokens in ${file}. To protect the tokens, run chmod 600 ${file}`);
    }
    const value: unknown = JSON.parse(decodeUtf8(readFileSync(handle)));
    if (isSettings(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw unusableFile(file, error);
  } finally {
    closeSync(handle);
  }
  throw new CommandError(EXIT.failed, `${file} is not a valid settings file. Fix it, or remove it and sign in again`);
}

function isSettings(value: unknown): value is CliSettings {
  const { profiles } = (value ?? {}) as { profiles?: unknown };
  return typeof profiles === "object" && profiles !== null &&
    Object.values(profiles).every((each) => typeof each?.url === "string" && typeof each?.token === "string");
}

/** Reads, changes and writes the settings. Throws a CommandError and leaves the file unchanged if a step fails. */
export async function changeSettings(file: string, change: (before: CliSettings) => CliSettings): Promise<void> {
  let next = "";
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const real = resolveLinks(file);
    const handle = await createLockFile(`${real}.next`);
    next = `${real}.next`;
    try {
      const after = change(readSettings(real, () => {}));
      if (!isSettings(after)) throw new Error("a profile has no URL or token");
      writeFileSync(handle, `${JSON.stringify(after, null, 2)}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(next, real);
  } catch (error) {
    if (next) rmSync(next, { force: true });
    throw error instanceof CommandError ? error : unusableFile(file, error);
  }
}

/** Resolves symbolic links, because some users link to a settings file that is stored elsewhere. */
function resolveLinks(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

/** Creates the temporary file. Waits while the file exists, but removes a file older than 30 seconds. */
async function createLockFile(next: string): Promise<number> {
  for (const end = Date.now() + LOCK_TIMEOUT;; await sleep(50)) {
    try {
      return openSync(next, "wx", 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST" || Date.now() > end) throw error;
      const age = Date.now() - (statSync(next, { throwIfNoEntry: false })?.mtimeMs ?? 0);
      if (age > STALE_LOCK_AGE) rmSync(next, { force: true });
    }
  }
}

function unusableFile(file: string, cause: unknown): CommandError {
  return new CommandError(
    EXIT.failed,
    `Cannot use ${file}: ${getErrorReason(cause)}. To use another directory, set XDG_CONFIG_HOME`,
    {
      cause,
    },
  );
}
