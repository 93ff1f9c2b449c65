/** Tests that the style sheets contain no rules for classes that no page uses. */
import { readdir, readFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HTTP_METHODS } from "#lib/http/endpoint.ts";

const test = suite("the style sheets");
const LIB = new URL("../../../../lib/", import.meta.url);

async function readAll(ending: string): Promise<Map<string, string>> {
  const paths = ["portal/", "reference/"].map(async (folder) =>
    (await readdir(new URL(folder, LIB), { recursive: true })).map((file) => folder + file)
  );
  const files = (await Promise.all(paths)).flat().filter((path) => path.endsWith(ending) && !/assets\.ts$/.test(path));
  return new Map(
    await Promise.all(files.map(async (path) => [path, await readFile(new URL(path, LIB), "utf8")] as const)),
  );
}

test("have a rule only for classes that occur in the markup or in a script", async () => {
  const used = new Set<string>(HTTP_METHODS);
  for (const text of (await readAll(".ts")).values()) {
    for (const [word] of text.matchAll(/[a-z][\w-]*/gi)) used.add(word);
  }
  const unused: string[] = [];
  for (const [path, css] of await readAll(".css")) {
    for (const [, selectors] of css.replace(/\/\*.*?\*\/|@import.*?;/gs, "").matchAll(/([^{}]+)\{/g)) {
      const classes = [...selectors!.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name]) => name!);
      unused.push(...classes.filter((name) => !used.has(name)).map((name) => `${path}: .${name}`));
    }
  }
  assert.equal(unused, []);
});

test.run();
