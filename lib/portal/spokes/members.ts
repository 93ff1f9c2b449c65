/** Renders a spoke's admins, with forms to add and remove admins. */
import { markup } from "#lib/http/page.ts";
import { type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import { inviteForm, memberList } from "#lib/portal/people/members.ts";
import { emptyState, panel } from "#lib/portal/components/parts.ts";
import type { MemberItem as SpokeMember } from "#lib/portal/components/api-types.ts";
import type { CurrentUser, PageView } from "#lib/portal/components/view.ts";
import { spokeHeader, type SpokePageData, subpageHeader } from "#lib/portal/spokes/spoke-page.ts";

export interface SpokeMembersProps {
  readonly me: CurrentUser;
  readonly spokePage: SpokePageData;
  readonly members: readonly SpokeMember[];
  readonly submission?: RefusedSubmission | undefined;
}

export function spokeMembersView({ me, spokePage, members, submission }: SpokeMembersProps): PageView {
  const { spoke: { id }, canManageHub } = spokePage, here = `/spokes/${id}/members`;
  const list = panel(
    "Admins of this spoke",
    members.length === 0
      ? emptyState(
        "No admins yet",
        "The hub's admins manage this spoke. Delegate the spoke to users who need access to nothing else.",
      )
      : memberList({ me, members, path: here, canManage: canManageHub, ownRemoval: "Leave" }),
    {
      id: "members",
      lead:
        "Spoke admins see this spoke, run actions on it and sign in to its site. They cannot remove it or see other spokes.",
    },
  );
  return {
    ...spokeHeader(spokePage, "/members"),
    body: canManageHub
      ? markup`<div class="two-columns">${list}${
        panel(
          "Delegate this spoke",
          inviteForm({ action: here, button: "Delegate" }, submission),
          {
            id: "delegate",
            lead:
              "A user without an account gets an email invitation, valid for 7 days. You can resend it after an hour.",
          },
        )
      }</div>`
      : markup`${list}<p class="small soft">The hub's admins decide who administers this spoke.</p>`,
  };
}

export function spokeMemberRemovalView(
  spokePage: SpokePageData,
  { userId, displayName, email }: SpokeMember,
  me: CurrentUser,
): PageView {
  const { spoke } = spokePage,
    here = `/spokes/${spoke.id}/members`,
    own = email === me.email,
    below = subpageHeader(spokePage);
  return {
    ...below,
    crumbs: [...below.crumbs ?? [], ["Members", here]],
    title: own ? `Leave ${spoke.displayName}?` : `Remove ${displayName || email}?`,
    body: panel(
      own ? "You lose access immediately" : email,
      markup`<p>${own ? "You lose" : "They lose"} access to ${spoke.displayName}, including through API tokens. The
account here and any account on the site are kept.</p>
${
        renderPostForm({
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
