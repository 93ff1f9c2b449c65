import { publicAccess } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { ICON_SVG } from "#lib/http/page.ts";
import { textReply } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "The icon for browser tabs, as SVG",
  access: publicAccess,
  scope: "public",
  cacheSeconds: 86_400,
  reply: textReply("image/svg+xml"),
  handle: () => ICON_SVG,
});
