/** The front page: what answers at this address, whether it works, and where one goes on. It has no script. */
import type { App } from "#lib/app.ts";
import { style } from "#lib/surface/docs/front/style.ts";
import { theme, wheel } from "#lib/surface/docs/theme.ts";
import type { Service } from "#lib/surface/http/endpoint.ts";
import { type HtmlPage, type Markup, markup, trusted } from "#lib/surface/http/page.ts";

export async function frontPage({ config, release }: App, { readiness }: Service): Promise<HtmlPage> {
  const works = await readiness().then(() => true, () => false);
  return writeFront({ url: config.publicUrl.href.replace(/\/$/, ""), version: release.version, works });
}

interface Front {
  /** PUBLIC_URL, without a slash at its end. */
  readonly url: string;
  readonly version: string;
  readonly works: boolean;
}

export function writeFront({ url, version, works }: Front): HtmlPage {
  return {
    title: "Wheelwright",
    style: theme + style,
    body: markup`
<main>
<header>
<span class="mark">${trusted(wheel)}</span>
<h1>Wheelwright</h1>
<p class="lead">${LEAD}</p>
${statusMarkup(works)}
</header>
<nav aria-label="Where to go on"><ul>
${WAYS.map(([href, title, says]) => markup`<li><a href="${href}"><b>${title}</b><span>${says}</span></a></li>`)}
</ul></nav>
<section aria-labelledby="sign-in">
<h2 id="sign-in">Sign in</h2>
<p>People sign in where their organisation looks after its sites, or by the API: that begins a session, kept in the file
<code>jar</code>, with which a token for programs can be made.</p>
<pre tabindex="0" role="group" aria-label="Command"><code>${signIn(url)}</code></pre>
<p class="small">Invited, or a forgotten password? The link in the mail leads to a page here. Without a mail, ask whoever runs
this service.</p>
</section>
<footer><p>Wheelwright ${version}</p></footer>
</main>`,
  };
}

const LEAD =
  "The control plane for hosted learning platforms: hubs, and in each hub the sites of its schools, every one a " +
  "Moodle with a database and a namespace of its own.";

const WAYS: readonly (readonly [href: string, title: string, says: string])[] = [
  ["/api/docs", "API reference", "Every endpoint with its fields, refusals and a command to try"],
  ["/changelog", "Changelog", "What is going to change and when, and what has changed"],
  ["/api/openapi.json", "OpenAPI document", "The same as the reference, for programs"],
];

function statusMarkup(works: boolean): Markup {
  return works
    ? markup`<p class="status good"><i></i>It works: database and scheduler answer</p>`
    : markup`<p class="status warn"><i></i>It is not ready just now; <a href="/api/readyz">see what is missing</a></p>`;
}

function signIn(url: string): string {
  const body = JSON.stringify({ email: "you@example.org", password: "…" });
  return `curl -c jar -H 'Content-Type: application/json' \\\n  -d '${body}' \\\n  ${url}/api/auth/login`;
}
