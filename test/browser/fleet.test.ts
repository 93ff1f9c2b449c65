/** Checks the pages about many sites with axe and by keyboard: lists, the overview's charts and a rollout's preview. */
import * as assert from "uvu/assert";
import type { Page } from "playwright-core";
import { findAllAccessibilityProblems } from "#test/support/accessible.ts";
import { browserSuite } from "#test/support/browser.ts";
import { insertHub, insertSpoke } from "#test/support/insert-rows.ts";
import type { Portal } from "#test/support/portal.ts";

const test = browserSuite("the pages about many sites");
const SPOKES = 14;
let isFilled = false;

/** Adds a hub with many sites, their usage, and operations of the last days. */
async function fill({ work: { db }, people }: Portal): Promise<void> {
  if (isFilled) return;
  isFilled = true;
  const hub = await insertHub(db, people.operator.id, "western-schools");
  for (let i = 0; i < SPOKES; i++) await insertSpoke(db, people.operator.id, hub, `school-${i}`);
  await db.sql(`update spokes set state = case when slug = 'school-3' then 'failed' else 'active' end,
    state_reason = case when slug = 'school-3' then 'The database did not start: no space is left on its disk' end,
    health = 'healthy', storage_percent = 15 + 9 * right(slug, 1)::integer where slug like 'school-%'`);
  await db.sql(
    `insert into hub_usage_samples (federation_id, grain, at, measured_at, spokes, full_spokes, files_used, database_used)
    select $1, 'day', date_trunc('day', now(), 'UTC') - d * interval '1 day', now(), 14, 2, (120 - d) * 2e9, (120 - d) * 3e8
    from generate_series(0, 29) as d`,
    [hub],
  );
  await db.sql(`insert into daily_totals (scope, day, measure, key, total)
    select 'all', (now() at time zone 'UTC')::date - d, measure, key, greatest(1, (d * 7 + length(key)) % 5)
    from generate_series(0, 29) as d, (values ('install', '62'), ('install', '70'), ('wait', '-5'), ('wait', '21'),
      ('failure', 'cluster_unreachable'), ('failure', 'no_space'), ('failure', 'image_missing')) as part (measure, key)
    on conflict do nothing`);
  await db.sql(`insert into daily_totals (scope, day, measure, key, total)
    select 'all', (at at time zone 'UTC')::date, 'storage', key, used from hub_usage_samples
    cross join lateral (values ('files', files_used), ('database', database_used)) as disk (key, used)
    on conflict do nothing`);
}

const PATHS = ["/hubs", "/spokes?sort=storage", "/spokes?minStoragePercent=80", "/operations", "/rollouts"];
const PREVIEW = "/rollouts/new?action=restart";

async function showPreview(page: Page): Promise<void> {
  await page.goto(PREVIEW);
  await page.locator("[name=hub]").fill("western-schools");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.locator("#preview").waitFor();
}

async function assertFits(page: Page, subject: string): Promise<void> {
  const width = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(width[0]! <= width[1]!, `${subject} is ${width[0]} px wide`);
}

test("pass the accessibility checks with content, and fit phones and desktops", async ({ portal, open }) => {
  await fill(portal);
  const page = await open("operator"), found: string[] = [];
  const check = async (subject: string) => {
    for (const details of await page.locator("#last-days details, #preview details").all()) {
      if (await details.getAttribute("open") === null) await details.locator("summary").click();
    }
    found.push(...(await findAllAccessibilityProblems(page)).map((problem) => `${subject}\n${problem}`));
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await assertFits(page, `${subject} at ${width} px`);
    }
  };
  for (const path of PATHS) {
    assert.is((await page.goto(path))!.status(), 200, path);
    await check(path);
  }
  await showPreview(page);
  await check("the preview of a rollout");
  assert.equal(found, []);
});

test("show the fullest sites first, by keyboard", async ({ portal, open }) => {
  await fill(portal);
  const page = await open("operator");
  await page.goto("/spokes");
  await page.getByLabel("Storage", { exact: true }).focus();
  await page.keyboard.type("At least 80%");
  await page.getByLabel("Sort by").focus();
  await page.keyboard.type("Storage used");
  await page.getByRole("button", { name: "Search" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/minStoragePercent=80/);
  const shown = await page.locator(".fleet .storage").allTextContents();
  assert.equal(shown.map((text) => text.trim()), ["96% full", "87% full"]);
});

test("show the charts of the overview as a table, by keyboard", async ({ portal, open }) => {
  await fill(portal);
  const page = await open("operator");
  await page.goto("/hubs");
  assert.is(await page.locator("#last-days svg[role=img]").count(), 4);
  const summary = page.locator("#last-days summary");
  await summary.focus();
  await page.keyboard.press("Enter");
  assert.is(await page.locator("#last-days tbody tr").count(), 30);
  await page.keyboard.press("Tab"); // to the table, which scrolls
  assert.is(await page.evaluate(() => document.activeElement?.getAttribute("role")), "region");
});

test("lead from the overview to the rollout that applies the current blueprint", async ({ portal, open }) => {
  await fill(portal);
  const { db } = portal.work;
  const page = await open("operator");
  await db.sql("update spokes set blueprint_revision = (select blueprint_revision from spokes where slug = 'oak')");
  await page.goto("/hubs");
  assert.is(await page.getByText("older blueprint").count(), 0);
  await db.sql("update spokes set blueprint_revision = 'older' where slug in ('school-1', 'school-2')");
  await page.goto("/hubs");
  await page.getByText("2 sites are on an older blueprint").waitFor();
  await page.getByRole("link", { name: "Plan the rollout" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/rollouts\/new\?/);
  assert.is(await page.getByLabel("Action").inputValue(), "reapply");
  assert.is(await page.getByLabel("Blueprint").inputValue(), "yes");
  await page.getByRole("button", { name: "Preview" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /Reapply: 2 spokes/i }).waitFor();
});

test.run();
