/** Runs the examples of docs/cli.md against `npm start`. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  canRunExamples,
  findOutputMismatch,
  parseExampleBlocks,
  runExamples,
  startForExamples,
  WHEELWRIGHT_SHELL_FUNCTION,
} from "#test/support/examples.ts";
import { CLIENT_COMMANDS } from "#src/cli/commands.ts";

const PAGE = new URL("../../docs/cli.md", import.meta.url);

const test = suite("docs/cli.md");

(canRunExamples ? test : test.skip)("the examples print the blocks below them", async () => {
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-cli-page-"));
  const program = await startForExamples(directory);
  try {
    const blocks = parseExampleBlocks(program.typed(await readFile(PAGE, "utf8")));
    const printed = await runExamples(directory, blocks, program.typed(WHEELWRIGHT_SHELL_FUNCTION));
    assert.ok(printed.size > 12);
    blocks.forEach((block, i) => {
      const above = blocks[i - 1], { text = "", status = null } = printed.get(i) ?? printed.get(i - 1) ?? {};
      if (block.language === "sh") assert.is(status, 0, `${block.text}${text}`);
      if (above?.language !== "sh" || !["", "json"].includes(block.language)) return;
      assert.is(findOutputMismatch(block, text), null, `${above.text}${text}`);
    });
  } finally {
    await program.stop();
    await rm(directory, { recursive: true, force: true });
  }
});

test("the page names every noun", async () => {
  const page = await readFile(PAGE, "utf8");
  for (const { name } of CLIENT_COMMANDS) assert.match(page, new RegExp(`[\`\\s]${name}\\b`), name);
});

test.run();
