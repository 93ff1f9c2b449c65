/** What this service offers. */
import { signedIn } from "#lib/domains/auth/access.ts";
import { showCatalog } from "#lib/catalog/create-view.ts";
import { CatalogView } from "#lib/catalog/view.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { ok } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "What hubs and spokes can be made of; a section named in open takes any text",
  access: signedIn,
  scope: "readonly",
  reply: ok(CatalogView),
  handle: ({ app }) => showCatalog(app),
});
