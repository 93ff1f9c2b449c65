/** Renders the page that is shown when a request is refused: what happened, and what to do next. */
import type { RequestRefusal } from "#lib/http/endpoint.ts";
import { type HtmlPage, type Markup, markup } from "#lib/http/page.ts";
import { signInPage } from "#lib/portal/sign-in/sign-in.ts";
import { pageHeading, renderStandalonePage, resultHeading } from "#lib/portal/mail-links/frame.ts";

const TITLES: Readonly<Record<number, string>> = {
  403: "You are not allowed to do this",
  404: "Not found",
  409: "This is not possible right now",
  429: "Too many attempts",
  500: "Something went wrong",
  503: "Temporarily unavailable",
  504: "The request took too long",
};

const ADVICE: Readonly<Record<number, string>> = {
  403: "Ask an administrator for access.",
  404: "The page may have been removed, or you may not have access to it.",
  429: "Wait a minute, then try again.",
};

/** Returns an error page or, for status 401, the sign-in page. After signing in, users are redirected to `path`. */
export function renderRefusalPage({ statusCode, code, message, path, methods }: RequestRefusal): HtmlPage {
  if (code === "second_factor_enrolment_required") return renderEnrolmentPage();
  if (statusCode === 401) {
    const page = path === null ? { next: BACK_TO_FORM, lead: SESSION_OVER } : { next: path };
    return signInPage({ ...page, methods });
  }
  const title = TITLES[statusCode] ?? "The request was refused";
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
  return renderStandalonePage(
    title,
    markup`${resultHeading("wrong", title, sentence)}<p>${adviceFor(statusCode)}</p>
<div class="ways">${path !== null && statusCode >= 429 ? markup`<a class="button" href="${path}">Try again</a>` : ""}
<a class="button quiet" href="/hubs">Go to your hubs</a></div>`,
  );
}

/** Returns the page for users who must set up a second factor before they can do anything else. */
function renderEnrolmentPage(): HtmlPage {
  const title = "Set up a second factor";
  return renderStandalonePage(
    title,
    markup`${
      pageHeading(title, "Your account needs a second factor, which protects it if somebody learns your password.")
    }
<p>You need an authenticator app on your phone, or a password manager that shows codes. It takes a minute.</p>
<div class="ways"><a class="button" href="/account/security/app">Set up now</a></div>`,
  );
}

const SESSION_OVER = "Your session ended, and nothing was saved. Sign in and submit the form again.";
/** The path at which the script restores the user's unsent input after the session ended (script/drafts.ts). */
const BACK_TO_FORM = "/hubs#draft";

function adviceFor(status: number): Markup | string {
  return ADVICE[status] ??
    (status >= 500
      ? "No data was lost. Try again in a moment."
      : "No changes were made. Go back and correct your input.");
}
