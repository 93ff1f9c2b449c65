import * as v from "valibot";
import { publicAccess } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "Whether the process is alive. Does not query the database",
  access: publicAccess,
  scope: "public",
  probe: true,
  reply: okReply(v.object({ status: v.literal("ok") })),
  handle: () => ({ status: "ok" as const }),
});
