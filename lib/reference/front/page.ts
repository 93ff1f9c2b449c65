/** Renders the front page: a description of the service, its health, and links to other pages. */
import type { App } from "#lib/app.ts";
import { LOGO_SVG, sharedPageCss } from "#lib/reference/theme.ts";
import type { ServerInfo } from "#lib/http/endpoint.ts";
import { type HtmlPage, type Markup, markup, trustedMarkup } from "#lib/http/page.ts";

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
    style: sharedPageCss + style,
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

const style = `
main { max-width: 44rem; min-height: 100vh; margin: 0 auto; padding: clamp(var(--s6), 11vh, 7rem) clamp(var(--s4), 4vw, 2rem) var(--s5); display: flex; flex-direction: column; gap: var(--s6); }
main > header { display: grid; gap: var(--s3); justify-items: start; }
.mark svg { display: block; width: 3.5rem; height: 3.5rem; color: var(--accent); }
header .lead { font-size: var(--large); max-width: 56ch; }
.status { display: inline-flex; align-items: center; gap: .55rem; padding: .3rem .85rem .3rem .7rem; border-radius: 99rem; font-size: var(--small); font-weight: 600; }
.status i { width: .55rem; height: .55rem; border-radius: 50%; background: currentColor; }
.status.good { color: var(--good); background: var(--good-soft); }
.status.warn, .status.warn a { color: var(--warn); background: var(--warn-soft); }
nav ul { list-style: none; padding: 0; background: var(--surface); border: 1px solid var(--line); border-radius: var(--round); box-shadow: var(--shadow); overflow: hidden; }
nav li + li { border-top: 1px solid var(--line); }
nav a { display: grid; grid-template-columns: 11rem minmax(0, 1fr) auto; gap: var(--s1) var(--s4); align-items: baseline; padding: var(--s4) var(--s5); color: var(--ink); text-decoration: none; }
nav a::after { content: "→"; color: var(--accent); font-weight: 700; }
nav a:hover, nav a:focus-visible { background: var(--accent-soft); }
nav b { font-weight: 650; }
nav span { color: var(--ink-soft); font-size: var(--small); }
section { display: grid; gap: var(--s3); }
section .small { color: var(--ink-soft); }
section pre { padding: var(--s4) var(--s5); background: var(--sunken); border: 1px solid var(--line); border-radius: var(--round-small); line-height: 1.55; }
p code { background: var(--sunken); padding: .08em .32em; border-radius: .25rem; }
footer { margin-top: auto; font-size: var(--small); color: var(--ink-soft); }
@media (max-width: 34rem) {
  nav a { grid-template-columns: minmax(0, 1fr) auto; padding: var(--s4); }
  nav a::after { grid-row: 1; grid-column: 2; }
  nav span { grid-column: 1; }
}
`;
