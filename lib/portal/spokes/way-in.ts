/** A way into the site for its administrator: a link that is shown once. */
import { markup } from "#lib/http/page.ts";
import { formOf, type Tried } from "#lib/portal/components/forms.ts";
import { icon } from "#lib/portal/components/icons.ts";
import { copyable, instant, notice, panel, stateBadge } from "#lib/portal/components/parts.ts";
import type { WayIn } from "#lib/portal/components/told.ts";
import type { View } from "#lib/portal/components/view.ts";
import { belowSpoke, type SpokePlace } from "#lib/portal/spokes/place.ts";

export function wayInView(place: SpokePlace, made: WayIn | null, tried?: Tried): View {
  const { spoke: { id, domain, state, health } } = place;
  return {
    ...belowSpoke(place),
    title: "Sign in to the site",
    badge: stateBadge(state, health),
    lead: markup`As its administrator, the account <code>admin</code> of ${domain}.`,
    body: made
      ? panel(
        "Your link",
        markup`${
          notice(
            "warn",
            "It is shown only here. Anybody who has it can become the administrator of the site: do not pass it on.",
          )
        }
${copyable(made.url, "the link")}
<p class="small">It works once, until <b>${
          instant(made.expiresAt)
        }</b>, and takes the place of links that were made before.</p>
<div class="ends"><a class="button main" href="${made.url}" target="_blank" rel="noopener noreferrer">Open the site ${
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
          formOf({
            action: `/spokes/${id}/way-in`,
            button: "Make a link",
            tried,
            also: markup`<a class="small" href="/spokes/${id}">Cancel</a>`,
          })
        }`,
        { id: "link", lead: "" },
      ),
  };
}
