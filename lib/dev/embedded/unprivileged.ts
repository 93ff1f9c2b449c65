/**
 * Chooses the user for the embedded PostgreSQL server, which refuses to run as root. If this process is root, the
 * server runs as another user, with the capability `dac_override` if that user cannot enter a parent directory.
 */
import type { SpawnOptions } from "node:child_process";
import { chown, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";

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
