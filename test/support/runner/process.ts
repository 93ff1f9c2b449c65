/**
 * A process that runs test files one after another (worker.ts), as the run sees it: a file goes in, what it printed comes
 * out. What becomes of a process is told as trouble of the file that it was at.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";

export interface Ran {
  readonly output: string;
  /** What the file would have ended with, as a process of its own; null if the process did not come to its end. */
  readonly status: number | null;
  /** What is wrong with the file as a whole. */
  readonly trouble: string | null;
}

export interface Runner {
  /** Files that it was given until now. */
  readonly files: readonly string[];
  /** Runs the file, which is a path; one at a time. */
  run(file: string): Promise<Ran>;
  /** Lets it end by itself, which it cannot while something is open that a file has left; says so then, and ends it. */
  close(): Promise<string | null>;
  /** Ends it, and whatever was started in it. */
  end(): void;
}

/** In ms. */
export interface Patience {
  /** With one file; the slowest needs a fraction of it, on a slow machine too. */
  readonly file: number;
  /** With the end of a process that has nothing more to do. */
  readonly end: number;
}

const PATIENCE: Patience = { file: 600_000, end: 60_000 };
const OUTPUT_LIMIT = 1_000_000; // characters that are kept of what a file prints
const MARK_LIMIT = 100; // characters in which the beginning of a mark may stand
const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));

export function openRunner(command: readonly string[], env: NodeJS.ProcessEnv, patience = PATIENCE): Runner {
  const [program, ...rest] = command as [string, ...string[]];
  // A group of its own, so that whatever its files start can be ended with it.
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
  child.stdin!.on("error", () => {}); // it is gone, which "close" tells
  const gone = new Promise<null>((resolve) => {
    child.once("error", (error) => (broken = error.message, resolve(null)));
    child.once("exit", (status, signal) => {
      broken ??= `its process ended with ${signal ?? `status ${status}`}`;
      // What it left running may hold its output open; "close" would then never come.
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
      const said = output.replaceAll(new RegExp(`\n${mark} \\d+\n`, "g"), "");
      output = "";
      return { output: said, status, trouble };
    },
    async close() {
      child.stdin!.end();
      let left = false;
      const timer = setTimeout(() => (left = true, endGroup(child)), patience.end);
      await gone;
      clearTimeout(timer);
      return left ? "something is left open, for which the process does not end" : null;
    },
    end: () => endGroup(child),
  };
}

function endGroup(child: ChildProcess): void {
  try {
    if (child.pid) process.kill(-child.pid, "SIGKILL");
  } catch {
    // Nothing of the group is left, which is what is wanted.
  }
}
