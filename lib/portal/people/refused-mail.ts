/** Marks members whose mail server refused an email, with a button that sends the invitation again. */
import { type Markup, markup } from "#lib/http/page.ts";
import { badge, renderPostButton } from "#lib/portal/components/parts.ts";
import type { MemberItem } from "#lib/portal/components/api-types.ts";

export function refusedMailBadge(
  { pending, mailRefusal }: Pick<MemberItem, "pending" | "mailRefusal">,
): Markup | string {
  if (mailRefusal !== null) return badge("bad", "cross", "Mail refused");
  return pending ? badge("still", "wait", "Invited") : "";
}

/** Renders the reason why an email was refused. `invitePath` is null if the invitation cannot be sent again. */
export function refusedMailDetails(reason: string | null, invitePath: string | null, email: string): Markup | string {
  if (reason === null) return "";
  return markup`<span class="tiny">Mail was refused: ${reason}</span>${
    invitePath === null
      ? ""
      : markup`<span class="tiny soft">If the address is wrong, remove this member and invite the correct address.</span>
${renderPostButton(invitePath, "Send again", { fields: { email }, about: email })}`
  }`;
}
