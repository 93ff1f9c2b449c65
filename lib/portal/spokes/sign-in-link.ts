/** Renders a form that creates a sign-in link for the site's administrator, and shows the new link once. */
import { markup } from "#lib/http/page.ts";
import { type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import { icon } from "#lib/portal/components/icons.ts";
import { callout, copyableCode, panel, renderTime, stateBadge } from "#lib/portal/components/parts.ts";
import type { NewSignInLink } from "#lib/portal/components/api-types.ts";
import type { PageView } from "#lib/portal/components/view.ts";
import { type SpokePageData, subpageHeader } from "#lib/portal/spokes/spoke-page.ts";

export function signInLinkView(
  spokePage: SpokePageData,
  link: NewSignInLink | null,
  submission?: RefusedSubmission,
): PageView {
  const { spoke: { id, domain, state, health } } = spokePage;
  return {
    ...subpageHeader(spokePage),
    title: "Sign in to the site",
    badge: stateBadge(state, health),
    lead: markup`Signs you in to ${domain} as its administrator, <code>admin</code>.`,
    body: link
      ? panel(
        "Sign-in link",
        markup`${
          callout(
            "warn",
            "This link is shown only once. Do not share it: anyone with it can sign in as the site's administrator.",
          )
        }
${copyableCode(link.url, "the link")}
<p class="small">The link works once, until <b>${renderTime(link.expiresAt)}</b>. Earlier links no longer work.</p>
<div class="form-actions"><a class="button main" href="${link.url}" target="_blank" rel="noopener noreferrer">Open the site ${
          icon("open")
        }<span class="visually-hidden"> in a new tab</span></a><a class="small" href="/spokes/${id}">Done</a></div>`,
        { id: "link" },
      )
      : panel(
        "Create a link",
        markup`<p>Open the link and choose a password for the account <code>admin</code>. You are then signed in.</p>
<ul class="small soft"><li>The administrator's current password stops working once a new one is chosen.</li>
<li>The link works once and is shown once.</li>
<li>The spoke's activity records that you created a link, but not the link itself.</li></ul>
${
          renderPostForm({
            action: `/spokes/${id}/sign-in-link`,
            button: "Create a link",
            submission,
            also: markup`<a class="small" href="/spokes/${id}">Cancel</a>`,
          })
        }`,
        { id: "link", lead: "" },
      ),
  };
}
