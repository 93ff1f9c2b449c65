/** The client's commands as processes, with pipes or in a pseudo-terminal, and a directory for what `login` keeps. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ClientResponse } from "#test/support/client.ts";
import { until } from "#test/support/until.ts";

const fileOf = (name: string) => fileURLToPath(new URL(`../../../src/${name}`, import.meta.url));

/** What a person types in place of `wheelwright`. */
export const PROGRAM: readonly string[] = "deno" in process.versions
  ? [process.execPath, "run", "--quiet", "-A", fileOf("main.ts")]
  : [process.execPath, fileOf("wheelwright.js")];

/** Pseudo-terminals are made by a program of util-linux. */
export const hasTerminals = spawnSync("script", ["-qec", "true", "/dev/null"], { input: "" }).status === 0;

/** A disk that is full takes somebody who may mount one. */
export const canMount = process.getuid?.() === 0 && spawnSync("unshare", ["-m", "true"]).status === 0 && tryMount();

function tryMount(): boolean {
  const directory = mkdtempSync(join(tmpdir(), "wheelwright-mount-"));
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=16k", "tmpfs", directory]);
  unmount(directory);
  rmdirSync(directory);
  return status === 0;
}

/** Makes the directory a disk of 16 KiB; what it returns fills it. */
export function mountSmall(directory: string): () => void {
  spawnSync("mount", ["-t", "tmpfs", "-o", "size=16k", "tmpfs", directory]);
  return () => void spawnSync("dd", ["if=/dev/zero", `of=${join(directory, "filler")}`, "bs=4k"], { stdio: "ignore" });
}

export function unmount(directory: string): void {
  spawnSync("umount", [directory], { stdio: "ignore" });
}

export interface Ran {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Terminal {
  /** All that it showed until now. */
  readonly shown: string;
  /** Waits until it shows this. */
  shows(pattern: RegExp): Promise<void>;
  type(text: string): void;
  readonly ended: Promise<number | null>;
}

export interface Desk {
  readonly directory: string;
  /** The variables of its commands, and of whoever starts them otherwise. */
  readonly env: Record<string, string>;
  run(line: readonly string[], input?: string, env?: Readonly<Record<string, string>>): Promise<Ran>;
  /** The JSON that it prints; throws where it fails. */
  json(...line: string[]): Promise<ClientResponse["body"]>;
  /** In a pseudo-terminal of so many columns. */
  sit(line: readonly string[], columns?: number, env?: Readonly<Record<string, string>>): Terminal;
  close(): Promise<void>;
}

export async function openDesk(env: Readonly<Record<string, string>> = {}): Promise<Desk> {
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-cli-"));
  const { PATH, HOME, DENO_DIR, NODE_COMPILE_CACHE } = process.env;
  const all = {
    ...{ PATH: PATH!, HOME: HOME!, XDG_CONFIG_HOME: directory },
    ...(DENO_DIR && { DENO_DIR }),
    ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
    ...env,
  };
  const run: Desk["run"] = (line, input = "", more = {}) =>
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
    sit(line, columns = 80, more = {}) {
      const command = [...PROGRAM, ...line].map((word) => `'${word}'`).join(" ");
      const child = spawn("script", ["-qec", `stty cols ${columns} rows 24; exec ${command}`, "/dev/null"], {
        env: { TERM: "xterm", SHELL: "/bin/sh", ...all, ...more },
      });
      let shown = "", over = false;
      child.stdout.setEncoding("utf8").on("data", (text) => shown += text);
      const ended = new Promise<number | null>((resolve) =>
        child.once("close", (status) => {
          over = true;
          resolve(status);
        })
      );
      return {
        get shown() {
          return shown;
        },
        async shows(pattern) {
          await until(() => pattern.test(shown) || over, 60_000);
          if (!pattern.test(shown)) throw new Error(`It ended without showing ${pattern}:\n${shown}`);
        },
        type: (text) => void child.stdin.write(text),
        ended,
      };
    },
    close: () => rm(directory, { recursive: true, force: true }),
  };
}

/** What a terminal shows, without what moves its cursor and colours it. */
export function bare(shown: string): string {
  // deno-lint-ignore no-control-regex
  return shown.replace(/\x1b\[[?\d;]*[A-Za-z]/g, "").replaceAll("\r", "");
}
