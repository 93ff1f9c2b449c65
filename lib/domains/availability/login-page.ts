/** Decides from the response to a request for a site's login page whether the site works. Pure. */
import type { PageAnswer } from "#lib/drivers/sites/page-answer.ts";

export const LOGIN_PAGE_PATH = "/login/index.php";
/**
 * Text that every theme of Moodle has in its login page: the ID of the page's body, and the form's hidden field. Source:
 * `moodle_page::initialise_standard_body_classes` and `core/loginform.mustache` in Moodle 4.5.
 */
export const LOGIN_PAGE_MARKER = /id="page-login-index"|name="logintoken"/;

/**
 * The result of a request. `unreachable`: there was no connection to the public address. `unknown`: a problem of the
 * control plane's own network.
 */
export type PageResult =
  | { readonly kind: "works"; readonly certificateEndsAt: Date | null }
  | { readonly kind: "unknown" }
  | { readonly kind: "fails" | "unreachable"; readonly problem: string };

export function decidePageResult(answer: PageAnswer): PageResult {
  switch (answer.outcome) {
    case "unchecked":
      return { kind: "unknown" };
    case "unconnected":
      return { kind: "unreachable", problem: `The site cannot be reached: ${answer.reason}` };
    case "silent":
      return fails(answer.reason);
    case "answered":
      return decideFromResponse(answer);
  }
}

function decideFromResponse(
  { status, location, cookies, hasMarker, certificateEndsAt }: Extract<PageAnswer, { readonly outcome: "answered" }>,
): PageResult {
  const works: PageResult = { kind: "works", certificateEndsAt };
  if (status === 200) return hasMarker ? works : fails("responded with a page that is not a login page");
  // A site with single sign-on redirects to the identity provider. Only a working Moodle starts a session before that.
  if (location !== null) {
    const hasSession = cookies.some((cookie) => cookie.startsWith("MoodleSession"));
    return hasSession ? works : fails("redirects to another address");
  }
  return fails(`responded with ${status}`);
}

function fails(what: string): PageResult {
  return { kind: "fails", problem: `The site's login page ${what}` };
}
