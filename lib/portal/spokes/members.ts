/** Who administers a spoke besides those who run its hub, and how somebody is brought in or taken out. */
import { Fault } from "#lib/base/errors.ts";
import { markup } from "#lib/http/page.ts";
import { field, postForm, type Submission } from "#lib/portal/components/forms.ts";
import { mailBadge, refusedMail } from "#lib/portal/people/refused-mail.ts";
import { emptyState, instant, panel } from "#lib/portal/components/parts.ts";
import type { HubMember as SpokeMember } from "#lib/portal/components/api-types.ts";
import type { CurrentUser, View } from "#lib/portal/components/view.ts";
import { spokeHead, type SpokePage, subpageHead } from "#lib/portal/spokes/spoke-page.ts";

export interface SpokeMembersProps {
  readonly me: CurrentUser;
  readonly spokePage: SpokePage;
  readonly members: readonly SpokeMember[];
  readonly submission?: Submission | undefined;
}

export function spokeMembersView({ me, spokePage, members, submission }: SpokeMembersProps): View {
  const { spoke: { id }, canManageHub } = spokePage, here = `/spokes/${id}/members`;
  const list = panel(
    "Admins of this spoke",
    members.length === 0
      ? emptyState(
        "Nobody yet",
        "Those who run its hub look after it. Delegate it to somebody who needs this spoke alone.",
      )
      : markup`<ul class="list plain">${
        members.map(({ userId, displayName, email, pending, mailRefused, createdAt }) => {
          const own = email === me.email, name = displayName || email;
          return markup`<li id="${userId}"><span class="name">${name}${own ? " (you)" : ""} <span class="tiny soft">${
            name === email ? "" : email
          }</span></span>
<span class="marks">${mailBadge({ pending, mailRefused })} <span class="tiny soft">Since ${instant(createdAt)}</span>${
            refusedMail(mailRefused, canManageHub && pending ? here : null, email)
          }</span>
${
            canManageHub || own
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
    ...spokeHead(spokePage, "/members"),
    body: canManageHub
      ? markup`<div class="two">${list}${
        panel(
          "Delegate it",
          postForm(
            { action: here, button: "Delegate", submission },
            field({
              name: "email",
              label: "E-mail address",
              type: "email",
              required: true,
              maxLength: 254,
              submission,
            }),
            field({
              name: "displayName",
              label: "Name",
              hint: "For an account that is new.",
              maxLength: 200,
              submission,
            }),
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
export function requireMember(members: readonly SpokeMember[], userId: string | undefined): SpokeMember {
  const found = members.find((member) => member.userId === userId);
  if (!found) throw new Fault("missing", "member_missing", "There is no such member here");
  return found;
}

export function spokeMemberRemovalView(
  spokePage: SpokePage,
  { userId, displayName, email }: SpokeMember,
  me: CurrentUser,
): View {
  const { spoke } = spokePage,
    here = `/spokes/${spoke.id}/members`,
    own = email === me.email,
    below = subpageHead(spokePage);
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
        postForm({
          action: `${here}/${userId}/remove`,
          button: own ? "Leave" : "Remove",
          variant: "danger",
          also: markup`<a class="small" href="${here}">Cancel</a>`,
        })
      }`,
      { id: "member" },
    ),
  };
}
