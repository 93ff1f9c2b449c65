/** A way into the site for its administrator: a link that is shown once. */
import { markup } from "#lib/http/page.ts";
import { postForm, type Submission } from "#lib/portal/components/forms.ts";
import { icon } from "#lib/portal/components/icons.ts";
import { copyable, instant, notice, panel, stateBadge } from "#lib/portal/components/parts.ts";
import type { IssuedSignInLink } from "#lib/portal/components/api-types.ts";
import type { View } from "#lib/portal/components/view.ts";
import { type SpokePage, subpageHead } from "#lib/portal/spokes/spoke-page.ts";

export function signInLinkView(spokePage: SpokePage, link: IssuedSignInLink | null, submission?: Submission): View {
  const { spoke: { id, domain, state, health } } = spokePage;
  return {
    ...subpageHead(spokePage),
    title: "Sign in to the site",
    badge: stateBadge(state, health),
    lead: markup`As its administrator, the account <code>admin</code> of ${domain}.`,
    body: link
      ? panel(
        "Your link",
        markup`${
          notice(
            "warn",
            "It is shown only here. Anybody who has it can become the administrator of the site: do not pass it on.",
          )
        }
${copyable(link.url, "the link")}
<p class="small">It works once, until <b>${
          instant(link.expiresAt)
        }</b>, and takes the place of links that were made before.</p>
<div class="ends"><a class="button main" href="${link.url}" target="_blank" rel="noopener noreferrer">Open the site ${
          icon("open")
        }<span class="unseen"> in a new tab</span></a><a class="small" href="/spokes/${id}">Done</a></div>`,
        { id: "link" },
      )
      : panel(
        "Make a link",
        markup`<p>The site makes it itself. Open it, choose a password for the account <code>admin</code>, and you are signed in.</p>
<ul class="small soft"><li>The administrator's present password stops working once a new one is chosen.</li>
<li>The link works once, and is shown once.</li>
<li>That you made it is written into the spoke's activity; the link itself is not.</li></ul>
${
          postForm({
            action: `/spokes/${id}/way-in`,
            button: "Make a link",
            submission,
            also: markup`<a class="small" href="/spokes/${id}">Cancel</a>`,
          })
        }`,
        { id: "link", lead: "" },
      ),
  };
}
