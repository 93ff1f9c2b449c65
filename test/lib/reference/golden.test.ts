/** Compares the API with the golden files. UPDATE_GOLDEN=1 rewrites them; review the changes before you commit. */
import { readFile, writeFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildPublishedOpenApi } from "#lib/reference/publish.ts";
import { endpointTable, publicEndpointTable } from "#test/lib/reference/endpoint-table.ts";
import { manifest } from "#src/manifest.ts";

const test = suite("the API surface");

async function compare(name: string, text: string): Promise<void> {
  const file = new URL(`../../golden/${name}`, import.meta.url);
  if (process.env.UPDATE_GOLDEN) await writeFile(file, text);
  assert.is(text, await readFile(file, "utf8"), `test/golden/${name} differs; update it with UPDATE_GOLDEN=1`);
}

test("matches the committed OpenAPI document", async () => {
  const release = { api: "v0", version: "golden", commit: "golden" };
  await compare("openapi.json", JSON.stringify(buildPublishedOpenApi(manifest, release), null, 2) + "\n");
});

test("matches the committed endpoints, access rules, scopes and faults", async () => {
  await compare("endpoints.txt", endpointTable(manifest));
});

test("has only the committed public endpoints", async () => {
  await compare("unguarded.txt", publicEndpointTable(manifest));
});

test.run();
