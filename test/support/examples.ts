/** Runs the documents' examples in a shell, and compares each output with the block below the example. A `json` block
 * lists fields that the response must contain. Other blocks are the expected output. `…` matches any text. */
import { spawn, spawnSync } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { PROGRAM } from "#test/src/cli/cli-fixture.ts";
import { type StartedProgram, startProgram } from "#test/support/program.ts";

const PATIENCE = 240_000;
/** Matches the response of an overloaded server. After such a response, the example runs again. */
const BUSY = /\{"statusCode":503,[^}]*\}/g;

/** Whether bash and the examples' other tools are installed. If not, tests of examples are skipped. */
export const canRunExamples = spawnSync("bash", ["-c", "command -v curl sed grep tr tee"]).status === 0;

export interface ExampleBlock {
  readonly language: string;
  /** The words after the block's language: `command` (command line), `aside` (second terminal) or `refused` (expects
   * an error). */
  readonly how: string;
  readonly text: string;
}

export interface ExampleOutput {
  readonly text: string;
  readonly status: number | null;
}

export interface ExampleProgram extends StartedProgram {
  /** Replaces the documents' example address and password with the test server's address and password. */
  typed(text: string): string;
}

/** Starts the program as `npm start` does. Creates the directory if it does not exist. */
export async function startForExamples(directory: string): Promise<ExampleProgram> {
  await mkdir(directory, { recursive: true });
  const program = startProgram(["dev"], {
    ...{ PORT: "0", HOST: "127.0.0.1", DATA_DIR: directory, SIMULATOR_DELAY_MS: "0" },
  });
  const url = (await program.said(/^Listening on /)).replace("Listening on ", "");
  const password = /Password\s+(\S+)/.exec(program.lines.join("\n"))![1]!;
  const typed = (text: string) =>
    text.replaceAll("http://localhost:3000", url).replaceAll("PASSWORD", password)
      .replaceAll(".wheelwright/", `${directory}/`);
  return { ...program, typed };
}

/** Shell code that defines the command `wheelwright` as this checkout's program. The command
 * reads the sign-in password from a file, because no terminal exists. */
export const WHEELWRIGHT_SHELL_FUNCTION = `
program() { ${PROGRAM.map((word) => `'${word}'`).join(" ")} "$@"; }
wheelwright() {
  case "$*" in
    login*--email*) program "$@" --password < password ;;
    *) program "$@" ;;
  esac
}
printf %s 'PASSWORD' > password
export XDG_CONFIG_HOME=$PWD
`;

export function parseExampleBlocks(markdown: string): ExampleBlock[] {
  return [...markdown.matchAll(/^```(\w*) ?([\w ]*)\n(.*?)^```$/gms)]
    .map(([, language = "", how = "", text = ""]) => ({ language, how, text }));
}

/** Runs all `sh` blocks in one shell, so that variables persist. Returns each block's output, keyed by its index. */
export async function runExamples(
  directory: string,
  blocks: readonly (ExampleBlock | null)[],
  before = "",
): Promise<Map<number, ExampleOutput>> {
  const shells = blocks.flatMap((block, i) => block?.language === "sh" ? [{ ...block, i }] : []);
  const script = shells.map(({ i, how, text }) => {
    const output = join(directory, `printed-${i}`);
    // Runs the block in a subshell, so that `wait` does not wait for it.
    if (how.includes("aside")) return `( ( ${text}\n) > ${output} 2>&1 & )`;
    return `{ ${text}\n} > ${output} 2>&1 < /dev/null; echo $? > ${output}-status`;
  }).join("\n");
  const shell = spawn("bash", ["-c", `${before}\n${script}`], { cwd: directory, detached: true, stdio: "ignore" });
  const endAll = () => {
    try {
      process.kill(-shell.pid!, "SIGKILL");
    } catch {
      // Ignores the error: the process has already ended.
    }
  };
  const late = setTimeout(endAll, PATIENCE); // an example could wait forever
  await new Promise((resolve) => shell.once("exit", resolve));
  clearTimeout(late);
  endAll(); // ends the second terminal
  const read = (name: string) => readFile(join(directory, `printed-${name}`), "utf8").catch(() => "");
  return new Map(
    await Promise.all(shells.map(async ({ i }) => {
      const text = (await read(`${i}`)).replaceAll(BUSY, ""), status = await read(`${i}-status`);
      return [i, { text, status: status ? Number(status) : null }] as const;
    })),
  );
}

/** Returns how the output differs from the block below the example; null if the output matches. */
export function findOutputMismatch({ language, text }: ExampleBlock, printed: string): string | null {
  if (language === "") return patternOf(text).test(printed) ? null : "it printed something else";
  const expected = JSON.parse(text), misses = jsonIn(printed).map((answer) => missIn(expected, answer, "it"));
  return misses.includes(null) ? null : misses.at(-1) ?? "the output contains no JSON";
}

function patternOf(text: string): RegExp {
  return new RegExp(`^${text.split("…").map((part) => RegExp.escape(part)).join("[^]*")}$`);
}

/** Returns all JSON values that the text contains. */
function jsonIn(text: string): unknown[] {
  const found: unknown[] = [];
  for (const start of text.matchAll(/(?:^|[}\]\n])(?=[[{])/g)) {
    const from = start.index + start[0].length;
    for (let end = text.length; end > from; end = text.lastIndexOf(text[from] === "{" ? "}" : "]", end - 1)) {
      const value = parse(text.slice(from, end + 1));
      if (value !== undefined) {
        found.push(value);
        break;
      }
    }
  }
  return found;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns how the response differs from the expected value; null if the response matches. */
function missIn(expected: unknown, answer: unknown, name: string): string | null {
  if (typeof expected === "string") {
    return typeof answer === "string" && patternOf(expected).test(answer)
      ? null
      : `${name} is ${JSON.stringify(answer)}`;
  }
  if (expected === null || typeof expected !== "object") {
    return expected === answer ? null : `${name} is ${JSON.stringify(answer)}, not ${JSON.stringify(expected)}`;
  }
  if (answer === null || typeof answer !== "object") return `${name} is ${JSON.stringify(answer)}`;
  for (const [key, value] of Object.entries(expected)) {
    const miss = missIn(value, (answer as Record<string, unknown>)[key], `${name}.${key}`);
    if (miss) return miss;
  }
  return null;
}
