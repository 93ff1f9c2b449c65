/** What answers at this address. */
import { anyone } from "#lib/domains/auth/access.ts";
import { frontPage } from "#lib/surface/docs/front/page.ts";
import { endpoint } from "#lib/surface/http/endpoint.ts";
import { html } from "#lib/surface/http/reply.ts";
import { unread } from "#lib/surface/portal/mailed/frame.ts";

export const GET = endpoint({
  summary: "The front page: what this is, whether it works, and where to go on",
  access: anyone,
  scope: "public",
  reply: html(),
  excuse: unread,
  handle: ({ app, service }) => frontPage(app, service),
});
