/**
 * Takes the screenshots in docs/images/. Starts the program as `npm start` does, with sample hubs and spokes. Run it with
 * `npm run generate -- screenshots`. It needs Chromium, like the tests in test/browser.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { chromium, type Page } from "playwright-core";
import { signIn, type TestClient } from "#test/support/client.ts";
import { startProgram } from "#test/support/program.ts";

const IMAGES = fileURLToPath(new URL("../docs/images/", import.meta.url));
const EMAIL = "ada@schools.example", PASSWORD = "a few words of one's own";
const CATALOG = `sizes:
  - { name: small, title: Small, price: { currency: EUR, monthly: 1900 } }
  - { name: medium, title: Medium, price: { currency: EUR, monthly: 3900 } }
  - { name: large, title: Large, price: { currency: EUR, monthly: 8900 } }
`;
const SCHOOLS = { oak: "Oak School", elm: "Elm Academy", ash: "Ashwood College", birch: "Birch Lane Primary" };
const NO_MEMORY = {
  type: "failing-job",
  name: "install-",
  log: [
    "== Setting up database ==",
    "-->System",
    "PHP Fatal error:  Allowed memory size of 134217728 bytes exhausted (tried to allocate 20480 bytes)",
  ],
};

const directory = await mkdtemp(join(tmpdir(), "wheelwright-pictures-"));
await writeFile(join(directory, "catalog.yaml"), CATALOG);
await mkdir(IMAGES, { recursive: true });
const program = startProgram(["dev"], {
  HOST: "127.0.0.1",
  PORT: "0",
  DATA_DIR: directory,
  ROOT_DOMAIN: "schools.example",
  CATALOG: join(directory, "catalog.yaml"),
  SIMULATOR_DELAY_MS: "500",
  BOOTSTRAP_ADMIN_EMAIL: EMAIL,
  BOOTSTRAP_ADMIN_PASSWORD: PASSWORD,
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
});
try {
  const url = (await program.said(/^Listening on /)).replace("Listening on ", "");
  const simulator = /simulated, on (\S+?);/.exec(await program.said(/simulated, on /))![1]!;
  const client = await signIn(url, EMAIL, PASSWORD), page = await openPage(url);
  await takeScreenshots(page, client, simulator);
} finally {
  await browser.close();
  await program.stop();
  await rm(directory, { recursive: true, force: true });
}

async function openPage(baseURL: string): Promise<Page> {
  const page = await browser.newPage({ baseURL, viewport: { width: 1280, height: 840 }, reducedMotion: "reduce" });
  await page.goto("/sign-in");
  await page.getByLabel("Email address").fill(EMAIL);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL("**/hubs");
  return page;
}

async function takeScreenshots(page: Page, client: TestClient, simulator: string): Promise<void> {
  await client.send("POST", "/api/federations", { slug: "north", name: "Northern Schools" });
  const add = async (slug: string, displayName: string): Promise<string> =>
    (await client.send("POST", "/api/federations/north/spokes", { slug, displayName })).body.id;
  const ids: string[] = [];
  for (const [slug, name] of Object.entries(SCHOOLS)) ids.push(await add(slug, name));
  await waitForEvent(client, "SpokeUpdateActive", ids[3]!);
  const faults = `${simulator}/simulator/faults`, headers = { "content-type": "application/json" };
  await fetch(faults, { method: "POST", headers, body: JSON.stringify(NO_MEMORY) });
  const cedar = await add("cedar", "Cedar Hill School");
  await waitForEvent(client, "SpokeUpdateFailed", cedar);
  await fetch(faults, { method: "DELETE" });
  await client.send("POST", `/api/spokes/${ids[3]}/actions`, { action: "suspend" });
  await waitForEvent(client, "SpokeUpdateSuspended", ids[3]!);
  await add("hazel", "Hazel Grove School");
  const rowan = await add("rowan", "Rowan Park School");

  await page.goto("/hubs/north");
  await page.getByText(/Step \d+ of \d+: Installing Moodle/).waitFor();
  await capture(page, "hub", ["light", "dark"]);
  await page.goto(`/spokes/${rowan}`);
  await page.locator("[aria-current=step]", { hasText: "Installing Moodle" }).waitFor();
  await capture(page, "spoke", ["light"]);
  await page.goto(`/spokes/${cedar}`);
  await capture(page, "failure", ["dark"]);
  await page.goto(`/spokes/${ids[0]}/actions/resize`);
  const preview = page.waitForResponse(/actions\/resize$/);
  await page.getByRole("radio", { name: /Large/ }).check();
  await preview;
  await page.locator("#with-preview:not([aria-busy])").waitFor();
  await capture(page, "action", ["light"]);
  await page.goto("/audit");
  await capture(page, "audit", ["dark"]);
}

async function waitForEvent(client: TestClient, event: string, spokeId: string): Promise<void> {
  for await (const each of client.events("north", 0)) if (each.event === event && each.data.spokeId === spokeId) return;
}

async function capture(page: Page, name: string, schemes: readonly ("light" | "dark")[]): Promise<void> {
  const devtools = await page.context().newCDPSession(page); // Playwright itself writes only PNG and JPEG
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality: 85 });
    await writeFile(join(IMAGES, `${name}-${colorScheme}.webp`), data, "base64");
  }
  await page.emulateMedia({ colorScheme: "light" });
}
