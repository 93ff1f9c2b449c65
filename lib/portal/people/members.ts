/** Renders the admins of a hub or spoke, and the form with which an admin is invited. */
import { Fault } from "#lib/base/errors.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import { badge, renderPostButton, renderTime } from "#lib/portal/components/parts.ts";
import type { MemberItem } from "#lib/portal/components/api-types.ts";
import type { CurrentUser } from "#lib/portal/components/view.ts";

interface MemberListProps {
  readonly me: CurrentUser;
  readonly members: readonly MemberItem[];
  /** The path of the page with the list. */
  readonly path: string;
  /** Whether the user may invite members and remove other members. */
  readonly canManage: boolean;
  /** The text of the link with which users remove themselves. */
  readonly ownRemoval: "Leave" | "Remove";
}

export function memberList({ me, members, path, canManage, ownRemoval }: MemberListProps): Markup {
  return markup`<ul class="list plain">${
    members.map(({ userId, displayName, email, pending, mailRefusal, createdAt }) => {
      const isOwn = email === me.email, name = displayName || email;
      const action = isOwn && ownRemoval === "Leave"
        ? ownRemoval
        : markup`Remove<span class="visually-hidden"> ${email}</span>`;
      return markup`<li id="${userId}"><span class="name">${name}${isOwn ? " (you)" : ""}${
        name === email ? "" : markup` <span class="tiny soft">${email}</span>`
      }</span>
<span class="marks">${stateMark({ pending, mailRefusal })}<span class="tiny soft">Since ${
        renderTime(createdAt)
      }</span>${mailRefusal === null ? "" : refusedMail(mailRefusal, canManage && pending ? path : null, email)}</span>
${
        canManage || isOwn
          ? markup`<a class="button quiet" href="${path}/${userId}/remove">${action}</a>`
          : markup`<span></span>`
      }</li>`;
    })
  }</ul>`;
}

function stateMark({ pending, mailRefusal }: Pick<MemberItem, "pending" | "mailRefusal">): Markup | string {
  if (mailRefusal !== null) return badge("bad", "cross", "Mail refused");
  return pending ? badge("still", "wait", "Invited") : "";
}

/** Renders why an email was refused. `invitePath` is null if the invitation cannot be sent again. */
function refusedMail(reason: string, invitePath: string | null, email: string): Markup {
  return markup`<span class="tiny">Mail was refused: ${reason}</span>${
    invitePath === null
      ? ""
      : markup`<span class="tiny soft">If the address is wrong, remove this member and invite the correct address.</span>
${renderPostButton(invitePath, "Send again", { fields: { email }, about: email })}`
  }`;
}

export function inviteForm(
  form: { readonly action: string; readonly button: string; readonly hidden?: Readonly<Record<string, string>> },
  submission: RefusedSubmission | undefined,
): Markup {
  return renderPostForm(
    { ...form, submission },
    { name: "email", label: "Email address", type: "email", required: true, maxLength: 254 },
    { name: "displayName", label: "Name", hint: "Used only if the user has no account yet.", maxLength: 200 },
  );
}

/** Returns the member with this user ID. Throws a `missing` fault (`member_missing`) if no such member exists. */
export function requireMember(members: readonly MemberItem[], userId: string | undefined, message: string): MemberItem {
  const found = members.find((member) => member.userId === userId);
  if (!found) throw new Fault("missing", "member_missing", message);
  return found;
}
