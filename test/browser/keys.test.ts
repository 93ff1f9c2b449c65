/** Tests keyboard shortcuts and other functions of the script. */
import * as assert from "uvu/assert";
import type { Page } from "playwright-core";
import { findAccessibilityProblems } from "#test/support/accessible.ts";
import { browserSuite } from "#test/support/browser.ts";

const test = browserSuite("a key");

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? "");

test("? opens the list of shortcuts; Escape closes it and restores the focus", async ({ open }) => {
  const page = await open("operator");
  await page.goto("/hubs");
  await page.getByRole("link", { name: "north", exact: true }).focus();
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await keys.getByText("Go to hubs").waitFor();
  assert.equal(await findAccessibilityProblems(page), []);
  await page.keyboard.press("Escape");
  await keys.waitFor({ state: "hidden" });
  assert.is(await focused(page), "north");
});

test("is listed only if the user can open its page", async ({ open }) => {
  const page = await open("hubAdmin");
  await page.goto("/hubs");
  await page.keyboard.press("?");
  await page.getByText("Go to hubs").waitFor();
  assert.is(await page.getByText("Go to audit").count() + await page.getByText("Go to users").count(), 0);
});

test("opens pages, moves through a list and focuses the search", async ({ portal, open }) => {
  const page = await open("operator");
  await page.goto(`/hubs/${portal.north.id}`);
  await page.keyboard.press("/");
  assert.is(await page.evaluate(() => (document.activeElement as HTMLInputElement).name), "q");
  await page.keyboard.type("g?h"); // input in a text field is no shortcut
  assert.is(await page.getByLabel("Search").inputValue(), "g?h");
  await page.getByLabel("Search").fill("oak");
  await page.keyboard.press("Enter");
  await page.waitForURL(/q=oak/);
  await page.keyboard.press("j");
  assert.is(await focused(page), "oak");
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/spokes/${portal.oak}`);
  for (
    const [key, path] of [["h", "/hubs"], ["n", "/notifications"], ["a", "/audit"], ["u", "/users"], ["t", "/tokens"]]
  ) {
    await page.keyboard.press("g");
    await page.keyboard.press(key!);
    await page.waitForURL(`**${path}`);
  }
  await page.keyboard.press("c");
  await page.waitForURL("**/tokens/new");
});

test("is ignored on all pages once the user turned shortcuts off", async ({ open }) => {
  const page = await open("operator");
  await page.goto("/hubs");
  await page.keyboard.press("?");
  await page.getByLabel("Enable shortcuts").uncheck();
  await page.keyboard.press("Escape");
  await page.goto("/tokens");
  await page.keyboard.press("?");
  assert.is(await page.getByRole("dialog").count(), 0);
  await page.getByRole("button", { name: "Shortcuts" }).click();
  await page.getByLabel("Enable shortcuts").check();
});

test("Escape closes a menu and restores the focus", async ({ portal, open }) => {
  const page = await open("operator"), menu = page.locator("#actions");
  await page.goto(`/spokes/${portal.oak}`);
  await menu.locator("summary").focus();
  await page.keyboard.press("Enter");
  await menu.getByRole("link", { name: "Restart …" }).waitFor();
  await page.keyboard.press("Escape");
  await menu.getByRole("link", { name: "Restart …" }).waitFor({ state: "hidden" });
  assert.is(await focused(page), "Actions");
});

test("Tab reaches the skip link first", async ({ open }) => {
  const page = await open("operator");
  await page.goto("/hubs");
  await page.keyboard.press("Tab");
  assert.is(await focused(page), "Skip to content");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.id === "main");
});

test("Space selects all spokes of a page; their action is previewed first", async ({ portal, open }) => {
  const page = await open("hubAdmin");
  await page.goto(`/hubs/${portal.north.id}`);
  const all = page.getByLabel("Select all");
  await all.focus();
  await page.keyboard.press("Space");
  assert.ok(await page.getByRole("checkbox", { name: "Select oak" }).isChecked());
  await page.getByLabel("Action for selected spokes").selectOption("restart");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("main").getByText("oak").first().waitFor();
  assert.equal(await findAccessibilityProblems(page), []);
});

test("a refused preview does not change the input", async ({ portal, open }) => {
  const page = await open("hubAdmin"), field = page.getByLabel("Version"), refusal = page.getByRole("alert");
  await page.goto(`/spokes/${portal.oak}/actions/upgrade`);
  const former = await field.inputValue(), typedIn = await field.elementHandle();
  const isThere = () => page.evaluate((each) => each === document.activeElement, typedIn);
  await field.fill("no version");
  await refusal.waitFor();
  assert.ok(await isThere(), "refused");
  await field.fill(former);
  await refusal.waitFor({ state: "detached" });
  assert.ok(await isThere(), "not refused");
});

test("a problem appears at the field and next to the form without moving it", async ({ portal, open }) => {
  const page = await open("hubAdmin"), field = page.getByLabel("Domain"), beside = page.locator("#preview");
  await page.goto(`/spokes/${portal.oak}/settings`);
  const top = (await field.boundingBox())!.y;
  await field.fill("not a domain");
  await beside.getByText("Domain must be a host name").waitFor();
  assert.match((await page.locator("#domain-problem").textContent())!, "Domain must be a host name");
  assert.is((await field.boundingBox())!.y, top);
  await field.fill("learn.example.net"); // a domain that requires a TXT record
  await page.getByRole("button", { name: "Copy the record's value" }).waitFor();
});

test("a form is sent once on repeated clicks, and again after Escape", async ({ open }) => {
  const page = await open("operator");
  await page.goto("/account");
  const stopped = await page.evaluate(() => {
    const form = document.querySelector<HTMLFormElement>("#you form")!, stops: boolean[] = [];
    addEventListener("submit", (event) => {
      stops.push(event.defaultPrevented);
      event.preventDefault(); // keeps the page open
    });
    form.requestSubmit();
    form.requestSubmit();
    form.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    form.requestSubmit();
    return stops;
  });
  assert.equal(stopped, [false, true, false]);
});

test("times appear in the user's time zone, and to the second in UTC", async ({ portal, open }) => {
  const page = await open("operator", { timezoneId: "Asia/Kathmandu" });
  await page.goto(`/spokes/${portal.oak}`);
  const time = page.locator("#about time").first();
  const stamp = new Date((await time.getAttribute("datetime"))!);
  const there = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: "Asia/Kathmandu" });
  assert.match(await time.innerText(), there.format(stamp));
  assert.match((await time.getAttribute("title"))!, stamp.toISOString().slice(11, 19));
});

test.run();
