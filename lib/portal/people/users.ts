/** Everybody who has an account, for operators; and how one invites somebody. */
import type * as v from "valibot";
import type { UserRecordView } from "#lib/domains/users/views.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { choice, field, formOf, type Option, type Tried } from "#lib/portal/components/forms.ts";
import type { Icon } from "#lib/portal/components/icons.ts";
import { badge, empty, linkButton, older, titled, type Tone, withQuery } from "#lib/portal/components/parts.ts";
import type { Hub } from "#lib/portal/components/told.ts";
import type { View } from "#lib/portal/components/view.ts";

export const USERS_A_PAGE = 50;

export type ToldUser = v.InferOutput<typeof UserRecordView>;

interface UsersShown {
  readonly users: readonly ToldUser[];
  /** Where the next page begins; null on the last one. */
  readonly next: string | null;
  readonly query: {
    readonly q?: string | undefined;
    readonly role?: string | undefined;
    readonly state?: string | undefined;
  };
}

export function usersView({ users, next, query }: UsersShown): View {
  return {
    title: "Users",
    section: "users",
    deeds: markup`<a class="button main" href="/users/invite" data-create>Invite somebody</a>`,
    style,
    body: markup`<form class="filters" role="search" action="/users">
${field({ name: "q", label: "Search", type: "search", value: query.q, placeholder: "Name or address" })}
${choice({ name: "role", label: "Role", value: query.role, options: [["", "Any"], ...ROLES] })}
${choice({ name: "state", label: "State", value: query.state, options: [["", "Any"], ...Object.entries(NAMES)] })}
<button class="quiet">Search</button></form>
${
      users.length === 0
        ? empty("Nobody fits", "Search for something else, or see everybody.", linkButton(["All users", "/users"]))
        : markup`<ul class="list people">${users.map(row)}</ul>`
    }
${older(next && withQuery("/users", { ...query, before: next }))}`,
  };
}

const ROLES = ["operator", "hub_admin", "spoke_admin"].map((role) => [role, titled(role)] as const);

const NAMES: Readonly<Record<ToldUser["state"], string>> = {
  active: "Active",
  invited: "Invited",
  unverified: "Address not confirmed",
  disabled: "Disabled",
};

const LOOKS: Readonly<Record<ToldUser["state"], readonly [Tone, Icon]>> = {
  active: ["good", "dot"],
  invited: ["info", "wait"],
  unverified: ["warn", "warning"],
  disabled: ["still", "minus"],
};

export function userBadge(state: ToldUser["state"]): Markup {
  return badge(...LOOKS[state], NAMES[state]);
}

function row({ id, displayName, email, role, state, mailRefused, federationIds, spokeIds }: ToldUser): Markup {
  return markup`<li id="${id}"><span class="name"><a class="cover" href="/users/${id}">${displayName}</a><span class="tiny soft">${email}</span></span>
<span class="small">${titled(role)}</span>
<span class="small soft">${role === "operator" ? "All hubs" : seatsOf(federationIds.length, spokeIds.length)}</span>${
    mailRefused === null ? userBadge(state) : badge("bad", "cross", "Mail refused")
  }</li>`;
}

function seatsOf(hubs: number, spokes: number): string {
  const count = (number: number, what: string) => number === 0 ? [] : [`${number} ${what}${number === 1 ? "" : "s"}`];
  return [...count(hubs, "hub"), ...count(spokes, "spoke")].join(", ") || "Nothing yet";
}

/** `hubs` is null where there are too many to choose from: then one types the slug. */
export function inviteView(hubs: readonly Hub[] | null, tried?: Tried): View {
  const page = { section: "users", crumbs: [["Users", "/users"]], title: "Invite somebody" } as const;
  if (hubs?.length === 0) {
    const deed = linkButton(["New hub", "/hubs/new"], "main");
    return { ...page, body: empty("No hub yet", "People are invited to a hub. Make the first.", deed) };
  }
  const name = "federationId", label = "Hub";
  return {
    ...page,
    lead: "They become an admin of the hub, and get a mail with a link, which works for seven days.",
    body: formOf(
      { action: "/users/invite", button: "Invite", tried, also: linkButton(["Cancel", "/users"]) },
      field({ name: "email", label: "E-mail address", type: "email", required: true, tried }),
      field({ name: "displayName", label: "Name", hint: "They can change it.", most: 200, tried }),
      hubs
        ? choice({ name, label, options: hubs.map(({ id, name }): Option => [id, name]), tried })
        : field({ name, label, hint: "Its slug or id.", required: true, tried }),
      markup`<p class="small soft">For a single spoke, go to the spoke and add them there. Somebody becomes an operator on the page of
their account, once they have accepted.</p>`,
    ),
  };
}

const style = `
.people > li { grid-template-columns: minmax(10rem, 3fr) minmax(6rem, 1fr) minmax(6rem, 2fr) 11.5rem; }
.people > li > .badge { justify-self: end; }
@media (max-width: 44rem) { .people > li { grid-template-columns: minmax(0, 1fr) auto; } }
`;
