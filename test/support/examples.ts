/**
 * Examples of the documentation, typed into a shell as they stand, and what they print held against what stands below them:
 * in a `json` block what must have been answered, where a key that the block does not name is not looked at, and in a block
 * without a language what must have been printed. `…` stands for any text.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { PROGRAM } from "#test/src/cli/stage.ts";
import { type Started, startProgram } from "#test/support/program.ts";

const PATIENCE = 240_000;
/** What a busy machine answers at first; the examples ask again. */
const BUSY = /\{"statusCode":503,[^}]*\}/g;

/** What the examples are typed into may be missing on a small machine; then their tests are skipped. */
export const canTypeExamples = spawnSync("bash", ["-c", "command -v curl sed grep tr tee"]).status === 0;

export interface Block {
  readonly language: string;
  /** How the block says that it is a command line's, for a second terminal, or that its answer is a refusal. */
  readonly how: string;
  readonly text: string;
}

export interface Printed {
  readonly text: string;
  readonly status: number | null;
}

export interface ExampleProgram extends Started {
  /** The text with its address and its password in place of those of the documentation. */
  typed(text: string): string;
}

/** The program as `npm start` starts it, in this directory, which may not be there yet. */
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

/** For shells: the commands of this checkout. Whoever signs in has the password from a pipe, as there is no terminal. */
export const COMMAND_LINE = `
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

export function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w*) ?([\w ]*)\n(.*?)^```$/gms)]
    .map(([, language = "", how = "", text = ""]) => ({ language, how, text }));
}

/**
 * Types all blocks of `sh` among these into one shell, so that what an example sets is there for the next, and returns what
 * each of them printed, by its place.
 */
export async function typeExamples(
  directory: string,
  blocks: readonly (Block | null)[],
  before = "",
): Promise<Map<number, Printed>> {
  const shells = blocks.flatMap((block, i) => block?.language === "sh" ? [{ ...block, i }] : []);
  const script = shells.map(({ i, how, text }) => {
    const output = join(directory, `printed-${i}`);
    // A second terminal is no job of this shell, which may wait for its own.
    if (how.includes("aside")) return `( ( ${text}\n) > ${output} 2>&1 & )`;
    return `{ ${text}\n} > ${output} 2>&1 < /dev/null; echo $? > ${output}-status`;
  }).join("\n");
  const shell = spawn("bash", ["-c", `${before}\n${script}`], { cwd: directory, detached: true, stdio: "ignore" });
  const endAll = () => {
    try {
      process.kill(-shell.pid!, "SIGKILL");
    } catch {
      // Nothing of it is left.
    }
  };
  const late = setTimeout(endAll, PATIENCE); // an example that waits for something may wait for ever
  await new Promise((resolve) => shell.once("exit", resolve));
  clearTimeout(late);
  endAll(); // the second terminal
  const read = (name: string) => readFile(join(directory, `printed-${name}`), "utf8").catch(() => "");
  return new Map(
    await Promise.all(shells.map(async ({ i }) => {
      const text = (await read(`${i}`)).replaceAll(BUSY, ""), status = await read(`${i}-status`);
      return [i, { text, status: status ? Number(status) : null }] as const;
    })),
  );
}

/** In what the printed text is not as the block below its command says, or null. */
export function missBelow({ language, text }: Block, printed: string): string | null {
  if (language === "") return patternOf(text).test(printed) ? null : "it printed something else";
  const wanted = JSON.parse(text), misses = jsonIn(printed).map((answer) => missIn(wanted, answer, "it"));
  return misses.includes(null) ? null : misses.at(-1) ?? "no JSON was printed";
}

function patternOf(text: string): RegExp {
  return new RegExp(`^${text.split("…").map((part) => RegExp.escape(part)).join("[^]*")}$`);
}

/** Every JSON document in the text: each command prints one, one after the other. */
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

/** What in the answer is not as wanted, or null. */
function missIn(wanted: unknown, answer: unknown, name: string): string | null {
  if (typeof wanted === "string") {
    return typeof answer === "string" && patternOf(wanted).test(answer) ? null : `${name} is ${JSON.stringify(answer)}`;
  }
  if (wanted === null || typeof wanted !== "object") {
    return wanted === answer ? null : `${name} is ${JSON.stringify(answer)}, not ${JSON.stringify(wanted)}`;
  }
  if (answer === null || typeof answer !== "object") return `${name} is ${JSON.stringify(answer)}`;
  for (const [key, value] of Object.entries(wanted)) {
    const miss = missIn(value, (answer as Record<string, unknown>)[key], `${name}.${key}`);
    if (miss) return miss;
  }
  return null;
}
