/** Who administers a spoke besides those who run its hub, and how somebody is brought in or taken out. */
import { Fault } from "#lib/base/errors.ts";
import { markup } from "#lib/http/page.ts";
import { field, formOf, type Tried } from "#lib/portal/components/forms.ts";
import { mailMark, refusedMail } from "#lib/portal/people/refused-mail.ts";
import { empty, instant, panel } from "#lib/portal/components/parts.ts";
import type { HubMember as SpokeMember } from "#lib/portal/components/told.ts";
import type { Me, View } from "#lib/portal/components/view.ts";
import { belowSpoke, spokeHead, type SpokePlace } from "#lib/portal/spokes/place.ts";

export interface SpokeMembersShown {
  readonly me: Me;
  readonly place: SpokePlace;
  readonly members: readonly SpokeMember[];
  readonly tried?: Tried | undefined;
}

export function spokeMembersView({ me, place, members, tried }: SpokeMembersShown): View {
  const { spoke: { id }, runs } = place, here = `/spokes/${id}/members`;
  const list = panel(
    "Admins of this spoke",
    members.length === 0
      ? empty("Nobody yet", "Those who run its hub look after it. Delegate it to somebody who needs this spoke alone.")
      : markup`<ul class="list plain">${
        members.map(({ userId, displayName, email, pending, mailRefused, createdAt }) => {
          const own = email === me.email, name = displayName || email;
          return markup`<li id="${userId}"><span class="name">${name}${own ? " (you)" : ""} <span class="tiny soft">${
            name === email ? "" : email
          }</span></span>
<span class="marks">${mailMark({ pending, mailRefused })} <span class="tiny soft">Since ${instant(createdAt)}</span>${
            refusedMail(mailRefused, runs && pending ? here : null, email)
          }</span>
${
            runs || own
              ? markup`<a class="button quiet" href="${here}/${userId}/remove">${
                own ? "Leave" : markup`Remove<span class="unseen"> ${email}</span>`
              }</a>`
              : markup`<span></span>`
          }</li>`;
        })
      }</ul>`,
    {
      id: "members",
      lead:
        "They see this spoke and what happens to it, act on it, and sign in to its site. They cannot remove it, nor see others of its hub.",
    },
  );
  return {
    ...spokeHead(place, "/members"),
    body: runs
      ? markup`<div class="two">${list}${
        panel(
          "Delegate it",
          formOf(
            { action: here, button: "Delegate", tried },
            field({ name: "email", label: "E-mail address", type: "email", required: true, most: 254, tried }),
            field({ name: "displayName", label: "Name", hint: "For an account that is new.", most: 200, tried }),
          ),
          {
            id: "delegate",
            lead:
              "Somebody without an account is invited by mail, for 7 days. Asking again does no harm: the mail is sent anew after an hour.",
          },
        )
      }</div>`
      : markup`${list}<p class="small soft">Those who run its hub say who administers this spoke.</p>`,
  };
}

/** Throws Fault missing `member_missing`. */
export function demandMember(members: readonly SpokeMember[], userId: string | undefined): SpokeMember {
  const found = members.find((member) => member.userId === userId);
  if (!found) throw new Fault("missing", "member_missing", "There is no such member here");
  return found;
}

export function spokeMemberRemovalView(place: SpokePlace, { userId, displayName, email }: SpokeMember, me: Me): View {
  const { spoke } = place, here = `/spokes/${spoke.id}/members`, own = email === me.email, below = belowSpoke(place);
  return {
    ...below,
    crumbs: [...below.crumbs ?? [], ["Members", here]],
    title: own ? `Leave ${spoke.displayName}?` : `Remove ${displayName || email}?`,
    body: panel(
      own ? "You lose it at once" : email,
      markup`<p>From then on ${spoke.displayName} is closed to ${
        own ? "you" : "them"
      }, here and by tokens. The account stays, and so does an account on the site itself.</p>
${
        formOf({
          action: `${here}/${userId}/remove`,
          button: own ? "Leave" : "Remove",
          look: "danger",
          also: markup`<a class="small" href="${here}">Cancel</a>`,
        })
      }`,
      { id: "member" },
    ),
  };
}
