/**
 * As whom the embedded PostgreSQL runs. It refuses root; so under root (a container, mostly) it is given another uid.
 *
 * No user is added to the machine for it. Where a parent directory is closed to that uid (a clone under /root, a private
 * temporary directory), the process keeps the one capability that lets it pass, and nothing else of root.
 */
import type { SpawnOptions } from "node:child_process";
import { chown, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";

const NOBODY = 65534; // the kernel's overflow uid, "nobody" everywhere

export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: Pick<SpawnOptions, "uid" | "gid" | "env">;
}

/** The directory's owner, or nobody where that is root; null when this process is not root and need not change. */
export async function chooseOwner(directory: string): Promise<FileOwner | null> {
  if (process.getuid?.() !== 0) return null;
  const { uid, gid } = await stat(directory);
  // initdb asks for its user's name and fails without: a directory mounted from outside may belong to a mere number.
  const named = new Map(
    (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => {
      const [, , user, group] = line.split(":");
      return [Number(user), Number(group)] as const;
    }),
  );
  if (uid !== 0 && named.has(uid)) return { uid, gid };
  const other = named.has(NOBODY) ? NOBODY : [...named.keys()].find((user) => user > 0);
  if (other === undefined) throw new Error("PostgreSQL refuses to run as root, and this machine has no other user");
  return { uid: other, gid: named.get(other)! };
}

export async function giveTo(owner: FileOwner | null, path: string): Promise<void> {
  if (owner) await chown(path, owner.uid, owner.gid);
}

/** The command as this owner runs it; `paths` is what it must be able to reach. */
export async function commandFor(
  owner: FileOwner | null,
  file: string,
  args: string[],
  paths: string[],
): Promise<Command> {
  // Nothing of our environment: PGDATA, PGPORT, LC_ALL and the like would change what the server does.
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C", TZ: "UTC" };
  if (!owner) return { file, args, options: { env } };
  const reached = await Promise.all([file, ...paths].map((path) => isReachable(path, owner)));
  if (reached.every(Boolean)) return { file, args, options: { env, ...owner } };
  const become = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, "--clear-groups"];
  // The secure bit makes access(2), by which initdb looks for its programs, heed the capability too.
  const keep = ["--inh-caps=+dac_override", "--ambient-caps=+dac_override", "--securebits=+no_setuid_fixup"];
  return { file: "setpriv", args: [...become, ...keep, "--", file, ...args], options: { env } };
}

/** Whether every directory above the path lets this owner through. */
async function isReachable(path: string, owner: FileOwner): Promise<boolean> {
  for (let parent = dirname(path);; parent = dirname(parent)) {
    const { uid, gid, mode } = await stat(parent);
    const shift = uid === owner.uid ? 6 : gid === owner.gid ? 3 : 0;
    if (!(mode >> shift & 1)) return false;
    if (parent === dirname(parent)) return true;
  }
}
