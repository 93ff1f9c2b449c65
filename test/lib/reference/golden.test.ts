/** Compares the API with the golden files. UPDATE_GOLDEN=1 rewrites them; review the changes before you commit. */
import { readFile, writeFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { publishApi } from "#lib/reference/publish.ts";
import { endpointTable, unguardedTable } from "#test/lib/reference/table.ts";
import { manifest } from "#src/manifest.ts";

const test = suite("the surface of the API");

async function compare(name: string, text: string): Promise<void> {
  const file = new URL(`../../golden/${name}`, import.meta.url);
  if (process.env.UPDATE_GOLDEN) await writeFile(file, text);
  assert.is(text, await readFile(file, "utf8"), `test/golden/${name} is another; UPDATE_GOLDEN=1 writes it anew`);
}

test("is described by the committed OpenAPI document", async () => {
  const release = { api: "v0", version: "golden", commit: "golden" };
  await compare("openapi.json", JSON.stringify(publishApi(manifest, release), null, 2) + "\n");
});

test("has the committed endpoints, accesses, scopes and faults", async () => {
  await compare("endpoints.txt", endpointTable(manifest));
});

test("lets everybody in where the committed list says so, and nowhere else", async () => {
  await compare("unguarded.txt", unguardedTable(manifest));
});

test.run();
