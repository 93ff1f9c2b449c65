/** Runs client commands as processes, with pipes or in a pseudo-terminal, with a directory for the file of `login`. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ClientResponse } from "#test/support/client.ts";
import { until } from "#test/support/until.ts";

const fileOf = (name: string) => fileURLToPath(new URL(`../../../src/${name}`, import.meta.url));

/** The command that starts `wheelwright` from the sources. */
export const PROGRAM: readonly string[] = "deno" in process.versions
  ? [process.execPath, "run", "--quiet", "-A", fileOf("main.ts")]
  : [process.execPath, fileOf("wheelwright.js")];

/** Whether `script` of util-linux can create pseudo-terminals. */
export const hasTerminals = spawnSync("script", ["-qec", "true", "/dev/null"], { input: "" }).status === 0;

/** Whether this user can mount a small disk, for tests of a full disk. */
export const canMount = process.getuid?.() === 0 && spawnSync("unshare", ["-m", "true"]).status === 0 && tryMount();

function tryMount(): boolean {
  const directory = mkdtempSync(join(tmpdir(), "wheelwright-mount-"));
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=16k", "tmpfs", directory]);
  unmount(directory);
  rmdirSync(directory);
  return status === 0;
}

/** Mounts a disk of 16 KiB on the directory. Returns a function that fills the disk. */
export function mountSmall(directory: string): () => void {
  spawnSync("mount", ["-t", "tmpfs", "-o", "size=16k", "tmpfs", directory]);
  return () => void spawnSync("dd", ["if=/dev/zero", `of=${join(directory, "filler")}`, "bs=4k"], { stdio: "ignore" });
}

export function unmount(directory: string): void {
  spawnSync("umount", [directory], { stdio: "ignore" });
}

export interface CliResult {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

export interface PseudoTerminal {
  /** The output so far. */
  readonly output: string;
  /** Waits until the output matches the pattern. */
  waitFor(pattern: RegExp): Promise<void>;
  type(text: string): void;
  readonly ended: Promise<number | null>;
}

export interface CliFixture {
  readonly directory: string;
  /** The environment variables of the commands. */
  readonly env: Record<string, string>;
  run(line: readonly string[], input?: string, env?: Readonly<Record<string, string>>): Promise<CliResult>;
  /** Returns the JSON output. Throws if the command fails. */
  json(...line: string[]): Promise<ClientResponse["body"]>;
  /** Starts a command in a pseudo-terminal with this number of columns. */
  openTerminal(line: readonly string[], columns?: number, env?: Readonly<Record<string, string>>): PseudoTerminal;
  close(): Promise<void>;
}

export async function openCliFixture(env: Readonly<Record<string, string>> = {}): Promise<CliFixture> {
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-cli-"));
  const { PATH, HOME, DENO_DIR, NODE_COMPILE_CACHE } = process.env;
  const all = {
    ...{ PATH: PATH!, HOME: HOME!, XDG_CONFIG_HOME: directory },
    ...(DENO_DIR && { DENO_DIR }),
    ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
    ...env,
  };
  const run: CliFixture["run"] = (line, input = "", more = {}) =>
    new Promise((resolve) => {
      const child = spawn(PROGRAM[0]!, [...PROGRAM.slice(1), ...line], { env: { ...all, ...more } });
      let out = "", err = "";
      child.stdout.setEncoding("utf8").on("data", (text) => out += text);
      child.stderr.setEncoding("utf8").on("data", (text) => err += text);
      child.stdin.on("error", () => {}).end(input);
      child.once("close", (status) => resolve({ status, out, err }));
    });
  return {
    directory,
    env: all,
    run,
    async json(...line) {
      const { status, out, err } = await run([...line, "--json"]);
      if (status !== 0) throw new Error(`wheelwright ${line.join(" ")} ended with ${status}: ${err}`);
      return JSON.parse(out);
    },
    openTerminal(line, columns = 80, more = {}) {
      const command = [...PROGRAM, ...line].map((word) => `'${word}'`).join(" ");
      const child = spawn("script", ["-qec", `stty cols ${columns} rows 24; exec ${command}`, "/dev/null"], {
        env: { TERM: "xterm", SHELL: "/bin/sh", ...all, ...more },
      });
      let output = "", over = false;
      child.stdout.setEncoding("utf8").on("data", (text) => output += text);
      const ended = new Promise<number | null>((resolve) =>
        child.once("close", (status) => {
          over = true;
          resolve(status);
        })
      );
      return {
        get output() {
          return output;
        },
        async waitFor(pattern) {
          await until(() => pattern.test(output) || over);
          if (!pattern.test(output)) throw new Error(`It ended without showing ${pattern}:\n${output}`);
        },
        type: (text) => void child.stdin.write(text),
        ended,
      };
    },
    close: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Returns terminal output without escape sequences. */
export function withoutEscapes(output: string): string {
  // deno-lint-ignore no-control-regex
  return output.replace(/\x1b\[[?\d;]*[A-Za-z]/g, "").replaceAll("\r", "");
}
