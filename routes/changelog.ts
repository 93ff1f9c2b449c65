import { publicAccess } from "#lib/domains/auth/access.ts";
import { buildChangelogPage } from "#lib/reference/changelog/page.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { htmlReply } from "#lib/http/reply.ts";
import { publicErrorPage } from "#lib/portal/mail-links/frame.ts";

export const GET = endpoint({
  summary: "The changelog as a page: announcements and the changes in each release",
  access: publicAccess,
  scope: "public",
  cacheSeconds: 300,
  reply: htmlReply(),
  negotiatedErrorPage: publicErrorPage,
  faults: ["database_unavailable", "database_lost", "database_busy", "database_slow", "database_closed"],
  handle: ({ app, service }) => buildChangelogPage(app, service.releases),
});
