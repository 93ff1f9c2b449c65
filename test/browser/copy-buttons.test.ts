/** Tests the Copy buttons, which a script adds next to commands. */
import * as assert from "uvu/assert";
import { browserSuite } from "#test/support/browser.ts";

const test = browserSuite("a Copy button");

test("copies the command", async ({ portal, open }) => {
  const page = await open("hubAdmin", { permissions: ["clipboard-read", "clipboard-write"] });
  await page.goto(`/hubs/${portal.north.id}/operations`);
  await page.getByRole("button", { name: "Copy the command" }).click();
  await page.locator("[data-copy] button", { hasText: "Copied" }).waitFor();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^curl -N /);
});

test("selects the text where the browser provides no clipboard, as over plain HTTP", async ({ portal, open }) => {
  const page = await open("hubAdmin");
  await page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  for (const [path, name] of [[`/hubs/${portal.north.id}/operations`, "Copy the command"], ["/api/docs", "Copy"]]) {
    await page.goto(path!);
    const button = page.getByRole("button", { name: name!, exact: true }).first();
    await button.dispatchEvent("click");
    await page.locator("button", { hasText: "Selected" }).waitFor();
    assert.match(await page.evaluate(() => String(getSelection())), /^(curl|export)/);
  }
});

test.run();
