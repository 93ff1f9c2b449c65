/** Starts the servers to measure as separate processes: Wheelwright, and the peers in peers/. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { until } from "#test/support/until.ts";

export interface MeasuredServer<Name extends string = string> {
  readonly name: Name;
  readonly pid: number;
  readonly port: number;
  /** The file with the process's output. */
  readonly log: string;
  stop(): Promise<void>;
}

const HERE = fileURLToPath(new URL("./", import.meta.url));
export const PEERS_DIRECTORY = join(HERE, "peers"), PROGRAM = join(HERE, "../../src/wheelwright.js");
const PATIENCE = 60_000;

export function installPeerPackages(): void {
  if (!existsSync(join(PEERS_DIRECTORY, "node_modules"))) {
    execFileSync("npm", ["ci"], { cwd: PEERS_DIRECTORY, stdio: "inherit" });
  }
}

/** Starts a server. Its output goes to a file, so that no process has to read it during measurements. */
export async function startMeasuredServer<Name extends string>(
  name: Name,
  line: readonly string[],
  env: Readonly<Record<string, string>>,
  directory: string,
): Promise<MeasuredServer<Name>> {
  const path = join(directory, `${name}.log`), output = openSync(path, "w"), { PATH, HOME } = process.env;
  const child = spawn(process.execPath, line, { env: { PATH, HOME, ...env }, stdio: ["ignore", output, output] });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const end = () => void child.kill("SIGKILL");
  process.once("exit", end);
  const stop = async () => {
    process.off("exit", end);
    if (child.exitCode === null) child.kill("SIGTERM");
    await ended;
  };
  try {
    const port = await until(() => readPort(child, path), PATIENCE);
    return { name, pid: child.pid!, port, log: path, stop };
  } catch (error) {
    end();
    throw error;
  }
}

async function readPort(child: ChildProcess, path: string): Promise<number | null> {
  const logText = await readFile(path, "utf8"), [, port] = /Listening on 127\.0\.0\.1:(\d+)/.exec(logText) ?? [];
  if (child.exitCode !== null) throw new Error(`It ended before it listened:\n${logText}`);
  return port === undefined ? null : Number(port);
}
