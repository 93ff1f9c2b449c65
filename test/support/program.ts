/** Starts the program as a separate process, with the test's own runtime (Node or Deno). */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const BUNDLE = process.env.WHEELWRIGHT_TEST_PROGRAM; // set during a run of the whole suite
const PATIENCE = 120_000; // milliseconds; a start on a busy machine takes a fraction of this time
const BEFORE = "deno" in process.versions ? ["run", "--quiet", "-A"] : [];

export interface StartedProgram {
  readonly child: ChildProcess;
  /** All output lines of the program so far. */
  readonly lines: readonly string[];
  /** Waits for the first output line that matches, and returns this line. Rejects if the program ends earlier, or does
   * not write the line within the time limit (in milliseconds). */
  said(pattern: RegExp, limit?: number): Promise<string>;
  readonly ended: Promise<number | null>;
  tell(signal: NodeJS.Signals): void;
  /** Sends the signal and waits until the process has ended. Returns the exit status. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts `wheelwright …` with these environment variables, and without the test's own variables that could affect the
 * program. `other` is the path to the main module of another release. */
export function startProgram(
  line: readonly string[],
  env: Readonly<Record<string, string>>,
  other: string | null = null,
): StartedProgram {
  // Keeps the variables for the runtimes' compile caches, so that the program starts faster.
  const { DENO_DIR, NODE_COMPILE_CACHE, PATH, HOME } = process.env;
  const main = other ?? (BUNDLE && ["serve", "simulate"].includes(line[0]!) ? BUNDLE : MAIN);
  const child = spawn(process.execPath, [...BEFORE, main, ...line], {
    env: {
      PATH,
      HOME,
      TEMPLATES: "off",
      SHUTDOWN_NOTICE_MS: "0", // no load balancer needs time to notice the shutdown
      ...(DENO_DIR && { DENO_DIR }),
      ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  for (const output of [child.stdout!, child.stderr!]) {
    createInterface({ input: output }).on("line", (text) => {
      lines.push(text);
      for (const look of waiting) look();
    });
  }
  let over = false;
  const ended = new Promise<number | null>((resolve) =>
    child.once("close", (status) => {
      over = true;
      for (const look of waiting) look();
      resolve(status);
    })
  );
  return {
    child,
    lines,
    ended,
    said: (pattern, limit = PATIENCE) =>
      new Promise((resolve, reject) => {
        const fail = (what: string) =>
          reject(new Error(`The program ${what} without the output ${pattern}:\n${lines.join("\n")}`));
        const timer = setTimeout(() => {
          waiting.delete(look);
          fail(`ran for ${limit / 1000} s`);
        }, limit);
        const look = () => {
          const found = lines.find((text) => pattern.test(text));
          if (found === undefined && !over) return;
          waiting.delete(look);
          clearTimeout(timer);
          if (found !== undefined) resolve(found);
          else fail("ended");
        };
        waiting.add(look);
        look();
      }),
    // Does not use child.kill, because Deno would then report this signal as the cause of every exit.
    tell: (signal) => void process.kill(child.pid!, signal),
    stop(signal = "SIGTERM") {
      this.tell(signal);
      return ended;
    },
  };
}
