import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { check, presentDocument, release } from "#src/contract.ts";
import { copyOf, documentOf, type Json, TODAY } from "#test/support/contract.ts";

const test = suite("the contract's commands");

const THINGS = documentOf({ type: "object", properties: { a: { type: "string" } } }, { type: "string" });
const declare = (since: string, sunset: string) =>
  copyOf(
    THINGS,
    ({ paths }) =>
      Object.assign(paths["/things"].post, { deprecated: true, "x-deprecation": { since, sunset, note: "" } }),
  );
const broken = copyOf(THINGS, ({ paths }) => paths["/things"].post.requestBody.required = true);

/** Runs with that document as the last release's, in a folder of its own. */
async function having(released: Json, run: (promise: URL, read: () => Promise<Json>) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "contract-"));
  try {
    const path = join(folder, "released.json");
    await writeFile(path, JSON.stringify(released));
    await run(pathToFileURL(path), async () => JSON.parse(await readFile(path, "utf8")));
    assert.equal(await readdir(folder), ["released.json"]);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("fail on what breaks, and only then", () =>
  having(THINGS, async (promise) => {
    const { status, text } = await check({ promise, present: broken, today: TODAY });
    assert.is(status, 1);
    assert.match(text, "The body has to be sent now");
    assert.is((await check({ promise, present: THINGS, today: TODAY })).status, 0);
  }));

test("pass what was announced and is due", () =>
  having(declare("2026-10-01", TODAY), async (promise) => {
    assert.is((await check({ promise, present: broken, today: "2026-11-20" })).status, 1);
    assert.is((await check({ promise, present: broken, today: TODAY })).status, 0);
  }));

test("let one exception through, and nothing else, until what it is for is released", () =>
  having(THINGS, async (promise) => {
    const exceptions = [{
      kind: "validation_tightened",
      says: "refuses fields that it does not know, and ignored them",
      why: "So it is",
    }] as const;
    const strict = (document: Json) =>
      copyOf(document, ({ paths }) => {
        paths["/things"].post.requestBody.content["application/json"].schema.additionalProperties = false;
      });
    assert.is((await check({ promise, present: strict(THINGS), today: TODAY })).status, 1);
    assert.is((await check({ promise, present: strict(broken), today: TODAY, exceptions })).status, 1);
    assert.is((await release({ promise, present: strict(THINGS), today: TODAY, exceptions })).status, 0);
    const { status, text } = await check({ promise, present: strict(THINGS), today: TODAY, exceptions });
    assert.is(status, 1);
    assert.match(text, "excuses nothing any more");
  }));

test("make the present document the promise", () =>
  having(THINGS, async (promise, read) => {
    const present = declare(TODAY, "2026-12-31");
    const { status, text } = await release({ promise, present, today: TODAY });
    assert.is(status, 0);
    assert.match(text, "Released");
    assert.equal(await read(), present);
  }));

test("release nothing that breaks the last promise", () =>
  having(THINGS, async (promise, read) => {
    const { status, text } = await release({ promise, present: broken, today: TODAY });
    assert.is(status, 1);
    assert.match(text, "Not released");
    assert.equal(await read(), THINGS);
  }));

test("release no declaration that leaves less than 30 days", () =>
  having(THINGS, async (promise, read) => {
    const { status, text } = await release({ promise, present: declare("2026-01-01", "2026-12-01"), today: TODAY });
    assert.is(status, 1);
    assert.match(text, "POST /things: its sunset is 2026-12-01");
    assert.equal(await read(), THINGS);
  }));

test("compare with the document of this program, whatever its version", () => {
  const { info, paths } = presentDocument() as Json;
  assert.is(info.version, "v0 (golden)");
  assert.ok(paths["/api/openapi.json"].get);
});

test.run();
