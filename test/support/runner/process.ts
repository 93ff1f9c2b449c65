/** Runs test files one after another in a single process (worker.ts). If the process fails, reports a failure of the
 * test file that was running. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";

export interface TestFileRun {
  readonly output: string;
  /** The file's exit status, as if it had run in its own process. Null if the process ended before the file did. */
  readonly status: number | null;
  /** An error outside the individual tests; null if no such error occurred. */
  readonly trouble: string | null;
}

export interface TestRunner {
  /** The paths of all test files that ran so far. */
  readonly files: readonly string[];
  /** Runs the test file at this path and returns its result. Await the result before you run the next file. */
  run(file: string): Promise<TestFileRun>;
  /** Waits until the process exits. If a test file left handles open, ends the process and returns a message. */
  close(): Promise<string | null>;
  /** Ends the process and all its child processes immediately. */
  end(): void;
}

/** The time limits for the process, in milliseconds. */
export interface RunnerTimeouts {
  /** The time limit per test file. Even on a slow machine, the slowest file takes only a fraction of this time. */
  readonly file: number;
  /** The time limit for the process to exit after its last test file. */
  readonly end: number;
}

const PATIENCE: RunnerTimeouts = { file: 1_500_000, end: 60_000 };
const OUTPUT_LIMIT = 1_000_000; // characters of a test file's output to keep
const MARK_LIMIT = 100; // the longest incomplete mark, in characters
const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));

export function openTestRunner(command: readonly string[], env: NodeJS.ProcessEnv, patience = PATIENCE): TestRunner {
  const [program, ...rest] = command as [string, ...string[]];
  // Starts the process in its own process group, so that the runner can also end all child processes of test files.
  const child = spawn(program, [...rest, WORKER], { env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  const files: string[] = [], tails = [child.stdout!, child.stderr!].map(() => ({ text: "", status: "" }));
  let output = "", broken: string | null = null, mark = "", ended: (status: number) => void = () => {};
  for (const [i, stream] of [child.stdout!, child.stderr!].entries()) {
    const tail = tails[i]!;
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output = (output + chunk).slice(-OUTPUT_LIMIT);
      const text = tail.text + chunk;
      tail.text = text.slice(-MARK_LIMIT);
      tail.status ||= new RegExp(`\\n${mark} (\\d+)\\n`).exec(text)?.[1] ?? "";
      if (tails.every(({ status }) => status !== "")) ended(Number(tail.status));
    });
  }
  child.stdin!.on("error", () => {}); // the process has ended, which "close" reports
  const gone = new Promise<null>((resolve) => {
    child.once("error", (error) => (broken = error.message, resolve(null)));
    child.once("exit", (status, signal) => {
      broken ??= `its process ended with ${signal ?? `status ${status}`}`;
      // Ends the process group after a second: a child process with open output would prevent the event "close".
      const soon = setTimeout(() => endGroup(child), 1000);
      child.once("close", () => (clearTimeout(soon), endGroup(child), resolve(null)));
    });
  });

  return {
    files,
    async run(file) {
      files.push(file);
      mark = `end-${randomBytes(8).toString("hex")}`;
      for (const tail of tails) tail.status = "";
      let hung = false;
      const timer = setTimeout(() => (hung = true, endGroup(child)), patience.file);
      const done = new Promise<number>((resolve) => ended = resolve);
      child.stdin!.write(`${mark} ${file}\n`);
      const status = await Promise.race([done, gone]);
      clearTimeout(timer);
      const trouble = hung ? `hung, and was ended after ${patience.file / 1000} s` : status === null ? broken : null;
      const cleaned = output.replaceAll(new RegExp(`\n${mark} \\d+\n`, "g"), "");
      output = "";
      return { output: cleaned, status, trouble };
    },
    async close() {
      child.stdin!.end();
      let left = false;
      const timer = setTimeout(() => (left = true, endGroup(child)), patience.end);
      await gone;
      clearTimeout(timer);
      return left ? `something is left open, for which the process does not end. ${output.trim()}` : null;
    },
    end: () => endGroup(child),
  };
}

function endGroup(child: ChildProcess): void {
  try {
    if (child.pid) process.kill(-child.pid, "SIGKILL");
  } catch {
    // Ignores the error: the process group has already ended.
  }
}
