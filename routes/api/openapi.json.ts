import { publicAccess } from "#lib/domains/auth/access.ts";
import { OpenApi } from "#lib/reference/openapi.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "The OpenAPI document of this API",
  access: publicAccess,
  scope: "public",
  cacheSeconds: 300,
  renderedOnce: true,
  reply: okReply(OpenApi),
  handle: ({ service }) => service.document(),
});
