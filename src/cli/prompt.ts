/** Asks the person at the terminal. Questions stand on standard error; what is secret is not shown while it is typed. */
import { CommandError, EX_INTERRUPTED } from "../commands/command.ts";

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
  const { stdin, stderr } = process;
  stderr.write(`${question}: `);
  stdin.setRawMode(true).setEncoding("utf8").resume();
  try {
    let answer = "";
    for await (const letter of letters(stdin)) {
      if (letter === "\r" || letter === "\n") return answer;
      if (letter === "\x03" || letter === "\x04" && !answer) throw interrupted();
      if (letter === "\x7f" || letter === "\b") answer = [...answer].slice(0, -1).join("");
      else if (letter === "\x15") answer = "";
      else if (letter >= " ") answer += letter;
    }
    throw interrupted();
  } finally {
    stdin.setRawMode(false).pause();
    stderr.write("\n");
  }
}

async function* letters(input: NodeJS.ReadStream): AsyncGenerator<string> {
  for await (const piece of input.iterator({ destroyOnReturn: false })) yield* String(piece);
}

/** All of standard input, where it is no terminal: a secret's first line. */
export async function readSecret(): Promise<string> {
  return (await readInput()).split(/\r?\n/)[0]!.trim();
}

export async function readInput(): Promise<string> {
  let text = "";
  for await (const piece of process.stdin.setEncoding("utf8")) text += piece;
  return text;
}

function interrupted(): CommandError {
  return new CommandError(EX_INTERRUPTED, "");
}
