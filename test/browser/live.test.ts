/** Tests live updates: no page in these tests is reloaded. */
import * as assert from "uvu/assert";
import type { Page } from "playwright-core";
import { removeSpoke } from "#lib/domains/spokes/remove.ts";
import { findSpoke } from "#lib/domains/spokes/store.ts";
import type { Portal } from "#test/support/portal.ts";
import { browserSuite } from "#test/support/browser.ts";
import { insertRow, updateRows } from "#test/support/rows.ts";

const test = browserSuite("a page that is open");

/** Requests an action on the page's spoke through its menu. */
async function ask(page: Page, action: string): Promise<void> {
  await page.locator("#actions > summary").click();
  await page.locator("#actions").getByRole("link", { name: `${action} …`, exact: true }).click();
  await page.getByRole("button", { name: action, exact: true }).click();
  await page.waitForURL(/\/spokes\/[^/]+$/);
}

/**
 * Resumes the page's spoke, and holds the operation until released. Otherwise a slow machine may miss the short running
 * state.
 */
async function resumeHeld({ work: { simulator: { faults } } }: Portal, page: Page): Promise<() => boolean> {
  const held = faults.unready("db-0");
  await ask(page, "Resume");
  return () => faults.remove(held);
}

/** Marks the page. A reload would remove the mark. */
const mark = (page: Page) => page.evaluate(() => void (document.body.dataset.mark = "kept"));
const isMarked = async (page: Page) => await page.locator("[data-mark=kept]").count() === 1;

test("shows another user's operation step by step, in the hub and in the list of hubs", async ({ portal, open }) => {
  const hub = await open("hubAdmin"), hubs = await open("operator"), spoke = await open("spokeAdmin");
  await hubs.clock.install();
  await Promise.all([hub.goto(`/hubs/${portal.north.id}`), hubs.goto("/hubs"), spoke.goto(`/spokes/${portal.oak}`)]);
  await Promise.all([mark(hub), mark(hubs)]);
  const row = hub.getByRole("listitem").filter({ has: hub.getByRole("link", { name: "oak", exact: true }) });

  await row.getByRole("checkbox").check(); // the user's input stays unchanged
  await ask(spoke, "Suspend");
  await row.getByText("Suspended", { exact: true }).waitFor();
  assert.ok(await row.getByRole("checkbox").isChecked());
  await hub.locator("#fleet").getByText(/1\s+Suspended/).waitFor();
  await hubs.clock.runFor(10_000); // the page follows no hub and polls every ten seconds
  await hubs.locator("#fleet").getByText(/1\s+Suspended/).waitFor();

  const goOn = await resumeHeld(portal, spoke);
  await row.getByRole("progressbar").waitFor();
  goOn();
  await spoke.locator("#state", { hasText: "Active" }).waitFor();
  await row.getByText("Active", { exact: true }).waitFor();
  assert.equal([await isMarked(hub), await isMarked(hubs)], [true, true]);
});

test("fetches only the row of a spoke that changes, and nothing for another spoke", async ({ portal, open }) => {
  const { work, north, oak } = portal, ash = await work.spoke(north, "ash");
  await work.becomes(ash, "active");
  const hub = await open("hubAdmin"), otherSpoke = await open("operator"), spoke = await open("spokeAdmin");
  await Promise.all([hub.goto(`/hubs/${north.id}`), otherSpoke.goto(`/spokes/${ash}`), spoke.goto(`/spokes/${oak}`)]);
  const fetched: string[] = [];
  for (const page of [hub, otherSpoke]) {
    page.on("request", (request) => request.resourceType() === "fetch" && fetched.push(new URL(request.url()).search));
  }
  const row = (name: string) => hub.getByRole("listitem").filter({ has: hub.getByRole("link", { name, exact: true }) });
  await ask(spoke, "Suspend");
  await row("oak").getByText("Suspended", { exact: true }).waitFor();
  await hub.locator("#fleet").getByText(/1\s+Suspended/).waitFor();
  assert.is(await row("ash").getByText("Active", { exact: true }).count(), 1);
  const rows = fetched.filter((search) => search !== "");
  assert.ok(rows.length > 0);
  assert.equal(rows.filter((search) => search !== `?rows=${oak}`), []);
  await ask(spoke, "Resume");
  await row("oak").getByText("Active", { exact: true }).waitFor();
  await removeSpoke(work.app, work.actor, (await findSpoke(work.db.rows, ash, "hidden"))!);
  await row("ash").waitFor({ state: "detached" });
});

test("keeps the focus in its row when the row above disappears", async ({ portal, open }) => {
  const { work, north } = portal, elm = await work.spoke(north, "elm");
  await work.becomes(elm, "active");
  const page = await open("hubAdmin"), link = (name: string) => page.getByRole("link", { name, exact: true });
  await page.goto(`/hubs/${north.id}`);
  await link("elm").waitFor();
  await link("oak").focus();
  await removeSpoke(work.app, work.actor, (await findSpoke(work.db.rows, elm, "hidden"))!);
  await link("elm").waitFor({ state: "detached" });
  assert.ok(await link("oak").evaluate((each) => each === document.activeElement));
});

test("offers bulk actions as soon as a hub has a spoke", async ({ portal, open }) => {
  const { work, south } = portal, page = await open("operator");
  await page.goto(`/hubs/${south.id}`);
  await page.getByRole("heading", { name: "No spokes yet" }).waitFor();
  const bulk = page.getByText("Select all");
  assert.is(await bulk.isVisible(), false);
  await work.spoke(south, "ivy");
  await page.getByRole("checkbox", { name: "Select ivy" }).check();
  await bulk.waitFor();
  await page.getByRole("button", { name: "Continue", exact: true }).click();
  await page.getByRole("link", { name: /^ivy\./ }).waitFor();
});

test("opens the parent page when its object is removed", async ({ portal, open, foresee }) => {
  foresee(/status of 404/);
  const { work, north } = portal, fir = await work.spoke(north, "fir");
  await work.becomes(fir, "active");
  const page = await open("hubAdmin");
  await page.goto(`/spokes/${fir}/operations`);
  await removeSpoke(work.app, work.actor, (await findSpoke(work.db.rows, fir, "hidden"))!);
  await page.waitForURL(`**/hubs/${north.id}`);
});

test("shows a degraded spoke until it is healthy", async ({ portal: { work: { db }, oak }, open }) => {
  const page = await open("operator"), trouble = page.getByRole("heading", { name: "Needs attention" });
  await page.clock.install();
  await page.goto("/hubs");
  await mark(page);
  const becomes = (health: string) => updateRows(db, "spokes", { health }, { id: oak });
  await becomes("degraded");
  await page.clock.runFor(10_000);
  await trouble.waitFor();
  await becomes("healthy");
  await page.clock.runFor(10_000);
  await trouble.waitFor({ state: "detached" });
  assert.ok(await isMarked(page));
});

test("reopens its event stream after a proxy refused it", async ({ portal, open, foresee }) => {
  foresee(/status of 503/);
  const page = await open("hubAdmin");
  await page.clock.install();
  await page.route("**/events?since=*", (route) => route.fulfill({ status: 503 }), { times: 1 });
  await Promise.all([
    page.waitForEvent("response", (answer) => answer.status() === 503),
    page.goto(`/hubs/${portal.north.id}`),
  ]);
  const [answer] = await Promise.all([page.waitForResponse(/events\?since=/), page.clock.runFor(15_000)]);
  assert.is(answer.status(), 200);
});

test("closes when the user loses access", async ({ portal: { work: { db }, people, north, oak }, open, foresee }) => {
  foresee(/status of 403/);
  const page = await open("hubAdmin"), ids = [people.hubAdmin.id, north.id];
  await page.clock.install();
  await page.goto(`/hubs/${north.id}/billing`);
  await insertRow(db, "spoke_members", { spokeId: oak, userId: people.hubAdmin.id });
  await db.sql("delete from federation_members where user_id = $1 and federation_id = $2", ids);
  await page.clock.runFor(30_000);
  await page.getByRole("heading", { name: "You are not allowed to do this" }).waitFor();
  await db.sql("insert into federation_members (user_id, federation_id) values ($1, $2)", ids);
});

test("announces a new state to screen readers", async ({ portal, open }) => {
  const page = await open("hubAdmin"), other = await open("operator");
  await Promise.all([page.goto(`/spokes/${portal.oak}`), other.goto(`/spokes/${portal.oak}`)]);
  await ask(other, "Suspend");
  await page.getByRole("status").filter({ hasText: "oak: Suspended" }).waitFor({ state: "attached" });
  await ask(other, "Resume");
  await page.getByRole("status").filter({ hasText: "oak: Active" }).waitFor({ state: "attached" });
});

test("resumes a cut stream and shows the missed changes", async ({ portal, open, foresee }) => {
  foresee(/ERR_|Failed to load resource/);
  const hub = await open("hubAdmin"), spoke = await open("operator");
  await Promise.all([hub.goto(`/hubs/${portal.north.id}`), spoke.goto(`/spokes/${portal.oak}`)]);
  await mark(hub);
  const row = hub.getByRole("listitem").filter({ has: hub.getByRole("link", { name: "oak", exact: true }) });
  await ask(spoke, "Suspend");
  await row.getByText("Suspended", { exact: true }).waitFor();
  const goOn = await resumeHeld(portal, spoke);
  await row.getByRole("progressbar").waitFor();
  await portal.cut();
  goOn();
  await portal.work.becomes(portal.oak, "active");
  assert.is(await row.getByText("Active", { exact: true }).count(), 0, "nobody could tell it");
  await portal.listen();
  await row.getByText("Active", { exact: true }).waitFor();
  assert.ok(await isMarked(hub));
  await spoke.reload();
  await ask(spoke, "Suspend");
  await row.getByText("Suspended", { exact: true }).waitFor();
  await ask(spoke, "Resume");
  await row.getByText("Active", { exact: true }).waitFor();
  assert.ok(await isMarked(hub));
});

test("opens the sign-in page when the session ends, and returns afterwards", async ({ portal, open, foresee }) => {
  foresee(/status of 401/);
  const page = await open("hubAdmin"), other = await open("operator");
  await Promise.all([page.goto(`/spokes/${portal.oak}`), other.goto(`/spokes/${portal.oak}`)]);
  await portal.work.db.sql("update sessions set ended_at = now() where user_id = $1", [portal.people.hubAdmin.id]);
  await ask(other, "Restart");
  await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
  assert.is(await page.locator('form[action="/sign-in"] input[name=next]').inputValue(), `/spokes/${portal.oak}`);
});

test.run();
