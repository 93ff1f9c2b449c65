/** Tests in a browser the script with which sign-on.php leads from a site's login page straight to the provider. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { type Browser, chromium, type Page } from "playwright-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { missingPhpReason } from "#test/support/php.ts";

const PATH = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";
const missing = missingPhpReason ?? (existsSync(PATH) ? null : `${PATH} is missing`);
const test = suite<{ browser: Browser; site: Site }>(
  `a login page that leads to the provider${missing === null ? "" : `: skipped, ${missing}`}`,
);
const inBrowser = missing === null ? test : test.skip;

interface Site {
  readonly server: Server;
  readonly url: string;
  /** Whether the provider's answer is refused by the site. */
  isRefused: boolean;
  /** The paths of all requests. */
  readonly paths: string[];
}

test.before(async (context) => {
  if (missing !== null) return;
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  context.browser = await chromium.launch({ executablePath: PATH, args });
  context.site = await openSite(await readScript());
});
test.before.each(({ site }) => {
  if (site) Object.assign(site, { isRefused: false, paths: [] });
});
test.after(async ({ browser, site }) => {
  await browser?.close();
  site?.server.closeAllConnections();
  site?.server.close();
});

/** Returns the value that sign-on.php gives to Moodle's setting. */
async function readScript(): Promise<string> {
  const words = [
    "test/data/moodle-oauth2.php",
    JSON.stringify({ config: {} }),
    "lib/moodle/manifests/sign-on.php",
    JSON.stringify(["seed_login_page", [7]]),
  ];
  const { stdout } = await promisify(execFile)("php", words);
  return JSON.parse(stdout).tables.config.additionalhtmlhead;
}

/** Starts a site that has Moodle's element IDs, CSS classes and redirects. It demands a sign-in on the front page. */
async function openSite(head: string): Promise<Site> {
  const site = { isRefused: false, paths: [] as string[] };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, "http://site");
    site.paths.push(pathname);
    const redirect = (location: string, cookie?: string) =>
      response.writeHead(303, { location, ...(cookie && { "set-cookie": `${cookie}; Path=/` }) }).end();
    const answer = (id: string, css: string, content: string, cookie?: string) =>
      response.writeHead(200, { "content-type": "text/html", ...(cookie && { "set-cookie": `${cookie}; Path=/` }) })
        .end(`<!doctype html><html><head>${head}</head><body id="${id}" class="${css}">${content}</body></html>`);
    const isSignedIn = hasCookie(request, "user=1");
    if (pathname === "/login/logout.php") return redirect("/", "user=0");
    if (pathname === "/auth/oauth2/login.php") {
      if (searchParams.get("id") !== "7" || searchParams.get("sesskey") !== "abc") return response.writeHead(404).end();
      return redirect("/provider");
    }
    if (pathname === "/provider") {
      return site.isRefused ? redirect("/login/index.php", "error=1") : redirect("/my/", "user=1");
    }
    if (pathname !== "/login/index.php") {
      const signOut = `<h1>Dashboard</h1><a href="/login/logout.php?sesskey=abc">Log out</a>`;
      return isSignedIn ? answer("page-my-index", "", signOut) : redirect("/login/index.php");
    }
    const error = hasCookie(request, "error=1") ? `<a href="#" id="loginerrormessage">Refused</a>` : "";
    const button = (issuer: number) =>
      `<a href="/auth/oauth2/login.php?id=${issuer}&amp;wantsurl=%2F&amp;sesskey=abc">Provider ${issuer}</a>`;
    answer("page-login-index", "notloggedin", `<h1>Log in</h1>${error}${button(3)}${button(7)}`, "error=0");
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  return Object.assign(site, { server, url: `http://localhost:${(server.address() as AddressInfo).port}` });
}

const hasCookie = ({ headers }: IncomingMessage, pair: string): boolean => (headers.cookie ?? "").includes(pair);

async function open(browser: Browser): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(30_000);
  return page;
}

const heading = (page: Page, name: string) => page.getByRole("heading", { name }).waitFor();

inBrowser("leads to the provider, and shows the login page after signing out", async ({ browser, site }) => {
  const page = await open(browser);
  await page.goto(`${site.url}/course/`);
  await heading(page, "Dashboard");
  assert.equal(site.paths.filter((path) => path !== "/favicon.ico"), [
    ...["/course/", "/login/index.php", "/auth/oauth2/login.php", "/provider", "/my/"],
  ]);
  await page.getByText("Log out").click();
  await heading(page, "Log in");
  await page.reload();
  await heading(page, "Log in");
  await page.getByText("Provider 7").click();
  await heading(page, "Dashboard");
  await page.context().clearCookies(); // as when the session has ended
  await page.goto(`${site.url}/course/`);
  await heading(page, "Dashboard");
});

inBrowser("shows the login page after a refusal, and does not try again", async ({ browser, site }) => {
  site.isRefused = true;
  const page = await open(browser);
  await page.goto(`${site.url}/login/index.php`);
  await page.getByText("Refused").waitFor();
  await page.goto(`${site.url}/login/index.php`);
  await heading(page, "Log in");
  await page.waitForLoadState();
  assert.is(site.paths.filter((path) => path === "/provider").length, 1);
});

inBrowser("shows the login page at the address for local accounts", async ({ browser, site }) => {
  const page = await open(browser);
  await page.goto(`${site.url}/login/index.php?loginredirect=0`);
  await heading(page, "Log in");
  assert.not(site.paths.includes("/provider"));
});

inBrowser("shows the login page in a browser that stores nothing", async ({ browser, site }) => {
  const page = await open(browser);
  await page.addInitScript(() =>
    Object.defineProperty(window, "sessionStorage", {
      get() {
        throw new Error("denied");
      },
    })
  );
  await page.goto(`${site.url}/login/index.php`);
  await heading(page, "Log in");
  assert.not(site.paths.includes("/provider"));
});

test.run();
