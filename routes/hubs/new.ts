/** Where an operator makes a hub. */
import { GET as catalog } from "#routes/api/catalog.ts";
import { POST as create } from "#routes/api/federations/index.ts";
import { requireOperator } from "#lib/domains/auth/access.ts";
import { newHubView } from "#lib/portal/hubs/new-hub.ts";
import { deed, fields, filled, page } from "#lib/portal/page/page.ts";

export const GET = page({
  summary: "The form by which an operator makes a hub",
  async show({ ask, actor }) {
    requireOperator(actor);
    return newHubView(await ask(catalog));
  },
});

export const POST = deed({
  summary: "Make a hub by the page's form",
  body: fields("slug", "name", "region", "mode", "tier", "key"),
  async act({ ask, body: { key, ...typed } }) {
    const { id } = await ask(create, { body: filled(typed), key });
    return { to: `/hubs/${id}?done=created` };
  },
  again: async ({ ask }, tried) => newHubView(await ask(catalog), tried),
});
