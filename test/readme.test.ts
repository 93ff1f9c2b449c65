/**
 * The README's first ten minutes and docs/api.md, which goes on from there, typed as they stand: one shell for both,
 * against the program as `npm start` starts it. What is printed in a `json` block after a command is what the command
 * must have answered; `…` stands for any text, and a key that the block does not name is not looked at.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Started, startProgram } from "#test/support/program.ts";

const README = new URL("../README.md", import.meta.url), API = new URL("../docs/api.md", import.meta.url);
const PATIENCE = 120_000;
/** What a busy machine answers at first; the examples ask again. */
const BUSY = /\{"statusCode":503,[^}]*\}/g;

interface Block {
  readonly language: string;
  /** How the block says that it is for a second terminal, or that its answer is a refusal. */
  readonly how: string;
  readonly text: string;
}

interface Context {
  directory: string;
  program: Started;
  blocks: readonly Block[];
  /** What each shell block printed, by its place among all blocks. */
  printed: ReadonlyMap<number, string>;
}

const test = suite<Context>("the README's examples");

/** What the examples are typed into may be missing on a small machine; then this says that it skipped them. */
const typable = spawnSync("bash", ["-c", "command -v curl sed grep tr tee"]).status === 0;
const example = typable ? test : test.skip;

test.before(async (context) => {
  if (!typable) return;
  context.directory = await mkdtemp(join(tmpdir(), "wheelwright-readme-"));
  context.program = startProgram(["dev"], {
    PORT: "0",
    HOST: "127.0.0.1",
    DATA_DIR: context.directory,
    SIMULATOR_DELAY_MS: "0",
  });
  const url = (await context.program.said(/^Listening on /)).replace("Listening on ", "");
  const password = /Password\s+(\S+)/.exec(context.program.lines.join("\n"))![1]!;
  const first = chapter(await readFile(README, "utf8"), "The first ten minutes");
  context.blocks = blocksOf(first + await readFile(API, "utf8"));
  const typed = (text: string) =>
    text.replaceAll("http://localhost:3000", url).replaceAll("PASSWORD", password)
      .replaceAll(".wheelwright/", `${context.directory}/`);
  context.printed = await run(
    context.directory,
    context.blocks.map((block) => ({ ...block, text: typed(block.text) })),
  );
});

test.after(async ({ directory, program }) => {
  if (!typable) return;
  await program?.stop();
  await rm(directory, { recursive: true, force: true });
});

example("are there", ({ blocks }) => {
  assert.ok(blocks.filter((block) => block.language === "sh").length > 8);
  assert.ok(blocks.filter((block) => block.language === "json").length > 5);
});

example("answer with no error but where they say so", ({ blocks, printed }) => {
  for (const [i, output] of printed) {
    const { how, text } = blocks[i]!;
    if (how === "aside") continue;
    assert.ok(output.trim(), `${text}\nprinted nothing`);
    const refused = /"statusCode":\s*\d+/.test(output);
    assert.is(refused, how === "refused", `${text}\n${output}`);
  }
});

example("answer what is printed below them", ({ blocks, printed }) => {
  blocks.forEach(({ language, text }, i) => {
    if (language !== "json") return;
    const output = printed.get(i - 1);
    assert.ok(output, `a command before ${text}`);
    const answers = jsonIn(output!);
    const wanted = JSON.parse(text);
    const misses = answers.map((answer) => missIn(wanted, answer, "it"));
    assert.ok(misses.includes(null), `${text}\n${misses.at(-1) ?? "no JSON was printed"}:\n${output}`);
  });
});

test.run();

function chapter(markdown: string, title: string): string {
  const start = markdown.indexOf(`\n## ${title}\n`);
  assert.ok(start >= 0, `the chapter ${title}`);
  const end = markdown.indexOf("\n## ", start + 1);
  return markdown.slice(start, end);
}

function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w*) ?(\w*)\n(.*?)^```$/gms)]
    .map(([, language = "", how = "", text = ""]) => ({ language, how, text }));
}

/** All in one shell, so that what an example sets is there for the next. */
async function run(directory: string, blocks: readonly Block[]): Promise<Map<number, string>> {
  const shells = blocks.flatMap(({ language, how, text }, i) => language === "sh" ? [{ i, how, text }] : []);
  const script = shells.map(({ i, how, text }) => {
    const output = join(directory, `printed-${i}`);
    // A second terminal is no job of this shell, which may wait for its own.
    return how === "aside" ? `( ( ${text}\n) > ${output} 2>&1 & )` : `{ ${text}\n} > ${output} 2>&1 < /dev/null`;
  }).join("\n");
  const shell = spawn("bash", ["-c", script], { cwd: directory, detached: true, stdio: "ignore" });
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
  const read = async (i: number) => await readFile(join(directory, `printed-${i}`), "utf8").catch(() => "");
  return new Map(await Promise.all(shells.map(async ({ i }) => [i, (await read(i)).replaceAll(BUSY, "")] as const)));
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
    const pattern = new RegExp(`^${wanted.split("…").map((part) => RegExp.escape(part)).join("[^]*")}$`);
    return typeof answer === "string" && pattern.test(answer) ? null : `${name} is ${JSON.stringify(answer)}`;
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
