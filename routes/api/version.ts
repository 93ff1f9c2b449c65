import * as v from "valibot";
import { publicAccess } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "The version of the API and the build of this server",
  access: publicAccess,
  scope: "public",
  reply: okReply(v.object({ api: v.string(), commit: v.string() })),
  handle: ({ app }) => app.release,
});
