import { signedInAccess } from "#lib/domains/auth/access.ts";
import { createCatalogView } from "#lib/catalog/create-view.ts";
import { CatalogView } from "#lib/catalog/view.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "Sizes, versions, regions and other values for hubs and spokes. " +
    "A section that is listed in open accepts any text",
  access: signedInAccess,
  scope: "readonly",
  reply: okReply(CatalogView),
  handle: ({ app, actor }) => createCatalogView(app, actor),
});
