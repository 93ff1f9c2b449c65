/** Renders the identities at providers with which a user signs in, on the user's own page and for operators. */
import type * as v from "valibot";
import type { IdentityView } from "#lib/domains/auth/views.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import * as ui from "#lib/portal/components/parts.ts";

export type LinkedIdentityItem = v.InferOutput<typeof IdentityView>;

/** Renders a panel with a button to unlink each identity. `action` is the path of the form. Empty without identities. */
export function identitiesPanel(identities: readonly LinkedIdentityItem[], action: string): Markup | string {
  if (identities.length === 0) return "";
  const items = identities.map(({ id, provider, issuer, subject, email, lastUsedAt }) =>
    markup`<li><span class="name"><span>${provider}</span><span class="tiny soft">${email ?? subject}</span></span>
<span class="tiny soft">${issuer}<br>Last used ${ui.renderTime(lastUsedAt)}</span>
${ui.renderPostButton(action, "Unlink", { fields: { identity: id }, about: provider })}</li>`
  );
  return ui.panel("Sign-in providers", markup`<ul class="list sessions">${items}</ul>`, { id: "identities" });
}
