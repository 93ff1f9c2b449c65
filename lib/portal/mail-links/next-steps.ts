/** Renders the page at the end of an emailed link: the next steps, or an error if the link does not work. */
import type { App } from "#lib/app.ts";
import type { LinkPurpose } from "#lib/domains/auth/one-time-tokens.ts";
import { Fault } from "#lib/base/errors.ts";
import type { ServerInfo } from "#lib/http/endpoint.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { callout } from "#lib/portal/components/parts.ts";
import type { AdministeredObject } from "#lib/domains/members/memberships.ts";
import { type PortalResponse, renderStandalonePage, resultHeading } from "#lib/portal/mail-links/frame.ts";

type Site = NonNullable<AdministeredObject["site"]>;

export function isPortalEnabled({ config }: App): boolean {
  return config.portal;
}

/** Returns the next steps for a user who can sign in: a list of their hubs and sites, and how to sign in. */
export function renderNextSteps(app: App, service: ServerInfo, places: readonly AdministeredObject[]): Markup {
  const list = bulletList(places.map(({ name, site }) => markup`${name}${site ? addressOf(site) : ""}`));
  if (isPortalEnabled(app)) return markup`${list}<a class="button" href="/hubs">Continue to Wheelwright</a>`;
  const docs = service.manifest.some(([pattern]) => pattern === "/api/docs");
  return markup`${list}<p>Sign in with this address and your password in your organisation's
portal, or through the API: <code class="address">POST ${
    new URL("/api/auth/login", app.config.publicUrl).href
  }</code></p>
${siteSignInHelp(app, places)}
${docs ? markup`<p><a href="/api/docs">API reference</a></p>` : ""}`;
}

const MAX_LISTED = 10; // a longer list would hide the text below

export function bulletList(places: readonly (Markup | string)[]): Markup | string {
  if (places.length === 0) return "";
  const items = places.slice(0, MAX_LISTED).map((spokePage) => markup`<li>${spokePage}</li>`);
  const hiddenCount = places.length - items.length;
  return markup`<ul class="places">${items}${
    hiddenCount > 0 ? markup`<li class="more">and ${hiddenCount} more</li>` : ""
  }</ul>`;
}

function addressOf({ host, url, open }: Site): Markup {
  return open ? markup` <a href="${url}">${host}</a>` : markup` <span class="more">${host}, not available now</span>`;
}

/** Explains how to sign in to a Moodle site, which has its own user accounts. */
function siteSignInHelp({ config }: App, places: readonly AdministeredObject[]): Markup | string {
  const sites = places.flatMap(({ site }) => site ?? []);
  if (sites.length === 0) return "";
  const path = `/api/spokes/${sites.length === 1 ? sites[0]!.spokeId : "SPOKE_ID"}/sign-in-link`;
  return markup`<p>To sign in to a site as its administrator, request a sign-in link:
<code class="address">POST ${new URL(path, config.publicUrl).href}</code></p>`;
}

const ADVICE: Readonly<Record<LinkPurpose, string>> = {
  invitation:
    "If you already accepted the invitation, sign in with your password. Invitations expire after seven days. " +
    "Ask the person who invited you for a new invitation.",
  password_reset: "If you already set a new password, sign in with it. Links expire after an hour. Request a new link.",
  email_verification: "If you already confirmed your address, sign in. Links expire after a day. " +
    "Sign up again with the same address to get a new link.",
};

/** Returns the error page for links that do not work. The page is always the same and does not reveal the reason. */
export function invalidMailLinkPage(app: App, purpose: LinkPurpose): PortalResponse {
  const title = "This link no longer works";
  const lead = "The link was already used, has expired or was not copied completely.";
  const [words, path] = purpose === "password_reset" ? ["Request a new link", "/forgot"] : ["Sign in", "/sign-in"];
  const way = isPortalEnabled(app) ? markup`<a class="button" href="${path}">${words}</a>` : "";
  return {
    status: 422,
    page: renderStandalonePage(title, markup`${resultHeading("wrong", title, lead)}<p>${ADVICE[purpose]}</p>${way}`),
  };
}

/** Runs `work`. If the link was used in the meantime, returns the error page for links that do not work. */
export async function catchInvalidMailLink(
  app: App,
  purpose: LinkPurpose,
  work: () => Promise<PortalResponse>,
): Promise<PortalResponse> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault && error.code === "link_spent") return invalidMailLinkPage(app, purpose);
    throw error;
  }
}

/** Warns a signed-in user that an invitation is for another account. */
export function signedInNotice(reader: string, email: string): Markup {
  const text = markup`You are signed in as <strong>${reader}</strong>. This invitation is for <strong>${email}</strong>.
If you accept it, this browser is signed in as ${email}.`;
  return callout("warn", markup`<p>${text}</p>`);
}
