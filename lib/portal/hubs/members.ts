/** Renders a hub's admins, with forms to invite and remove admins. */
import { markup } from "#lib/http/page.ts";
import { type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import { inviteForm, memberList } from "#lib/portal/people/members.ts";
import { emptyState, linkButton, panel } from "#lib/portal/components/parts.ts";
import type { Hub, MemberItem } from "#lib/portal/components/api-types.ts";
import type { CurrentUser, PageView } from "#lib/portal/components/view.ts";
import { hubHeader } from "#lib/portal/hubs/hub.ts";

interface HubMembersProps {
  readonly me: CurrentUser;
  readonly hub: Hub;
  readonly members: readonly MemberItem[];
  readonly submission?: RefusedSubmission | undefined;
}

export function hubMembersView({ me, hub, members, submission }: HubMembersProps): PageView {
  const { id } = hub;
  return {
    ...hubHeader(hub, true, `/hubs/${id}/members`),
    body: markup`<div class="two-columns">${
      panel(
        "Admins of this hub",
        members.length === 0
          ? emptyState("No admins yet", "Only operators can manage this hub until you invite an admin.")
          : memberList({ me, members, path: `/hubs/${id}/members`, canManage: true, ownRemoval: "Remove" }),
        { id: "members" },
      )
    }
${
      panel(
        "Invite an admin",
        inviteForm(
          { action: `/hubs/${id}/members`, button: "Invite", hidden: { key: crypto.randomUUID() } },
          submission,
        ),
        {
          id: "invite",
          lead:
            "Admins can add, change and destroy spokes, invite other admins and change the settings. Invitations expire after 7 days.",
        },
      )
    }</div>`,
  };
}

export function hubMemberRemovalView(hub: Hub, { userId, displayName, email }: MemberItem, me: CurrentUser): PageView {
  const here = `/hubs/${hub.id}/members`, who = email === me.email ? "yourself" : displayName || email;
  return {
    title: `Remove ${who} from ${hub.name}?`,
    section: "hubs",
    crumbs: [["Hubs", "/hubs"], [hub.name, `/hubs/${hub.id}`], ["Members", here]],
    body: panel(
      email,
      markup`<p>${
        email === me.email ? "You lose" : "They lose"
      } access to this hub, including through API tokens. The account and its audit events are kept.</p>${
        renderPostForm({
          action: `${here}/${userId}/remove`,
          button: "Remove",
          variant: "danger",
          also: linkButton(["Cancel", here]),
        })
      }`,
      { id: "member" },
    ),
  };
}
