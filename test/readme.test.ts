/**
 * Runs the examples of the README's first ten minutes and of docs/api.md against `npm start`: those for the API in one shell,
 * those for the command line in another shell with its own server.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  canRunExamples,
  type ExampleBlock,
  type ExampleOutput,
  findOutputMismatch,
  parseExampleBlocks,
  runExamples,
  startForExamples,
  WHEELWRIGHT_SHELL_FUNCTION,
} from "#test/support/examples.ts";

const README = new URL("../README.md", import.meta.url), API = new URL("../docs/api.md", import.meta.url);

interface Context {
  directory: string;
  blocks: readonly ExampleBlock[];
  /** The output of each shell block, by the index of the block. */
  printed: ReadonlyMap<number, ExampleOutput>;
}

const test = suite<Context>("the README's examples");
const example = canRunExamples ? test : test.skip;

test.before(async (context) => {
  if (!canRunExamples) return;
  context.directory = await mkdtemp(join(tmpdir(), "wheelwright-readme-"));
  const first = chapter(await readFile(README, "utf8"), "The first ten minutes");
  context.blocks = parseExampleBlocks(first + await readFile(API, "utf8"));
  const typing = async (name: string, isMeant: (block: ExampleBlock) => boolean, before = "") => {
    const directory = join(context.directory, name), program = await startForExamples(directory);
    const blocks = context.blocks.map((block) => isMeant(block) ? { ...block, text: program.typed(block.text) } : null);
    return await runExamples(directory, blocks, program.typed(before)).finally(() => program.stop());
  };
  const isCommand = ({ how }: ExampleBlock) => how.includes("command");
  const printed = await Promise.all([
    typing("api", (block) => !isCommand(block)),
    typing("command-line", isCommand, WHEELWRIGHT_SHELL_FUNCTION),
  ]);
  context.printed = new Map(printed.flatMap((each) => [...each]));
});

test.after(async ({ directory }) => {
  if (canRunExamples) await rm(directory, { recursive: true, force: true });
});

example("exist for the API and the command line", ({ blocks }) => {
  assert.ok(blocks.filter(({ language }) => language === "sh").length > 8);
  assert.ok(blocks.filter(({ language }) => language === "json").length > 5);
  assert.ok(blocks.filter(({ how }) => how.includes("command")).length > 6);
});

example("fail only if marked as refused", ({ blocks, printed }) => {
  for (const [i, { text: output, status }] of printed) {
    const { how, text } = blocks[i]!;
    if (how.includes("aside")) continue;
    assert.ok(output.trim(), `${text}\nprinted nothing`);
    const refused = how.includes("command") ? status !== 0 : /"statusCode":\s*\d+/.test(output);
    assert.is(refused, how.includes("refused"), `${text}\n${output}`);
  }
});

example("print the blocks below them", ({ blocks, printed }) => {
  blocks.forEach((block, i) => {
    if (block.language !== "json") return;
    const { text = "" } = printed.get(i - 1) ?? {}, miss = findOutputMismatch(block, text);
    assert.is(miss, null, `${blocks[i - 1]?.text}${text}`);
  });
});

test.run();

function chapter(markdown: string, title: string): string {
  const start = markdown.indexOf(`\n## ${title}\n`);
  assert.ok(start >= 0, `the chapter ${title}`);
  const end = markdown.indexOf("\n## ", start + 1);
  return markdown.slice(start, end);
}
