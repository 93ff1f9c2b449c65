/** The reference, as a page to read. */
import { anyone } from "#lib/domains/auth/access.ts";
import { docsPage } from "#lib/surface/docs/page/page.ts";
import { endpoint } from "#lib/surface/http/endpoint.ts";
import { html } from "#lib/surface/http/reply.ts";
import { unread } from "#lib/surface/portal/mailed/frame.ts";

export const GET = endpoint({
  summary: "The reference of this API as a page, which asks no other server for anything",
  access: anyone,
  scope: "public",
  holds: 300,
  once: true,
  strict: true,
  reply: html(),
  excuse: unread,
  handle: ({ service }) => docsPage(service.document()),
});
