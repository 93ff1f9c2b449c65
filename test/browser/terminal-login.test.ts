/** Signs in to the command line with a real browser, as `wheelwright login` does. */
import { createHash } from "node:crypto";
import * as assert from "uvu/assert";
import { openCallbackServer } from "#src/cli/callback-server.ts";
import { findAllAccessibilityProblems } from "#test/support/accessible.ts";
import { browserSuite } from "#test/support/browser.ts";

const test = browserSuite("signing in from a terminal in the browser");

test("returns a code to the terminal, which gets a token for the ticked hub", async ({ portal, open }) => {
  const verifier = "v".repeat(50), challenge = createHash("sha256").update(verifier).digest("base64url");
  const callback = await openCallbackServer("state of the test"), { port } = callback;
  try {
    const page = await open("hubAdmin");
    const query = {
      challenge,
      port: String(port),
      state: "state of the test",
      name: "wheelwright on ada@laptop",
      scope: "cli",
    };
    await page.goto(`/cli?${new URLSearchParams(query)}`);
    assert.match(await page.locator("main").innerText(), "wheelwright on ada@laptop");
    assert.not(await page.getByLabel(/^North/i).first().isVisible());
    await page.getByLabel("Only some hubs").check();
    await page.locator(`#hub-${portal.north.id}`).check();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.waitForURL(`http://127.0.0.1:${port}/callback?**`);
    await page.getByRole("heading", { name: "Continue in the terminal" }).waitFor();
    const code = await callback.code, address = new URL("/api/auth/terminal-tokens", portal.url);
    const response = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code, verifier, port }),
    });
    const token = await response.json();
    assert.equal([response.status, token.federationIds], [201, [portal.north.id]], JSON.stringify(token));
  } finally {
    callback.close();
  }
});

test("has accessible pages", async ({ portal, open }) => {
  const page = await open("hubAdmin"), found: string[] = [];
  const check = async (name: string) => {
    found.push(...(await findAllAccessibilityProblems(page)).map((barrier) => `${name}\n${barrier}`));
  };
  const query = {
    challenge: "c".repeat(43),
    port: "50123",
    state: "x",
    name: "wheelwright on ada@laptop",
    scope: "cli",
  };
  for (const path of ["/cli", `/cli?${new URLSearchParams(query)}`, "/device", "/tokens/new"]) {
    await page.goto(path);
    await check(path);
  }
  const response = await fetch(new URL("/api/auth/device-sign-ins", portal.url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: query.name, scope: "cli" }),
  });
  await page.goto("/device");
  await page.getByLabel("Code").fill((await response.json()).userCode);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByLabel("Only some hubs").check();
  await check("the page to approve");
  await page.getByRole("button", { name: "Deny" }).click();
  await page.getByRole("heading", { name: "Sign-in denied" }).waitFor();
  await check("the denied sign-in");
  assert.equal(found, []);
});

test.run();
