/** What this API is, for programs. */
import { anyone } from "#lib/domains/auth/access.ts";
import { OpenApi } from "#lib/surface/docs/openapi.ts";
import { endpoint } from "#lib/surface/http/endpoint.ts";
import { ok } from "#lib/surface/http/reply.ts";

export const GET = endpoint({
  summary: "The OpenAPI document of this API",
  access: anyone,
  scope: "public",
  holds: 300,
  once: true,
  reply: ok(OpenApi),
  handle: ({ service }) => service.document(),
});
