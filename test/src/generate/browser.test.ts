import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { portalScript } from "#lib/portal/assets.ts";
import { STREAM_EVENT_TYPES } from "#lib/model/states.ts";
import { bundleForBrowsers } from "#src/generate/browser.ts";

const test = suite<{ folder: string }>("bundleForBrowsers");

test.before.each(async (context) => void (context.folder = await mkdtemp(join(tmpdir(), "wheelwright-browser-"))));
test.after.each(({ folder }) => rm(folder, { recursive: true }));

test("includes imported modules and style sheets, in the order of the imports", async ({ folder }) => {
  await writeFile(join(folder, "one.ts"), 'import { two } from "./two.ts";\ndocument.title = `${two}…`;\n');
  await writeFile(join(folder, "two.ts"), "export const two: number = Number(2);\nexport const unused = 3;\n");
  await writeFile(join(folder, "one.css"), '@import "./two.css";\np {\n  content: "→";\n}\n');
  await writeFile(join(folder, "two.css"), "/* A comment. */\nb {\n  color: #ff0000;\n}\n");
  const entryPoints = { script: "one.ts", style: "one.css" }, root = pathToFileURL(`${folder}/`);
  const bundles = bundleForBrowsers(root, entryPoints);
  const text = String(new Function("document", `${bundles.get("script")} return document.title;`)({ title: "" }));
  assert.is(text, "2…");
  assert.not.match(bundles.get("script")!, "unused");
  assert.is(bundles.get("style"), 'b{color:red}p{content:"→"}\n');
  assert.equal(bundleForBrowsers(root, entryPoints), bundles);
});

test("rejects a script that imports a missing module", async ({ folder }) => {
  await writeFile(join(folder, "one.ts"), 'import { two } from "./two.ts";\ndocument.title = two;\n');
  assert.throws(() => bundleForBrowsers(pathToFileURL(`${folder}/`), { script: "one.ts" }), /one\.ts.*two\.ts/s);
});

test("the portal's script derives the event types from the states, without the model's schemas", () => {
  const quoted = new Set([...portalScript.matchAll(/"(\w+)"/g)].map(([, word]) => word!.toLowerCase()));
  const states = STREAM_EVENT_TYPES.map((type) =>
    type.replace(/^(?:Spoke|Federation|Rollout)Update/, "").toLowerCase()
  );
  assert.equal(states.filter((state) => !quoted.has(state)), []);
  assert.not.match(portalScript, "valibot");
});

test.run();
