/** Where somebody asks for a hub. */
import { GET as catalog } from "#routes/api/catalog.ts";
import { POST as place } from "#routes/api/federation-requests/index.ts";
import { newRequestView } from "#lib/portal/requests/request.ts";
import { deed, fields, filled, page } from "#lib/portal/page/page.ts";

export const GET = page({
  summary: "The form by which somebody asks for a hub",
  show: async ({ ask }) => newRequestView(await ask(catalog)),
});

export const POST = deed({
  summary: "Ask for a hub by the page's form",
  body: fields("slug", "name", "region", "mode", "tier", "reason", "key"),
  async act({ ask, body: { key, ...typed } }) {
    const { id } = await ask(place, { body: filled(typed), key });
    return { to: `/requests/${id}?done=requested` };
  },
  again: async ({ ask }, tried) => newRequestView(await ask(catalog), tried),
});
