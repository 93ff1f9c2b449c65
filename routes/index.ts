/** What answers at this address. */
import { anyone } from "#lib/auth/access.ts";
import { frontPage } from "#lib/docs/front/page.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { html } from "#lib/http/reply.ts";
import { unread } from "#lib/portal/frame.ts";

export const GET = endpoint({
  summary: "The front page: what this is, whether it works, and where to go on",
  access: anyone,
  scope: "public",
  reply: html(),
  excuse: unread,
  handle: ({ app, service }) => frontPage(app, service),
});
