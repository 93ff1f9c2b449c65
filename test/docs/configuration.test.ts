/** Compares docs/configuration.md with the variables that the program reads. */
import { readFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { VARIABLE_MEANINGS } from "#src/commands/config.ts";

const test = suite("docs/configuration.md");

test("names every variable, and no other", async () => {
  const page = await readFile(new URL("../../docs/configuration.md", import.meta.url), "utf8");
  const cells = [...page.matchAll(/^\|((?:`[A-Z_]+`(?:, )?)+) \|/gm)].map(([, cell]) => cell!);
  const named = cells.flatMap((cell) => [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name!));
  assert.equal(named.sort(), Object.keys(VARIABLE_MEANINGS).sort());
});

test.run();
