/** Responds to HTTP requests for a simulated site with HTML pages, from the cluster's objects and the site's volumes. */
import { SECOND } from "#lib/base/time.ts";
import {
  getSimulatedSite,
  isSiteInstalled,
  isUpgradeLocked,
  listServicePods,
  type SimulatedSite,
} from "#lib/dev/simulator/programs/moodle/site.ts";
import { renderMessagePage, renderPasswordForm, type SitePageHeading } from "#lib/dev/simulator/sites/pages.ts";
import {
  type OpenSite,
  respondToSignIn,
  type SiteRequest,
  type SiteResponse,
} from "#lib/dev/simulator/sites/sign-in.ts";
import { canReachDatabase, getLoginPageStatus } from "#lib/dev/simulator/programs/network.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";

const LOGIN_PATH = "/login/index.php", LOGIN_BODY = `<body id="page-login-index">`; // as in Moodle
const LINK_PATH = "/login/forgot_password.php";
const REDIRECT = "nginx.ingress.kubernetes.io/permanent-redirect";
const SHORTEST_PASSWORD = 8; // characters, as in Moodle's default policy
const LINK_LIFETIME = 1800; // seconds; Moodle's pwresettime

export function respondToSiteRequest(
  world: Simulation,
  request: SiteRequest,
): SiteResponse | Promise<SiteResponse> {
  const host = request.host.replace(/:\d+$/, "").toLowerCase();
  const { path, query } = splitUrl(request.url);
  const ingress = world.store.list("Ingress").find(({ spec }) => spec.rules?.some((rule: Json) => rule.host === host));
  if (!ingress) return message(404, { title: host }, "Site not found", "No site has this address.");
  const location = ingress.metadata.annotations?.[REDIRECT];
  if (location !== undefined) return { status: 301, html: "", headers: { location } };
  const site = getSimulatedSite(world, ingress.metadata.namespace!);
  const heading = { title: site.database?.config?.fullname ?? host };
  const closed = findErrorPage(world, ingress, site, heading);
  if (closed) return closed;
  if (!["GET", "HEAD", "POST"].includes(request.method)) {
    return {
      ...message(405, heading, "Method not allowed", "Use GET or POST."),
      headers: { allow: "GET, HEAD, POST" },
    };
  }
  const open = { ...site, database: site.database! };
  const signIn = respondToSignIn(open, { ...request, path, query }, heading);
  if (signIn) return signIn;
  if (path === LINK_PATH) {
    const token = (request.method === "POST" ? request.form : query).get("token") ?? "";
    return request.method === "POST"
      ? setPassword(world, open, heading, token, request.form)
      : showForm(world, open, heading, token);
  }
  if (path === "/" || path === "/index.php" || path === LOGIN_PATH) {
    const next = "To sign in, create a sign-in link for this spoke in Wheelwright and open the link.";
    const page = message(200, heading, "The site is running", next);
    return path === LOGIN_PATH ? { ...page, html: page.html.replace("<body>", LOGIN_BODY) } : page;
  }
  return message(404, heading, "Page not found", "A simulated site has only a front page and a sign-in page.");
}

/** Returns an error page if nobody can use the site now, for example while it is suspended; otherwise null. */
function findErrorPage(
  world: Simulation,
  { metadata: { namespace } }: StoredObject,
  { database, files }: SimulatedSite,
  heading: SitePageHeading,
): SiteResponse | null {
  if (world.store.get("Deployment", namespace, "moodle")?.spec.replicas === 0) {
    return message(503, heading, "The site is suspended", "All data is kept. Resume the spoke to use the site again.");
  }
  if (files.maintenance || isUpgradeLocked(database, world.timers.now())) {
    return message(503, heading, "The site is in maintenance mode", "The site is temporarily closed. Try again later.");
  }
  const [pod] = listServicePods(world, namespace!, "moodle");
  if (!pod) return message(503, heading, "The site is starting", "Reload this page in a few seconds.");
  if (!isSiteInstalled(database) || !canReachDatabase(world, pod)) {
    return message(503, heading, "The database is not available", "Try again later.");
  }
  const status = getLoginPageStatus(world, pod);
  if (status !== null && status !== 200) {
    return message(status, heading, "Error", "This page fails because of an injected fault.");
  }
  return null;
}

function showForm(world: Simulation, site: OpenSite, heading: SitePageHeading, token: string): SiteResponse {
  const name = accountOf(world, site, token);
  return name === null
    ? invalidLink(heading)
    : { status: 200, html: renderPasswordForm(heading, { name, token, problem: null }) };
}

/** Sets the password that the user entered. As in Moodle, the sign-in link is no longer valid afterwards. */
function setPassword(
  world: Simulation,
  site: OpenSite,
  heading: SitePageHeading,
  token: string,
  form: URLSearchParams,
): SiteResponse {
  const name = accountOf(world, site, token);
  if (name === null) return invalidLink(heading);
  const password = form.get("password") ?? "";
  const problem = password.length < SHORTEST_PASSWORD
    ? `The password must have at least ${SHORTEST_PASSWORD} characters.`
    : password === form.get("password2")
    ? null
    : "The two passwords differ.";
  if (problem) return { status: 400, html: renderPasswordForm(heading, { name, token, problem }) };
  const { accounts = {} } = site.database, { reset: _, ...account } = accounts[name]!;
  const after = { ...account, password, sessions: (account.sessions ?? 0) + 1 };
  site.saveDatabase({ ...site.database, accounts: { ...accounts, [name]: after } });
  const next = "A real site would now show the dashboard. The sign-in link cannot be used again.";
  return message(200, heading, `You are signed in as ${name}`, next);
}

function invalidLink(heading: SitePageHeading): SiteResponse {
  const next = "A sign-in link works once and expires after 30 minutes. Create a new link in Wheelwright.";
  return message(403, heading, "This link is not valid", next);
}

/** Returns the name of the account for a sign-in link's token; null if the token is unknown, used or expired. */
function accountOf(world: Simulation, { database }: OpenSite, token: string): string | null {
  const { accounts = {}, config = {} } = database;
  const lifetime = Number(config.pwresettime ?? LINK_LIFETIME) * SECOND, now = world.timers.now();
  const found = Object.entries(accounts).find(([, { reset, suspended }]) =>
    reset !== undefined && token !== "" && reset.token === token && !suspended &&
    now < reset.requested * SECOND + lifetime
  );
  return found?.[0] ?? null;
}

function message(status: number, heading: SitePageHeading, title: string, text: string): SiteResponse {
  return { status, html: renderMessagePage(heading, title, text) };
}

function splitUrl(url: string): { path: string; query: URLSearchParams } {
  const [path = "/", query = ""] = url.split("?", 2);
  return { path, query: new URLSearchParams(query) };
}
