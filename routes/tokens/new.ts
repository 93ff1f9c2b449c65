/** Where one makes an API token. */
import { POST as create } from "#routes/api/auth/tokens/index.ts";
import { deed, fields, page } from "#lib/portal/page/page.ts";
import { expiryOf, madeTokenView, newTokenView } from "#lib/portal/people/tokens.ts";

export const GET = page({
  summary: "The form for an API token",
  show: () => newTokenView(),
});

export const POST = deed({
  summary: "Make an API token by its form; the answer is the one page that shows it",
  body: fields("name", "scope", "expiresAt"),
  async act({ ask, now, publicUrl, body: { name, scope, expiresAt: chosen } }) {
    const expiresAt = expiryOf(chosen, await now());
    return madeTokenView(await ask(create, { body: { name, scope, expiresAt } }), publicUrl);
  },
  again: (_, tried) => newTokenView(tried),
});
