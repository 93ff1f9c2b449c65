/** Prompts the user for input on standard error, and reads secrets without showing what is typed. */
import { getErrorReason } from "#lib/base/errors.ts";
import { decodeUtf8 } from "#lib/base/utf8.ts";
import { CommandError, EXIT, UsageError } from "./exit-status.ts";
import { printWarning } from "./output.ts";
import type { Terminal } from "./terminal.ts";
import { sanitizeLine } from "./text.ts";

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
    throw new UsageError(`Cannot read standard input: ${getErrorReason(cause)}`, { cause });
  }
}

function interruptError(): CommandError {
  return new CommandError(EXIT.interrupted, "");
}

export const YES_OPTION = { yes: { type: "boolean", short: "y", help: "skip the confirmation" } } as const;

/** Returns if --yes is set or the user types `word`. Otherwise, throws a CommandError. */
export async function confirmByTyping(
  { terminal }: { readonly terminal: Pick<Terminal, "in" | "err"> },
  yes: boolean | undefined,
  question: string,
  word: string,
): Promise<void> {
  if (yes) return;
  if (!terminal.in || !terminal.err) throw new UsageError(`${question}. Without a terminal, confirm with --yes`);
  printWarning(`${question}.`);
  if (await promptLine(`Type ${sanitizeLine(word)} to continue`) !== word) {
    throw new CommandError(EXIT.failed, "Cancelled");
  }
}
