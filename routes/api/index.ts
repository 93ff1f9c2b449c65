import { publicAccess } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { redirectReply } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "Redirect to the API reference",
  access: publicAccess,
  scope: "public",
  reply: redirectReply,
  handle: () => "/api/docs",
});
