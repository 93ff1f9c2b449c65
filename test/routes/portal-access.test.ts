/**
 * Tests which role can see which page, of own and foreign objects, with the real handlers. UPDATE_GOLDEN=1 rewrites the
 * table; review the diff.
 *
 * Pages call the API, whose access rules access.test.ts tests. This test shows that no page bypasses them.
 */
import { readFile, writeFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { manifest } from "#src/manifest.ts";
import type { ClientResponse } from "#test/support/client.ts";
import { textOf } from "#test/support/html-form.ts";
import { isPageEndpoint, type ListedEndpoint, listEndpoints } from "#test/support/probes/endpoints.ts";
import { retryUnavailable } from "#test/support/probes/retry-unavailable.ts";
import { pathOf, type PathParamSample, sampleParams, type Samples } from "#test/support/probes/samples.ts";
import { inParallel } from "#test/support/probes/probe-fields.ts";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";

const GOLDEN = new URL("../golden/portal.txt", import.meta.url);
const PEOPLE: readonly (SceneRole | "nobody")[] = ["nobody", "stranger", "spokeAdmin", "hubAdmin", "operator"];
const FORM = { "content-type": "application/x-www-form-urlencoded" };

interface Context {
  scene: Scene;
  samples: Samples;
  ask(
    at: ListedEndpoint,
    who: SceneRole | "nobody",
    whose?: keyof PathParamSample,
    headers?: Record<string, string>,
  ): Promise<ClientResponse>;
}

const test = suite<Context>("the portal");
const pages = listEndpoints(manifest).filter(({ endpoint }) => endpoint.portal && isPageEndpoint(endpoint));
const pagesWithSession = pages.filter(({ endpoint }) => endpoint.scope === "session");
const ofThings = pagesWithSession.filter(({ pattern }) => pattern.includes(":"));

test.before(async (context) => {
  const scene = context.scene = await openScene({ env: { SIGNUP: "on", TRUSTED_PROXIES: "127.0.0.0/8" } });
  const samples = context.samples = await sampleParams(scene);
  let requests = 0; // each from a separate IP address, to avoid rate limits
  context.ask = async ({ pattern, method }, who, whose = "own", more = {}) => {
    const from = { "x-forwarded-for": `10.1.${requests >> 8}.${requests++ & 255}` };
    const headers = { ...FORM, accept: "text/html", ...from, ...await scene.as(who).credentials(), ...more };
    return await retryUnavailable(() =>
      scene.send(pathOf(pattern, samples, whose), { method, headers, ...(method === "POST" && { body: "" }) })
    );
  };
});
test.after(({ scene }) => scene.close());

test("shows each page to the roles in test/golden/portal.txt", async ({ ask }) => {
  const lines = new Map<string, string>();
  await inParallel(pages.filter(({ method }) => method === "GET"), async (at) => {
    const cell = async (who: SceneRole | "nobody", whose: keyof PathParamSample) =>
      String((await ask(at, who, whose)).status);
    const row = async (whose: keyof PathParamSample) =>
      (await Promise.all(PEOPLE.map((who) => cell(who, whose)))).map((status) => status.padEnd(12)).join("");
    const of = at.pattern.includes(":") ? `\n  ${"of another".padEnd(46)}${await row("foreign")}` : "";
    lines.set(at.pattern, `${at.pattern.padEnd(48)}${await row("own")}${of}`.replace(/ +$/gm, ""));
  });
  const head = " ".repeat(48) + PEOPLE.map((who) => who.padEnd(12)).join("").trimEnd();
  const table = `${[head, ...[...lines].sort().map(([, line]) => line)].join("\n")}\n`;
  if (process.env.UPDATE_GOLDEN) await writeFile(GOLDEN, table);
  assert.fixture(table, await readFile(GOLDEN, "utf8"));
});

test("requires a session, and returns to the page after signing in", async ({ ask, samples }) => {
  await inParallel(pagesWithSession, async (at) => {
    const answer = await ask(at, "nobody"), { status, body } = answer;
    assert.is(status, 401, at.name);
    assert.match(textOf(answer), "Sign in", at.name);
    const next = at.method === "GET" ? pathOf(at.pattern, samples) : "/hubs#draft"; // a POST is not repeated automatically
    assert.ok(body.includes(`name="next" value="${next}"`), `${at.name} does not return to ${next}`);
  });
});

test("accepts no token of any scope", async ({ ask, scene }) => {
  const bearer = await scene.as("operator", "cli").credentials() as Record<string, string>;
  await inParallel(pages, async (at) => {
    assert.is((await ask(at, "nobody", "own", bearer)).status, 401, at.name);
  });
});

test("rejects forms from other sites", async ({ ask }) => {
  const elsewhere = [{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }, { origin: "null" }];
  await inParallel(pagesWithSession.filter(({ method }) => method === "POST"), async (at) => {
    for (const headers of elsewhere) {
      const answer = await ask(at, "operator", "own", headers);
      assert.is(answer.status, 403, at.name);
      assert.match(textOf(answer), "another site", at.name);
    }
  });
});

test("shows nothing of another customer, and answers as for missing objects", async ({ ask }) => {
  await inParallel(ofThings, async (at) => {
    for (const who of ["stranger", "spokeAdmin", "hubAdmin"] as const) {
      const foreign = await ask(at, who, "foreign"), absent = await ask(at, who, "absent");
      assert.ok([403, 404].includes(foreign.status), `${at.name} as ${who}: ${foreign.status}`);
      assert.equal([foreign.status, textOf(foreign)], [absent.status, textOf(absent)], `${at.name} as ${who}`);
    }
  });
});

test("answers 404 as a page to people, and as JSON to programs", async ({ scene }) => {
  const nowhere = await scene.send("/hubs/x/nowhere", { headers: { accept: "text/html,*/*;q=0.8" } });
  assert.equal([nowhere.status, nowhere.headers.get("content-type")], [404, "text/html; charset=utf-8"]);
  assert.match(textOf(nowhere), /Not found.*Go to your hubs/);
  for (const path of ["/hubs/x/nowhere", "/api/nowhere"]) {
    assert.is((await scene.send(path, { headers: { accept: "*/*" } })).body.code, "no_route", path);
  }
});

test("is missing with PORTAL=off", async ({ samples }) => {
  const off = await openScene({ env: { PORTAL: "off" } });
  for (const { method, pattern, endpoint } of listEndpoints(manifest)) {
    if (!endpoint.portal) continue;
    const headers = { ...await off.as("operator").credentials(), accept: "text/html" };
    const { status, body } = await off.send(pathOf(pattern, samples), { method, headers });
    assert.equal([status, body.code], [404, "no_route"], `${method} ${pattern}`);
  }
  await off.close();
});

test.run();
