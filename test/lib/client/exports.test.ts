/** Tests the client in a browser, and its version. test/package tests the npm package. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CLIENT_VERSION } from "#lib/client/client.ts";
import { openStage } from "#test/lib/client/stage.ts";
import { createTestToken } from "#test/support/users.ts";

const test = suite("exported client");

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const read = async (file: string) => JSON.parse(await readFile(ROOT + file, "utf8"));

/** The browser APIs that the client uses. */
const { fetch, URL: Url, URLSearchParams, Headers, AbortController, AbortSignal, TextDecoder, Blob } = globalThis;
const { performance, setTimeout, clearTimeout, crypto } = globalThis;
const WEB = {
  ...{ fetch, URL: Url, URLSearchParams, Headers, AbortController, AbortSignal, TextDecoder, Blob },
  ...{ performance, setTimeout, clearTimeout, crypto },
};

test("has one version and one entry point", async () => {
  const ours = await read("package.json"), jsr = await read("deno.json");
  assert.equal(
    [CLIENT_VERSION, jsr.version],
    [ours.version, ours.version],
    "write the package's version into deno.json",
  );
  assert.equal([jsr.name, jsr.exports, ours.exports], ["@wheelwright/client", "./lib/client/client.ts", undefined]);
});

test("uses only web APIs: no package, and nothing of a runtime", async () => {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ["lib/client/client.ts"],
    ...{ bundle: true, write: false, metafile: true, logLevel: "silent", tsconfigRaw: "{}" },
    ...{ platform: "browser", format: "iife", globalName: "client", target: "es2022" },
  });
  assert.equal(Object.keys(metafile.inputs).filter((path) => !path.startsWith("lib/client/")), []);
  const stage = await openStage(),
    { plaintext } = await createTestToken(stage.scene.db, stage.scene.people.operator, "cli");
  const context = createContext({ ...WEB, given: { url: stage.proxy.url, token: plaintext } });
  const found = await runInContext(
    `${outputFiles![0]!.text}
    (async () => {
      const wheelwright = client.connect(given);
      const spoke = await wheelwright.createFederationSpoke({ federationId: "north" }, { slug: "ash" });
      const waiting = await wheelwright.waitFor(spoke.operation, { timeout: 1 }).catch(({ code }) => code);
      for await (const { type } of wheelwright.followFederation({ federationId: "north" })) return [waiting, type];
    })()`,
    context,
  );
  assert.equal([...found], ["timed_out", "SpokeUpdateProvisioning"]);
  await stage.close();
});

test.run();
