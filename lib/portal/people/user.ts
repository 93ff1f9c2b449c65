/** Renders a user's page for operators: details, memberships and account actions. */
import { Fault } from "#lib/base/errors.ts";
import type { UserPatch } from "#lib/domains/users/views.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import * as ui from "#lib/portal/components/parts.ts";
import type { NavLink, PageView } from "#lib/portal/components/view.ts";
import { identitiesPanel, type LinkedIdentityItem } from "#lib/portal/people/identities.ts";
import { userBadge, type UserItem } from "#lib/portal/people/users.ts";

/** The maximum number of memberships to list by name. Further memberships are only counted. */
export const MAX_LISTED_MEMBERSHIPS = 20;

interface UserProps {
  readonly user: UserItem;
  /** Links to hubs and spokes that the user is a member of, at most MAX_NAMED_MEMBERSHIPS. */
  readonly memberships: readonly NavLink[];
  readonly identities: readonly LinkedIdentityItem[];
  readonly isSelf: boolean;
}

export function userView(
  { user, memberships, identities, isSelf }: UserProps,
  submission?: RefusedSubmission,
): PageView {
  const { id, email, role, emailVerifiedAt, mailRefusal, disabledAt, createdAt, displayName } = user;
  return {
    ...headOf(user),
    title: displayName,
    badge: userBadge(user.state),
    lead: email,
    actions: markup`${ui.linkButton(["Audit events", ui.appendQuery("/audit", { actor: id })])}${
      isSelf ? ui.linkButton(["Your account", "/account"], "main") : ""
    }`,
    body: markup`<div class="two-columns"><div class="column">
${
      ui.panel(
        "About",
        ui.definitionList([
          ["Role", ui.humanize(role)],
          ["Address confirmed", ui.renderTime(emailVerifiedAt, "not yet")],
          mailRefusal === null ? null : ["Mail was refused", mailRefusal],
          ["Account created", ui.renderTime(createdAt)],
          disabledAt === null ? null : ["Disabled", ui.renderTime(disabledAt)],
        ]),
        { id: "about" },
      )
    }
${ui.panel("Hubs and spokes", membershipList(user, memberships), { id: "memberships" })}
${identitiesPanel(identities, `/users/${id}/identities`)}
${
      ui.panel(
        "Rename",
        renderPostForm(
          { action: `/users/${id}`, button: "Save", submission },
          { name: "displayName", label: "Name", value: displayName, required: true, maxLength: 200 },
        ),
        { id: "name" },
      )
    }</div>
${isSelf ? "" : ui.panel("Account", accountActions(user), { id: "account" })}</div>`,
  };
}

function headOf({ id, displayName }: UserItem) {
  return { section: "users", crumbs: [["Users", "/users"], [displayName, `/users/${id}`]] } as const;
}

function membershipList({ role, federationIds, spokeIds }: UserItem, memberships: readonly NavLink[]): Markup {
  if (role === "operator") return markup`<p class="small">Operators can see and manage all hubs.</p>`;
  if (memberships.length === 0) {
    return markup`<p class="small soft">This user has no access now. Invitations take effect once accepted.</p>`;
  }
  const rest = federationIds.length + spokeIds.length - memberships.length;
  return markup`<ul class="small">${memberships.map(([text, href]) => markup`<li><a href="${href}">${text}</a></li>`)}${
    rest > 0 ? markup`<li>and ${rest} more</li>` : ""
  }</ul>`;
}

function accountActions(user: UserItem): Markup {
  const { id, state, operator } = user;
  const actions: readonly (readonly [what: string, path: string, text: string])[] = [
    ["Sets a new password for a user who cannot receive email.", "reset-password", "Reset password …"],
    ["Removes the second factors of a user who lost them.", "reset-factors", "Remove second factors …"],
    operator
      ? ["This user can see and manage everything.", "demote", "Remove operator role …"]
      : ["Operators can see and manage everything.", "promote", "Make operator …"],
    state === "disabled"
      ? ["The user cannot sign in, and their tokens do not work.", "enable", "Enable …"]
      : ["Signs the user out everywhere and disables their tokens.", "disable", "Disable …"],
  ];
  return markup`${
    actions.map(([what, path, text]) =>
      markup`<div class="form-actions"><p class="small soft">${what}</p>${
        ui.linkButton([text, `/users/${id}/${path}`])
      }</div>`
    )
  }`;
}

interface UserChange {
  readonly title: (name: string) => string;
  readonly text: string;
  readonly button: string;
  readonly variant: "main" | "danger";
  readonly patch: UserPatch;
}

const CHANGES: Readonly<Record<string, UserChange>> = {
  promote: {
    title: (name) => `Make ${name} an operator?`,
    text: "Operators can see and manage all hubs, spokes and users, and read the audit log.",
    button: "Make operator",
    variant: "danger",
    patch: { operator: true },
  },
  demote: {
    title: (name) => `Remove the operator role from ${name}?`,
    text: "The user stays a member of their hubs and spokes, and loses access to all others immediately.",
    button: "Remove operator role",
    variant: "danger",
    patch: { operator: false },
  },
  disable: {
    title: (name) => `Disable ${name}?`,
    text: "The user's sessions end. Their tokens do not work until you enable the account again. Their data is kept.",
    button: "Disable",
    variant: "danger",
    patch: { disabled: true },
  },
  enable: {
    title: (name) => `Enable ${name}?`,
    text: "The user can sign in again, and their tokens work again.",
    button: "Enable",
    variant: "main",
    patch: { disabled: false },
  },
};

/** Returns the account change with this name, such as `promote`. Throws a `missing` fault for an unknown name. */
export function requireUserChange(change: string | undefined): UserChange {
  if (change !== undefined && Object.hasOwn(CHANGES, change)) return CHANGES[change]!;
  throw new Fault("missing", "no_route", "No endpoint at this path");
}

export function userChangeView(user: UserItem, change: string, submission?: RefusedSubmission): PageView {
  const { title, ...confirmation } = requireUserChange(change);
  return confirmationView(user, { ...confirmation, title: title(user.displayName), path: change, submission });
}

export function resetPasswordView(user: UserItem, submission?: RefusedSubmission): PageView {
  return confirmationView(user, {
    title: `Reset the password of ${user.displayName}?`,
    text:
      "The user is signed out everywhere, and their address counts as confirmed. The next page shows the new password once. " +
      "Users who can receive email can reset their own password on the sign-in page, with “Forgot your password?”.",
    path: "reset-password",
    button: "Reset password",
    variant: "danger",
    submission,
  });
}

export function resetFactorsView(user: UserItem, submission?: RefusedSubmission): PageView {
  return confirmationView(user, {
    title: `Remove the second factors of ${user.displayName}?`,
    text: "For users who lost their phone and their recovery codes. Make sure that it is really this person who asks " +
      "for it. The user is signed out everywhere, gets an email, and signs in with the password alone.",
    path: "reset-factors",
    button: "Remove second factors",
    variant: "danger",
    submission,
  });
}

interface Confirmation extends Pick<UserChange, "text" | "button" | "variant"> {
  readonly title: string;
  /** The path of the form, relative to the user's page. */
  readonly path: string;
  readonly submission: RefusedSubmission | undefined;
}

function confirmationView(user: UserItem, { title, text, path, button, variant, submission }: Confirmation): PageView {
  const here = `/users/${user.id}`, also = ui.linkButton(["Cancel", here]);
  return {
    ...headOf(user),
    title,
    lead: user.email,
    body: markup`<p>${text}</p>${renderPostForm({ action: `${here}/${path}`, button, variant, submission, also })}`,
  };
}

/** Returns the page that shows a new password. The password cannot be shown again. */
export function createdPasswordView(user: UserItem, password: string): PageView {
  return {
    ...headOf(user),
    title: `New password for ${user.displayName}`,
    lead: user.email,
    body: markup`${
      ui.callout(
        "good",
        markup`<p><b>Copy this password now.</b> It is not shown again. Send it to the user privately, and ask them
to change it on their account page.</p>`,
      )
    }
${ui.copyableCode(password, "the password")}
<p>${ui.linkButton(["I have copied the password", `/users/${user.id}`])}</p>`,
  };
}
