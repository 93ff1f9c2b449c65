/** Opens a browser once per test file, for tests of the portal: Debian's Chromium, or the browser at CHROMIUM_PATH.
 * Without a browser, the tests are skipped with a message.
 *
 *   const test = browserSuite("the portal in a browser");
 *   test("shows hubs", async ({ portal, open }) => {
 *     const page = await open("operator");
 *     await page.goto("/hubs");
 *   });
 *   test.run(); */
import { existsSync } from "node:fs";
import process from "node:process";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { suite } from "uvu";
import { createTestSession } from "#test/support/users.ts";
import { openPortal, type Portal, type PortalRole } from "#test/support/portal.ts";

export interface BrowserContext {
  readonly portal: Portal;
  /** Opens a browser window in which this user is signed in. The test fails on unexpected errors in the page. */
  open(who: PortalRole | "nobody", options?: BrowserContextOptions): Promise<Page>;
  /** Declares an expected error message in the page, so that this error does not fail the test. */
  foresee(complaint: RegExp): void;
}

type Test = (context: BrowserContext) => Promise<void>;

interface BrowserSuite {
  (name: string, test: Test): void;
  run(): void;
}

const PATH = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
/** Milliseconds to wait for an element in a page. Installations take longest. */
const PATIENCE = 60_000;
/** Matches error messages that do not fail a test: pages with a 4xx status, and requests cancelled by navigation. */
const USUAL = /Failed to load resource: the server responded with a status of 4\d\d/;

export function browserSuite(name: string, options: Parameters<typeof openPortal>[0] = {}): BrowserSuite {
  const test = suite<BrowserContext & { browser: Browser; complaints: string[]; foreseen: RegExp[] }>(name);
  if (!existsSync(PATH)) {
    console.log(
      `${name}: skipped, because ${PATH} is missing; run apt-get install chromium, or set CHROMIUM_PATH`,
    );
    return Object.assign((title: string) => test.skip(title), { run: () => test.run() });
  }
  test.before(async (context) => {
    const args = [
      "--host-resolver-rules=MAP *.spokes.example.org 127.0.0.1", // resolves simulated sites to loopback
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
    ];
    context.browser = await chromium.launch({ executablePath: PATH, args });
    const portal = await openPortal(options);
    const { url: baseURL } = portal;
    Object.assign(context, {
      portal,
      complaints: [],
      foreseen: [],
      foresee: (complaint: RegExp) => void context.foreseen.push(complaint),
      async open(who: PortalRole | "nobody", options: BrowserContextOptions = {}) {
        const window = await context.browser.newContext({ baseURL, reducedMotion: "reduce", ...options });
        window.setDefaultTimeout(PATIENCE);
        if (who !== "nobody") {
          const { secret: value } = await createTestSession(portal.work.db, portal.people[who]);
          await window.addCookies([{ name: "wheelwright", value, url: baseURL }]);
        }
        window.on("weberror", (error) => context.complaints.push(`${error.error()}`));
        window.on("console", (message) => {
          const { url } = message.location(), own = message.page()?.url();
          if (!["error", "warning"].includes(message.type()) || (USUAL.test(message.text()) && url === own)) return;
          context.complaints.push(`${message.type()} at ${own}: ${message.text()}`);
        });
        return await window.newPage();
      },
    });
  });
  test.after.each(async (context) => {
    for (const window of context.browser.contexts()) await window.close();
    const complaints = context.complaints.splice(0), foreseen = context.foreseen.splice(0);
    const unexpected = complaints.filter((complaint) => !foreseen.some((each) => each.test(complaint)));
    if (unexpected.length > 0) throw new Error(`Unexpected browser errors:\n${unexpected.join("\n")}`);
  });
  test.after(async ({ browser, portal }) => {
    await browser?.close();
    await portal?.close();
  });
  return Object.assign((title: string, run: Test) => test(title, run), { run: () => test.run() });
}
