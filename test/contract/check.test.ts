import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildCurrentDocument, releaseContract, runContractCheck } from "#test/contract/check.ts";
import { renderSurface } from "#test/contract/surface.ts";
import { CHECK_DATE, cloneDocument, documentOf, type Json } from "#test/support/contract.ts";

const test = suite("contract commands");

const document = documentOf({ type: "object", properties: { a: { type: "string" } } }, { type: "string" });
const but = (...changes: ((post: Json) => void)[]) =>
  renderSurface(cloneDocument(document, ({ paths }) => changes.forEach((change) => change(paths["/things"].post))));
const require = (post: Json) => post.requestBody.required = true;
const close = (post: Json) => post.requestBody.content["application/json"].schema.additionalProperties = false;
const THINGS = but(), broken = but(require);
const declare = (since: string, sunset: string) =>
  but((post) => Object.assign(post, { deprecated: true, "x-deprecation": { since, sunset, note: "" } }));

/** Runs with this surface as the last release's, in a separate directory. */
async function having(
  released: string,
  run: (promise: URL, read: () => Promise<string>) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "contract-"));
  try {
    const path = join(folder, "released.txt");
    await writeFile(path, released);
    await run(pathToFileURL(path), () => readFile(path, "utf8"));
    assert.equal(await readdir(folder), ["released.txt"]);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("fail on breaking changes only", () =>
  having(THINGS, async (promise) => {
    const { status, text } = await runContractCheck({ promise, present: broken, today: CHECK_DATE });
    assert.is(status, 1);
    assert.match(text, "The body is now required");
    assert.is((await runContractCheck({ promise, present: THINGS, today: CHECK_DATE })).status, 0);
  }));

test("accept an announced change that is due", () =>
  having(declare("2026-10-01", CHECK_DATE), async (promise) => {
    assert.is((await runContractCheck({ promise, present: broken, today: "2026-11-20" })).status, 1);
    assert.is((await runContractCheck({ promise, present: broken, today: CHECK_DATE })).status, 0);
  }));

test("accept one exception until its release, and nothing else", () =>
  having(THINGS, async (promise) => {
    const exceptions = [{
      kind: "validation_tightened",
      messageEnd: "rejects unknown fields, which were ignored before",
      reason: "So it is",
    }] as const;
    assert.is((await runContractCheck({ promise, present: but(close), today: CHECK_DATE })).status, 1);
    assert.is(
      (await runContractCheck({ promise, present: but(close, require), today: CHECK_DATE, exceptions })).status,
      1,
    );
    assert.is((await releaseContract({ promise, present: but(close), today: CHECK_DATE, exceptions })).status, 0);
    const { status, text } = await runContractCheck({ promise, present: but(close), today: CHECK_DATE, exceptions });
    assert.is(status, 1);
    assert.match(text, "no longer matches a finding");
  }));

test("store the current surface as released", () =>
  having(THINGS, async (promise, read) => {
    const present = declare(CHECK_DATE, "2026-12-31");
    const { status, text } = await releaseContract({ promise, present, today: CHECK_DATE });
    assert.is(status, 0);
    assert.match(text, "Released");
    assert.equal(await read(), present);
  }));

test("reject a release that breaks the last surface", () =>
  having(THINGS, async (promise, read) => {
    const { status, text } = await releaseContract({ promise, present: broken, today: CHECK_DATE });
    assert.is(status, 1);
    assert.match(text, "Not released");
    assert.equal(await read(), THINGS);
  }));

test("reject an announcement with less than 30 days until the sunset", () =>
  having(THINGS, async (promise, read) => {
    const { status, text } = await releaseContract({
      promise,
      present: declare("2026-01-01", "2026-12-01"),
      today: CHECK_DATE,
    });
    assert.is(status, 1);
    assert.match(text, "POST /things: its sunset is 2026-12-01");
    assert.equal(await read(), THINGS);
  }));

test("compare with the document of this program, in any version", () => {
  const { info, paths } = buildCurrentDocument() as Json;
  assert.is(info.version, "v0 (golden)");
  assert.ok(paths["/api/openapi.json"].get);
});

test.run();
