/** Renders the front page: a description of the service, its health, and links to other pages. */
import type { App } from "#lib/app.ts";
import { frontPageStyle } from "#lib/reference/assets.ts";
import type { ServerInfo } from "#lib/http/endpoint.ts";
import { type HtmlPage, LOGO_SVG, type Markup, markup, trustedMarkup } from "#lib/http/page.ts";

export async function buildFrontPage({ config, release }: App, { readiness }: ServerInfo): Promise<HtmlPage> {
  const works = await readiness().then(() => true, () => false);
  return renderFrontPage({
    url: config.publicUrl.href.replace(/\/$/, ""),
    version: release.version,
    works,
    portal: config.portal,
  });
}

interface Front {
  /** The service's address from the setting PUBLIC_URL, without a trailing slash. */
  readonly url: string;
  readonly version: string;
  readonly works: boolean;
  /** Whether the portal is enabled. */
  readonly portal: boolean;
}

export function renderFrontPage({ url, version, works, portal }: Front): HtmlPage {
  return {
    title: "Wheelwright",
    style: frontPageStyle,
    body: markup`
<main>
<header>
<span class="mark">${trustedMarkup(LOGO_SVG)}</span>
<h1>Wheelwright</h1>
<p class="lead">${LEAD}</p>
${portal ? markup`<a class="button" href="/sign-in">Sign in</a>` : ""}
${statusMarkup(works)}
</header>
<nav aria-label="Links"><ul>
${LINKS.map(([href, title, says]) => markup`<li><a href="${href}"><b>${title}</b><span>${says}</span></a></li>`)}
</ul></nav>
<section aria-labelledby="sign-in">
<h2 id="sign-in">${portal ? "For programs" : "Sign in"}</h2>
<p>${
      portal
        ? "Create a token in the portal, or sign in through the API."
        : "Sign in through the API."
    } This command stores a session in the file <code>jar</code>. Use the session to create a token.</p>
<pre tabindex="0" role="group" aria-label="Command"><code>${signIn(url)}</code></pre>
<p class="small">If you were invited or forgot your password, open the link in the email. If you got no email, contact the
operator of this service.</p>
</section>
<footer><p>Wheelwright ${version}</p></footer>
</main>`,
  };
}

const LEAD = "The control plane for hosted Moodle sites. A hub groups the sites of an organization. " +
  "Each site has its own database and namespace.";

const LINKS: readonly (readonly [href: string, title: string, says: string])[] = [
  ["/api/docs", "API reference", "Every endpoint with its fields, errors and an example command"],
  ["/changelog", "Changelog", "Upcoming changes and release notes"],
  ["/api/openapi.json", "OpenAPI document", "The API reference as JSON, for programs"],
];

function statusMarkup(works: boolean): Markup {
  return works
    ? markup`<p class="status good"><i></i>Healthy: the database and scheduler respond</p>`
    : markup`<p class="status warn"><i></i>Not ready; <a href="/api/readyz">show failing checks</a></p>`;
}

function signIn(url: string): string {
  const body = JSON.stringify({ email: "you@example.org", password: "…" });
  return `curl -c jar -H 'Content-Type: application/json' \\\n  -d '${body}' \\\n  ${url}/api/auth/login`;
}
