/** Follows a spoke's sign-in link from the portal to the page of its simulated site. */
import * as assert from "uvu/assert";
import { browserSuite } from "#test/support/browser.ts";
import { until } from "#test/support/until.ts";

const test = browserSuite("a sign-in link in the browser");

test("opens the site's form, which accepts a password once", async ({ portal, open }) => {
  const page = await open("hubAdmin");
  await page.goto(`/hubs/${portal.north.id}/spokes/new`);
  await page.getByLabel("Slug").fill("pine");
  await page.getByRole("button", { name: /^(Make the|Create) spoke$/ }).click();
  const { rows } = portal.work.db;
  const { id } = await until(() =>
    rows.selectFrom("spokes").select("id").where("slug", "=", "pine").executeTakeFirst()
  );
  await portal.work.becomes(id, "active");

  await page.goto(`/spokes/${id}/sign-in-link`);
  await page.locator("main form button").first().click();
  const link = page.locator("main a[href*='forgot_password.php']");
  await link.waitFor();
  const address = (await link.getAttribute("href"))!;
  assert.is(new URL(address).port, String(portal.work.simulator.sitePort));

  const [site] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
  await site.getByLabel("New password", { exact: true }).fill("correct horse");
  await site.getByLabel("New password (again)").fill("correct horse");
  await site.getByRole("button", { name: "Save changes" }).click();
  await site.getByRole("heading", { name: "You are signed in as admin" }).waitFor();
  assert.match(await site.locator("footer").innerText(), "This site is simulated");
  await site.goto(address);
  await site.getByRole("heading", { name: "This link is not valid" }).waitFor();
});

test.run();
