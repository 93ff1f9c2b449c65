/** Prompts the user for input on standard error, and reads secrets without showing what is typed. */
import { getErrorReason } from "#lib/base/errors.ts";
import { decodeUtf8 } from "#lib/base/utf8.ts";
import { CommandError, EXIT_CODE_INTERRUPTED } from "../commands/command.ts";
import { EXIT_USAGE } from "./exit-status.ts";

/** Prompts for text. Returns `defaultAnswer` for an empty line. Throws a CommandError on Ctrl-C or end of input. */
export async function promptLine(question: string, defaultAnswer = ""): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  const stop = new AbortController();
  lines.once("SIGINT", () => stop.abort()).once("close", () => stop.abort());
  try {
    const answer = await lines.question(`${question}${defaultAnswer ? ` (${defaultAnswer})` : ""}: `, {
      signal: stop.signal,
    });
    return answer.trim() || defaultAnswer;
  } catch {
    throw interruptError();
  } finally {
    lines.close();
  }
}

/** Prompts for a secret without showing what the user types. Throws a CommandError on Ctrl-C or end of input. */
export async function promptSecret(question: string): Promise<string> {
  const { stdin, stderr } = process, { promise, resolve, reject } = Promise.withResolvers<string>();
  let answer = "";
  const onData = (piece: string) => {
    for (const letter of piece) {
      if (letter === "\r" || letter === "\n") return resolve(answer);
      if (letter === "\x03" || letter === "\x04" && !answer) return reject(interruptError());
      if (letter === "\x7f" || letter === "\b") answer = [...answer].slice(0, -1).join("");
      else if (letter === "\x15") answer = "";
      else if (letter >= " ") answer += letter;
    }
  };
  const onEnd = () => reject(interruptError());
  stdin.setRawMode(true).setEncoding("utf8").on("data", onData).once("end", onEnd).resume();
  stderr.write(`${question}: `);
  try {
    return await promise;
  } finally {
    stdin.off("data", onData).off("end", onEnd).setRawMode(false).pause();
    stderr.write("\n");
  }
}

/** Reads a secret from standard input, which must not be a terminal. Returns only the first line. */
export async function readSecret(): Promise<string> {
  return (await readStandardInput()).split(/\r?\n/)[0]!.trim();
}

export async function readStandardInput(): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(piece);
  try {
    return decodeUtf8(Buffer.concat(pieces));
  } catch (cause) {
    throw new CommandError(EXIT_USAGE, `Cannot read standard input: ${getErrorReason(cause)}`, { cause });
  }
}

function interruptError(): CommandError {
  return new CommandError(EXIT_CODE_INTERRUPTED, "");
}
