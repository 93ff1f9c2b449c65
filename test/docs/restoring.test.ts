/** Runs the `wheelwright` commands of docs/restoring.md against `npm start`. */
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

const PAGE = new URL("../../docs/restoring.md", import.meta.url);

/** Creates what the page assumes to exist. */
const BEFORE = `${WHEELWRIGHT_SHELL_FUNCTION}
wheelwright login http://localhost:3000 --email admin@wheelwright.localhost
wheelwright hubs create north
wheelwright spokes create north/ash
wheelwright spokes backup north/ash
`;

const test = suite("docs/restoring.md");
const example = canRunExamples ? test : test.skip;

example("the commands print the blocks below them", async () => {
  const parent = await mkdtemp(join(tmpdir(), "wheelwright-restoring-")), directory = join(parent, "clone");
  const program = await startForExamples(directory);
  try {
    const blocks = parseExampleBlocks(program.typed(await readFile(PAGE, "utf8")));
    const typed = blocks.map((block) => /^wheelwright /m.test(block.text) ? block : null);
    const before = `export DATA_DIR=${directory}\n${program.typed(BEFORE)}`;
    const printed = await runExamples(directory, typed, before);
    assert.ok(printed.size >= 6);
    for (const [i, { text, status }] of printed) {
      assert.is(status, 0, `${blocks[i]!.text}${text}`);
      const below = blocks[i + 1]!;
      if (below.language === "") assert.is(findOutputMismatch(below, text), null, `${blocks[i]!.text}${text}`);
    }
  } finally {
    await program.stop();
    await rm(parent, { recursive: true, force: true });
  }
});

test.run();
