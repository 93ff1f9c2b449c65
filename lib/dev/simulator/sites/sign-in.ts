/**
 * Simulates the pages with which a person signs in to a site by the hub's identity provider: the login page, login.php of
 * Moodle's plugin auth_oauth2, and oauth2callback.php. The rules are those of complete_login() in Moodle 4.5, and of
 * the trigger that the Job protect-sign-in creates.
 */
import * as v from "valibot";
import { createRandomHex } from "#lib/base/ids.ts";
import { SECOND } from "#lib/base/time.ts";
import type {
  MoodleAccount,
  SimulatedSite,
  SiteBrowser,
  SiteDatabase,
} from "#lib/dev/simulator/programs/moodle/site.ts";
import { escapeHtml, renderMessagePage, renderSitePage, type SitePageHeading } from "#lib/dev/simulator/sites/pages.ts";

export interface SiteRequest {
  readonly method: string;
  /** The URL's path and query. */
  readonly url: string;
  /** The request's Host header, with or without a port. */
  readonly host: string;
  readonly cookie: string;
  readonly form: URLSearchParams;
}

export interface SiteResponse {
  readonly status: number;
  readonly html: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type OpenSite = SimulatedSite & { readonly database: SiteDatabase };

interface Page extends SiteRequest {
  readonly path: string;
  readonly query: URLSearchParams;
}

const LOGIN = "/login/index.php", PROVIDER_LOGIN = "/auth/oauth2/login.php", CALLBACK = "/admin/oauth2callback.php";
const ISSUER_ID = "1", PROVIDER_TIMEOUT = 10 * SECOND;

const Endpoints = v.object({
  authorization_endpoint: v.string(),
  token_endpoint: v.string(),
  userinfo_endpoint: v.string(),
});
const Token = v.object({ access_token: v.string() });
const Person = v.object({ sub: v.optional(v.string(), ""), email: v.optional(v.string(), "") });

/** Returns the response; null if the page is not part of a sign-in, or the site never had the hub's sign-in. */
export function respondToSignIn(
  site: OpenSite,
  page: Page,
  heading: SitePageHeading,
): SiteResponse | Promise<SiteResponse> | null {
  const { config = {} } = site.database;
  if (config["oauth2_enabled"] === undefined) return null;
  if (page.path === LOGIN) return showLoginPage(site, page, heading);
  if (page.path === CALLBACK) return takeCallback(site, page, heading);
  if (page.path === "/my/") return showDashboard(site, page, heading);
  if (page.path !== PROVIDER_LOGIN) return null;
  const [, browser] = openBrowser(site, page);
  if (page.query.get("sesskey") !== browser.sesskey) {
    return error(heading, "A required parameter (sesskey) was missing, or the session has ended");
  }
  if (!isAvailable(config) || page.query.get("id") !== ISSUER_ID) {
    return error(heading, "This issuer can not be used to log in.");
  }
  return signIn(site, page, heading);
}

function isAvailable(config: Readonly<Record<string, string>>): boolean {
  return config["oauth2_enabled"] === "1" && config["oauth2_clientid"] !== "" && config["oauth2_clientsecret"] !== "";
}

function showLoginPage(site: OpenSite, page: Page, heading: SitePageHeading): SiteResponse {
  const { config = {} } = site.database, [id, { message = "", ...browser }] = openBrowser(site, page);
  saveBrowser(site, id, browser);
  const parameters = new URLSearchParams({ id: ISSUER_ID, wantsurl: "/my/", sesskey: browser.sesskey });
  const link = `<a href="${escapeHtml(`${PROVIDER_LOGIN}?${parameters}`)}">${
    escapeHtml(config["oauth2_name"] ?? "")
  }</a>`;
  const alert = message && `<div id="loginerrormessage" role="alert">${escapeHtml(message)}</div>`;
  const html = renderSitePage(heading, "Log in", `${alert}<p>${isAvailable(config) ? link : "No provider"}</p>`);
  return {
    status: 200,
    html: html.replace("<body>", `<body id="page-login-index">`),
    headers: { "set-cookie": `MoodleSession=${id}; Path=/; HttpOnly; SameSite=Lax` },
  };
}

function showDashboard(site: OpenSite, page: Page, heading: SitePageHeading): SiteResponse {
  const [, { user = "" }] = openBrowser(site, page), account = site.database.accounts?.[user];
  if (!account || account.suspended || !account.sessions) return redirect(LOGIN);
  return { status: 200, html: renderMessagePage(heading, "Dashboard", `You are signed in as ${user}.`) };
}

/** Returns the person's browser to the local address in the parameter `state`, with the provider's code. */
function takeCallback(site: OpenSite, page: Page, heading: SitePageHeading): SiteResponse {
  const { query } = page, state = query.get("state") ?? "", [id, browser] = openBrowser(site, page);
  if (!state.startsWith(`${PROVIDER_LOGIN}?`)) return error(heading, "A required parameter (state) was missing");
  const refuse = (message: string) => refuseSignIn(site, id, browser, message);
  const problem = query.get("error");
  if (problem !== null) return refuse(query.get("error_description") ?? problem);
  const parameters = new URLSearchParams(state.slice(PROVIDER_LOGIN.length + 1));
  if (parameters.get("sesskey") !== browser.sesskey) return refuse("Incorrect sesskey submitted, form not accepted!");
  parameters.set("oauth2code", query.get("code") ?? "");
  return redirect(`${PROVIDER_LOGIN}?${parameters}`);
}

async function signIn(site: OpenSite, page: Page, heading: SitePageHeading): Promise<SiteResponse> {
  const { config = {} } = site.database, { query } = page, code = query.get("oauth2code");
  const endpoints = await read(
    Endpoints,
    `${config["oauth2_issuer"]!.replace(/\/$/, "")}/.well-known/openid-configuration`,
  );
  const client = { client_id: config["oauth2_clientid"]!, redirect_uri: `http://${page.host}${CALLBACK}` };
  if (code === null) {
    const state = `${PROVIDER_LOGIN}?${query}`, scope = "openid profile email";
    const parameters = new URLSearchParams({ ...client, response_type: "code", scope, state });
    return redirect(`${endpoints.authorization_endpoint}?${parameters}`);
  }
  const body = new URLSearchParams({
    ...client,
    client_secret: config["oauth2_clientsecret"]!,
    grant_type: "authorization_code",
    code,
  });
  const answer = await fetch(endpoints.token_endpoint, { method: "POST", body, signal: timeout() });
  if (!answer.ok) {
    return error(heading, `Could not upgrade OAuth 2 token. HTTP status for remote endpoint: ${answer.status}`);
  }
  const { access_token: token } = v.parse(Token, await answer.json());
  const person = await read(Person, endpoints.userinfo_endpoint, { authorization: `Bearer ${token}` });
  return completeSignIn(site, page, heading, { username: person.sub.toLowerCase(), email: person.email });
}

/** Finds, links or creates the person's account, in the order in which Moodle checks. */
function completeSignIn(
  site: OpenSite,
  page: Page,
  heading: SitePageHeading,
  { username, email }: { readonly username: string; readonly email: string },
): SiteResponse {
  const [id, browser] = openBrowser(site, page), { accounts = {}, config = {}, links = {} } = site.database;
  const refuse = (message: string) => refuseSignIn(site, id, browser, message);
  const enter = (user: string, account: MoodleAccount): SiteResponse => {
    const signedIn = { ...account, sessions: (account.sessions ?? 0) + 1 };
    site.changeDatabase((database) => ({
      ...database,
      accounts: { ...database.accounts, [user]: signedIn },
      links: { ...database.links, [username]: user },
      browsers: { ...database.browsers, [id]: { sesskey: createRandomHex(), user } },
    }));
    return redirect("/my/");
  };
  if (username === "" || email === "") {
    return refuse("The user information returned did not contain a username and email address.");
  }
  const linked = links[username], known = linked === undefined ? undefined : accounts[linked];
  if (known?.suspended) return refuse("Invalid login, please try again");
  if (!isDomainAllowed(email, config["oauth2_domains"] ?? "")) {
    return refuse("The login attempt failed. Reason: The email address is not permitted on this site.");
  }
  if (known) return enter(linked!, known);
  const [user, account] = Object.entries(accounts).find(([, each]) => each.email === email) ?? [];
  if (config["oauth2_confirmation"] === "1") {
    const text = account
      ? "An existing account was found with this email address but it is not linked yet."
      : "An email should have been sent to your address.";
    return { status: 200, html: renderMessagePage(heading, "Confirm your account", text) };
  }
  if (account) {
    const isRefused = site.database.isSignInProtected && (user === "admin" || account.suspended);
    return isRefused ? error(heading, "Error writing to database") : enter(user!, account);
  }
  if (accounts[username]) return refuse("A user already exists on this site with this username.");
  return enter(username, { password: "", email, auth: "oauth2" });
}

/** Decides like \core\ip_utils::is_domain_in_allowed_list(): `*.school.example` allows its subdomains only. */
function isDomainAllowed(email: string, domains: string): boolean {
  const domain = email.slice(email.indexOf("@") + 1).toLowerCase(), allowed = domains.split(" ").filter(Boolean);
  return allowed.length === 0 ||
    allowed.some((each) => each.startsWith("*.") ? domain.endsWith(each.slice(1)) : domain === each);
}

function refuseSignIn(site: OpenSite, id: string, browser: SiteBrowser, message: string): SiteResponse {
  saveBrowser(site, id, { ...browser, message });
  return redirect(LOGIN);
}

/** Returns the browser's session, or a new one. */
function openBrowser({ database }: OpenSite, { cookie }: Page): [id: string, browser: SiteBrowser] {
  const id = /(?:^|; )MoodleSession=([0-9a-f]+)/.exec(cookie)?.[1] ?? "", browser = database.browsers?.[id];
  return browser ? [id, browser] : [createRandomHex(), { sesskey: createRandomHex() }];
}

function saveBrowser(site: OpenSite, id: string, browser: SiteBrowser): void {
  site.changeDatabase((database) => ({ ...database, browsers: { ...database.browsers, [id]: browser } }));
}

async function read<S extends v.GenericSchema>(
  schema: S,
  url: string,
  headers: Record<string, string> = {},
): Promise<v.InferOutput<S>> {
  return v.parse(schema, await (await fetch(url, { headers, signal: timeout() })).json());
}

const timeout = (): AbortSignal => AbortSignal.timeout(PROVIDER_TIMEOUT);

function redirect(location: string): SiteResponse {
  return { status: 303, html: "", headers: { location } };
}

function error(heading: SitePageHeading, text: string): SiteResponse {
  return { status: 404, html: renderMessagePage(heading, "Error", text) };
}
