/** The reference, as a page to read. */
import { anyone } from "#lib/domains/auth/access.ts";
import { docsPage } from "#lib/reference/page/page.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { html } from "#lib/http/reply.ts";
import { refusedReadPage } from "#lib/portal/mail-links/frame.ts";

export const GET = endpoint({
  summary: "The API reference as a page without external resources",
  access: anyone,
  scope: "public",
  holds: 300,
  once: true,
  strict: true,
  reply: html(),
  excuse: refusedReadPage,
  handle: ({ service }) => docsPage(service.document()),
});
