/** Renders and sends pages that open from links in emails. */
import { type HtmlPage, LOGO_SVG, type Markup, markup, trustedMarkup } from "#lib/http/page.ts";
import type { HttpResponse } from "#lib/http/response.ts";
import { standaloneStyle } from "#lib/portal/assets.ts";
import { htmlReply, type Reply } from "#lib/http/reply.ts";

/** A response of the portal: a page or a redirect, with a status, headers and an optional session cookie. */
export type PortalResponse =
  & { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly cookie?: string }
  & ({ readonly page: HtmlPage } | { readonly to: string });

export function renderStandalonePage(title: string, body: Markup, source?: string): HtmlPage {
  return {
    title: `${title} · Wheelwright`,
    ...(source !== undefined && { source }),
    style: standaloneStyle,
    body: markup`<div class="page">
<header><span class="brand">${trustedMarkup(LOGO_SVG)}<span>Wheelwright</span></span></header>
<main class="card">
${body}
</main>
</div>`,
  };
}

export function pageHeading(title: string, lead: Markup | string): Markup {
  return markup`<header><h1>${title}</h1><p class="lead">${lead}</p></header>`;
}

const TICK = "M5 12.5l4.5 4.5L19 7.5", CROSS = "M12 6.5v7M12 17.2v.3";

/** Renders a page's title and introduction, with an icon that shows success or failure. */
export function resultHeading(result: "well" | "wrong", title: string, lead: Markup | string): Markup {
  const sign = markup`<svg class="${result === "well" ? "tick" : "tick bad"}" viewBox="0 0 24 24" fill="none"
stroke="currentColor" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path
d="${result === "well" ? TICK : CROSS}"/></svg>`;
  return markup`${sign}${pageHeading(title, lead)}`;
}

/**
 * The referrer policy for pages with a secret in the URL: browsers send only the origin, never the full URL. With the
 * stricter `no-referrer`, browsers would send forms with `Origin: null`. Over plain HTTP, the portal could then not
 * distinguish its own forms from forms of other sites.
 */
const REFERRER_POLICY = "strict-origin";

export const portalReply: Reply<PortalResponse, PortalResponse> = {
  ...htmlReply(),
  send(answer) {
    const { status, cookie } = answer;
    const { headers, body } = "page" in answer ? htmlReply(status).send(answer.page) : redirectTo(answer.to);
    return {
      status,
      body,
      headers: {
        ...headers,
        ...answer.headers,
        "referrer-policy": REFERRER_POLICY,
        ...(cookie !== undefined && { "set-cookie": cookie }),
      },
    };
  },
  toResult: (answer) => answer,
};

function redirectTo(location: string): Pick<HttpResponse, "headers" | "body"> {
  return { headers: { location, "cache-control": "no-store" }, body: null };
}

interface RefusedRequest {
  readonly statusCode: number;
  readonly message: string;
}

/** Returns the error page for a refused form submission on a page that opens from an emailed link. */
export function mailLinkErrorPage(problem: RefusedRequest): HtmlPage {
  return refusalWithAdvice(problem, {
    retryable: "No changes were made. Go back and try again in a moment.",
    permanent: "No changes were made. Open the link from the email again.",
  });
}

/** Returns the error page for a refused request to view a public page, such as the changelog. */
export function publicErrorPage(problem: RefusedRequest): HtmlPage {
  return refusalWithAdvice(problem, {
    retryable: "Reload the page in a moment.",
    permanent: markup`Go to the <a href="/">front page</a>.`,
  });
}

interface Advice {
  readonly retryable: string;
  readonly permanent: Markup | string;
}

function refusalWithAdvice({ statusCode, message }: RefusedRequest, { retryable, permanent }: Advice): HtmlPage {
  const title = statusCode >= 500 ? "Temporarily unavailable" : "The request was refused";
  const advice = statusCode >= 500 ? retryable : permanent;
  return renderStandalonePage(title, markup`${resultHeading("wrong", title, `${message}.`)}<p>${advice}</p>`);
}
