/**
 * Tests the main journey by mouse, by keyboard and without JavaScript: add a spoke, see it fail, retry, suspend and
 * destroy it.
 */
import * as assert from "uvu/assert";
import type { Locator, Page } from "playwright-core";
import { findAccessibilityProblems } from "#test/support/accessible.ts";
import { browserSuite } from "#test/support/browser.ts";
import { PASSWORD } from "#test/support/users.ts";
import type { Portal, PortalRole } from "#test/support/portal.ts";
import { until } from "#test/support/until.ts";

const test = browserSuite("a journey through the portal");

/** A way to navigate the pages. */
interface Hand {
  /** Activates a link or a button. */
  press(what: Locator): Promise<void>;
  type(where: Locator, text: string): Promise<void>;
  /** Waits until the element is visible. */
  see(what: Locator): Promise<void>;
  /** Checks the accessibility of the current page. */
  find(page: Page): Promise<readonly string[]>;
}

const byMouse: Hand = {
  press: (what) => what.click(),
  type: (where, text) => where.fill(text),
  see: (what) => what.waitFor(),
  find: (page) => findAccessibilityProblems(page),
};

const byKeyboard: Hand = {
  ...byMouse,
  async press(what) {
    await reach(what);
    await what.page().keyboard.press("Enter");
  },
  async type(where, text) {
    await reach(where);
    await where.page().keyboard.press("ControlOrMeta+A");
    await where.page().keyboard.type(text);
  },
};

/** Navigates without JavaScript: reloads pages to refresh them, and cannot run axe. */
const withoutScript: Hand = {
  ...byMouse,
  find: () => Promise.resolve([]),
  see: (what) =>
    until(async () => await what.count() > 0 || (await what.page().reload(), await what.count() > 0), 60_000).then(
      () => {},
    ),
};

/** Moves the focus by keyboard and checks that it is visible. */
async function reach(what: Locator): Promise<void> {
  const page = what.page();
  await what.waitFor();
  for (let i = 0; i < 150; i++) {
    if (await what.evaluate((each) => each === document.activeElement)) {
      const ring = await what.evaluate((each) => {
        const at = each.closest("li:has(.cover)") && each.matches(".cover") ? each.closest("li")! : each;
        return [each, at].some((one) => getComputedStyle(one).outlineStyle !== "none") ||
          getComputedStyle(each, "::after").outlineStyle !== "none";
      });
      assert.ok(ring, `nothing shows that the focus is on ${await what.textContent()}`);
      return;
    }
    await page.keyboard.press("Tab");
  }
  throw new Error(`The keyboard does not come to ${what}`);
}

async function travel(
  { work: { simulator } }: Portal,
  page: Page,
  { press, type, see, find }: Hand,
  slug: string,
): Promise<void> {
  const link = (name: string) => page.getByRole("link", { name, exact: true });
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const state = (text: string) => page.locator("#state", { hasText: text });
  const act = async (name: string) => {
    await press(page.locator("#actions > summary"));
    await press(link(`${name} …`));
  };

  await press(link("north"));
  const fault = simulator.faults.failJob("install-", { log: ["There is no luck today"] });
  await press(link("Add a spoke"));
  await type(page.getByLabel("Slug"), slug);
  await press(button("Create spoke"));
  await see(page.locator("[aria-current=step]"));

  await see(state("Failed"));
  await see(page.getByText("There is no luck today").first());
  assert.equal(await find(page), []);
  simulator.faults.remove(fault);
  await press(button("Try again").first());
  await see(state("Active"));
  await see(page.locator("#lead").getByRole("link"));
  await see(page.getByRole("heading", { name: "Health and drift" }));

  await act("Suspend");
  await see(page.getByText("Stop the site. Its data, address and certificate are kept."));
  await press(button("Suspend"));
  await see(state("Suspended"));

  await act("Destroy");
  await type(page.getByLabel("Slug of the spoke"), "oak");
  await press(button("Destroy this spoke"));
  await see(page.getByText(`Slug of the spoke must be ${slug}, the slug of this spoke.`));
  assert.equal(await find(page), []);
  await type(page.getByLabel("Slug of the spoke"), slug);
  await press(button("Destroy this spoke"));
  const gone = page.getByRole("heading", { name: "Not found" });
  await see(state("Removed").or(gone).or(page.getByRole("heading", { name: "north", level: 1 })));
}

async function enter(page: Page, { people }: Portal, who: PortalRole, { press, type }: Hand): Promise<void> {
  await page.goto("/hubs");
  await type(page.getByLabel("Email address"), people[who].email);
  await type(page.getByLabel("Password"), PASSWORD);
  await press(page.getByRole("button", { name: "Sign in", exact: true }));
}

test("works by mouse, and the audit log shows each step", async ({ portal, open }) => {
  const page = await open("nobody");
  await enter(page, portal, "operator", byMouse);
  await travel(portal, page, byMouse, "elm");
  await page.getByRole("link", { name: "Audit" }).click();
  const text = await page.getByRole("main").innerText();
  const steps = ["was requested", "could not be installed", "is ready", "was removed"];
  for (const step of steps) assert.match(text, `Spoke elm ${step}`);
  assert.match(text, "Removal of spoke elm was requested");
  assert.match(text, "There is no luck today");
  assert.match(text, "Action suspend succeeded on spoke elm");
});

test("works by keyboard alone, in dark mode, on a phone's screen", async ({ portal, open }) => {
  const page = await open("nobody", { colorScheme: "dark", viewport: { width: 390, height: 844 } });
  await enter(page, portal, "hubAdmin", byKeyboard);
  await travel(portal, page, byKeyboard, "fir");
});

test("works without JavaScript", async ({ portal, open }) => {
  const page = await open("nobody", { javaScriptEnabled: false });
  await enter(page, portal, "hubAdmin", withoutScript);
  await travel(portal, page, withoutScript, "yew");
});

test("shows a spoke admin only their own spoke", async ({ portal, open }) => {
  const page = await open("nobody"), link = (name: string) => page.getByRole("link", { name, exact: true });
  await enter(page, portal, "spokeAdmin", byMouse);
  assert.equal(await page.locator(".hubs .cover").allTextContents(), ["north"]);
  assert.equal([await link("Users").count(), await link("Audit").count(), await link("New hub").count()], [0, 0, 0]);
  await link("north").click();
  await link("oak").waitFor();
  assert.is(await link("Add a spoke").count(), 0);
  await link("oak").click();
  await page.locator("#actions > summary").click();
  assert.is(await link("Destroy …").count(), 0);
  await link("Suspend …").click();
  await page.getByRole("button", { name: "Suspend", exact: true }).click();
  await page.locator("#state", { hasText: "Suspended" }).waitFor();
  await link("Resume …").first().click();
  await page.getByRole("button", { name: "Resume", exact: true }).click();
  await page.locator("#state", { hasText: "Active" }).waitFor();
  for (const path of [`/spokes/${portal.oak}/destroy`, `/hubs/${portal.north.id}/spokes/new`, "/users"]) {
    assert.is((await page.goto(path))!.status(), 403, path);
  }
  assert.is((await page.goto(`/hubs/${portal.south.id}`))!.status(), 404);
});

test.run();
