import { publicAccess } from "#lib/domains/auth/access.ts";
import type { ApiDocument } from "#lib/reference/document.ts";
import { renderReferencePage } from "#lib/reference/page/page.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { htmlReply } from "#lib/http/reply.ts";
import { publicErrorPage } from "#lib/portal/mail-links/frame.ts";

export const GET = endpoint({
  summary: "The API reference as an HTML page without external resources",
  access: publicAccess,
  scope: "public",
  cacheSeconds: 300,
  renderedOnce: true,
  strict: true,
  reply: htmlReply(),
  negotiatedErrorPage: publicErrorPage,
  handle: ({ service }) => renderReferencePage(service.document() as ApiDocument),
});
