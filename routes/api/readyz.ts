import { publicAccess } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { Readiness } from "#lib/http/readiness.ts";
import { okReply } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "Whether the database responds, its schema matches this release and the scheduler runs. If not, returns 503",
  access: publicAccess,
  scope: "public",
  probe: true,
  reply: okReply(Readiness),
  faults: ["not_ready"],
  handle: ({ service }) => service.readiness(),
});
