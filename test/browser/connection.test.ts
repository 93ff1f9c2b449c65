/** Tests pages while the server is unreachable, and forms whose session ended. */
import * as assert from "uvu/assert";
import type { Page } from "playwright-core";
import { browserSuite } from "#test/support/browser.ts";
import { createTestSession } from "#test/support/users.ts";
import type { Portal } from "#test/support/portal.ts";
import { NOW, updateRows } from "#test/support/rows.ts";

const test = browserSuite("a page that loses its server or its session");

const bar = (page: Page) => page.locator("#connection");

test("shows that it reconnects, keeps its content and refreshes afterwards", async ({ portal, open, foresee }) => {
  foresee(/ERR_|Failed to load resource|status of 503/);
  const page = await open("hubAdmin");
  await page.goto(`/hubs/${portal.north.id}`);
  await page.getByRole("link", { name: "oak", exact: true }).waitFor();
  assert.is(await bar(page).isVisible(), false);
  await portal.cut();
  await bar(page).getByText("Reconnecting…").waitFor();
  assert.ok(await page.getByRole("link", { name: "oak", exact: true }).isVisible());
  await updateRows(portal.work.db, "spokes", { displayName: "Renamed" }, { id: portal.oak });
  await portal.listen();
  await bar(page).waitFor({ state: "hidden" });
  await page.getByText("Renamed").first().waitFor();
  await updateRows(portal.work.db, "spokes", { displayName: "oak" }, { id: portal.oak });
});

test("opens a link once connected, and sends no form before", async ({ portal, open, foresee }) => {
  foresee(/ERR_|Failed to load resource|status of 503/);
  const page = await open("hubAdmin"), settings = `/hubs/${portal.north.id}/settings`;
  await page.goto(settings);
  await page.getByLabel("Name", { exact: true }).fill("Typed meanwhile");
  await portal.cut();
  await page.evaluate(() => dispatchEvent(new Event("offline")));
  await bar(page).waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await bar(page).getByText("Nothing was sent").waitFor();
  assert.is(await page.getByLabel("Name", { exact: true }).inputValue(), "Typed meanwhile");
  await page.getByRole("link", { name: "Notifications" }).first().click();
  await bar(page).getByText("opens once connected").waitFor();
  await portal.listen();
  await page.waitForURL("**/notifications");
});

async function endSessions({ work: { db } }: Portal): Promise<void> {
  await updateRows(db, "sessions", { endedAt: NOW });
}

async function signInAgain(page: Page, email: string): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill("a password for tests");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

test("restores a form's values after signing in, once", async ({ portal, open }) => {
  const page = await open("operator"), email = portal.people.operator.email;
  await page.goto("/hubs/new");
  await page.getByLabel("Slug").fill("east");
  await page.locator("[name=displayName], [name=name]").fill("East & <b>");
  await endSessions(portal);
  await page.getByRole("button", { name: "Create hub" }).click();
  await page.getByText("Your session ended").waitFor();
  await signInAgain(page, email);
  await page.waitForURL("**/hubs/new");
  await page.getByText("Your input is restored").waitFor();
  assert.is(await page.getByLabel("Slug").inputValue(), "east");
  assert.is(await page.locator("[name=displayName], [name=name]").inputValue(), "East & <b>");
  await page.getByRole("button", { name: "Create hub" }).click();
  await page.getByRole("heading", { name: "East & <b>" }).waitFor();
  await page.goto("/hubs/new");
  assert.is(await page.getByLabel("Slug").inputValue(), "");
  assert.is(await page.evaluate(() => sessionStorage.getItem("draft")), null);
});

test("stores no password, and shows the input to no other user", async ({ portal, open }) => {
  const page = await open("hubAdmin"), draft = () => page.evaluate(() => sessionStorage.getItem("draft"));
  await page.goto("/account/password");
  await page.getByLabel("Current password").fill("a secret");
  await page.getByLabel("New password").fill("another secret");
  assert.is(await draft(), null);
  await page.goto(`/hubs/${portal.north.id}/settings`);
  await page.getByLabel("Name", { exact: true }).fill("Mine");
  assert.match(await draft() ?? "", "Mine");
  const { secret: value } = await createTestSession(portal.work.db, portal.people.operator);
  await page.context().addCookies([{ name: "wheelwright", value, url: portal.url }]);
  await page.goto("/hubs#draft");
  assert.is(await draft(), null);
  await page.goto(`/hubs/${portal.north.id}/settings`);
  assert.is(await page.getByLabel("Name", { exact: true }).inputValue(), "north");
});

test("deletes the stored input at sign-out", async ({ portal, open }) => {
  const page = await open("hubAdmin");
  await page.goto(`/hubs/${portal.north.id}/settings`);
  await page.getByLabel("Name", { exact: true }).fill("Mine");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
  assert.is(await page.evaluate(() => sessionStorage.getItem("draft")), null);
});

test.run();
