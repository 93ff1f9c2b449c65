/** Asks the person at the terminal. Questions stand on standard error; what is secret is not shown while it is typed. */
import { reasonOf } from "#lib/base/errors.ts";
import { decodeUtf8 } from "#lib/base/utf8.ts";
import { CommandError, EX_INTERRUPTED } from "../commands/command.ts";
import { MISUSED } from "./status.ts";

/** An empty answer is the one that is offered. */
export async function askLine(question: string, offered = ""): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  const stop = new AbortController();
  lines.once("SIGINT", () => stop.abort()).once("close", () => stop.abort());
  try {
    const answer = await lines.question(`${question}${offered ? ` (${offered})` : ""}: `, { signal: stop.signal });
    return answer.trim() || offered;
  } catch {
    throw interrupted();
  } finally {
    lines.close();
  }
}

/** Nothing of the answer is shown, nor how long it is. */
export async function askSecret(question: string): Promise<string> {
  const { stdin, stderr } = process, { promise, resolve, reject } = Promise.withResolvers<string>();
  let answer = "";
  const hear = (piece: string) => {
    for (const letter of piece) {
      if (letter === "\r" || letter === "\n") return resolve(answer);
      if (letter === "\x03" || letter === "\x04" && !answer) return reject(interrupted());
      if (letter === "\x7f" || letter === "\b") answer = [...answer].slice(0, -1).join("");
      else if (letter === "\x15") answer = "";
      else if (letter >= " ") answer += letter;
    }
  };
  const onEnd = () => reject(interrupted());
  stdin.setRawMode(true).setEncoding("utf8").on("data", hear).once("end", onEnd).resume();
  stderr.write(`${question}: `);
  try {
    return await promise;
  } finally {
    stdin.off("data", hear).off("end", onEnd).setRawMode(false).pause();
    stderr.write("\n");
  }
}

/** All of standard input, where it is no terminal: a secret's first line. */
export async function readSecret(): Promise<string> {
  return (await readInput()).split(/\r?\n/)[0]!.trim();
}

export async function readInput(): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(piece);
  try {
    return decodeUtf8(Buffer.concat(pieces));
  } catch (cause) {
    throw new CommandError(MISUSED, `Cannot read standard input: ${reasonOf(cause)}`, { cause });
  }
}

function interrupted(): CommandError {
  return new CommandError(EX_INTERRUPTED, "");
}
