/**
 * Renders the page after a sign-out. It continues to the provider, so that the person is signed out there too. A redirect
 * in answer to the form would not reach the provider, because the pages' Content-Security-Policy forbids it.
 */
import type { SignInMethods } from "#lib/domains/auth/sign-in-methods.ts";
import { type HtmlPage, markup } from "#lib/http/page.ts";
import { pageHeading, renderStandalonePage } from "#lib/portal/mail-links/frame.ts";

export function signedOutPage({ providers }: SignInMethods, providerId: string | undefined): HtmlPage {
  const provider = providers.find(({ id }) => id === providerId), title = "You are signed out";
  const back = markup`<footer><p><a href="/sign-in">Back to sign-in</a></p></footer>`;
  if (!provider) {
    return renderStandalonePage(title, markup`${pageHeading(title, "Your session here has ended.")}${back}`);
  }
  const path = `/api/auth/providers/${provider.id}/end`;
  const lead = `Your session here has ended. Next, ${provider.label} signs you out.`;
  const link = markup`<a class="button" href="${path}">Sign out of ${provider.label}</a>`;
  return { ...renderStandalonePage(title, markup`${pageHeading(title, lead)}${link}${back}`), refresh: path };
}
