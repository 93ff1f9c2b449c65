/** Whether it makes sense to send requests here. */
import { anyone } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { Readiness } from "#lib/http/readiness.ts";
import { ok } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "Whether the database answers, its schema is this program's, and the scheduler works; 503 while not",
  access: anyone,
  scope: "public",
  vital: true,
  reply: ok(Readiness),
  faults: ["not_ready"],
  handle: ({ service }) => service.readiness(),
});
