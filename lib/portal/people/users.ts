/** Renders the list of users and the form to invite a user, for operators. */
import { formatCount } from "#lib/base/text.ts";
import type { ListPage } from "#lib/drivers/db/pages.ts";
import type * as v from "valibot";
import type { UserRecordView } from "#lib/domains/users/views.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import {
  filterOptions,
  type RefusedSubmission,
  renderFilterForm,
  renderPostForm,
  type SelectOption,
} from "#lib/portal/components/forms.ts";
import type { IconName } from "#lib/portal/components/icons.ts";
import { badge, type BadgeTone, emptyState, humanize, linkButton, nextPageLink } from "#lib/portal/components/parts.ts";
import { USER_ROLES } from "#lib/model/user.ts";
import type { Hub } from "#lib/portal/components/api-types.ts";
import type { PageView } from "#lib/portal/components/view.ts";

export const USERS_PER_PAGE = 50;

export type UserItem = v.InferOutput<typeof UserRecordView>;

interface UsersProps {
  readonly users: ListPage<UserItem>;
  readonly query: {
    readonly q?: string | undefined;
    readonly role?: string | undefined;
    readonly state?: string | undefined;
  };
}

export function usersView({ users, query }: UsersProps): PageView {
  return {
    title: "Users",
    section: "users",
    actions: markup`<a class="button main" href="/users/invite" data-create>Invite a user</a>`,
    body: markup`${
      renderFilterForm("/users", [
        { name: "q", label: "Search", type: "search", value: query.q, placeholder: "Name or address" },
        { name: "role", label: "Role", value: query.role, options: filterOptions(USER_ROLES) },
        { name: "state", label: "State", value: query.state, options: [["", "Any"], ...Object.entries(STATE_LABELS)] },
      ])
    }
${
      users.items.length === 0
        ? emptyState("No matching users", "Change the search or show all users.", linkButton(["All users", "/users"]))
        : markup`<ul class="list people">${users.items.map(row)}</ul>`
    }
${nextPageLink("/users", users.next, query)}`,
  };
}

const STATE_LABELS: Readonly<Record<UserItem["state"], string>> = {
  active: "Active",
  invited: "Invited",
  unverified: "Address not confirmed",
  disabled: "Disabled",
};

const BADGES: Readonly<Record<UserItem["state"], readonly [BadgeTone, IconName]>> = {
  active: ["good", "dot"],
  invited: ["info", "wait"],
  unverified: ["warn", "warning"],
  disabled: ["still", "minus"],
};

export function userBadge(state: UserItem["state"]): Markup {
  return badge(...BADGES[state], STATE_LABELS[state]);
}

function row({ id, displayName, email, role, state, mailRefusal, federationIds, spokeIds }: UserItem): Markup {
  return markup`<li id="${id}"><span class="name"><a class="cover" href="/users/${id}">${displayName}</a><span class="tiny soft">${email}</span></span>
<span class="small">${humanize(role)}</span>
<span class="small soft">${
    role === "operator" ? "All hubs" : membershipCount(federationIds.length, spokeIds.length)
  }</span>${mailRefusal === null ? userBadge(state) : badge("bad", "cross", "Mail refused")}</li>`;
}

function membershipCount(hubs: number, spokes: number): string {
  const count = (number: number, what: string) => number === 0 ? [] : [formatCount(number, what)];
  return [...count(hubs, "hub"), ...count(spokes, "spoke")].join(", ") || "No access";
}

/** Returns the invitation form. If there are too many hubs to list, `hubs` is null and operators type a hub's slug. */
export function inviteView(hubs: readonly Hub[] | null, submission?: RefusedSubmission): PageView {
  const page = { section: "users", crumbs: [["Users", "/users"]], title: "Invite a user" } as const;
  if (hubs?.length === 0) {
    const action = linkButton(["New hub", "/hubs/new"], "main");
    return { ...page, body: emptyState("No hubs yet", "To invite a user to a hub, create the hub first.", action) };
  }
  const name = "federationId", label = "Hub";
  return {
    ...page,
    lead: "The user becomes an admin of the hub and gets an email with a link. The link works for seven days.",
    body: renderPostForm(
      { action: "/users/invite", button: "Invite", submission, also: linkButton(["Cancel", "/users"]) },
      { name: "email", label: "Email address", type: "email", required: true },
      { name: "displayName", label: "Name", hint: "The user can change this name.", maxLength: 200 },
      hubs
        ? { name, label, options: hubs.map(({ id, name }): SelectOption => [id, name]) }
        : { name, label, hint: "Slug or ID.", required: true },
      markup`<p class="small soft">To give access to a single spoke, use the spoke's Members page. To make a user an operator, open the
user's page once they have accepted.</p>`,
    ),
  };
}
